/** Brief statements that begin in the same turn of the event loop, and share a message to the server. */
import pg from 'pg'
import t, { type Test } from 'tap'
import { Prepared, runOnPool, type BoundStatement } from '../../../src/run/index.ts'
import { useNoNames } from '../../../src/run/pg/connections.ts'
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
    return { text, values: [], readOnly: true, brief: true, columns: ['n'], prepared: new Prepared(text, true) }
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
  const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

  t.test('they use one connection, and each gets its own rows', async (t) => {
    const pool = open(t)
    const [one, two] = [statementOf('$1::int as n'), statementOf('generate_series(1, $1::int) as n')]
    const statements = numbers(8).map((n) => ({ ...n % 2 === 0 ? one : two, values: [n] }))
    t.strictSame(await outcomes(pool, statements), ['0', '1', '2', '1,2,3', '4', '1,2,3,4,5', '6', '1,2,3,4,5,6,7'])
    t.equal(pool.totalCount, 1)
  })

  t.test('a message has at most 16 of them', async (t) => {
    const pool = open(t)
    const statement = statementOf('pg_backend_pid() as n')
    const processes = await outcomes(pool, numbers(40).map(() => statement))
    t.equal(new Set(processes).size, 3)
    t.equal(new Set(processes.slice(0, 16)).size, 1)
  })

  t.test('a statement that is not brief, or is the only one, has a message of its own', async (t) => {
    const pool = open(t)
    const { brief, ...other } = statementOf('pg_backend_pid() as n')
    const processes = await outcomes(pool, [other, other, { ...other, brief: true }])
    t.equal(new Set(processes).size, 3)
  })

  t.test('the error of one does not reach the others, which have been skipped by the server', async (t) => {
    const pool = open(t)
    const statement = statementOf('1 / $1::int as n')
    const found = await outcomes(pool, [1, 0, 1, 0, 1].map((value) => ({ ...statement, values: [value] })))
    t.strictSame(found.map((one) => one instanceof Error ? codeOf(one) : one), ['1', '22012', '1', '22012', '1'])
  })

  t.test('a value that cannot be sent fails alone', async (t) => {
    const pool = open(t)
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const statement = statementOf('$1::text as n')
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
    const statement = statementOf('$1::int as n')
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
    const [one, two] = [statementOf('$1::int as n'), statementOf('-$1::int as n')]
    const statements = numbers(16).map((n) => ({ ...n % 2 === 0 ? one : two, values: [n + 1] }))
    t.strictSame(await outcomes(pool, statements), numbers(16).map((n) => String(n % 2 === 0 ? n + 1 : -n - 1)))
    t.equal((await pool.query("select from pg_prepared_statements where name like 'crud%'")).rowCount, 0)
  })

  t.test('a connection that broke while it was idle is replaced', async (t) => {
    const pool = open(t, 2)
    pool.on('error', () => {})
    const statement = statementOf('$1::int as n')
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
    const statements = ['1 as n', 'pg_terminate_backend(pg_backend_pid()) as n', '3 as n'].map(statementOf)
    const found = await outcomes(pool, statements)
    t.strictSame(found.map((one) => one instanceof Error ? codeOf(one) : one), ['1', '57P01', '3'])
  })

  t.test('without a connection all fail', async (t) => {
    const pool = new pg.Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/none', max: 1 })
    t.teardown(() => pool.end())
    const statement = statementOf('1 as n')
    t.strictSame((await outcomes(pool, [statement, statement])).map(codeOf), ['ECONNREFUSED', 'ECONNREFUSED'])
  })

  t.test('an aborted one settles at once, and the others get their rows', async (t) => {
    const pool = open(t, 1)
    const [leaving, staying] = [new AbortController(), new AbortController()]
    const slow = statementOf("pg_sleep(1)::text || 'slept' as n")
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
    const slow = statementOf('pg_sleep(60) as n')
    const found = outcomes(pool, [slow, slow], leaving.map(({ signal }) => signal))
    setTimeout(() => {
      for (const one of leaving) one.abort(new Error('left'))
    }, 50)
    t.match(await found, [/left/, /left/])
    // the only connection is free again, and no late cancellation hits the next statement
    for (let run = 0; run < 5; run++) t.strictSame(await outcomes(pool, [statementOf('1 as n')]), ['1'])
  })

  t.test('those that are aborted while they wait for a connection are never sent', async (t) => {
    const pool = open(t, 1)
    const busy = await pool.connect()
    const leaving = [new AbortController(), new AbortController()]
    const found = outcomes(pool, leaving.map(() => statementOf('1 as n')), leaving.map(({ signal }) => signal))
    setTimeout(() => {
      for (const one of leaving) one.abort(new Error('left'))
    }, 20)
    t.match(await found, [/left/, /left/])
    busy.release()
    t.strictSame(await outcomes(pool, [statementOf('1 as n')]), ['1'])
    t.equal(pool.totalCount, 1)
  })
})
