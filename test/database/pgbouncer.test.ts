/** Behind PgBouncer in transaction mode: each transaction, and each statement outside of one, on another connection. */
import { raw } from '@mikro-orm/core'
import Fastify, { type FastifyInstance } from 'fastify'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import t from 'tap'
import {
  AllowedFilters, crudKit, DatabaseFactory, IdempotencyRecord, parseQueryParams, readOnly, ReadOnlyViolationError,
  UnavailableError, withTimeout, withTransaction,
} from '../../src/index.ts'
import { Account, failureOf, owners } from '../helpers/accounts.ts'
import { createDatabase } from '../helpers/databases.ts'
import { skipPgBouncer, startPgBouncer } from '../helpers/pgbouncer.ts'
import { until } from '../helpers/until.ts'
import { resource } from '../helpers/resource.ts'

const entities = [Account, IdempotencyRecord]
/** Connections to the server. The application has more. */
const SERVERS = 3
const CLIENTS = 10

const accounts = resource(Account, {
  allowedFilters: [
    'owner',
    AllowedFilters.custom('slow', (qb, value) => qb.andWhere(raw(`(select pg_sleep(30) /* ${value} */) is not null`))),
  ],
})

t.test('PgBouncer', { skip: skipPgBouncer }, async (t) => {
  const { url: direct, drop } = await createDatabase()
  t.teardown(drop)
  const watcher = new pg.Client({ connectionString: direct, application_name: 'watcher' })
  await watcher.connect()
  t.teardown(() => watcher.end())
  const databaseUrl = await startPgBouncer(t, direct, SERVERS)
  const tables = new DatabaseFactory({ databaseUrl: direct, entities, schema: 'create' })
  await tables.getEngine()
  await tables.close()

  const options = { databaseUrl, entities, preparedStatements: false, pool: { max: CLIENTS } }
  const backends = async (condition: string): Promise<number> =>
    (await watcher.query(
      "select from pg_stat_activity where datname = current_database() and application_name <> 'watcher' " +
        `and ${condition}`
    )).rowCount!
  const running = async (comment: string) => await backends(`state = 'active' and query like '%/* ${comment} */%'`)

  t.test('a synchronous session works behind PgBouncer', (t) => {
    const factory = new DatabaseFactory({ ...options, useAsync: false })
    const session = factory.getSessionMaker(factory.getEngine())()
    const { id } = session.transaction((session) => accounts.create(session, { owner: 'sync', number: 1 })) as {
      id: number,
    }
    t.match(accounts.update(session, id, { balance: 5 }), { balance: 5 })
    t.throws(() =>
      session.transaction((session) => {
        accounts.create(session, { owner: 'undone' })
        accounts.create(session, { owner: 'again', number: 1 })
      }), { code: 'FST_CRUD_CONFLICT' })
    t.equal(accounts.count(session), 1)
    accounts.delete(session, id)
    factory.close()
    t.end()
  })

  t.test('a refused parameter is named, with what to do', async (t) => {
    const message = (name: string) => new RegExp(`takes no ${name} when connecting, as PgBouncer does\\. .*alter role`)
    const refused = async (more: object, message: RegExp) =>
      await t.rejects(new DatabaseFactory({ ...options, ...more }).getEngine(), {
        code: 'FST_CRUD_CONFIG_INVALID',
        message,
      })
    await refused({ statementTimeoutMillis: 5_000 }, message('statement_timeout'))
    await refused({ databaseUrl: `${databaseUrl}?options=-c%20search_path%3Dpublic` }, message('options'))
    await refused({ databaseUrl: databaseUrl.replace(/[^/]*$/, 'nowhere') },
      /database "nowhere" does not exist\. Create it/)
  })

  t.test('the default statement timeout is left out, and the log says so', async (t) => {
    const [warning] = await Promise.all([
      once(process, 'warning'),
      (async () => {
        const factory = new DatabaseFactory({ databaseUrl, entities, pool: { max: 1 } })
        await factory.getEngine()
        await factory.close()
      })(),
    ])
    t.match(warning[0].message, /refuses statement_timeout when connecting.*alter role/)
  })

  t.test('all other features work', async (t) => {
    const factory = new DatabaseFactory(options)
    const orm = await factory.getEngine()
    const app: FastifyInstance = Fastify({ forceCloseConnections: true })
    t.teardown(() => app.close())
    await app.register(crudKit, {
      database: factory,
      indexAdvice: false,
      resources: {
        '/accounts': {
          crud: accounts, stream: true, idempotency: true,
          operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'],
        },
      },
    })
    app.post('/transfer', async ({ em }) =>
      await withTransaction(em, async (em) => {
        await em.execute('update account set balance = balance + 1 where owner = ?', ['shared'])
        return { done: true }
      }))
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) =>
      await app.inject({ method, url: `/accounts${path}`, ...(payload && { payload }) })
    t.beforeEach(async () => {
      await watcher.query('delete from account')
    })

    t.test('writes with a key are done once', async (t) => {
      await Promise.all(Array.from({ length: 10 }, async (_, i) => {
        const create = () =>
          app.inject({
            method: 'POST', url: '/accounts', headers: { 'idempotency-key': `${i}` }, payload: { owner: `once ${i}` },
          })
        const answers = await Promise.all([create(), create()])
        t.ok(answers.every(({ statusCode }) => statusCode === 201 || statusCode === 409))
        const done = answers.find(({ statusCode }) => statusCode === 201)!
        const { body, headers } = await create()
        t.strictSame([body, headers['idempotency-replayed']], [done.body, 'true'])
      }))
      t.equal((await send('GET', '')).json().total, 10)
    })

    t.test('many more concurrent requests than connections succeed', async (t) => {
      await Promise.all(Array.from({ length: 40 }, async (_, i) => {
        const owner = `owner ${i}`
        const { id } = (await send('POST', '', { owner })).json()
        t.match((await send('PATCH', `/${id}`, { balance: i })).json(), { id, owner, balance: i })
        t.match((await send('GET', `?filter[owner]=${encodeURIComponent(owner)}`)).json(), {
          total: 1,
          items: [{ id, balance: i }],
        })
        t.equal((await send('POST', '', [{ owner: `${owner} a` }, { owner: `${owner} b` }])).statusCode, 201)
        t.equal((await send('GET', `/${id}`)).json().owner, owner)
        if (i % 2 === 0) t.equal((await send('DELETE', `/${id}`)).statusCode, 200)
      }))
      t.equal((await owners(orm)).length, 40 / 2 + 40 * 2)
      t.ok(await backends('true') <= SERVERS, 'they share what there is')
    })

    t.test('transactions are atomic, nest, may be read-only, and have isolation levels', async (t) => {
      await send('POST', '', { owner: 'shared' })
      const done = await Promise.all(Array.from({ length: 20 }, () => app.inject({ method: 'POST', url: '/transfer' })))
      t.ok(done.every(({ statusCode }) => statusCode === 200))
      t.equal((await send('GET', '?filter[owner]=shared')).json().items[0].balance, 20)
      await Promise.all(Array.from({ length: 12 }, async (_, i) =>
        await withTransaction(orm.em.fork(), async (em) => {
          await accounts.create(em, { owner: `kept ${i}` })
          await failureOf(withTransaction(em, async (em) => {
            await accounts.create(em, { owner: 'undone' })
            await em.execute('select 1 / 0')
          }))
          t.ok(
            await failureOf(readOnly(em, (em) => accounts.create(em, { owner: 'refused' }))) instanceof
              ReadOnlyViolationError
          )
          if (i % 3 === 0) throw new Error('no')
        }, { isolationLevel: 'repeatable read' }).catch((error) => {
          if (error.message !== 'no') throw error
        })))
      t.equal((await owners(orm)).filter((owner) => owner !== 'shared').length, 8)
      const modes = await Promise.all(
        Array.from({ length: 2 * SERVERS }, async () =>
          (await orm.em.fork().execute<Array<{ mode: string }>>(
            "select current_setting('transaction_isolation') || ' ' || current_setting('transaction_read_only') || " +
              "' ' || current_setting('statement_timeout') as mode"
          ))[0]?.mode)
      )
      t.strictSame([...new Set(modes)], ['read committed off 0'], 'nothing is left of them on the connections')
    })

    t.test('a timeout ends its statement in the server, and no other', async (t) => {
      const beside = withTransaction(orm.em.fork(), async (em) => {
        for (let i = 0; i < 30; i++) await em.execute('select pg_sleep(0.02)')
      })
      for (const run of [
        (em: any) => em.execute('select pg_sleep(30) /* timeout */'),
        (em: any) => accounts.list(em, parseQueryParams('filter[slow]=timeout')),
      ]) {
        t.ok(await failureOf(withTimeout(orm.em.fork(), 150, run)) instanceof UnavailableError)
        await until(async () => await running('timeout') === 0)
      }
      await beside
    })

    t.test('a client that goes away cancels its statement, and no other', async (t) => {
      const requests = [1, 2].map((n) =>
        http.get({ port, path: `/accounts?filter%5Bslow%5D=gone${n}`, agent: false }).on('error', () => {})
      )
      await until(async () => await running('gone1') === 1 && await running('gone2') === 1)
      requests[0]!.destroy()
      await until(async () => await running('gone1') === 0)
      for (let i = 0; i < 20; i++) t.equal((await send('GET', '')).statusCode, 200)
      t.equal(await running('gone2'), 1)
      requests[1]!.destroy()
      await until(async () => await running('gone2') === 0)
    })

    t.test('streams work, as many as there are connections and more', async (t) => {
      await watcher.query(
        "insert into account (owner) select 'row ' || i || repeat(' text', 40) from generate_series(1, 3000) as i"
      )
      const headers = { accept: 'application/x-ndjson' }
      const bodies = await Promise.all(
        Array.from({ length: 2 * SERVERS },
          async () => await (await fetch(`http://127.0.0.1:${port}/accounts`, { headers })).text())
      )
      for (const body of bodies) t.equal(body.trimEnd().split('\n').length, 3000)
      const leaving = http.get({ port, path: '/accounts', headers, agent: false }).on('error', () => {})
      const [response] = await once(leaving, 'response') as [http.IncomingMessage]
      await once(response, 'data')
      leaving.destroy()
      await until(async () => await backends("state like 'idle in transaction%'") === 0)
      t.equal((await send('GET', '')).statusCode, 200)
    })
  })
})
