/** Answers of the server that the driver cannot read: the connection ends, and the process goes on. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { MikroORM, p } from '@mikro-orm/postgresql'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { AllowedFilters, crudKit, DatabaseFactory, withTransaction } from '../../src/index.ts'
import { createDatabase, skipReasons } from '../helpers/databases.ts'
import { startProxy } from '../helpers/proxy.ts'
import { resource } from '../http/helper.ts'
import { entity } from '../helpers/entity.ts'

const Note = entity('Note', { id: p.integer().primary().autoincrement(), text: p.text() }, { tableName: 'note' })

/** A row that claims a wrong number of columns. */
const GARBLED = Buffer.from([0x44, 0, 0, 0, 4])

t.setTimeout(600_000)
t.test('PostgreSQL', { skip: skipReasons.postgres, timeout: 600_000 }, async (t) => {
  const open = async (t: Test, own: boolean) => {
    const { url: address, drop } = await createDatabase()
    const url = new URL(address)
    const proxy = await startProxy(t, { host: url.hostname, port: Number(url.port) })
    url.host = `127.0.0.1:${proxy.port}`
    const factory = new DatabaseFactory({ databaseUrl: url.href, entities: [Note], pool: { max: 2 }, schema: 'create' })
    const orm = own
      ? await factory.getEngine()
      : await MikroORM.init({ clientUrl: url.href, entities: [Note], pool: { max: 2 } })
    if (!own) await orm.schema.create()
    const app = Fastify()
    t.teardown(async () => {
      await app.close()
      await (own ? factory.close() : orm.close(true))
      await drop()
    })
    const custom = AllowedFilters.custom('longer', (qb: any, value) => qb.andWhere({ text: { $gt: value } }))
    await app.register(crudKit, {
      orm,
      resources: {
        '/notes': {
          crud: resource(Note, { allowedFilters: [custom] }),
          operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'],
        },
      },
      indexAdvice: false,
    })
    app.get('/own', async (request) => await request.em.findAll(Note))
    app.get('/sql', async (request) => await request.em.execute('select 1 as one'))
    app.get('/transaction', async (request) =>
      await withTransaction(request.em, async (em) => {
        proxy.replaceNext(GARBLED)
        return await em.execute('select 1 as one')
      }))
    await app.ready()
    const send = async (method: string, path: string, body?: object) => {
      const response = await app.inject({ method: method as 'GET', url: path, ...(body && { payload: body }) })
      return { status: response.statusCode, body: response.json() }
    }
    return { proxy, send }
  }

  for (const own of [true, false]) {
    await t.test(own ? 'a database of a factory' : 'an ORM that is given', async (t) => {
      const { proxy, send } = await open(t, own)
      t.equal((await send('POST', '/notes', { text: 'first' })).status, 201)
      const requests: ReadonlyArray<readonly [method: string, path: string, body?: object]> = [
        ['GET', '/notes'], ['GET', '/notes/1'], ['GET', '/notes?cursor='], ['GET', '/notes?filter[longer]=a'],
        ['GET', '/own'], ['GET', '/sql'], ['GET', '/transaction'], ['POST', '/notes', { text: 'x' }],
        ['POST', '/notes', [{ text: 'x' }, { text: 'y' }]], ['PATCH', '/notes/1', { text: 'z' }],
        ['DELETE', '/notes/1'],
      ]
      for (const [method, path, body] of requests) {
        if (path !== '/transaction') proxy.replaceNext(GARBLED)
        const { status, body: answer } = await send(method, path, body)
        t.match([status, answer.code], [503, /^FST_CRUD_(UNAVAILABLE|OUTCOME_UNKNOWN)$/], `${method} ${path}`)
        t.notMatch(JSON.stringify(answer), /buffer|range|offset/i, 'nothing of the driver')
        t.equal((await send('GET', '/notes')).status, 200, 'the next one finds another connection')
      }
    })
  }

  // half a gigabyte takes time on a busy machine
  t.test('a text that is too long for a string fails only its request', { timeout: 600_000 }, async (t) => {
    const program = fileURLToPath(new URL('../fixtures/long-answer.ts', import.meta.url))
    const child = spawn(process.execPath, [program], { env: process.env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const [status] = await once(child, 'close')
    t.equal(status, 0)
    t.strictSame(JSON.parse(output), {
      long: [400, 'FST_CRUD_TOO_LARGE'], impossible: [400, 'FST_CRUD_TOO_LARGE'], index: [400, 'FST_CRUD_DATA_INVALID'],
      next: [200, null],
    })
  })
})
