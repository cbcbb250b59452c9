/** Prepared statements, which the server keeps by a name, and statements that are not prepared. */
import pg from 'pg'
import t, { type Test } from 'tap'
import { Prepared, runOnPool, type BoundStatement } from '../../../src/run/index.ts'
import { useNoNames } from '../../../src/run/pg/connections.ts'
import { skipReasons } from '../../helpers/databases.ts'

t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const open = (t: Test): pg.Pool => {
    const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 1 })
    t.teardown(() => pool.end())
    return pool
  }
  const kept = async (pool: pg.Pool) =>
    (await pool.query<{ name: string, statement: string }>(
      'select name, statement from pg_prepared_statements order by prepare_time'
    )).rows
  let texts = 0
  /** A statement that no other test has run. */
  const statementOf = (nameable = true, select = '$1::int as n'): BoundStatement => {
    const text = `select ${select} /* ${++texts} */`
    return { text, values: [7], readOnly: true, columns: ['n'], prepared: new Prepared(text, nameable) }
  }
  const times = async (count: number, pool: pg.Pool, statement: BoundStatement) => {
    for (let n = 1; n <= count; n++) {
      t.strictSame(await runOnPool(pool, { ...statement, values: [n] }, undefined), [{ n: `${n}` }])
    }
  }

  t.test('a repeated statement is prepared under a name made from its text', async (t) => {
    const pool = open(t)
    const statement = statementOf()
    await times(5, pool, statement)
    t.strictSame(await kept(pool), [])
    await times(5, pool, statement)
    t.match(await kept(pool), [{ name: /^crud_[\w-]{43}$/, statement: statement.text }])
    const [again] = await kept(pool)
    await times(8, pool, { ...statement, prepared: new Prepared(statement.text, true) })
    t.strictSame(await kept(pool), [again], 'the same text, the same name')
  })

  t.test('statements are prepared even if the server must describe their columns', async (t) => {
    const pool = open(t)
    const { columns, ...statement } = statementOf()
    for (let n = 1; n <= 8; n++) t.strictSame(await runOnPool(pool, { ...statement, values: [n] }, undefined), [{ n }])
    t.equal((await kept(pool)).length, 1)
  })

  t.test('statements that the server may not keep are not prepared', async (t) => {
    const pool = open(t)
    await times(8, pool, statementOf(false))
    t.strictSame(await kept(pool), [])
  })

  t.test('the server keeps the other form of a statement, if there is one', async (t) => {
    const pool = open(t)
    const { text, ...statement } = statementOf()
    const keptText = `${text} where $1 > 0`
    await times(8, pool, { ...statement, text, prepared: new Prepared(text, true, keptText) })
    t.match(await kept(pool), [{ statement: keptText }])
    const { columns, ...described } = statementOf()
    const prepared = new Prepared(described.text, true, `${described.text} where $1 > 0`)
    for (let n = 1; n <= 8; n++) {
      t.strictSame(await runOnPool(pool, { ...described, prepared, values: [n] }, undefined), [{ n }])
    }
    t.match(await kept(pool), [{}, { statement: prepared.keptText }])
  })

  t.test('statements are not prepared if the pool must not', async (t) => {
    const pool = open(t)
    useNoNames(pool)
    await times(8, pool, statementOf())
    t.strictSame(await kept(pool), [])
  })

  t.test('a statement runs unprepared if the server no longer has the name', async (t) => {
    const pool = open(t)
    const statement = statementOf()
    await times(8, pool, statement)
    await pool.query('deallocate all')
    await times(3, pool, statement)
    t.strictSame(await kept(pool), [])
    // as behind a pooler that gives its clients other connections than before
    const other = statementOf()
    await times(5, pool, other)
    const name = new Prepared(other.text, true)
    for (let run = 0; run < 5; run++) name.nameForRun()
    await pool.query({ text: `prepare "${name.nameForRun()}" (int) as ${other.text}` })
    await times(3, pool, other)
  })

  t.test('a name that the server has given away fails for no request, however many send it at once', async (t) => {
    const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 4 })
    t.teardown(() => pool.end())
    const statement = statementOf()
    await times(5, pool, statement)
    const twin = new Prepared(statement.text, true)
    for (let run = 0; run < 5; run++) twin.nameForRun()
    const clients = await Promise.all([1, 2, 3, 4].map(() => pool.connect()))
    for (const client of clients) await client.query(`prepare "${twin.nameForRun()}" (int) as ${statement.text}`)
    for (const client of clients) client.release()
    const answers = await Promise.all(clients.map(() => runOnPool(pool, statement, undefined)))
    t.strictSame(answers, clients.map(() => [{ n: '7' }]))
  })

  t.test('a plan older than its table is not used', async (t) => {
    const pool = open(t)
    await pool.query('create temporary table jar (n int); insert into jar values (1)')
    const text = 'select n from jar where n >= $1'
    const statement: BoundStatement = { text, values: [0], readOnly: true, prepared: new Prepared(text, true) }
    for (let run = 0; run < 8; run++) t.strictSame(await runOnPool(pool, statement, undefined), [{ n: 1 }])
    await pool.query('alter table jar alter n type text')
    await pool.query("update jar set n = 'one'")
    t.strictSame(await runOnPool(pool, statement, undefined), [{ n: 'one' }])
    await pool.query('alter table jar alter n type bigint using 2')
    for (let run = 0; run < 2; run++) t.strictSame(await runOnPool(pool, statement, undefined), [{ n: '2' }])
  })

  t.test('types of values older than their column are not used', async (t) => {
    const pool = open(t)
    await pool.query(
      'create temporary table lid (id text primary key); insert into lid values ' +
        "('6f0c4b7e-8f0a-4c53-9d2e-0a1b2c3d4e5f')"
    )
    const get: BoundStatement = {
      text: 'select id::text as id from lid where id = $1',
      values: ['6f0c4b7e-8f0a-4c53-9d2e-0a1b2c3d4e5f'],
      columns: ['id'],
      readOnly: true,
      prepared: new Prepared('select id::text as id from lid where id = $1', true),
    }
    const insert = 'insert into lid (id) values ($1) returning id::text as id'
    const put: BoundStatement = { text: insert, values: ['x'], columns: ['id'], prepared: new Prepared(insert, true) }
    for (let run = 0; run < 8; run++) {
      t.equal((await runOnPool(pool, get, undefined)).length, 1)
      t.equal((await runOnPool(pool, { ...put, values: [`x${run}`] }, undefined)).length, 1)
    }
    t.equal((await kept(pool)).length, 2)
    await pool.query("delete from lid where id like 'x%'")
    await pool.query('alter table lid alter id type uuid using id::uuid')
    for (let run = 0; run < 3; run++) {
      t.equal((await runOnPool(pool, get, undefined)).length, 1)
      t.equal(
        (await runOnPool(pool, { ...put, values: [`0000000${run}-8f0a-4c53-9d2e-0a1b2c3d4e5f`] }, undefined)).length,
        1
      )
    }
  })

  t.test('nulls, non-ASCII texts, lists, bytes and dates arrive as with pg itself', async (t) => {
    const pool = open(t)
    const values = [
      null,
      'Žluťoučký 🐎',
      ['a"b', null, '{,}'],
      Buffer.from([0, 255]),
      new Date(0),
      { a: [1] },
      true,
      12n,
    ]
    const types = ['text', 'text', 'text[]', 'bytea', 'timestamptz', 'jsonb', 'bool', 'int8']
    const text = `select ${types.map((type, index) => `$${index + 1}::${type}::text as v${index}`).join()}`
    const columns = values.map((_, index) => `v${index}`)
    const { rows } = await pool.query<Record<string, unknown>>(text, values)
    t.strictSame(await runOnPool(pool, { text, values, columns }, undefined), rows.map((row) => ({ ...row })))
  })

  t.test('a value without a text form is refused, and the connection stays usable', async (t) => {
    const pool = open(t)
    const circular: Record<string, unknown> = {}
    circular.self = circular
    await t.rejects(runOnPool(pool, { ...statementOf(), values: [circular] }, undefined), /circular/)
    await times(2, pool, statementOf())
    t.equal(pool.totalCount, 1)
  })
})

t.test('the number of names is limited, and lists leave some of them to single records', async (t) => {
  const names = new Set<string>()
  const lists = new Set<string>()
  for (let n = 0; n < 400; n++) {
    const text = `select ${n}, 'of many lists'`
    const prepared = new Prepared(text, true, `${text} where $1 > 0`)
    for (let run = 0; run < 7; run++) {
      const name = prepared.nameForRun()
      if (name !== undefined) lists.add(name)
    }
  }
  t.ok(lists.size > 80 && lists.size <= 128, `${lists.size} names of lists`)
  for (let n = 0; n < 400; n++) {
    const prepared = new Prepared(`select ${n}, 'of many'`, true)
    for (let run = 0; run < 7; run++) {
      const name = prepared.nameForRun()
      if (name !== undefined) names.add(name)
    }
  }
  t.ok(names.size >= 128 && names.size + lists.size <= 256, `${names.size} names`)
  const known = new Prepared("select 0, 'of many'", true)
  for (let run = 0; run < 5; run++) t.equal(known.nameForRun(), undefined)
  t.ok(names.has(known.nameForRun()!), 'what has been evicted and compiled again has its name again')
})
