/** MikroORM-style conditions: its filters, a scope, custom filters, and the query builder with all of them. */
import { raw, type EntityManager } from '@mikro-orm/postgresql'
import t, { type Test } from 'tap'
import { AllowedFilters } from '../../src/config/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { Colour } from '../fixtures/custom-types.ts'
import { AuditEntry, entities, OrderItem, Parcel, Plant, Specimen, Supplier, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource, found, listOf } from './helper.ts'

const plants = resource(Plant, {
  allowedFilters: ['name', { price: ['gte', 'lt'] }, 'offers.title', 'supplier.name', 'tags.name'],
  allowedSorts: ['id', 'price', 'supplier.name'],
  allowedFields: ['id', 'name', 'supplier', 'offers.title', 'supplier.name', 'tags.name'],
  allowedIncludes: ['offers', 'supplier', 'tags'],
})

/** Ids of the list and of the query builder, which must be equal and as many as the count. */
async function sameEverywhere (t: Test, em: EntityManager, crud: typeof plants, query: string): Promise<unknown[]> {
  const params = parseQueryParams(query)
  const ids = (await crud.list(em, params)).items.map(({ id }) => id)
  const qb = await crud.query(em, params)
  t.strictSame((await qb.getResultList()).map(({ id }: any) => id), ids, `the query builder finds the same: ${query}`)
  t.equal(await crud.count(em, params), ids.length, `as many are counted: ${query}`)
  return ids
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const fork = () => orm.em.fork()

  t.test('a global filter applies to its entities in lists, includes and sorts', async (t) => {
    const em = fork()
    em.addFilter({ name: 'french', entity: Supplier, cond: { country: 'fr' }, default: true })
    em.addFilter({ name: 'bees', entity: Tag, cond: { name: { $like: 'bee%' } }, default: true })
    const { items } = await listOf(em, plants,
      'sort=supplier.name,id&fields=id&include=supplier,tags&fields[supplier]=name&fields[tags]=name')
    t.match(items[0], { id: 1, supplier: { name: 'Vert & Fils' }, tags: [{ name: 'bee-friendly' }] })
    t.strictSame(items.map(({ id, supplier }) => supplier === null ? -id : id), [
      1, 3, 6, 7, 9, 10, -2, -4, -5, -8, -12, -13, -14,
    ])
    t.strictSame(await sameEverywhere(t, em, plants, "sort=id&filter[supplier.name]=O'Brien's"), [])
    t.strictSame(await sameEverywhere(t, em, plants, 'sort=id&filter[tags.name]=sun'), [])
    t.strictSame(await sameEverywhere(t, em, plants, 'sort=-supplier.name,-id'), [
      10, 9, 7, 6, 3, 1, 14, 13, 12, 8, 5, 4, 2,
    ], 'they sort as null')
    t.strictSame((await listOf(em, plants, 'fields=id,supplier&sort=id&per_page=2')).items, [{ id: 1, supplier: 1 }, {
      id: 2,
      supplier: 2,
    }], "a key is the row's own")
  })

  t.test('a filter may use related rows, or no row at all', async (t) => {
    const em = fork()
    em.addFilter({
      name: 'related', entity: Plant, cond: { supplier: { country: 'fr' }, tags: { name: ['sun', 'shade'] } },
      default: true,
    })
    t.strictSame(await sameEverywhere(t, em, plants, 'sort=id'), [1, 3, 6, 10])
    const empty = fork()
    empty.addFilter({ name: 'nothing', entity: Plant, cond: {}, default: true })
    t.equal((await sameEverywhere(t, empty, plants, 'sort=id')).length, 13)
    const later = fork()
    later.addFilter({ name: 'later', entity: Plant, cond: async () => ({ id: { $gt: 12 } }), default: true })
    t.strictSame(await sameEverywhere(t, later, plants, 'sort=id'), [13, 14])
    const off = fork()
    off.addFilter({ name: 'off', entity: Plant, cond: { id: 1 }, default: false })
    t.equal((await sameEverywhere(t, off, plants, 'sort=id')).length, 13)
  })

  t.test('a scope may be any kind of condition', async (t) => {
    const cases: ReadonlyArray<readonly [scope: () => object, ids: readonly number[]]> = [
      [() => ({ supplier: { country: 'ie' } }), [2, 4, 5, 8, 13, 14]],
      [() => ({ supplier: 2, tags: { name: 'bee-friendly' } }), [14]],
      [() => ({ tags: { $some: { name: 'shade' } } }), [4, 10]],
      [() => ({ tags: { $none: { weight: { $gt: 0 } } }, supplier: 1 }), [7, 9]],
      [() => ({ $or: [{ name: 'Oak' }, { price: 0 }] }), [9, 10]],
      [() => ({ $not: { supplier: [1, 2] } }), [12]],
      [() => ({ name: { $in: ['Oak', 'What?', "O'Neill"] } }), [9]],
      [() => ({ name: { $like: '%?%' } }), []],
      [() => ({ name: 'Sage 100%' }), [3]],
      [() => ({ name: { $ilike: '%\\\\slash%' } }), [5]],
      [() => ({ created_at: { $lt: new Date('1970-01-01') } }), [10]],
      [() => ({ [raw('char_length(name)')]: 0 }), [8]],
      [() => ({ [raw('name = ?', ['Oak'])]: [] }), [9]],
      [() => ({ inStock: false }), [2]],
      [() => ({ latinName: null, supplier: 2 }), [2, 4, 5]],
      [() => ({ id: [] }), []],
      [() => ({}), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]],
    ]
    for (const [index, [scope, ids]] of cases.entries()) {
      // new ones each time, because MikroORM accepts a raw fragment only once
      t.strictSame(await found(orm, plants, 'sort=id', 'id', { scope: scope() }), ids, `list ${index}`)
      t.equal(await plants.count(fork(), undefined, { scope: scope() }), ids.length, `count ${index}`)
    }
  })

  t.test('a scope may have values that are neither texts nor numbers', async (t) => {
    t.strictSame(await found(orm, resource(AuditEntry), '', 'id', { scope: { id: { $gte: 2n } } }), ['2', '3'])
    t.strictSame(
      await found(orm, resource(Specimen), '', 'id', {
        scope: { measuredAt: { $gt: new Date('2024-05-06T07:08:09.122Z'), $lt: new Date('2024-05-06T07:08:09.124Z') } },
      }),
      [1]
    )
    t.strictSame(
      await found(orm, resource(Specimen), '', 'id', { scope: { recordedAt: new Date('2024-05-06T07:08:09.123Z') } }),
      [1]
    )
    t.strictSame(await found(orm, resource(Specimen), '', 'id', { scope: { readings: { sensor: 'north' } } }), [1])
    t.strictSame(
      await found(orm, resource(Specimen), '', 'id', { scope: { synonyms: { $contains: ['English lavender'] } } }),
      [1]
    )
    t.strictSame(await found(orm, resource(Specimen), '', 'id', { scope: { petals: new Colour(150, 123, 182) } }), [1])
    t.strictSame(await found(orm, resource(Specimen), '', 'id', { scope: { minimum: -12.5 } }), [1])
    t.strictSame(await found(orm, resource(Specimen), '', 'id', { scope: { scan: Buffer.from([0, 1, 254, 255]) } }), [
      1,
    ])
    t.strictSame(
      await found(orm, resource(Specimen), '', 'id', { scope: { leaves: { $gt: 1.5, $lt: 2 ** 40 }, alive: true } }),
      [1]
    )
    t.strictSame(
      await found(orm, resource(Specimen), '', 'id', {
        scope: {
          acidity: { $lt: 1e300, $gt: -1e300 }, chlorophyll: 0.25, value: 19.99, pollen: { $in: [5_000_000_000, 1] },
        },
      }),
      [1]
    )
    t.strictSame(await found(orm, resource(Specimen), '', 'id', { scope: { stems: { $ne: 1e30 } } }), [1, 3, 4])
  })

  t.test('a scope works with single-table inheritance, and with a composite key', async (t) => {
    t.strictSame(await found(orm, resource(Parcel), '', 'id', { scope: { order: { customer: { name: 'Ada' } } } }), [1])
    t.strictSame(
      await found(orm, resource(OrderItem), '', 'plant', { scope: { order: { customer: { name: 'Ada' } } } }),
      [1, 3, 11]
    )
    t.strictSame(
      await found(orm, resource(OrderItem), '', 'plant', { scope: { plant: { supplier: { country: 'ie' } } } }),
      [14]
    )
  })

  t.test('all conditions together are still one statement, with bound values', async (t) => {
    const em = fork()
    em.addFilter({ name: 'tenant', entity: Plant, cond: { supplier: { name: 'Vert & Fils' } }, default: true })
    const crud = resource(Plant, {
      allowedFilters: ['offers.title', AllowedFilters.custom('called', (qb, value) => qb.andWhere({ name: value }))],
      allowedIncludes: ['offers'],
    })
    const recorder = await recordStatements(orm, t)
    const { items } = await crud.list(em,
      parseQueryParams('filter[called]=Lavender&filter[offers.title]=Spring sale&include=offers'),
      { scope: { latinName: 'Lavandula' } })
    t.strictSame(items.map(({ id }) => id), [1])
    const statements = recorder.take()
    t.equal(statements.length, 1)
    for (const value of ['Lavender', 'Spring sale', 'Lavandula', 'Vert & Fils']) {
      t.notMatch(statements[0]?.sql, value)
      t.ok(statements[0]?.params.includes(value), value)
    }
  })
})
