/** The client in a browser, and in the runtimes on the PATH. */
import Fastify, { type FastifyInstance } from 'fastify'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { AllowedFilters, AllowedSort, CrudBase, crudKit } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { launch, skipReason } from '../helpers/browser.ts'
import { bundle } from '../helpers/bundle.ts'
import { databases } from '../helpers/databases.ts'

// a browser on a busy machine
t.setTimeout(180_000)

const run = promisify(execFile)

/** The program for every runtime, and its expected result. */
const PROGRAM = `async (baseUrl, { createClient, isCrudError }) => {
  const plants = createClient(baseUrl)['/plants']
  const { items } = await plants.list({ filter: { name: { in: ['Ångström 玫瑰 🌹', 'Lavender'] } }, sort: ['name'] })
  const { id } = await plants.create({ name: 'Here', supplier: 1 })
  const streamed = []
  for await (const { name } of plants.stream({ sort: ['-id'] })) if (streamed.push(name) === 2) break
  let all = 0
  for await (const plant of plants.each({ per_page: 4 })) all++
  const error = await plants.list({ filter: { nmae: 1 } }).catch((error) => error)
  const aborted = await plants.list({ signal: AbortSignal.abort() }).catch((error) => error)
  await plants.update(id, { name: 'There' })
  const gone = await plants.delete(id, { hard: true })
  return [
    items.map(({ name }) => name), streamed, all,
    isCrudError(error) && error.errorFor('filter[nmae]').suggestion, aborted.name, gone.name,
  ]
}`
const RESULT = [['Lavender', 'Ångström 玫瑰 🌹'], ['Here', 'Thyme'], 14, 'name', 'AbortError', 'There']

async function serve (t: Test): Promise<{ app: FastifyInstance, code: string }> {
  const [, open] = databases.find(([name]) => name === 'pglite')!
  const { orm, close } = await open({ entities, seed })
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(async () => {
    await app.close()
    await close()
  })
  const { text: code } = await bundle('src/client/index.ts')
  app.get('/', async (_, reply) => reply.type('text/html').send('<!doctype html><title>A page</title>'))
  app.get('/client.js', async (_, reply) => reply.type('text/javascript').send(code))
  const plants = new CrudBase({
    model: Plant,
    queryConfig: { allowedFilters: [new AllowedFilters('name', 'in')], allowedSorts: [new AllowedSort('name', 'id')] },
    writable: 'all',
  })
  await app.register(crudKit, { orm, resources: { '/plants': { crud: plants, stream: true, allowHardDelete: true } } })
  return { app, code }
}

t.test('the client works in a page', { skip: skipReason() }, async (t) => {
  const { app } = await serve(t)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await launch()
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  await page.goto(address)
  for (const base of ["''", 'location.origin']) {
    t.strictSame(await page.evaluate(`import('/client.js').then((client) => (${PROGRAM})(${base}, client))`), RESULT)
  }
})

for (const [name, args] of [['deno', ['run', '--allow-net']], ['bun', ['run']]] as const) {
  const found = (process.env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, name)).find((
    file
  ) => fs.existsSync(file))
  t.test(`the client works in ${name}`, { skip: found === undefined && `${name} is not on the PATH` }, async (t) => {
    const { app, code } = await serve(t)
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const folder = t.testdir({
      'client.mjs': code,
      'main.mjs':
        `import * as client from './client.mjs'\nconsole.log(JSON.stringify(await (${PROGRAM})('${address}', client)))`,
    })
    const { stdout } = await run(found!, [...args, path.join(folder, 'main.mjs')])
    t.strictSame(JSON.parse(stdout), RESULT)
  })
}
