import { EntityManager } from '@mikro-orm/postgresql'
import { expect, test } from 'tstyche'
import {
  AllowedFacet, AllowedFilters, AllowedSort, CrudBase, parseQueryParams, type AfterContext, type CrudFacetValue,
  type WireRecord, type WrittenRecord,
} from '../../src/index.ts'
import { CategorySchema, type Category, type Product } from './fixtures.ts'

declare const em: EntityManager
const params = parseQueryParams('')

const categories = new CrudBase({
  model: CategorySchema,
  queryConfig: { allowedSorts: [new AllowedSort('name')], defaultSort: ['-created_at'] },
  writable: ['name', 'price', 'author'],
})
const untyped: CrudBase = new CrudBase<any>({ model: CategorySchema })

test('bodies have the properties of the entity', () => {
  expect(categories.create).type.toBeCallableWith(em, { name: 'Tech', price: '12.50', author: 1 })
  expect(categories.create).type.not.toBeCallableWith(em, { nmae: 'Tech' })
  expect(categories.create).type.not.toBeCallableWith(em, { name: 7 })
  expect(categories.create).type.not.toBeCallableWith(em, { status: 'open' })
  expect(categories.create).type.not.toBeCallableWith(em, { secret: 'x' })
  expect(categories.createMany).type.toBeCallableWith(em, [{ name: 'Tech' }])
  expect(categories.createMany).type.not.toBeCallableWith(em, [{ nmae: 'Tech' }])
  expect(categories.update).type.toBeCallableWith(em, 'id', { price: null })
  expect(categories.update).type.not.toBeCallableWith(em, 'id', { prise: null })
})

test('written records have all properties, with relations as keys', async () => {
  const created = await categories.create(em, { name: 'Tech' })
  expect(created).type.toBe<WrittenRecord<Category>>()
  expect(created.id).type.toBe<string>()
  expect(created.price).type.toBe<string | null>()
  expect(created.status).type.toBe<'draft' | 'active'>()
  expect(created.author).type.toBe<number | null | undefined>()
  expect(created).type.not.toHaveProperty('secret')
  // the children that the body has added or changed
  expect(created.products).type.toBe<WireRecord<Product>[] | undefined>()
  expect(categories.update(em, 'id', {})).type.toBe<Promise<WrittenRecord<Category>>>()
  expect(categories.delete(em, 'id')).type.toBe<Promise<WrittenRecord<Category>>>()
  expect(categories.restore(em, 'id')).type.toBe<Promise<WrittenRecord<Category>>>()
  expect(categories.createMany(em, [])).type.toBe<Promise<Array<WrittenRecord<Category>>>>()
})

test('read records may lack any property, since requests select fields', async () => {
  const page = await categories.list(em, params)
  expect(page.items).type.toBe<Array<WireRecord<Category>>>()
  expect(page.items[0]!.name).type.toBe<string | undefined>()
  expect(page.items[0]!).type.not.toHaveProperty('nmae')
  expect(await categories.get(em, 'id')).type.toBe<WireRecord<Category> | null>()
  for await (const record of categories.stream(em)) expect(record).type.toBe<WireRecord<Category>>()
})

test('pages have the facets of the whitelist', async () => {
  const faceted = new CrudBase({
    model: CategorySchema,
    queryConfig: { allowedFacets: [new AllowedFacet('status'), new AllowedFacet('name', { alias: 'title' })] },
  })
  const { facets } = await faceted.list(em)
  expect(facets?.status?.[0]?.count).type.toBe<number | undefined>()
  expect(facets?.title).type.toBe<readonly CrudFacetValue[] | undefined>()
  expect(facets!).type.not.toHaveProperty('name')
  expect(await categories.list(em)).type.not.toHaveProperty('facets')
  expect((await untyped.list(em)).facets?.['any']).type.toBe<readonly CrudFacetValue[] | undefined>()
})

test('totals follow from the way to count, and pages can be read without knowing their style', async () => {
  const page = await categories.list(em, params)
  expect(page.total).type.toBe<number | undefined>()
  expect(page.has_next).type.toBe<boolean>()
  expect(page.page).type.toBe<number | undefined>()
  expect(page.next_cursor).type.toBe<string | null | undefined>()
  if (page.page !== undefined) expect(page.total).type.toBe<number>()
  const uncounted = new CrudBase({ model: CategorySchema, queryConfig: { pagination: { count: 'none' } } })
  expect((await uncounted.list(em)).total).type.toBe<null | undefined>()
  const planned = new CrudBase({ model: CategorySchema, queryConfig: { pagination: { count: 'planned' } } })
  expect((await planned.list(em)).total).type.toBe<number | null | undefined>()
  const bounded = new CrudBase({ model: CategorySchema, queryConfig: { pagination: { count: { upTo: 100 } } } })
  expect((await bounded.list(em)).total).type.toBe<number | undefined>()
  expect((await bounded.list(em)).total_is_minimum).type.toBe<boolean | undefined>()
  const optional = new CrudBase({ model: CategorySchema, queryConfig: { pagination: { countParameter: true } } })
  expect((await optional.list(em)).total).type.toBe<number | null | undefined>()
  expect((await untyped.list(em)).total).type.toBe<number | null | undefined>()
})

test('a scope is a condition on the entity', () => {
  expect(categories.list).type.toBeCallableWith(em, params, { scope: { status: 'active' } })
  expect(categories.list).type.not.toBeCallableWith(em, params, { scope: { satus: 'active' } })
  expect(categories.list).type.not.toBeCallableWith(em, params, { scope: { price: true } })
})

test('a default sort names properties, or aliases of sorts', () => {
  expect(
    new CrudBase({
      model: CategorySchema,
      // @ts-expect-error 'titel' is not a property to sort by of this entity
      queryConfig: { defaultSort: ['-titel'] },
    })
  ).type.toBeAssignableTo<CrudBase<any>>()
  const sorted = new CrudBase({
    model: CategorySchema,
    queryConfig: { allowedSorts: [new AllowedSort('name', { alias: 'title' })], defaultSort: ['-title', 'price'] },
  })
  expect(sorted).type.toBeAssignableTo<CrudBase<any>>()
})

test('callbacks of custom filters get the builder of the entity', () => {
  const filtered = new CrudBase({
    model: CategorySchema,
    queryConfig: { allowedFilters: [AllowedFilters.custom('state', (qb, value) => qb.andWhere({ status: value }))] },
  })
  expect(filtered).type.toBeAssignableTo<CrudBase<any>>()
})

test('after hooks know the names and values of the entity', () => {
  class Hooked extends CrudBase<Category> {
    override afterCreate (record: WireRecord<Category>, { changed, previous }: AfterContext<Category>) {
      expect(changed).type.not.toBeAssignableFrom(['nam'] as const)
      expect(changed).type.toBeAssignableFrom(['name'] as const)
      expect(previous?.name).type.toBe<string | undefined>()
    }

    override async afterUpdate (_: WireRecord<Category>, { previous }: AfterContext<Category, 'name'>) {
      expect(previous).type.toBe<{ readonly name: string }>()
    }
  }
  expect(Hooked).type.toBeConstructableWith({ model: CategorySchema, previous: ['name'] as const })
  expect(Hooked).type.not.toBeConstructableWith({ model: CategorySchema, previous: ['nam'] as const })
})

test('a misspelt hook is an error', () => {
  class Hooked extends CrudBase<Category> {
    override beforeCreate (data: any) {
      return { ...data, name: 'x' }
    }

    override afterRead (record: WireRecord<Category>) {
      return { ...record, label: record.name }
    }
  }
  expect(Hooked).type.toBeConstructableWith({ model: CategorySchema })

  class Misspelt extends CrudBase<Category> {
    // @ts-expect-error it is not declared in the base class
    override beforeCreat (data: any) {
      return data
    }
  }
  expect(Misspelt).type.toBeConstructableWith({ model: CategorySchema })

  class Wrong extends CrudBase<Category> {
    // @ts-expect-error Type 'string' is not assignable to type 'CrudRecord | Promise<CrudRecord>'
    override afterRead (record: WireRecord<Category>): string {
      return record.name!
    }
  }
  expect(Wrong).type.toBeConstructableWith({ model: CategorySchema })
})

test('without an entity type, everything is allowed', async () => {
  const created = await untyped.create(em, { anything: 1 })
  expect(created).type.toBe<Record<string, any>>()
  expect((await untyped.list(em)).items).type.toBe<Array<Record<string, any>>>()
})
