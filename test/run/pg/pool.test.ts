/** Connections that break and queues that fill up, with pg's own pool and a network under the test's control. */
import pg from 'pg'
import t, { type Test } from 'tap'
import { UnavailableError } from '../../../src/base/errors.ts'
import { convertError, guardPool, runOnPool, waitingFor, type BoundStatement } from '../../../src/run/index.ts'
import { until } from '../../helpers/until.ts'
import { skipReasons } from '../../helpers/databases.ts'
import { startProxy } from '../../helpers/proxy.ts'

const READ: BoundStatement = { text: 'select $1::int as n', values: [1], readOnly: true }
const WRITE: BoundStatement = { ...READ, readOnly: false }

t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const open = async (t: Test, options: pg.PoolConfig & { queueLimit?: number, probeAfterMillis?: number } = {}) => {
    const { hostname, port } = new URL(process.env.DATABASE_URL!)
    const url = new URL(process.env.DATABASE_URL!)
    const proxy = await startProxy(t, { host: hostname, port: Number(port) })
    url.host = `127.0.0.1:${proxy.port}`
    const { queueLimit = 100, probeAfterMillis = 0, ...config } = options
    const pool = new pg.Pool({ connectionString: url.href, max: 3, ...config })
    pool.on('error', () => {})
    guardPool(pool, { queueLimit, probeAfterMillis })
    t.teardown(() => pool.end())
    /** Opens the given number of connections and leaves them idle. */
    const fill = async (count: number): Promise<void> => {
      const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()))
      for (const client of clients) client.release()
    }
    return { pool, proxy, fill }
  }
  const unavailable = (error: unknown): void => {
    if (!(convertError(error) instanceof UnavailableError)) throw error
  }

  t.test('a read on a dead idle connection is repeated on a new one', async (t) => {
    const { pool, proxy, fill } = await open(t)
    await fill(3)
    proxy.breakOnUse()
    t.strictSame(await runOnPool(pool, READ, undefined), [{ n: 1 }])
    t.strictSame(await runOnPool(pool, READ, new AbortController().signal), [{ n: 1 }])
    t.equal(proxy.count, 4, 'the second question did not try another of the dead')
  })

  t.test('a write is not repeated, and the next one avoids connections as old', async (t) => {
    const { pool, proxy, fill } = await open(t)
    await fill(3)
    proxy.breakOnUse()
    await t.rejects(
      runOnPool(pool, WRITE, undefined).catch((error) => {
        unavailable(error)
        throw error
      })
    )
    for (let i = 0; i < 3; i++) t.strictSame(await runOnPool(pool, WRITE, undefined), [{ n: 1 }])
    t.equal(proxy.count, 4)
  })

  t.test('a read on a new connection is not repeated', async (t) => {
    const { pool, proxy } = await open(t)
    await t.rejects(
      runOnPool(pool, { text: 'select pg_terminate_backend(pg_backend_pid())', values: [], readOnly: true }, undefined),
      { code: '57P01' }
    )
    t.equal(proxy.count, 1)
  })

  t.test('a read is repeated only once', async (t) => {
    const { pool, proxy, fill } = await open(t)
    await fill(1)
    await t.rejects(
      runOnPool(pool, { text: 'select pg_terminate_backend(pg_backend_pid())', values: [], readOnly: true }, undefined),
      { code: '57P01' }
    )
    t.equal(proxy.count, 2)
    t.strictSame(await runOnPool(pool, WRITE, undefined), [{ n: 1 }])
  })

  t.test('a statement that starts after its cancellation is cancelled', async (t) => {
    const { pool, proxy, fill } = await open(t)
    await fill(1)
    const letGo = proxy.holdBack()
    const client = new AbortController()
    const asking = runOnPool(pool, { text: 'select pg_sleep(60)', values: [], readOnly: true }, client.signal).then(
      () => undefined,
      (error) => error
    )
    await until(async () => pool.idleCount === 0)
    client.abort()
    await until(async () => proxy.greetings.length === 2)
    letGo()
    t.match(await asking, { code: '57014' })
    t.strictSame(await runOnPool(pool, READ, undefined), [{ n: 1 }], 'and nothing that comes later is')
  })

  t.test("pg's own query works on a guarded pool, with its errors", async (t) => {
    const { pool } = await open(t)
    t.strictSame((await pool.query('select 1 as n')).rows, [{ n: 1 }])
    await t.rejects(pool.query('select 1 / 0'), { code: '22012' })
  })

  t.test('a full queue refuses at once, and a request that leaves it makes room', async (t) => {
    const { pool } = await open(t, { max: 1, queueLimit: 2, connectionTimeoutMillis: 60_000 })
    const holder = await pool.connect()
    const [first, second] = [new AbortController(), new AbortController()]
    const leaving = runOnPool(pool, READ, first.signal)
    const staying = runOnPool(pool, WRITE, second.signal)
    t.equal(waitingFor(pool), 2)
    const refused = await runOnPool(pool, READ, undefined).then(() => undefined, (error: Error) => error)
    t.match(refused, { message: 'all 1 connections are in use, and 2 requests wait for one' })
    unavailable(refused)

    const reason = new Error('gone')
    first.abort(reason)
    await t.rejects(leaving, reason, 'before there was a connection')
    t.equal(waitingFor(pool), 1)
    const late = runOnPool(pool, READ, undefined)
    t.equal(waitingFor(pool), 2)
    holder.release()
    t.strictSame(await Promise.all([staying, late]), [[{ n: 1 }], [{ n: 1 }]])
    t.equal(waitingFor(pool), 0)
    t.equal(pool.idleCount, 1)
  })

  t.test('a request that waits too long for a connection fails, also if it was cancelled', async (t) => {
    const { pool } = await open(t, { max: 1, connectionTimeoutMillis: 500 })
    const holder = await pool.connect()
    const abort = new AbortController()
    const leaving = runOnPool(pool, READ, abort.signal)
    abort.abort(new Error('gone'))
    await t.rejects(leaving, { message: 'gone' })
    const error = await runOnPool(pool, READ, new AbortController().signal).then(() => undefined,
      (error: Error) => error)
    t.match(error, { message: /timeout exceeded/ })
    unavailable(error)
    t.equal(waitingFor(pool), 0)
    holder.release()
  })

  t.test('a server that stops answering is given up, and a slow one is not', async (t) => {
    const { pool, proxy, fill } = await open(t, { max: 1, probeAfterMillis: 100, connectionTimeoutMillis: 1_500 })
    await fill(1)
    t.strictSame(
      await runOnPool(pool, { ...READ, text: 'select $1::int as n, pg_sleep(1)' }, undefined).then(([row]) =>
        row!['n']
      ),
      1
    )
    t.equal(proxy.count > 2, true, 'it was asked')
    proxy.fallSilent()
    for (const statement of [READ, WRITE]) {
      const error = await runOnPool(pool, statement, undefined).then(() => undefined, (error: Error) => error)
      t.ok(error instanceof Error)
      unavailable(error)
    }
  })
})
