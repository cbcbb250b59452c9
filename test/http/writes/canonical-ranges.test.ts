/** Ranges that PostgreSQL writes in another form than the client: as a key, and inside of JSON, where it does not. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { forEachDatabase } from '../../helpers/databases.ts'
import { bodyOf, resource, serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const Slot = entity('Slot', { seats: p.string().columnType('int4range').primary(), note: p.string().nullable() })
const Rule = entity('Rule', {
  seats: p.string().columnType('int4range').nullable(),
  days: p.string().columnType('daterange').nullable(),
  moments: p.string().columnType('tstzrange').nullable(),
  local: p.string().columnType('tsrange').nullable(),
  amounts: p.string().columnType('numrange').nullable(),
}, { embeddable: true })
const Plan = entity('Plan', {
  id: p.integer().primary().autoincrement(),
  rule: () => p.embedded(Rule).object().nullable(),
  rules: () => p.embedded(Rule).array().nullable(),
  columns: () => p.embedded(Rule).prefix('own_').nullable(),
})
/** The same, written through MikroORM's unit of work. */
const HookedPlan = entity('HookedPlan', {
  id: p.integer().primary().autoincrement(),
  rule: () => p.embedded(Rule).object().nullable(),
}, { hooks: { beforeCreate: [() => {}], beforeUpdate: [() => {}] } })

await forEachDatabase(t, { entities: [Slot, Rule, Plan, HookedPlan] }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/slots': resource(Slot), '/plans': resource(Plan), '/hooked': resource(HookedPlan),
  })
  const { created, updated, post, patch } = writes(app)

  t.test('a body may repeat a range that is the key, in any form', async (t) => {
    t.match(await created('/slots', { seats: '[1,5]' }), { seats: '[1,6)' })
    const url = `/slots/${encodeURIComponent('[1,6)')}`
    for (const seats of ['[1,6)', '[1,5]', '(0,5]', '(0,6)']) {
      t.match(await updated(url, { seats, note: seats }), { seats: '[1,6)', note: seats })
    }
    for (const seats of ['[1,5)', '[1,)', 'empty']) {
      t.equal(verdict(await patch(url, { seats })), '400 FST_ERR_VALIDATION /seats', seats)
    }
  })

  t.test('ranges inside of JSON have the form of columns', async (t) => {
    const rule = {
      seats: '(0,5]', days: '[2024-02-28,2024-02-29]',
      moments: '[2024-01-01T02:00:00+02:00,2024-01-01T00:00:00.000001Z]', local: '[2024-01-01,]', amounts: '[1.50,2]',
    }
    const empty = { seats: '[3,3)', days: null, moments: 'empty', local: null, amounts: '(1,1.0]' }
    const record = await created('/plans', { rule, rules: [rule, empty], columns: rule })
    t.strictSame(record.rule, record.columns)
    t.strictSame(record.rules, [record.columns, { ...empty, seats: 'empty', amounts: 'empty' }])
    t.match(record.rule, {
      seats: '[1,6)', days: '[2024-02-28,2024-03-01)',
      moments: '["2024-01-01T00:00:00.000Z","2024-01-01T00:00:00.000001Z"]', local: '["2024-01-01T00:00:00.000Z",)',
      amounts: '[1.50,2]',
    })
    t.strictSame((await updated(`/plans/${record.id}`, { rule: record.rule })).rule, record.rule, 'sent back')
    const hooked = await created('/hooked', { rule })
    t.strictSame(hooked.rule, record.rule, 'through the unit of work')
    t.equal(bodyOf(await app.inject(`/hooked/${hooked.id}`)).rule.seats, '[1,6)')
    const response = await post('/plans', { rule: { ...rule, seats: '[5,1]' } })
    t.equal(verdict(response), '400 FST_ERR_VALIDATION /rule/seats')
  })

  t.test('a member of an embedded object that is null against its column is named', async (t) => {
    await orm.em.getConnection().execute('alter table plan alter column own_seats set not null')
    for (const body of [{ columns: { days: 'empty' } }, { columns: null }, {}]) {
      const response = await post('/plans', body)
      t.equal(verdict(response), '400 FST_CRUD_DATA_INVALID /columns/seats', JSON.stringify(body))
      t.equal(bodyOf(response).message, "'columns.seats' cannot be null.")
    }
  })
})
