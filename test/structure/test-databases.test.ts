import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { databases, forEachDatabase, skipReasons } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'

const Sensor = defineEntity({
  name: 'Sensor',
  properties: { id: p.integer().primary().autoincrement(), label: p.string() },
})

await forEachDatabase(
  t,
  { entities: [Sensor], seed: (em) => em.create(Sensor, { label: 'north' }) },
  async (t, { orm, name }) => {
    t.test('a database is seeded', async (t) => {
      t.strictSame((await orm.em.fork().find(Sensor, {})).map(({ label }) => label), ['north'])
    })

    t.test('statements of the ORM are recorded, including its transactions', async (t) => {
      const recorder = await recordStatements(orm, t)
      await orm.em.fork().find(Sensor, { label: 'north' })
      t.match(recorder.take(), [{ sql: /^select .* from "sensor"/ }])
      await orm.em.fork().transactional(async (em) => {
        await em.findOne(Sensor, { label: 'x' })
      })
      t.match(recorder.texts(), [/^begin/i, /^select/, /^commit/i])
      await t.rejects(
        orm.em.fork().transactional(async (em) => {
          await em.execute('select 1')
          throw new Error('no')
        }),
        { message: 'no' }
      )
      t.match(recorder.texts(), [/^begin/i, /^select 1/, /^rollback/i])
    })

    t.test('statements sent directly to the driver are recorded, with separate values', async (t) => {
      const recorder = await recordStatements(orm)
      const client = await orm.em.getConnection().getNativeClient()
      await client.query('select $1::int as n', [1])
      t.strictSame(recorder.take(), [{ sql: 'select $1::int as n', params: [1] }])
      if (name === 'postgres') {
        await client.query({ name: 'one', text: 'select $1::int as n', values: [2] })
        t.strictSame(recorder.take(), [{ sql: 'select $1::int as n', params: [2], name: 'one' }])
      }
      recorder.stop()
      await client.query('select 1')
      t.strictSame(recorder.statements, [])
    })
  }
)

/** Names and settings of a database. */
const CONTENT = `
  select array(select relname from pg_class where relkind = 'r' and oid >= 16384)::text as tables,
    array(select nspname from pg_namespace where nspname !~ '^pg_' order by 1)::text as schemas,
    (select count(*) from pg_cast where oid >= 16384)::int as casts, (select count(*) from sensor)::int as sensors,
    current_setting('DateStyle') as style, current_setting('lock_timeout') as timeout`

for (const [name, open] of databases) {
  t.test(`${name}: a database has nothing of the one before it`, { skip: skipReasons[name] }, async (t) => {
    /** The content of the database after the one in which some statements have run. */
    const after = async (...statements: string[]): Promise<unknown> => {
      const before = await open({ entities: [Sensor] })
      for (const sql of statements) await before.orm.em.getConnection().execute(sql)
      await before.close()
      const next = await open({ entities: [Sensor] })
      const [content] = await next.orm.em.getConnection().execute(CONTENT)
      await next.close()
      return content
    }
    const asNew = await after()
    t.match(asNew, { tables: '{sensor}', schemas: '{information_schema,public}', casts: 0, sensors: 0, timeout: '0' })
    t.strictSame(await after('create schema other', 'create table other.leaf ()', 'drop schema public cascade'), asNew)
    t.strictSame(await after("insert into sensor (label) values ('x')", 'set datestyle = german'), asNew)
    t.strictSame(await after('create cast (integer as text) with inout'), asNew, 'outside of schemas')
    t.strictSame(
      await after("do $$ begin execute format('alter database %I set lock_timeout = 9', current_database()); end $$"),
      asNew,
      'a setting of the database'
    )
  })
}
