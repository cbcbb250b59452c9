/** Prepared statements, which the server keeps by a name, and statements that are not prepared. */
import fc from 'fast-check'
import pg from 'pg'
import t, { type Test } from 'tap'
import { PreparedText, runOnPool, type BoundStatement } from '../../../src/run/index.ts'
import { useNoNames } from '../../../src/run/pg/connections.ts'
import { skipReasons } from '../../helpers/databases.ts'
import { assertProperty } from '../../helpers/property.ts'

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
    return { text, values: [7], readOnly: true, columns: ['n'], prepared: new PreparedText(text, nameable) }
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
    await times(8, pool, { ...statement, prepared: new PreparedText(statement.text, true) })
    t.strictSame(await kept(pool), [again], 'the same text, the same name')
  })

  t.test('statements whose columns the server must describe are not prepared', async (t) => {
    const pool = open(t)
    const { columns, ...statement } = statementOf()
    for (let n = 1; n <= 8; n++) t.strictSame(await runOnPool(pool, { ...statement, values: [n] }, undefined), [{ n }])
    t.strictSame(await kept(pool), [])
  })

  t.test('statements that the server may not keep are not prepared', async (t) => {
    const pool = open(t)
    await times(8, pool, statementOf(false))
    t.strictSame(await kept(pool), [])
  })

  t.test('the server keeps the other form of a statement, if there is one', async (t) => {
    const pool = open(t)
    const { text, ...statement } = statementOf()
    const namedText = `${text} where $1 > 0`
    await times(8, pool, { ...statement, text, prepared: new PreparedText(text, true, namedText) })
    t.match(await kept(pool), [{ statement: namedText }])
  })

  t.test('statements are not prepared if the pool must not', async (t) => {
    const pool = open(t)
    useNoNames(pool)
    await times(8, pool, statementOf())
    t.strictSame(await kept(pool), [])
  })

  t.test('a statement that the server no longer has runs, and is prepared again', async (t) => {
    const pool = open(t)
    const statement = statementOf()
    await times(8, pool, statement)
    const [before] = await kept(pool)
    await pool.query('deallocate all')
    await times(3, pool, statement)
    t.strictSame(await kept(pool), [])
    await times(4, pool, statement)
    t.strictSame(await kept(pool), [before])
    // as behind a pooler that gives its clients other connections than before
    const other = statementOf()
    await times(5, pool, other)
    const name = new PreparedText(other.text, true)
    for (let run = 0; run < 5; run++) name.nameForRun()
    await pool.query({ text: `prepare "${name.nameForRun()}" (int) as ${other.text}` })
    await times(3, pool, other)
  })

  t.test('a name that the server has given away fails for no request, however many send it at once', async (t) => {
    const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 4 })
    t.teardown(() => pool.end())
    const statement = statementOf()
    await times(5, pool, statement)
    const twin = new PreparedText(statement.text, true)
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
    const statement: BoundStatement = { text, values: [0], readOnly: true, prepared: new PreparedText(text, true) }
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
      prepared: new PreparedText('select id::text as id from lid where id = $1', true),
    }
    const insert = 'insert into lid (id) values ($1) returning id::text as id'
    const prepared = new PreparedText(insert, true)
    const put: BoundStatement = { text: insert, values: ['x'], columns: ['id'], prepared }
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
      null, 'Žluťoučký 🐎', ['a"b', null, '{,}'], Buffer.from([0, 255]), new Date(0), { a: [1] }, true, 12n,
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

  const manyOf = (count: number, ofLists = false): BoundStatement[] =>
    Array.from({ length: count }, () => {
      const { text, ...statement } = statementOf()
      return { ...statement, text, prepared: new PreparedText(text, true, ofLists ? `${text} where $1 > 0` : text) }
    })

  t.test('a usual statement keeps its name beside many others, and regains it after them', async (t) => {
    const pool = open(t)
    const [usual] = manyOf(1)
    const others = manyOf(500)
    const isKept = async () => (await kept(pool)).some(({ statement }) => statement === usual!.text)
    await times(6, pool, usual!)
    for (let run = 1; run <= 7; run++) {
      for (const [index, other] of others.entries()) {
        await times(1, pool, other)
        if (index % 100 === 0) await times(1, pool, usual!)
        if (index % 100 === 99) t.ok(await isKept(), 'it is in use')
      }
    }
    t.equal((await kept(pool)).length, 256)
    for (let run = 1; run <= 2; run++) for (const other of others) await times(1, pool, other)
    t.notOk(await isKept(), 'the server is not asked to keep more')
    t.equal((await kept(pool)).length, 256)
    await times(1, pool, usual!)
    t.ok(await isKept())
  })

  t.test('a list takes the place of two single records', async (t) => {
    const pool = open(t)
    for (const list of manyOf(140, true)) await times(6, pool, list)
    t.equal((await kept(pool)).length, 128)
    for (const single of manyOf(100)) await times(6, pool, single)
    t.equal((await kept(pool)).length, 78 + 100)
  })

  t.test('any sequence of statements gets its answers, and each connection keeps a limited number', async (t) => {
    await assertProperty(
      fc.asyncProperty(
        fc.array(
          fc.record({
            /** Statements that run at the same time. */
            runs: fc.array(fc.tuple(fc.nat(400), fc.nat(2)), { minLength: 40, maxLength: 120 }),
            disturbance: fc.constantFrom('none', 'none', 'none', 'deallocate', 'change', 'take'),
          }),
          { minLength: 8, maxLength: 12 }
        ),
        async (steps) => {
          const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL!, max: 2 })
          await pool.query('drop table if exists jar; create table jar (n int); insert into jar values (1)')
          texts++
          try {
            const types = ['bigint', 'int']
            // each a single record, a list, or a statement that may share a message
            const statements = Array.from({ length: 401 }, (_, n): BoundStatement => {
              const jar = n % 50 === 0 ? 'jar' : '(select 1 as n) as jar'
              const text = `select n * ${n} / $1::int as n from ${jar} /* ${texts} */`
              const prepared = new PreparedText(text, true, n % 5 === 0 ? `${text} where $1 < 9` : text)
              for (let run = 0; run < 20; run++) {
                prepared.nameForRun()
                prepared.noteRun(n % 3 === 0)
              }
              return { text, values: [], readOnly: true, shareable: true, columns: ['n'], prepared }
            })
            for (const { runs, disturbance } of steps) {
              await Promise.all(runs.map(async ([n, by]) => {
                const asking = runOnPool(pool, { ...statements[n]!, values: [by] }, undefined)
                if (by === 0) await t.rejects(asking, { code: '22012' })
                else t.strictSame(await asking, [{ n: `${Math.floor(n / by)}` }])
              }))
              if (disturbance === 'change') {
                await pool.query(`alter table jar alter n type ${types[0]}`)
                types.reverse()
              }
              if (disturbance === 'deallocate') await pool.query('deallocate all')
              const clients = await Promise.all([pool.connect(), pool.connect()])
              for (const client of clients) {
                const { rows } = await client.query<{ name: string, places: number }>(
                  `select name, case when statement like '%where%' then 2 when statement like '%jar%' then 1 else 0 end
                    as places from pg_prepared_statements`
                )
                t.ok(rows.reduce((sum, { places }) => sum + places, 0) <= 256)
                // another client of a pooler has given the name to its own statement
                if (disturbance === 'take') {
                  const taken = new Set(rows.map(({ name }) => name))
                  const names = statements.map(({ prepared }) => prepared!.nameForRun()!)
                  await client.query(`prepare "${names.find((name) => !taken.has(name))}" as select 'other'`)
                }
              }
              for (const client of clients) client.release()
            }
          } finally {
            await pool.query('drop table jar')
            await pool.end()
          }
        }
      ),
      { numRuns: 6 }
    )
  })
})
