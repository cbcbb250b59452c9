/** Synchronous sessions and their process: its options, its end, and the servers that it must not run. */
import { p } from '@mikro-orm/core'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { crudKit, DatabaseFactory } from '../../src/index.ts'
import { pgliteUrl, skipReasons } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Word = entity('Word', { id: p.integer().primary().autoincrement(), text: p.string() })
const entities = [Word]
const words = resource(Word)

const refused = (message: RegExp) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('options that cannot be passed to a worker are refused', async (t) => {
  const open = (options: object) => () => new DatabaseFactory({ entities, useAsync: false, ...options }).getEngine()
  t.throws(open({ schema: 'create' }), refused(/schema cannot be used with useAsync: false.*getCreateSchemaSQL/))
  t.throws(open({ ormOptions: { driverOptions: { password: async () => 'x' } } }),
    refused(/ormOptions.driverOptions holds a function/))
  t.throws(open({ ormOptions: { onCreateConnection: async () => {} } }),
    refused(/ormOptions.onCreateConnection holds a function/))
  t.throws(() => new DatabaseFactory({ entities, useAsync: 'no' as never }),
    refused(/useAsync: expected boolean, got 'no'/))
})

t.test('a missing database is an error at once', { skip: skipReasons.postgres }, async (t) => {
  const databaseUrl = process.env['DATABASE_URL']!.replace(/[^/]*$/, 'no_such_database')
  const factory = new DatabaseFactory({ databaseUrl, entities, useAsync: false })
  t.throws(() => factory.getEngine(), refused(/no_such_database: .*does not exist/))
  factory.close()
})

t.test('a session in memory works, and never in a process that runs a server', async (t) => {
  const factory = new DatabaseFactory({ entities, useAsync: false })
  t.teardown(() => factory.close())
  const engine = factory.getEngine()
  const session = factory.getSessionMaker(engine)()
  session.executeScript(await engine.orm.schema.getCreateSchemaSQL())
  t.match(words.create(session, { text: 'one' }), { id: 1 })

  t.test('crudKit refuses a synchronous database', async (t) => {
    const register = async (options: object) => {
      const app = newServer(t)
      await app.register(crudKit, options)
    }
    await t.rejects(register({ database: factory }),
      refused(/^crudKit: 'database' has useAsync: false, .*stop all requests/))
    await t.rejects(register({ database: { entities, useAsync: false } }), refused(/'database' has useAsync: false/))
    await t.rejects(register({ orm: engine }), refused(/'orm' has useAsync: false/))
    await t.rejects(register({ orm: engine.orm }), refused(/'orm' has useAsync: false/))
  })

  t.test('sessions are refused while a server runs: in a handler, beside it, and new ones', async (t) => {
    // an open ORM that is idle
    const { MikroORM } = await import('@mikro-orm/postgresql')
    const serve = async () => {
      const app = newServer(t)
      await app.register(crudKit, { orm: new MikroORM({ entities, dbName: 'none' }) })
      app.get('/', () => words.list(session))
      return app
    }
    const [app, other] = [await serve(), await serve()]
    t.equal(words.count(session), 1, 'registered is not running')
    const response = await app.inject('/')
    t.equal(response.statusCode, 500)
    t.match(response.json(), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message:
        /while a Fastify server runs in this process: each of its statements would stop all requests.*Use request.em/,
    })
    await other.listen({ port: 0 })
    t.throws(() => words.list(session), refused(/while a Fastify server runs/))
    t.throws(() => session.transaction(() => {}), refused(/while a Fastify server runs/))
    t.throws(() => new DatabaseFactory({ entities, useAsync: false }).getEngine(),
      refused(/while a Fastify server runs/))
    await app.close()
    t.throws(() => words.list(session), refused(/while a Fastify server runs/))
    await other.close()
    t.equal(words.count(session), 1, 'afterwards it goes on')
  })
})

t.test('a process ends when it has nothing else to do, whether the session is closed or not', async (t) => {
  const url = pgliteUrl(t)
  const script = `
    import { defineEntity, p } from '@mikro-orm/core'
    const { CrudBase, DatabaseFactory } = await import(${
    JSON.stringify(pathToFileURL(path.resolve('src/index.ts')).href)
  })
    const Word = defineEntity({
      name: 'Word',
      properties: { id: p.integer().primary().autoincrement(), text: p.string() },
    })
    const factory = new DatabaseFactory({ databaseUrl: ${JSON.stringify(url)}, entities: [Word], useAsync: false })
    const engine = factory.getEngine()
    const session = factory.getSessionMaker(engine)()
    if (process.argv[1] === 'first') session.executeScript(await engine.orm.schema.getCreateSchemaSQL())
    else process.on('exit', () => factory.close())
    const words = new CrudBase({ model: Word, writable: 'all' })
    console.log(words.create(session, { text: process.argv[1] }).text, words.count(session))`
  const run = (word: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', script, word], { encoding: 'utf8', timeout: 120_000 })
  t.match(run('first'), { status: 0, stdout: 'first 1\n', stderr: '' })
  t.match(run('second'), { status: 0, stdout: 'second 2\n', stderr: '' },
    'the rows are kept, and the folder is free again')
})
