/** A synchronous session answers with the value to which an EntityManager's promise resolves, on the same rows. */
import { p } from '@mikro-orm/core'
import fc from 'fast-check'
import t from 'tap'
import {
  AllowedAggregate, AllowedFilters, CrudBase, DatabaseFactory, parseQueryParams, type SyncSession,
} from '../../src/index.ts'
import { entities, Order, Plant, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { databases, skipReasons } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { resource } from '../http/helper.ts'
import { queryOf, wide } from '../sql/queries.ts'
import { entity } from '../helpers/entity.ts'

t.test('random requests have the same answer on both kinds of sessions', { skip: skipReasons.postgres }, async (t) => {
  const { orm, url, close } = await databases[1]![1]({ entities, seed })
  const factory = new DatabaseFactory({ databaseUrl: url!, entities, useAsync: false })
  const session = factory.getSessionMaker(factory.getEngine())()
  t.teardown(async () => {
    factory.close()
    await close()
  })
  const plants = resource(Plant, wide)
  const answer = async (ask: () => unknown) => {
    try {
      return await ask()
    } catch (error) {
      const { code, statusCode, errors } = error as Record<string, unknown>
      return { code, statusCode, errors }
    }
  }
  const text = fc.oneof(fc.constantFrom('a', 'Lavender', '%', 'é', "'", '"'), fc.string({ maxLength: 5 }))
  await assertProperty(
    fc.asyncProperty(queryOf(text), fc.integer({ min: 0, max: 20 }), async (query, id) => {
      const params = parseQueryParams(query)
      const selection = parseQueryParams(query.split('&').filter((part) => /^(fields|include)/.test(part)).join('&'))
      const em = orm.em.fork()
      const asked = async (on: typeof em | SyncSession) => [
        await answer(() => plants.list(on, params)),
        await answer(() => plants.count(on, params)),
        await answer(() => plants.get(on, id, selection)),
        await answer(() => plants.exists(on, id)),
      ]
      t.strictSame(await asked(session), await asked(em), query)
    }),
    { numRuns: 150 }
  )
  const grouped = resource(Plant, {
    allowedFilters: ['id', 'name', 'tags.name'].map((path) => AllowedFilters.exact(path)),
    allowedFacets: ['status'],
    allowedGroups: ['supplier.country'],
    allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('price', ['sum'])],
  })
  const em = orm.em.fork()
  const groups = parseQueryParams('filter[or][0][id]=2&filter[or][1][not][tags.name]=sun&facets=status')
  const page = grouped.list(session, groups)
  t.ok(page.items.length > 1)
  t.strictSame(page, await grouped.list(em, groups), 'groups of filters')
  const numbers = parseQueryParams('group=supplier.country&aggregate=count,price.sum&filter[not][id]=1')
  const aggregated = grouped.aggregate(session, numbers)
  t.ok(aggregated.items.length > 1)
  t.strictSame(aggregated, await grouped.aggregate(em, numbers), 'aggregates')
  for (const crud of [resource(Specimen), resource(Order)]) {
    t.equal(crud.listJson(session), await crud.listJson(orm.em.fork()), 'as text, for every type of value')
    const [one] = crud.list(session).items
    t.strictSame(crud.get(session, one!['id']), await crud.get(orm.em.fork(), one!['id']))
  }
})

/** A filter with another condition for each operation. */
const Paper = entity('Paper', {
  id: p.integer().primary().autoincrement(), tenant: p.integer(), locked: p.boolean().default(false),
  kept: p.boolean().default(false), title: p.string(), parent: () => p.manyToOne(Paper).nullable(),
  deleted_at: p.datetime(3).nullable(),
}, {
  filters: {
    byOperation: {
      name: 'byOperation', args: false, default: true,
      cond: (_: unknown, type: 'read' | 'update' | 'delete') =>
        type === 'read' ? { tenant: 1 } : type === 'update' ? { locked: false } : { kept: false },
    },
  },
})

t.test('both kinds of sessions refuse a write with the same error', { skip: skipReasons.postgres }, async (t) => {
  const { orm, url, close } = await databases[1]![1]({
    entities: [Paper],
    seed: async (em) => {
      em.create(Paper, { title: 'old', tenant: 1 } as never)
      em.create(Paper, { title: 'hidden', tenant: 2 } as never)
      em.create(Paper, { title: 'locked', tenant: 1, locked: true } as never)
      em.create(Paper, { title: 'kept', tenant: 1, kept: true } as never)
    },
  })
  const factory = new DatabaseFactory({ databaseUrl: url!, entities: [Paper], useAsync: false })
  const session = factory.getSessionMaker(factory.getEngine())()
  t.teardown(async () => {
    factory.close()
    await close()
  })
  const papers = resource(Paper)
  const paper = (parent?: number | null) => ({ title: 'new', tenant: 1, parent })
  const refused = async (write: () => unknown) => {
    try {
      await write()
    } catch (error) {
      const { code, statusCode, message, errors } = error as Record<string, unknown>
      return { code, statusCode, message, errors }
    }
    return undefined
  }
  type On = ReturnType<typeof orm.em.fork> | SyncSession
  const cases: ReadonlyArray<readonly [(on: On) => unknown, pointer?: string]> = [
    [(on) => papers.create(on, paper(9)), '/parent'],
    [(on) => papers.create(on, paper(2)), '/parent'],
    [(on) => papers.createMany(on, [1, 1, 9, 8, 2].map(paper)), '/2/parent'],
    [(on) => papers.createMany(on, [1, 2, 1, 9].map(paper)), '/1/parent'],
    [(on) => papers.createMany(on, [paper(), { ...paper(), tenant: null }]), '/1/tenant'],
    [(on) => papers.createMany(on, [paper(), { ...paper(), title: 'x'.repeat(256) }]), '/1/title'],
    [(on) => papers.create(on, paper(), { scope: { title: { $like: 'old%' } } })],
    [(on) => papers.update(on, 1, { parent: 9 }), '/parent'],
    [(on) => papers.update(on, 2, { title: 'new' })],
    [(on) => papers.update(on, 3, {})],
    [(on) => papers.update(on, 4, { parent: 2 }), '/parent'],
    [(on) => papers.update(on, 1, { title: 'new' }, { scope: { title: { $like: 'old%' } } })],
    [(on) => papers.update(on, 1, { title: 'new' }, { ifMatch: '"1"' })],
    [(on) => papers.delete(on, 9)],
    [(on) => papers.delete(on, 4)],
    [(on) => papers.delete(on, 4, { hard: true })],
    [(on) => papers.restore(on, 2)],
  ]
  for (const [write, pointer] of cases) {
    const error = await refused(() => write(session))
    t.strictSame(error, await refused(() => write(orm.em.fork())), String(write))
    t.match(error, { code: String, ...(pointer !== undefined && { errors: [{ source: { pointer } }] }) }, String(write))
  }
})

t.test('an upsert', { skip: skipReasons.postgres }, async (t) => {
  const { url, close } = await databases[1]![1]({ entities, seed })
  const factory = new DatabaseFactory({ databaseUrl: url!, entities, useAsync: false })
  const session = factory.getSessionMaker(factory.getEngine())()
  t.teardown(async () => {
    factory.close()
    await close()
  })
  class Hooked extends CrudBase<Plant> {
    constructor () {
      super({ model: Plant, writable: 'all', upsertKeys: ['articleNumber'] })
    }

    override beforeUpdate (_: unknown, data: object) {
      return { ...data, description: 'by the hook' }
    }
  }
  const plants = resource(Plant, {}, { upsertKeys: ['articleNumber'] })
  const on = { on: 'articleNumber' } as const
  const record = { sku: 'S', name: 'Sage', supplier: 1 }
  t.match(plants.upsert(session, record as object, on), { created: true, record })
  t.match(plants.upsert(session, [{ sku: 'S', price: 2 }] as object[], on), [{ created: false, record: { price: 2 } }])
  t.match(new Hooked().upsert(session, { sku: 'S' } as object, on), { record: { description: 'by the hook' } })
  t.match(plants.upsert(session, { ...record, tags: [] } as object, on), { created: false, record })
})
