/** Quick statements that begin in the same turn of the event loop, and share a message to the server. */
import pg from 'pg'
import t, { type Test } from 'tap'
import { PreparedText, runOnPool, type BoundStatement } from '../../../src/run/index.ts'
import { useNoNames } from '../../../src/run/pg/connections.ts'
import { until } from '../../helpers/until.ts'
import { skipReasons } from '../../helpers/databases.ts'

t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const open = (t: Test, max = 5): pg.Pool => {
    const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max })
    t.teardown(() => pool.end())
    return pool
  }
  let texts = 0
  /** A statement that no other test has run. */
  const statementOf = (select: string): BoundStatement => {
    const text = `select ${select} /* batch ${++texts} */`
    return { text, values: [], readOnly: true, shareable: true, columns: ['n'], prepared: new PreparedText(text, true) }
  }
  /** The rows or the error of each statement. All of them begin in the same turn. */
  const outcomes = async (pool: pg.Pool, statements: readonly BoundStatement[], signals: readonly AbortSignal[] = []) =>
    await Promise.all(statements.map(async (statement, index) => {
      try {
        return (await runOnPool(pool, statement, signals[index])).map(({ n }) => n).join()
      } catch (error) {
        return error
      }
    }))
  /** A statement that no other test has run, and that has always been quick. */
  const quickOf = (select: string): BoundStatement => {
    const statement = statementOf(select)
    beQuick(statement)
    return statement
  }
  /** Makes a statement quick again. On a busy machine it may have taken long. */
  const beQuick = ({ prepared }: BoundStatement): void => {
    while (!prepared!.isQuick) prepared!.noteRun(true)
  }
  const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

  t.test('they use one connection, and each gets its own rows', async (t) => {
    const pool = open(t)
    const one = quickOf('$1::int as n')
    const two = quickOf('generate_series(1, $1::int) as n')
    const statements = numbers(8).map((n) => ({ ...n % 2 === 0 ? one : two, values: [n] }))
    t.strictSame(await outcomes(pool, statements), ['0', '1', '2', '1,2,3', '4', '1,2,3,4,5', '6', '1,2,3,4,5,6,7'])
    const processes = [quickOf('pg_backend_pid() as n'), quickOf('-pg_backend_pid() as n')]
    await until(async () => {
      processes.forEach(beQuick)
      const [first, second] = await outcomes(pool, processes)
      return Number(first) === -Number(second)
    })
  })

  t.test('a message has at most 16 of them', async (t) => {
    const pool = open(t)
    const statement = quickOf('pg_backend_pid() as n')
    await until(async () => {
      beQuick(statement)
      const processes = await outcomes(pool, numbers(40).map(() => statement))
      return new Set(processes).size === 3 && new Set(processes.slice(0, 16)).size === 1
    })
  })

  t.test('a statement that may not share messages, or is the only one, has a message of its own', async (t) => {
    const pool = open(t)
    const { shareable, ...other } = quickOf('pg_backend_pid() as n')
    const processes = await outcomes(pool, [other, other, { ...other, shareable: true }])
    t.equal(new Set(processes).size, 3)
  })

  t.test('the error of one does not reach the others, which have been skipped by the server', async (t) => {
    const pool = open(t)
    const statement = quickOf('1 / $1::int as n')
    const found = await outcomes(pool, [1, 0, 1, 0, 1].map((value) => ({ ...statement, values: [value] })))
    t.strictSame(found.map((one) => one instanceof Error ? codeOf(one) : one), ['1', '22012', '1', '22012', '1'])
  })

  t.test('a value that cannot be sent fails alone', async (t) => {
    const pool = open(t)
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const statement = quickOf('$1::text as n')
    const found = await outcomes(pool, ['a', circular, 'b'].map((value) => ({ ...statement, values: [value] })))
    t.strictSame([found[0], found[2]], ['a', 'b'])
    t.match(found[1], /circular/)
    t.strictSame(
      (await outcomes(pool, [circular, circular].map((value) => ({ ...statement, values: [value] })))).map(String),
      [found[1], found[1]].map(String)
    )
    t.strictSame(await outcomes(pool, [{ ...statement, values: ['c'] }]), ['c'])
  })

  t.test('a name is parsed once for all, and a lost one is parsed again', async (t) => {
    const pool = open(t, 1)
    const statement = quickOf('$1::int as n')
    const round = async () => {
      const found = await outcomes(pool, numbers(8).map((n) => ({ ...statement, values: [n] })))
      t.strictSame(found, numbers(8).map(String))
    }
    await round()
    const kept = await pool.query("select statement from pg_prepared_statements where name like 'crud%'")
    t.strictSame(kept.rows, [{ statement: statement.text }])
    await round()
    await pool.query('deallocate all')
    await round()
    await round()
  })

  t.test('without names they are parsed each time', async (t) => {
    const pool = open(t, 1)
    useNoNames(pool)
    const [one, two] = [quickOf('$1::int as n'), quickOf('-$1::int as n')]
    const statements = numbers(16).map((n) => ({ ...n % 2 === 0 ? one : two, values: [n + 1] }))
    t.strictSame(await outcomes(pool, statements), numbers(16).map((n) => String(n % 2 === 0 ? n + 1 : -n - 1)))
    t.equal((await pool.query("select from pg_prepared_statements where name like 'crud%'")).rowCount, 0)
  })

  t.test('a connection that broke while it was idle is replaced', async (t) => {
    const pool = open(t, 2)
    pool.on('error', () => {})
    const statement = quickOf('$1::int as n')
    const statements = [1, 2, 3].map((value) => ({ ...statement, values: [value] }))
    const busy = await pool.connect()
    await outcomes(pool, statements)
    const other = await pool.connect()
    const { rows: [{ pid }] } = await other.query('select pg_backend_pid() as pid')
    other.release()
    await busy.query('select pg_terminate_backend($1::int)', [pid])
    t.strictSame(await outcomes(pool, statements), ['1', '2', '3'])
    busy.release()
  })

  t.test('a broken connection fails only the statement that it broke in', async (t) => {
    const pool = open(t, 2)
    pool.on('error', () => {})
    const statement = quickOf('case $1::int when 2 then pg_terminate_backend(pg_backend_pid())::int else $1 end as n')
    const found = await outcomes(pool, [1, 2, 3].map((value) => ({ ...statement, values: [value] })))
    t.strictSame(found.map((one) => one instanceof Error ? codeOf(one) : one), ['1', '57P01', '3'])
  })

  t.test('without a connection all fail', async (t) => {
    const pool = new pg.Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/none', max: 1 })
    t.teardown(() => pool.end())
    const statement = quickOf('1 as n')
    t.strictSame((await outcomes(pool, [statement, statement])).map(codeOf), ['ECONNREFUSED', 'ECONNREFUSED'])
  })

  t.test('a statement runs alone until it has been quick 16 times in a row', async (t) => {
    const pool = open(t)
    const statement = statementOf('pg_backend_pid() as n')
    for (let round = 0; round < 7; round++) t.equal(new Set(await outcomes(pool, [statement, statement])).size, 2)
    const { prepared } = statementOf('1 as n')
    for (let run = 0; run < 16; run++) {
      t.notOk(prepared!.isQuick)
      prepared!.noteRun(true)
    }
    t.ok(prepared!.isQuick)
    prepared!.noteRun(false)
    t.notOk(prepared!.isQuick)
    beQuick(statement)
    statement.prepared!.noteRun(false)
    t.equal(new Set(await outcomes(pool, [statement, statement])).size, 2)
  })

  t.test('one that takes long delays no other, and runs alone from then on', async (t) => {
    const pool = open(t)
    const [locker, watcher] = [await pool.connect(), await pool.connect()]
    const slow = { ...quickOf("pg_advisory_xact_lock($1)::text || 'locked' as n"), values: [2] }
    const other = quickOf('$1::int as n')
    await locker.query('select pg_advisory_lock(2)')
    const waiting = async () =>
      (await watcher.query("select from pg_locks where locktype = 'advisory' and objid = 2 and not granted")).rowCount
    const slowOnes: Array<Promise<unknown>> = []
    for (const round of [1, 2]) {
      const before = outcomes(pool, [{ ...other, values: [1] }])
      slowOnes.push(outcomes(pool, [slow]))
      const behind = outcomes(pool, [2, 3].map((value) => ({ ...other, values: [value] })))
      t.strictSame(await Promise.all([before, behind]), [['1'], ['2', '3']])
      await until(async () => await waiting() === round, 'the slow one runs alone')
      t.notOk(slow.prepared!.isQuick)
    }
    await locker.query('select pg_advisory_unlock(2)')
    t.strictSame(await Promise.all(slowOnes), [['locked'], ['locked']])
    for (const client of [locker, watcher]) client.release()
  })

  t.test('messages about as long as the limit have the right answers, and no cancellation hits another', async (t) => {
    const pool = open(t, 3)
    const statement = quickOf('$1::int + length(pg_sleep($2)::text) as n')
    for (let round = 0; round < 40; round++) {
      beQuick(statement)
      const statements = numbers(6).map((n) => ({ ...statement, values: [n, n === 2 ? (4 + round % 10) / 1000 : 0] }))
      t.strictSame(await outcomes(pool, statements), numbers(6).map(String))
    }
    t.ok(pool.totalCount <= 3)
  })

  t.test('an aborted one settles at once, and the others get their rows', async (t) => {
    const pool = open(t, 1)
    const [leaving, staying] = [new AbortController(), new AbortController()]
    const slow = { ...quickOf("pg_sleep($1)::text || 'slept' as n"), values: [1] }
    const settled: string[] = []
    setTimeout(() => leaving.abort(new Error('left')), 50)
    await Promise.all(
      [staying.signal, leaving.signal, AbortSignal.abort(new Error('gone'))].map(async (signal) => {
        const [outcome] = await outcomes(pool, [slow], [signal])
        settled.push(outcome instanceof Error ? outcome.message : String(outcome))
      })
    )
    t.strictSame(settled, ['gone', 'left', 'slept'])
    t.equal(pool.idleCount, 1)
  })

  t.test('when all are aborted, the server cancels them', async (t) => {
    const pool = open(t, 1)
    const leaving = [new AbortController(), new AbortController()]
    const slow = { ...quickOf('pg_sleep($1) as n'), values: [60] }
    const found = outcomes(pool, [slow, slow], leaving.map(({ signal }) => signal))
    // before it has taken long, so that both are in the message
    setImmediate(() =>
      setImmediate(() => {
        for (const one of leaving) one.abort(new Error('left'))
      })
    )
    t.match(await found, [/left/, /left/])
    // the only connection is free again, and no late cancellation hits the next statement
    for (let run = 0; run < 5; run++) t.strictSame(await outcomes(pool, [statementOf('1 as n')]), ['1'])
  })

  t.test('those that are aborted while they wait for a connection are never sent', async (t) => {
    const pool = open(t, 1)
    const busy = await pool.connect()
    const statement = quickOf('1 as n')
    const leaving = [new AbortController(), new AbortController()]
    const found = outcomes(pool, leaving.map(() => statement), leaving.map(({ signal }) => signal))
    setTimeout(() => {
      for (const one of leaving) one.abort(new Error('left'))
    }, 20)
    t.match(await found, [/left/, /left/])
    busy.release()
    t.strictSame(await outcomes(pool, [statementOf('1 as n')]), ['1'])
    t.equal(pool.totalCount, 1)
  })
})
