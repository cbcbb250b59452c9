import fc from 'fast-check'
import t from 'tap'
import { readCondition, type Where } from '../../src/conditions/index.ts'
import { AllowedFilters } from '../../src/config/index.ts'
import type { EntityModel } from '../../src/model/index.ts'
import {
  EMPTY_RECORD, entitiesOf, isNullableTerm, planChanges, planCount, planDelete, planExists, planGet, planInsert,
  planUpdate, withConditions, type Condition, type KeysetPlan, type ManyPlan, type ReadPlan, type WritePlan,
} from '../../src/plan/index.ts'
import { planPage } from '../../src/plan/position.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import {
  CITUS, compile, formOf, isSameForm, POSTGRESQL, shapeOf, writeShapeOf, type Form,
} from '../../src/sql/index.ts'
import { CONDITION_WRITERS, type PartWriters } from '../../src/sql/shape.ts'
import { Customer, Group, OrderItem, Plant, Shelf, Supplier, Tag } from '../fixtures/entities.ts'
import { plantUuid } from '../fixtures/seed.ts'
import { assertProperty } from '../helpers/property.ts'
import { models, planOf, whitelistOf } from '../plan/helper.ts'
import { compiled, nothingForeign } from './helper.ts'
import { queryOf, wide } from './queries.ts'

/** A condition with a part that the key of a statement would lack is an error of types. */
type Wider = Extract<Condition, { readonly kind: 'key' }> & { readonly added: boolean }
// @ts-expect-error: 'added' has no writer
export const incomplete: PartWriters<Wider> = CONDITION_WRITERS.key

const exact = whitelistOf(wide)
const none = whitelistOf({ ...wide, pagination: { count: 'none' } })

const written = (plan: ReadPlan, form = formOf(plan, POSTGRESQL)) => {
  const { text, slots, columns, namedText } = compile(plan, nothingForeign, form)
  return JSON.stringify([text, slots, columns, namedText])
}

/** A page by cursor in the middle of a list. Its shape depends on which values are null, and not on the values. */
const keyset: fc.Arbitrary<ReadPlan> = fc.record({
  query: queryOf(), side: fc.constantFrom('after' as const, 'before' as const), inclusive: fc.boolean(),
  witness: fc.boolean(), nulls: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), first: fc.boolean(),
})
  .map(({ query, side, inclusive, witness, nulls, first }) => {
    const plan = planOf(`${query.replace(/(^|&)page=\d+&/, '$1')}&cursor=`, exact) as unknown as KeysetPlan
    const values = plan.order.map((term, index) => nulls[index] && isNullableTerm(term) ? null : 'value')
    return first ? plan : planPage(plan, { side, inclusive, values, texts: values }, { witness })
  })

const plan: fc.Arbitrary<ReadPlan> = fc.tuple(queryOf(), fc.constantFrom(exact, none), fc.boolean(),
  fc.constantFrom('list', 'list', 'count', 'get', 'exists'))
  .map(([query, whitelist, includeDeleted, kind]) => {
    switch (kind) {
      case 'count':
        return planCount(parseQueryParams(query), whitelist, { includeDeleted })
      case 'get':
        return planGet(includeDeleted ? 1 : plantUuid(1),
          parseQueryParams(query.split('&').filter((part) => /^(fields|include)/.test(part)).join('&')), whitelist,
          { includeDeleted })!
      case 'exists':
        return planExists(includeDeleted ? plantUuid(1) : 2, whitelist, { includeDeleted })!
      default:
        return planOf(query, whitelist, { includeDeleted })
    }
  })

/** Conditions that a request may add: few structures, so that they repeat, with many values. */
const condition = (name: string, key: string): fc.Arbitrary<object> =>
  fc.oneof(
    fc.integer({ min: 0, max: 9 }).map((value) => ({ [key]: value })),
    fc.constantFrom({ [key]: null }, {}, { [key]: { $ne: null } }),
    fc.array(fc.integer({ min: 0, max: 9 })).map((values) => ({ [key]: values })),
    fc.tuple(fc.constantFrom('$or', '$and'), fc.integer({ min: 0, max: 9 })).map(([group, value]) => ({
      [group]: [{ [key]: value }, { [name]: String(value), [key]: { $gt: value } }],
    }))
  )
const readOn = (entity: unknown, where: object): Where => readCondition(where, models.of(entity))
const added: fc.Arbitrary<{ scope: Where | undefined, filters: ReadonlyMap<EntityModel, Where> }> = fc.record({
  scope: fc.option(condition('name', 'position'), { nil: undefined }),
  plant: fc.option(condition('name', 'position')),
  tag: fc.option(condition('name', 'weight')),
  group: fc.option(condition('name', 'id')),
  supplier: fc.option(condition('name', 'id')),
}).map(({ scope, plant, tag, group, supplier }) => {
  const filters = ([[Plant, plant], [Tag, tag], [Group, group], [Supplier, supplier]] as const).flatMap((
    [entity, where]
  ) => where === null ? [] : [[models.of(entity), readOn(entity, where)] as const])
  return { scope: scope && readOn(Plant, scope), filters: new Map(filters) }
})
/** Half of the plans have no added conditions. */
const withAdded = (plans: fc.Arbitrary<ReadPlan>): fc.Arbitrary<ReadPlan> =>
  fc.oneof(plans, fc.tuple(plans, added).map(([plan, { scope, filters }]) => withConditions(plan, scope, filters)!))

t.test('plans of the same shape and form have the same statement', async (t) => {
  const statements = new Map<string, { readonly form: Form, readonly statement: string }[]>()
  let again = 0
  assertProperty(
    fc.property(
      withAdded(fc.oneof({ weight: 3, arbitrary: plan }, keyset)),
      fc.constantFrom(POSTGRESQL, CITUS),
      fc.record({ kept: fc.constantFrom('few' as const, 'some' as const, 'many' as const), fitsEach: fc.boolean() }),
      fc.constantFrom({}, { isDoubtful: true as const }),
      (plan, dialect, expected, doubts) => {
        const form = formOf({ ...plan, ...doubts }, dialect, expected)
        const shape = shapeOf(plan)
        const statement = written(plan, form)
        const ofShape = statements.get(shape) ?? []
        const known = ofShape.find((other) => isSameForm(other.form, form))
        if (known !== undefined) again++
        else statements.set(shape, [...ofShape, { form, statement }])
        return known === undefined || known.statement === statement
      }
    ),
    { numRuns: 4000 }
  )
  t.ok(again > 100, `${again} shapes occurred again`)
  t.ok(statements.size > 500, `${statements.size} shapes`)
})

t.test("a plan tells which entities' rows its statement reads", async (t) => {
  let most = 0
  assertProperty(
    fc.property(fc.oneof({ weight: 3, arbitrary: plan }, keyset), (plan) => {
      const read = new Set<EntityModel>()
      const filter = (model: EntityModel) => {
        read.add(model)
        return undefined
      }
      compiled(plan, { ...nothingForeign, filter })
      most = Math.max(most, read.size)
      const planned = new Set(entitiesOf(plan))
      return planned.size === read.size && [...read].every((model) => planned.has(model))
    }),
    { numRuns: 2000 }
  )
  t.ok(most > 4, `up to ${most} entities`)
})

t.test('values, the page and the number of items in a list are not part of the shape', async (t) => {
  const alike: ReadonlyArray<readonly [string, string]> = [
    ['filter[name]=a', 'filter[name]=b'],
    ['filter[name][in]=a', 'filter[name][in]=b,c,d'],
    ['filter[name][in]=a', 'filter[name][in]='],
    ['filter[name][contains]=a', 'filter[name][starts]=b'],
    ['filter[id][between]=1,2', 'filter[id][between]=3,4'],
    ['page=1&per_page=5', 'page=7&per_page=3'],
    ['page=3&per_page=5', 'limit=3&offset=10'],
    ['sort=name', 'sort=+name'],
    ['fields=id,name', 'fields=name,id'],
    ['include=tags,label', 'include=label,tags'],
    ['include=tags.plants', 'include=tags,tags.plants'],
  ]
  for (const [a, b] of alike) t.equal(shapeOf(planOf(a, exact)), shapeOf(planOf(b, exact)), `${a} and ${b}`)
  t.equal(shapeOf(planGet(1, undefined, exact)!), shapeOf(planGet('2', undefined, exact)!))
})

t.test('the number at the end of a form is no part of a slot', async (t) => {
  const { operator, slots } = CONDITION_WRITERS.compare
  const condition = { operator: 'contains', operand: { kind: 'scalar', type: { kind: 'array' } }, slots: [0] } as never
  t.equal(`${operator(condition)}${slots(condition)}`, 'contains1:0')
})

t.test('all other parts of a plan are part of the shape', async (t) => {
  const queries = [
    '', 'filter[name]=a', 'filter[name][ne]=a', 'filter[name][lt]=a', 'filter[name][like]=a', 'filter[name][ilike]=a',
    'filter[name][in]=a', 'filter[name][nin]=a', 'filter[name][between]=a,b', 'filter[name][isnull]=true',
    'filter[name][isnull]=false', 'filter[description]=a', 'filter[supplier.name]=a', 'filter[tags.name]=a',
    'filter[group.name]=a', 'filter[group.parent.name]=a', 'filter[tags.name]=a&filter[name]=b',
    'filter[name]=b&filter[tags.name]=a', 'filter[tags.name]=a&filter[tags.weight]=1', 'filter[supplier]=1',
    'filter[group]=1', 'sort=name', 'sort=-name', 'sort=supplier.name', 'sort=group.name', 'sort=group.parent.name',
    'sort=name,price', 'sort=price,name', 'sort=-id', 'fields=id', 'fields=name', 'include=tags', 'include=label',
    'include=tags.plants', 'include=tags&fields[tags]=id', 'include=group', 'include=group.parent',
  ]
  const plans: ReadPlan[] = [exact, none].flatMap((whitelist) => queries.map((query) => planOf(query, whitelist)))
  plans.push(
    planOf('', exact, { includeDeleted: true }), planGet(1, undefined, exact)!,
    planGet(plantUuid(1), undefined, exact)!, planGet(1, undefined, exact, { includeDeleted: true })!,
    planExists(1, exact)!, planCount(parseQueryParams(''), exact)
  )
  for (const entity of [Customer, OrderItem, Shelf, Tag]) plans.push(planOf('', whitelistOf({}, entity)))
  t.equal(new Set(plans.map((plan) => shapeOf(plan) + JSON.stringify(formOf(plan, POSTGRESQL)))).size, plans.length)
  t.equal(new Set(plans.map((plan) => written(plan))).size, plans.length)
})

t.test('conditions of a request are part of the shape, and their values are not', async (t) => {
  const base = planOf('filter[tags.name]=a&include=group', exact)
  const of = (scope: object | undefined, ...filters: ReadonlyArray<readonly [unknown, object]>) =>
    withConditions(base, scope && readOn(Plant, scope),
      new Map(filters.map(([entity, where]) => [models.of(entity), readOn(entity, where)])))!
  const alike: ReadonlyArray<readonly [ReadPlan, ReadPlan]> = [
    [of({ position: 1 }), of({ position: '2' })],
    [of({ position: [1] }), of({ position: { $in: [] } })],
    [of(undefined, [Tag, { weight: 1 }]), of(undefined, [Tag, { weight: 2 }])],
    [of({}), base],
    [of(undefined, [Tag, {}]), base],
  ]
  for (const [index, [a, b]] of alike.entries()) t.equal(shapeOf(a), shapeOf(b), `pair ${index}`)
  const plans = [
    base, of({ position: 1 }), of({ position: null }), of({ position: { $ne: 1 } }), of({ position: [1] }),
    of({ position: { $nin: [1] } }), of({ id: 1 }), of({ $or: [{ id: 1 }, { position: 1 }] }),
    of({ id: 1, position: 1 }), of({ $or: [{ id: 1, position: 1 }, { position: 1 }] }),
    of(undefined, [Tag, { weight: 1 }]), of(undefined, [Tag, { weight: null }]), of(undefined, [Group, { id: 1 }]),
    of(undefined, [Tag, { weight: 1 }], [Group, { id: 1 }]), of({ position: 1 }, [Tag, { weight: 1 }]),
    of(undefined, [Plant, { position: 1 }]),
  ]
  t.equal(new Set(plans.map(shapeOf)).size, plans.length)
  t.equal(new Set(plans.map((plan) => written(plan))).size, plans.length)
})

t.test('the same property under two names has one shape', async (t) => {
  const aliased = whitelistOf({ allowedFilters: ['name', AllowedFilters.exact('name', { alias: 'title' })] }, Plant)
  t.equal(shapeOf(planOf('filter[name]=a', aliased)), shapeOf(planOf('filter[title]=a', aliased)))
})

t.test('each part of a write that the compiler reads is part of its shape', async (t) => {
  const { selection } = planGet(1, undefined, exact)!
  const data = EMPTY_RECORD
  const insert = planInsert([data], selection, () => false, true)
  const update = planUpdate(1, data, selection, { deleted: 'without', mayBeHidden: () => false })!
  const reference = { target: models.of(Group), columns: ['id'], slots: [0] }
  const plans: readonly WritePlan[] = [
    insert, { ...insert, returnsKey: false }, { ...insert, recordset: { common: 0, rows: 1 } },
    { ...insert, recordset: { common: 1, rows: 0 } }, { ...insert, columns: [{ column: 'kind', property: undefined }] },
    { ...insert, inside: [] }, { ...insert, rows: [[0]] }, { ...insert, references: [reference] },
    { ...insert, references: [{ ...reference, present: ['group_id'] }] }, update, { ...update, deleted: 'with' },
    { ...update, versions: 1 }, { ...update, conditions: [] }, { ...update, inside: [] },
    { ...update, references: [reference] }, { ...update, filters: new Map([[models.of(Group), []]]) },
    planDelete(1, selection)!,
  ]
  const target = { ...planOf('filter[name]=a', exact), kind: 'target', narrows: 'certainly' } as const
  const many = planChanges(target, { does: 'update', maxAffected: 9, data })
  const bulk: readonly ManyPlan[] = [
    many, { ...many, does: 'delete' }, { ...many, deleted: 'with' }, { ...many, conditions: [] },
    { ...many, filters: new Map([[models.of(Group), []]]) }, { ...many, inside: [] }, { ...many, fetchSlot: 7 },
    { ...many, references: [reference] }, { ...many, returnsKeys: true },
  ]
  t.equal(new Set([...plans, ...bulk].map(writeShapeOf)).size, plans.length + bulk.length)
  const otherBulk: ManyPlan = { ...many, values: [1] }
  t.equal(writeShapeOf(otherBulk), writeShapeOf(many))
  const other: WritePlan = { ...update, values: ['2'] }
  t.equal(writeShapeOf(other), writeShapeOf(update))
})
