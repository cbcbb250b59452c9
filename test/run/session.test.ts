import type { EntityManager } from '@mikro-orm/postgresql'
import pg from 'pg'
import t from 'tap'
import { DatabaseError, DataValidationError, AbortedError } from '../../src/base/errors.ts'
import { run } from '../../src/run/index.ts'
import { entities, Plant, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { lacks } from '../helpers/capabilities.ts'
import { databases, forEachDatabase, skipReasons } from '../helpers/databases.ts'
import { resource } from '../sql/helper.ts'

const one = { text: 'select $1::int as n', values: [1] }
const endless = { text: 'select pg_sleep(60), $1::text as mark', values: ['cancel me'] }

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('a session runs a statement with its values', async (t) => {
    const em = orm.em.fork()
    t.strictSame(
      await run(em, { text: 'select $1::int as n, $2::text as "T", $2 || $2 as twice', values: [1, "it's"] }),
      [{ n: 1, T: "it's", twice: "it'sit's" }]
    )
    t.strictSame(await run(em, { text: 'select 1 where false', values: [] }), [])
  })

  t.test('database errors become our errors, with the original as their cause', async (t) => {
    const em = orm.em.fork()
    const refused = async (text: string) => run(em, { text, values: [] }).then(() => undefined, (error) => error)
    const division = await refused('select 1 / 0')
    t.ok(division instanceof DatabaseError)
    t.match(division, { statusCode: 500, cause: { message: /division by zero/ } })
    const number = await refused("select 'x'::int")
    t.ok(number instanceof DataValidationError)
    t.match(number, { statusCode: 400, cause: { message: /invalid input syntax/ } })
    const table = await refused('select * from secret_table')
    t.ok(table instanceof DatabaseError)
    t.match(table, { statusCode: 500, cause: { message: /secret_table/ } })
    t.notMatch(table.message + table.detail + JSON.stringify(table.errors), /secret_table|select/)
  })

  t.test('a value of the wrong type does not break other statements', async (t) => {
    const wrong = { text: 'select $2::text[] as a, $1::text as b', values: ['left over', true] }
    const right = async (em: EntityManager) =>
      t.strictSame(await run(em, { text: 'select $1::text as a', values: ['own'] }), [{ a: 'own' }])
    for (let round = 0; round < 2; round++) {
      await t.rejects(run(orm.em.fork(), wrong), { statusCode: 400, cause: { code: '22P02' } })
      await right(orm.em.fork())
      await t.rejects(orm.em.fork().transactional((em) => run(em as EntityManager, wrong)), {
        statusCode: 400,
        cause: { code: '22P02' },
      })
      await right(orm.em.fork())
    }
  })

  t.test('values of JavaScript are the same inside and outside of a transaction', async (t) => {
    const text =
      "select $1::boolean as a, $2::jsonb as b, $3::timestamptz = timestamptz '2024-05-06T07:08:09.123Z' as c, " +
      "$4::bytea = '\\x0001' as d, $5::bigint::text as e, $6::int as f, $7::text[] as g"
    const values = [
      false, { a: [1, null] }, new Date('2024-05-06T07:08:09.123Z'), Buffer.from([0, 1]), 2n ** 60n, null,
      ['x,y', null],
    ]
    const expected = [{
      a: false, b: { a: [1, null] }, c: true, d: true, e: String(2n ** 60n), f: null, g: ['x,y', null],
    }]
    t.strictSame(await run(orm.em.fork(), { text, values }), expected)
    await orm.em.fork().transactional(async (em) =>
      t.strictSame(await run(em as EntityManager, { text, values }), expected)
    )
  })

  t.test('a transaction sees its rows before others see them', async (t) => {
    const plants = resource(Tag)
    await orm.em.fork().transactional(async (em) => {
      em.create(Tag, { name: 'uncommitted' })
      await em.flush()
      t.equal(await plants.count(em), 5)
      t.match(await plants.get(em, 6), { name: 'uncommitted' })
      throw new Error('roll back')
    }).catch((error) => t.equal(error.message, 'roll back'))
    t.equal(await plants.count(orm.em.fork()), 4)
  })

  t.test('a failed transaction runs nothing on another connection', async (t) => {
    await t.rejects(
      orm.em.fork().transactional(async (em) => {
        await run(em, { text: 'select 1 / 0', values: [] }).catch(() => undefined)
        await run(em, one)
      }),
      { statusCode: 500, cause: { message: /current transaction is aborted/ } }
    )
  })

  t.test('a request that ends before its statement is sent runs nothing', async (t) => {
    for (const reason of [undefined, new Error('closed'), 'closed', null]) {
      const controller = new AbortController()
      controller.abort(reason)
      const em = orm.em.fork({ signal: controller.signal })
      const error = await resource(Plant).list(em).then(() => undefined, (error) => error)
      t.ok(error instanceof AbortedError, String(reason))
    }
  })

  t.test('a signal that does not abort has no effect', async (t) => {
    const em = orm.em.fork({ signal: new AbortController().signal })
    t.equal(await resource(Plant).count(em), 13)
  })

  t.test("MikroORM's logger gets the statement, its values and its errors", async (t) => {
    const lines: string[] = []
    const logger = orm.config.getLogger()
    const { log, isEnabled } = logger as unknown as Record<string, any>
    t.teardown(() => Object.assign(logger, { log, isEnabled }))
    Object.assign(logger, { log: (_namespace: string, line: string) => lines.push(line), isEnabled: () => true })
    const em = orm.em.fork()
    await run(em, one)
    await run(em, { text: 'select 1 / $1::int', values: [0] }).catch(() => undefined)
    t.match(lines, [/select \$1::int as n/, /select 1 \/ \$1::int/])
    t.match(lines[0], /1 result|took/)
  })
})

const openPostgres = databases.find(([name]) => name === 'postgres')![1]

t.test('aborting a request cancels its statement in the server', {
  skip: skipReasons.postgres || await lacks('activityView', 'cancelBackend'),
}, async (t) => {
  const { orm, url, close } = await openPostgres({ entities, orm: { pool: { min: 0, max: 2 } } })
  const watcher = new pg.Client({ connectionString: url })
  await watcher.connect()
  t.teardown(async () => {
    await watcher.end()
    await close()
  })

  /** Waits until the given number of the statements run in the server. */
  const running = async (count: number) => {
    for (;;) {
      const { rows } = await watcher.query(
        "select 1 from pg_stat_activity where datname = current_database() and state = 'active' " +
          "and query like 'select pg_sleep%'"
      )
      if (rows.length === count) return
    }
  }

  t.test('one statement is cancelled', async (t) => {
    const controller = new AbortController()
    const outcome = run(orm.em.fork({ signal: controller.signal }), endless).then(() => undefined, (error) => error)
    await running(1)
    controller.abort()
    const error = await outcome
    t.ok(error instanceof AbortedError)
    t.match(error.cause, { code: '57014' })
    await running(0)
    t.strictSame(await run(orm.em.fork(), one), [{ n: 1 }], 'the connection is usable afterwards')
  })

  t.test('a statement on each connection of the pool is cancelled', async (t) => {
    const controller = new AbortController()
    const outcomes = [1, 2].map(() =>
      run(orm.em.fork({ signal: controller.signal }), endless).then(() => undefined, (error) => error)
    )
    await running(2)
    controller.abort()
    for (const error of await Promise.all(outcomes)) t.ok(error instanceof AbortedError)
    await running(0)
    t.strictSame(await Promise.all([1, 2, 3].map(() => run(orm.em.fork(), one))), [[{ n: 1 }], [{ n: 1 }], [{ n: 1 }]])
  })

  t.test('a statement that waits for a connection is not sent', async (t) => {
    const [first, second] = [new AbortController(), new AbortController()]
    const busy = [1, 2].map(() =>
      run(orm.em.fork({ signal: first.signal }), endless).then(() => undefined, (error) => error)
    )
    await running(2)
    const waiting = run(orm.em.fork({ signal: second.signal }), endless).then(() => undefined, (error) => error)
    second.abort()
    first.abort()
    for (const error of await Promise.all([...busy, waiting])) t.ok(error instanceof AbortedError)
    await running(0)
  })

  t.test('an abort after the answer does not affect other statements', async (t) => {
    const controller = new AbortController()
    await run(orm.em.fork({ signal: controller.signal }), one)
    controller.abort()
    t.strictSame(
      await run(orm.em.fork(), { text: 'select 2 as n, pg_sleep(0.05)', values: [] }).then(([row]) => row!.n),
      2
    )
  })
})

t.test('a statement on PGlite cannot be cancelled, since its one connection is in this process', {
  skip: 'nothing can be cancelled',
}, () => {})
