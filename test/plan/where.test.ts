import { p, raw, StringType, Type } from '@mikro-orm/core'
import t from 'tap'
import { ConditionError, readCondition, type Where } from '../../src/conditions/index.ts'
import type { EntityModel } from '../../src/model/index.ts'
import {
  EMPTY_RECORD, planCount, planInsert, planSelection, QueryErrors, resolveWhitelist, withConditions,
} from '../../src/plan/index.ts'
import { QueryBuilderConfig } from '../../src/config/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { Order, OrderItem, Plant, Specimen } from '../fixtures/entities.ts'
import { modelsOf } from '../helpers/models.ts'
import { conditionsOf, models, whitelistOf } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const NO_FILTERS = new Map<EntityModel, Where>()

/** The condition of a scope as text; `undefined` if it is refused, or left to MikroORM. */
function translated (entity: unknown, scope: unknown, of = models): string[] | undefined {
  const model = of.of(entity)
  const whitelist = resolveWhitelist(new QueryBuilderConfig<any>({}), model, undefined)
  let where: Where
  try {
    where = readCondition(scope, model)
  } catch (error) {
    if (error instanceof ConditionError) return undefined
    throw error
  }
  const plan = withConditions(planCount(parseQueryParams(''), whitelist), where, NO_FILTERS)
  return plan && conditionsOf(plan)
}

const readOn = (entity: unknown, where: object): Where => readCondition(where, models.of(entity))
const filtersOf = (...filters: ReadonlyArray<readonly [entity: unknown, where: object]>) =>
  new Map(filters.map(([entity, where]) => [models.of(entity), readOn(entity, where)]))

const UUID = '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'

t.test('plain conditions are planned', async (t) => {
  const cases: ReadonlyArray<readonly [object, string[]]> = [
    [{}, []],
    [{ leaves: 5 }, ['leaves = 5']],
    [{ leaves: '5' }, ['leaves = 5']],
    [{ __proto__: null, leaves: 1 }, ['leaves = 1']],
    [{ leaves: { __proto__: null, $gt: 5 } }, ['leaves > 5']],
    [{ leaves: 5n }, ['leaves = 5']],
    [{ leaves: 0 }, ['leaves = 0']],
    [{ leaves: -0 }, ['leaves = 0']],
    [{ leaves: null }, ['leaves is null']],
    [{ leaves: { $ne: null } }, ['leaves is not null']],
    [{ leaves: { $gte: 1, $lt: 9 }, stems: 3 }, ['leaves >= 1', 'leaves < 9', 'stems = 3']],
    [{ leaves: [1, '2', 3n] }, ['leaves in {"1","2","3"}']],
    [{ leaves: { $in: [] } }, ['leaves in {}']],
    [{ leaves: { $nin: [1] } }, ['leaves not in {"1"}']],
    [{ $not: { leaves: 1 } }, ['not (leaves = 1)']],
    [{ $not: { leaves: { $in: [1, 2] }, stems: null } }, ['not (leaves in {"1","2"} and stems is null)']],
    [{ $not: { $or: [{ leaves: 1 }, { $not: { stems: 2 } }] }, alive: true }, [
      'not ((leaves = 1 or not (stems = 2)))',
      'alive = true',
    ]],
    [{ cells: 2 ** 53 }, ['cells = "9007199254740992"']],
    [{ spores: 2n ** 63n - 1n }, ['spores = "9223372036854775807"']],
    [{ dryMass: '12.50' }, ['dry_mass = "12.50"']],
    [{ dryMass: 12.5 }, ['dry_mass = "12.5"']],
    [{ alive: false }, ['alive = false']],
    [{ nickname: '' }, ['nickname = ""']],
    [{ nickname: ['a,b', '"', 'null'] }, ['nickname in {"a,b","\\"","null"}']],
    [{ tracker: UUID.toUpperCase() }, [`tracker = "${UUID}"`]],
    [{ health: 'dead' }, ['health = "dead"']],
    [{ hardiness: { $in: [1, 2] } }, ['hardiness in {"1","2"}']],
    [{ flowering: { $ne: 'summer' } }, ['flowering <> "summer"']],
    [{ sownOn: { $lte: '2024-02-29' } }, ['sown_on <= "2024-02-29"']],
    [{ measuredAt: { $gt: new Date(0) } }, ['measured_at > "1970-01-01T00:00:00.000Z"']],
    [{ plant: 7 }, ['plant_id = 7']],
    [{ plant: null }, ['plant_id is null']],
    [{ plant: { id: 7 } }, ['plant_id = 7']],
    [{ plant: { $in: [7, 8] } }, ['plant_id in {"7","8"}']],
    [{ $and: [{ leaves: 1 }, { stems: 2, alive: true }] }, ['leaves = 1', 'stems = 2', 'alive = true']],
    [{ $or: [{ leaves: 1 }] }, ['leaves = 1']],
    [{ alive: true, $or: [{ leaves: 1, stems: null }, { $or: [{ leaves: 2 }, { leaves: 3 }] }] }, [
      'alive = true',
      '((leaves = 1 and stems is null) or (leaves = 2 or leaves = 3))',
    ]],
  ]
  for (const [scope, expected] of cases) t.strictSame(translated(Specimen, scope), expected, JSON.stringify(expected))
})

t.test('other conditions are refused, or left to MikroORM', async (t) => {
  class Tenant {
    leaves = 5
  }
  const inherited = Object.create({ leaves: 5 })
  const scopes: readonly unknown[] = [
    null, 5, 'leaves = 5', [], [1], raw('true'), { [raw('true')]: [] }, { leaves: 1, [Symbol('x')]: 1 }, new Tenant(),
    inherited, new Map([['leaves', 5]]), new Date(0), () => ({ leaves: 5 }), { unknown: 1 },
    { $not: { leaves: { $like: '1' } } }, { $not: { flowering: 'spring', leaves: { $gt: raw('5') } } }, { $eq: 1 },
    { 'e0.leaves': 1 }, { 'leaves::text': '1' }, { dry_mass: '1' }, { constructor: 1 }, { $and: [] }, { $or: [] },
    { $and: {} }, { $or: [{}] }, { $and: [{ leaves: 1 }, {}] }, { $or: [{ leaves: 1 }, null] },
    { $or: [{ leaves: 1 }, { unknown: 1 }] }, { leaves: undefined }, { leaves: NaN }, { leaves: Infinity },
    { leaves: 1.5 }, { leaves: 2 ** 31 }, { leaves: 2n ** 31n }, { leaves: '' }, { leaves: ' 5' }, { leaves: '5.0' },
    { leaves: '1e3' }, { leaves: true }, { leaves: new Date(0) }, { leaves: Symbol('5') }, { leaves: {} },
    { leaves: { $in: 5 } }, { leaves: { $in: [1, null] } }, { leaves: { $in: [1, undefined] } },
    { leaves: { $in: [[1]] } }, { leaves: new Array(1) }, { leaves: { $eq: [1] } }, { leaves: { $gt: null } },
    { leaves: { $gt: undefined } }, { leaves: { $eq: { $eq: 1 } } }, { leaves: { $not: { $eq: 1 } } },
    { leaves: { $like: '1' } }, { leaves: { $gt: 1, $like: '1' } }, { leaves: { $exists: true } }, { leaves: raw('5') },
    { leaves: { $gt: raw('5') } }, { leaves: { toString: 1 } }, { cells: 1.5 }, { cells: '9223372036854775808' },
    { dryMass: 1e21 }, { dryMass: '1e3' }, { dryMass: 'NaN' }, { acidity: 1 }, { chlorophyll: 0.1 }, { alive: 'true' },
    { alive: 1 }, { nickname: 5 }, { nickname: true }, { nickname: '\0' }, { nickname: '\ud800' },
    { nickname: { $ilike: 'a' } }, { nickname: /a/ }, { tracker: 'x' }, { tracker: `{${UUID}}` }, { health: 'healthy' },
    { hardiness: '1' }, { hardiness: 4 }, { flowering: 'Summer' }, { pruned: ['spring'] }, { pruned: [] },
    { synonyms: ['a'] }, { synonyms: { $contains: ['a'] } }, { ringWidths: [1] }, { sownOn: new Date(0) },
    { sownOn: '2024-02-30' }, { sownOn: '2024-02-29T00:00:00Z' }, { measuredAt: '2024-02-29' },
    { measuredAt: '1970-01-01T00:00:00.000Z' }, { measuredAt: 0 }, { measuredAt: new Date(NaN) },
    { measuredAt: new Date('+010000-01-01T00:00:00Z') }, { wateredAt: '07:30:00' }, { dormancy: '1 day' },
    { readings: { sensor: 'a' } }, { readings: null }, { scan: Buffer.from('a') }, { petals: '#ffffff' },
    { minimum: 1 }, { size: { height: 1 } }, { size: null }, { plant: 'x' }, { plant: { name: 'x' } },
    { plant: { id: null } }, { plant: { id: [1] } }, { plant: { id: { $gt: 1 } } }, { plant: { id: 1, name: 'x' } },
    { plant: { $some: {} } }, { plant: {} },
  ]
  for (const [index, scope] of scopes.entries()) {
    t.equal(
      translated(Specimen, scope),
      undefined,
      `${index}: ${
        String(
          typeof scope === 'object' && scope !== null
            ? Object.entries(scope).map(([key, value]) =>
              `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`
            )
            : typeof scope
        )
      }`
    )
  }
  t.equal(translated(Plant, { nameLength: 3 }), undefined, 'a computed property')
  t.equal(translated(Plant, { tags: 3 }), undefined, 'a collection')
  t.equal(translated(Plant, { label: 3 }), undefined, 'the inverse side')
  t.strictSame(translated(Plant, { purchasePrice: '1.50' }), ['purchase_price = "1.50"'], 'a hidden column is a column')
  t.strictSame(translated(OrderItem, { order: 3, plant: 4 }), ['order_id = 3', 'plant_id = 4'],
    'relations that are the key')
  t.strictSame(translated(Order, { customer: UUID }), [`customer_id = "${UUID}"`])
})

t.test('a condition of very many comparisons is not kept', async (t) => {
  const of = (length: number) => ({ $or: Array.from({ length }, (_, leaves) => ({ leaves, stems: null })) })
  t.ok(translated(Specimen, of(25)))
  t.equal(translated(Specimen, of(26)), undefined)
  t.ok(translated(Specimen, { leaves: Array.from({ length: 1000 }, (_, i) => i) }), 'the items of a list are one value')
})

t.test('conditions that a type or a name makes ambiguous are left to MikroORM', async (t) => {
  class Upper extends Type<string, string> {
    override convertToDatabaseValue (value: string): string {
      return value.toUpperCase()
    }

    override getColumnType (): string {
      return 'text'
    }
  }
  const Country = entity('Country', { code: p.type(new StringType({ case: 'upper' })).primary() })
  const City = entity('City', {
    id: p.integer().primary(), country: () => p.manyToOne(Country),
    capitalOf: () => p.oneToOne(Country).owner().nullable(), trimmed: p.type(new StringType({ trim: true })),
    plain: p.type(new StringType()), upper: p.type(Upper), first: p.string().fieldName('second'),
    second: p.string().fieldName('third'), serialized: p.string().serializer((value) => value),
  })
  const own = modelsOf([Country, City])
  for (const scope of [{ country: 'de' }, { capitalOf: 'de' }, { trimmed: 'a' }, { upper: 'a' }, { second: 'a' }, {
    serialized: 'a',
  }]) t.equal(translated(City, scope, own), undefined, JSON.stringify(scope))
  t.equal(translated(Country, { code: 'DE' }, own), undefined)
  t.strictSame(translated(City, { plain: 'a', first: 'b' }, own), ['plain = "a"', 'second = "b"'])
})

t.test('a plan without additions stays the same object, and additions do not change the original', async (t) => {
  const whitelist = whitelistOf({ allowedFilters: [] })
  const plan = planCount(parseQueryParams(''), whitelist)
  t.equal(withConditions(plan, undefined, NO_FILTERS), plan)
  const before = JSON.stringify([plan.conditions, plan.values])
  const complete = withConditions(plan, readOn(Plant, { position: 3 }),
    filtersOf([Plant, { inStock: true }], [Specimen, {}]))!
  t.strictSame(conditionsOf(complete), ['order = 3'])
  t.strictSame(
    [...complete.filters!].map((
      [model, conditions]
    ) => [model.name, conditionsOf({ conditions, values: complete.values })]),
    [['Plant', ['in_stock = true']]],
    'a filter that says nothing is none'
  )
  t.equal(JSON.stringify([plan.conditions, plan.values]), before)
  t.equal(withConditions(plan, readOn(Plant, { position: 3 }), filtersOf([Plant, { inStock: 'yes' }])), undefined,
    'all or nothing')
})

t.test('new rows have no scope in their statement, and keep the filters of their references', async (t) => {
  const selection = planSelection({ fields: [], fieldsByInclude: {}, include: [] }, whitelistOf({}, Specimen),
    new QueryErrors())
  const plan = planInsert([EMPTY_RECORD], selection, () => false, true)
  t.notOk('conditions' in withConditions(plan, undefined, filtersOf([Plant, { position: 1 }]))!)
})
