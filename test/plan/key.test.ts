import { p } from '@mikro-orm/core'
import t from 'tap'
import { QueryBuilderConfig } from '../../src/config/index.ts'
import { planExists, planGet, resolveWhitelist, type Id } from '../../src/plan/index.ts'
import { ColourType } from '../fixtures/custom-types.ts'
import { AuditEntry, Customer, OrderItem, Plant, Shelf } from '../fixtures/entities.ts'
import { customerId, plantUuid } from '../fixtures/seed.ts'
import { modelsOf } from '../helpers/models.ts'
import { conditionsOf, models, whitelistOf } from './helper.ts'
import { entity } from '../helpers/entity.ts'

type Case = readonly [entity: unknown, id: unknown, conditions: readonly string[] | undefined]

const cases: readonly Case[] = [
  [Plant, 1, ['key id = 1']],
  [Plant, '1', ['key id = 1']],
  [Plant, 1n, ['key id = 1']],
  [Plant, '007', ['key id = 7']],
  [Plant, { id: 1 }, ['key id = 1']],
  [Plant, { id: '1' }, ['key id = 1']],
  [Plant, plantUuid(3), [`uuid = "${plantUuid(3)}"`]],
  [Plant, plantUuid(10).toUpperCase(), [`uuid = "${plantUuid(10)}"`]],
  [Customer, customerId(1), [`key id = "${customerId(1)}"`]],
  [AuditEntry, '9223372036854775807', ['key id = "9223372036854775807"']],
  [AuditEntry, 9223372036854775807n, ['key id = "9223372036854775807"']],
  [Shelf, { house: 'A', number: 1 }, ['key house = "A"', 'key number = 1']],
  [Shelf, { number: '1', house: 'A' }, ['key house = "A"', 'key number = 1']],
  [OrderItem, { order: 1, plant: '2' }, ['key order_id = 1', 'key plant_id = 2']],

  // keys that no record can have
  [Plant, '', undefined],
  [Plant, ' 1', undefined],
  [Plant, '1.0', undefined],
  [Plant, 1.5, undefined],
  [Plant, NaN, undefined],
  [Plant, Infinity, undefined],
  [Plant, 1e21, undefined],
  [Plant, 2147483648, undefined],
  [Plant, '99999999999999999999999999', undefined],
  [Plant, '1; drop table plant', undefined],
  [Plant, '1\0', undefined],
  [Plant, null, undefined],
  [Plant, undefined, undefined],
  [Plant, true, undefined],
  [Plant, [], undefined],
  [Plant, {}, undefined],
  [Plant, { id: null }, undefined],
  [Plant, { id: { $ne: 0 } }, undefined],
  [Plant, { id: 1, name: 'x' }, undefined],
  [Plant, { $or: [] }, undefined],
  [Plant, { uuid: plantUuid(1) }, undefined],
  [Customer, 'ada', undefined],
  [Customer, 1, undefined],
  [AuditEntry, '9223372036854775808', undefined],
  [AuditEntry, plantUuid(1), undefined],
  [Shelf, 'A', undefined],
  [Shelf, { house: 'A' }, undefined],
  [Shelf, { house: 'A', number: 1, capacity: 40 }, undefined],
  [Shelf, { house: 'A', number: 'x' }, undefined],
  [Shelf, { house: 'A\0', number: 1 }, undefined],
  [Shelf, { house: 'A', number: undefined }, undefined],
  [Shelf, { house: ['A'], number: 1 }, undefined],
  [OrderItem, { order: 1 }, undefined],
  [OrderItem, { order: { id: 1 }, plant: 2 }, undefined],
]

for (const [entity, id, expected] of cases) {
  const shown = typeof id === 'bigint' ? `${id}n` : Number.isNaN(id) ? 'NaN' : JSON.stringify(id) ?? 'undefined'
  const outcome = expected === undefined ? 'cannot exist' : 'is looked up'
  t.test(`the ${models.of(entity).name} ${shown} ${outcome}`, async (t) => {
    const whitelist = whitelistOf({}, entity)
    for (const plan of [planGet(id as Id, undefined, whitelist), planExists(id as Id, whitelist)]) {
      t.strictSame(plan && conditionsOf(plan), expected)
    }
  })
}

t.test('a key that refers to a composite key is an object in an object', async (t) => {
  const Box = entity('Box', { row: p.integer().primary(), column: p.string().serializedName('col').primary() })
  const Seed = entity('Seed', { box: () => p.manyToOne(Box).primary(), count: p.integer().primary() })
  const whitelist = resolveWhitelist(new QueryBuilderConfig(), modelsOf([Box, Seed]).of(Seed))
  const found = (id: Id) => {
    const plan = planGet(id, undefined, whitelist)
    return plan && conditionsOf(plan)
  }
  t.strictSame(found({ box: { row: 1, col: 'a' }, count: 2 }), [
    'key box_row = 1', 'key box_column = "a"', 'key count = 2',
  ])
  t.equal(found({ box: 1, count: 2 }), undefined)
  t.equal(found({ box: { row: 1 }, count: 2 }), undefined)
  t.equal(found({ box: { row: 1, col: {} }, count: 2 }), undefined)
})

t.test('the custom type of a key converts it', async (t) => {
  const Paint = entity('Paint', { colour: p.type(ColourType).primary() })
  const plan = planGet('#ff0000', undefined, resolveWhitelist(new QueryBuilderConfig(), modelsOf([Paint]).of(Paint)))
  t.strictSame(conditionsOf(plan!), ['key colour = "#ff0000"'])
})

t.test('a date in a key is the exact moment', async (t) => {
  const Tick = entity('Tick', { at: p.datetime(3).primary() })
  const whitelist = resolveWhitelist(new QueryBuilderConfig(), modelsOf([Tick]).of(Tick))
  t.strictSame(conditionsOf(planGet({ at: new Date(0) }, undefined, whitelist)!), [
    'key at = "1970-01-01T00:00:00.000Z"',
  ])
  t.equal(planGet({ at: new Date(NaN) }, undefined, whitelist), undefined)
})
