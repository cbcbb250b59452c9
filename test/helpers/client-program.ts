/** A program that uses the client, for every runtime. */
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { AllowedFilters, AllowedSort, CrudBase, crudKit } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { bundle } from './bundle.ts'
import { databases } from './databases.ts'

/** A program for every runtime: a function of the URL of an API and of the client's module. */
export const PROGRAM = `async (baseUrl, { createClient, isCrudError }) => {
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
/** The result of the program. */
export const RESULT = [['Lavender', 'Ångström 玫瑰 🌹'], ['Here', 'Thyme'], 14, 'name', 'AbortError', 'There']

/** Starts the API for the program. It also serves a page and the client's module. */
export async function serve (t: Test): Promise<{ app: FastifyInstance, code: string }> {
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
