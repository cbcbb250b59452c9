import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { forEachDatabase } from '../helpers/databases.ts'
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
      const recorder = await recordStatements(orm)
      t.teardown(recorder.stop)
      await orm.em.fork().find(Sensor, { label: 'north' })
      t.match(recorder.take(), [{ sql: /^select .* from "sensor"/ }])
      await orm.em.fork().transactional(async (em) => {
        await em.findOne(Sensor, { label: 'x' })
      })
      t.match(recorder.take().map(({ sql }) => sql), [/^begin/i, /^select/, /^commit/i])
      await t.rejects(
        orm.em.fork().transactional(async (em) => {
          await em.execute('select 1')
          throw new Error('no')
        }),
        { message: 'no' }
      )
      t.match(recorder.take().map(({ sql }) => sql), [/^begin/i, /^select 1/, /^rollback/i])
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
