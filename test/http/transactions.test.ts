import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { p } from '@mikro-orm/core'
import t from 'tap'
import {
  CrudBase, crudKit, QueryBuilderConfig, type CrudContext, type CrudRecord, type RouteTransactions,
} from '../../src/index.ts'
import { Account, add, owners, reset } from '../helpers/accounts.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { recordStatements } from '../helpers/statements.ts'
import { until } from '../helpers/until.ts'
import { serve } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const operations = ['list', 'get', 'create', 'createMany', 'update', 'delete'] as const

const Note = entity('Note', {
  id: p.integer().primary(), owner: p.string(), version: p.integer().version(), deleted_at: p.datetime().nullable(),
})

/** The actions of the hooks in a test. */
let hook: (context: CrudContext) => unknown = () => {}

class HookedCrud extends CrudBase {
  override async beforeCreate (data: CrudRecord, context: CrudContext): Promise<CrudRecord> {
    await hook(context)
    return data
  }

  override async beforeUpdate (_id: unknown, data: CrudRecord, context: CrudContext): Promise<CrudRecord> {
    await hook(context)
    return data
  }

  override async beforeDelete (_id: unknown, context: CrudContext): Promise<void> {
    await hook(context)
  }

  override async afterRead (record: CrudRecord, context: CrudContext): Promise<CrudRecord> {
    await hook(context)
    return record
  }
}

await forEachDatabase(t, { entities: [Account, Note] }, async (t, { orm, name }) => {
  const crud = new HookedCrud({ model: Account, writable: 'all', queryConfig: new QueryBuilderConfig() })
  const resource = (transaction?: RouteTransactions) => ({
    crud, operations, ...(transaction !== undefined && { transaction }),
  })
  const app = await serve(t, orm, {
    '/all': resource(true),
    '/some': resource({ update: { isolationLevel: 'serializable' }, list: true }),
    '/options': resource({ isolationLevel: 'repeatable read', retries: 2, baseDelay: 1 }),
    '/writing': resource({ list: { readOnly: false } }),
    '/none': resource(),
    '/off': resource(false),
    '/strict': {
      crud: new CrudBase({ model: Note, writable: ['owner'] }), operations: ['update', 'delete'], transaction: true,
      requireIfMatch: true,
    },
    '/notes': { crud: new CrudBase({ model: Note }), operations: ['restore'], transaction: true },
  })
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    app.inject({ method, url, ...(payload && { payload }) })
  t.beforeEach(async (t) => {
    hook = () => {}
    t.context.ids = await reset(orm)
  })

  t.test('the work and its hooks are committed or rolled back together', async (t) => {
    const [a] = t.context.ids
    for (const [method, url, payload] of [
      ['POST', '/all', { owner: 'c' }],
      ['POST', '/all', [{ owner: 'c' }, { owner: 'd' }]],
      ['PATCH', `/all/${a}`, { owner: 'e' }],
      ['DELETE', `/all/${a}`, undefined],
    ] as const) {
      await reset(orm)
      hook = async ({ em }) => {
        await add(em, 'hook', 'sql')
        throw new Error('no')
      }
      t.equal((await send(method, url, payload)).statusCode, 500, method)
      t.strictSame(await owners(orm), ['a', 'b'], `${method}: nothing is left`)
    }
    hook = async ({ em }) => await add(em, 'hook', 'orm')
    t.equal((await send('POST', '/all', { owner: 'c' })).statusCode, 201)
    t.strictSame(await owners(orm), ['a', 'b', 'hook', 'c', 'hook'], 'beforeCreate and afterRead')
  })

  t.test("request.em is the transaction's EntityManager in hooks, and the request's own afterwards", async (t) => {
    const seen: boolean[] = []
    hook = ({ em, request }) => {
      seen.push(request!.em === em && em.isInTransaction())
    }
    t.equal((await send('POST', '/all', { owner: 'c' })).statusCode, 201)
    t.equal((await send('GET', '/all')).statusCode, 200)
    t.ok(seen.length >= 4)
    t.ok(seen.every(Boolean))
    const own = newServer(t)
    await own.register(crudKit, { orm, resources: { '/all': resource(true) } })
    const later: boolean[] = []
    own.addHook('onSend', async ({ em }) => {
      later.push(em.isInTransaction())
    })
    t.equal((await own.inject('/all')).statusCode, 200)
    t.strictSame(later, [false])
  })

  t.test('options apply to their operations', async (t) => {
    const [a] = t.context.ids
    const recorder = await recordStatements(orm, t)
    let state: unknown[] = []
    hook = async ({ em }) => {
      const show = async (setting: string) =>
        (await em.execute<Record<string, string>[]>(`show ${setting}`))[0]![setting]
      state = [em.isInTransaction(), await show('transaction_isolation'), await show('transaction_read_only')]
    }
    const of = async (...args: Parameters<typeof send>) => {
      const { statusCode } = await send(...args)
      if (statusCode >= 300) throw new Error(String(statusCode))
      return state
    }
    t.strictSame(await of('GET', '/all'), [true, 'read committed', 'on'], 'reads are read-only')
    t.strictSame(await of('GET', `/all/${a}`), [true, 'read committed', 'on'])
    t.strictSame(await of('POST', '/all', { owner: 'c' }), [true, 'read committed', 'off'])
    t.strictSame(await of('PATCH', `/some/${a}`, { owner: 'c' }), [true, 'serializable', 'off'])
    t.strictSame(await of('GET', '/some'), [true, 'read committed', 'on'])
    t.strictSame(await of('GET', `/some/${a}`), [false, 'read committed', 'off'], 'none was asked for')
    t.strictSame(await of('GET', '/options'), [true, 'repeatable read', 'on'])
    t.strictSame(await of('POST', '/options', [{ owner: 'c' }]), [true, 'repeatable read', 'off'])
    t.strictSame(await of('GET', '/writing'), [true, 'read committed', 'off'])
    for (const url of ['/none', '/off']) t.strictSame(await of('GET', url), [false, 'read committed', 'off'])
    hook = () => {}
    recorder.take()
    await of('GET', '/none')
    t.equal(recorder.take().length, 1, 'and costs nothing there')
    await of('GET', '/all')
    t.equal(recorder.take().at(-1)!.sql, 'commit')
  })

  t.test('a request that is refused by its query string or for a missing If-Match begins no transaction', async (t) => {
    const [a] = t.context.ids
    const recorder = await recordStatements(orm, t)
    for (const [method, url, payload, status] of [
      ['PATCH', `/all/${a}?filter[owner]=b`, { owner: 'c' }, 400],
      ['DELETE', `/all/${a}?hard=true`, undefined, 400],
      ['POST', '/notes/1/restore?page=2', undefined, 400],
      ['PATCH', '/strict/1', { owner: 'c' }, 428],
      ['DELETE', '/strict/1', undefined, 428],
    ] as const) {
      t.equal((await send(method, url, payload)).statusCode, status, `${method} ${url}`)
      t.strictSame(recorder.take(), [], `${method} ${url} sends no statement`)
    }
    t.strictSame(await owners(orm), ['a', 'b'])
  })

  t.test('a conflict is repeated without the client noticing', async (t) => {
    let runs = 0
    hook = async ({ em }) => {
      if (++runs < 3) await em.execute("do $$ begin raise exception 'conflict' using errcode = '40001'; end $$")
    }
    const response = await send('POST', '/options', { owner: 'c' })
    t.equal(response.statusCode, 201)
    t.strictSame(await owners(orm), ['a', 'b', 'c'])
    runs = -10
    const refused = await send('POST', '/options', { owner: 'd' })
    t.equal(refused.statusCode, 503)
    t.equal(refused.headers['retry-after'], '1')
    t.equal(runs, -7)
    t.strictSame(await owners(orm), ['a', 'b', 'c'])
  })

  t.test('errors equal those of any route', async (t) => {
    t.equal((await send('GET', '/all/999')).statusCode, 404)
    t.equal((await send('PATCH', '/all/999', { owner: 'x' })).statusCode, 404)
    t.equal((await send('POST', '/all', { nothing: 1 })).statusCode, 400)
    t.equal((await send('POST', '/all', { owner: 'x', number: 1 })).statusCode, 409)
    hook = async ({ em }) => await em.execute("insert into account (owner) values ('x')")
    t.match((await send('GET', '/all')).json(), { statusCode: 500, code: 'FST_CRUD_READ_ONLY' })
    t.strictSame(await owners(orm), ['a', 'b'])
  })

  t.test('a client that goes away ends the transaction', {
    skip: name === 'pglite' && 'PGlite runs in this process, a statement at a time: nothing can cancel it',
  }, async (t) => {
    const own = newServer(t, { forceCloseConnections: true })
    await own.register(crudKit, { orm, resources: { '/all': resource(true) } })
    await own.listen({ port: 0, host: '127.0.0.1' })
    hook = async ({ em }) => {
      await add(em, 'undone', 'sql')
      await em.execute('select pg_sleep(60) /* abandoned */')
    }
    const running = async () =>
      (await orm.em.fork().execute(
        "select 1 from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() " +
          "and query like '%/* abandoned */%'"
      )).length
    const request = http.request({
      port: (own.server.address() as AddressInfo).port, path: '/all', method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    request.on('error', () => {})
    request.end('{"owner":"c"}')
    await until(async () => await running() === 1)
    request.destroy()
    await until(async () => await running() === 0)
    t.strictSame(await owners(orm), ['a', 'b'])
  })

  t.test('invalid options stop start-up', async (t) => {
    for (const [transaction, message] of [
      [{ isolationLevel: 'strict' }, /transaction\.list: isolationLevel: expected one of .*, got 'strict'/],
      [{ update: { retires: 1 } }, /transaction\.update: there is no option 'retires'. Did you mean 'retries'/],
      [{ upate: true, list: true }, /no operation 'upate' in 'transaction'. Did you mean 'update'/],
      [{ update: true, retries: 3 }, /contains both 'retries' and 'update'/],
      [{ create: { readOnly: true } }, /transaction\.create: an operation that writes can't be readOnly/],
      ['yes', /'transaction' is true, options/],
      [[], /'transaction' is true, options/],
      [{ create: 7 }, /transaction\.create: options: expected object, got 7/],
    ] as const) {
      const own = newServer(t)
      const error: any = await own.register(crudKit, { orm, resources: { '/all': resource(transaction as never) } })
        .then(() => undefined, (error: unknown) => error)
      t.match(error, { code: 'FST_CRUD_CONFIG_INVALID', message })
    }
  })
})
