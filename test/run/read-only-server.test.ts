/** A server that refuses to write, such as the old primary after a failover. */
import { once } from 'node:events'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Pool, PoolClient } from 'pg'
import t from 'tap'
import {
  crudKit, readOnly, ReadOnlyViolationError, UnavailableError, withRetry, withTimeout, withTransaction,
} from '../../src/index.ts'
import { Account, accounts, add, failureOf, owners } from '../helpers/accounts.ts'
import { databases, skipReasons } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'

const [name, open] = databases[1]!
await t.test(name, { skip: skipReasons[name] }, async (t) => {
  const { orm, close } = await open({ entities: [Account], orm: { pool: { min: 0, max: 1 } } })
  t.teardown(close)
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    resources: { '/accounts': accounts, '/transferred': { crud: accounts, transaction: true } },
  })
  /** The pool's one connection leads to such a server, and a new one does not. */
  const failOver = async () => {
    await orm.em.getConnection().execute('set session characteristics as transaction read only')
  }

  for (const url of ['/accounts', '/transferred']) {
    t.test(`${url}: the answer is 503, and the next request finds the new server`, async (t) => {
      const create = () => app.inject({ method: 'POST', url, payload: { owner: 'x' } })
      t.equal((await create()).statusCode, 201)
      await failOver()
      t.match(await app.crudHealth(), { status: 'degraded', writer: { status: 'read-only' } })
      t.equal((await app.inject(url)).statusCode, 200, 'it can be read from')
      const refused = await create()
      t.strictSame([refused.statusCode, refused.json().code], [503, 'FST_CRUD_UNAVAILABLE'])
      t.ok(Number(refused.headers['retry-after']) > 0)
      t.equal((await create()).statusCode, 201, 'the connection has been given up')
      t.match(await app.crudHealth(), { status: 'up' })
    })
  }

  const WAYS: Readonly<
    Record<string, (em: EntityManager, fn: (em: EntityManager) => Promise<unknown>) => Promise<unknown>>
  > = {
    withTransaction,
    'an isolation level': (em, fn) => withTransaction(em, fn, { isolationLevel: 'serializable' }),
    withTimeout: (em, fn) => withTimeout(em, 20_000, fn),
    'an inner one': (em, fn) => withTransaction(em, (em) => withTransaction(em, fn)),
    'after an inner one that was read-only': (em, fn) =>
      withTransaction(em, async (em) => {
        await readOnly(em, (em) => accounts.count(em))
        await fn(em)
      }),
    'inside of em.transactional': (em, fn) => em.transactional((em) => withTransaction(em as EntityManager, fn)),
  }
  for (const [what, run] of Object.entries(WAYS)) {
    t.test(`${what}: the database is unavailable, whoever writes, and the connection is given up`, async (t) => {
      for (const through of ['crud', 'orm', 'sql'] as const) {
        await failOver()
        const error = await failureOf(run(orm.em.fork(), (em) => add(em, 'refused', through)))
        t.ok(error instanceof UnavailableError, through)
        t.match(error.cause, { code: '25006' })
        await run(orm.em.fork(), (em) => add(em, 'written', through))
      }
      await failOver()
      t.ok(
        await failureOf(run(orm.em.fork(), (em) => add(em, 'refused', 'sql').catch(() => {}))) instanceof
          UnavailableError,
        'the function has caught it'
      )
      t.strictSame([...new Set(await owners(orm))].sort(), ['written', 'x'])
    })
  }

  t.test('em.transactional: CrudBase reports the failure, and the connection is given up', async (t) => {
    await failOver()
    t.ok(
      await failureOf(orm.em.fork().transactional((em) => add(em as EntityManager, 'refused'))) instanceof
        UnavailableError
    )
    await orm.em.fork().transactional((em) => add(em as EntityManager, 'written'))
  })

  t.test('the connection is given up even if the server was busy when its client was looked up', async (t) => {
    await failOver()
    const pool = await orm.em.getConnection().getNativeClient() as unknown as Pool
    const acquired = once(pool, 'acquire') as Promise<[PoolClient]>
    const error = await failureOf(
      orm.em.fork().transactional(async (em) => {
        const [client] = await acquired
        const answered = client.query('select pg_sleep(0.1)')
        await withTransaction(em as EntityManager, (em) => add(em, 'refused'))
        await answered
      })
    )
    t.ok(error instanceof UnavailableError)
    await orm.em.fork().transactional((em) => add(em as EntityManager, 'written'))
  })

  t.test('withRetry starts again and finds the new server', async (t) => {
    await failOver()
    let runs = 0
    await withRetry(orm.em.fork(), async (em) => {
      runs++
      await add(em, 'written')
    }, { baseDelay: 1 })
    t.equal(runs, 2)
  })

  t.test('writing in a declared read-only transaction stays a mistake of the program, on any server', async (t) => {
    for (const fail of [async () => {}, failOver]) {
      await fail()
      for (const through of ['crud', 'orm', 'sql'] as const) {
        t.ok(await failureOf(readOnly(orm.em.fork(), (em) => add(em, 'x', through))) instanceof ReadOnlyViolationError)
        t.ok(
          await failureOf(
            withTransaction(orm.em.fork(), (em) => readOnly(em, (em) => add(em, 'x', through)))
          ) instanceof ReadOnlyViolationError
        )
        t.ok(
          await failureOf(
            readOnly(orm.em.fork(), (em) => withTransaction(em, (em) => add(em, 'x', through)))
          ) instanceof ReadOnlyViolationError
        )
      }
    }
    // on a connection whose transactions have been examined before
    for (
      const declared of [
        () => orm.em.fork().transactional((em) => add(em as EntityManager, 'x'), { readOnly: true }),
        () =>
          withTransaction(orm.em.fork(), async (em) => {
            await em.execute('set transaction read only')
            await add(em, 'x')
          }),
      ]
    ) t.ok(await failureOf(declared()) instanceof ReadOnlyViolationError)
  })
})
