/* eslint-disable no-new -- only the types of the calls are tested */
import type { InferEntity } from '@mikro-orm/core'
import { describe, expect, test } from 'tstyche'
import { createClient, type Affected, type CursorPage, type OffsetPage, type Page } from '../../src/client/index.ts'
import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  crudKit, QueryBuilderConfig, type ApiOf, type WireRecord,
} from '../../src/index.ts'
import { Order, OrderItem, Supplier } from '../fixtures/entities.ts'
import { Book, CategorySchema, ProductSchema, type Category, type Product } from './fixtures.ts'
import type { FastifyInstance } from 'fastify'

declare const app: FastifyInstance

const kept = new QueryBuilderConfig({
  allowedFilters: [new AllowedFilters('price', 'gte', ['gte', 'lte'])],
  allowedIncludes: [new AllowedInclude('category')],
})
class ProductCrud extends CrudBase<Product, typeof kept> {
  constructor () {
    super({ model: ProductSchema, queryConfig: kept })
  }
}
class Filling extends CrudBase<Product, object, ['price', 'category']> {
  override beforeCreate (data: Record<string, any>) {
    return data
  }
}

const resources = {
  '/choice': new CrudBase({ model: CategorySchema, queryConfig: { pagination: { countParameter: true } } }),
  '/categories': new CrudBase({
    model: CategorySchema,
    queryConfig: {
      allowedFilters: [
        AllowedFilters.exact('name'),
        AllowedFilters.partial('author.name', { alias: 'by' }),
        new AllowedFilters('created_at', 'gte', ['gte', 'lte', 'between'], { alias: 'since' }),
        new AllowedFilters('products.price', 'gte', ['gte', 'in', 'isnull', 'eq']),
        new AllowedFilters('author', 'eq', ['eq', 'in', 'isnull']),
        new AllowedFilters('id', 'nin', ['nin', 'in']),
        AllowedFilters.exact('status').ignore('all', 0).default('draft').ignore('any'),
        AllowedFilters.search('q', ['name']),
        AllowedFilters.fullText('words', ['name', 'author.name'], { alias: 'text' }),
        AllowedFilters.trashed({ alias: 'deleted' }),
        AllowedFilters.scope('published'),
        AllowedFilters.scope('priced', { params: { min: 'price', max: 'price' } }),
        AllowedFilters.anyOf('ref', [AllowedFilters.exact('id'), AllowedFilters.partial('name')]),
        new AllowedFilters('labels', 'contains', ['contains', 'overlap', 'isnull']),
        new AllowedFilters('settings.theme', 'eq', ['eq', 'in'], { type: 'string' }),
        AllowedFilters.custom('odd', (qb) => qb.andWhere({ status: 'draft' }), { alias: 'strange' }),
      ],
      allowedSorts: [
        new AllowedSort('name', 'created_at'),
        new AllowedSort('author.name', { alias: 'writer' }),
        AllowedSort.custom('length', (qb) => qb),
      ],
      allowedFields: [
        new AllowedField('id'), new AllowedField('name'), new AllowedField('author', { alias: 'writer' }),
        new AllowedField('products.id'), new AllowedField('products.tags.name', { alias: 'label' }),
        new AllowedField('author.name'), new AllowedField('author.id'),
      ],
      allowedIncludes: [
        new AllowedInclude('products'), new AllowedInclude('products.tags'),
        new AllowedInclude('author', { alias: 'user' }), new AllowedInclude('parent'), AllowedInclude.count('products'),
        AllowedInclude.exists('parent'), AllowedInclude.sum('products.price', { alias: 'worth' }),
        AllowedInclude.max('products.id'), AllowedInclude.count('author.categories', { alias: 'size' }),
        AllowedInclude.min('products.tags.id'),
      ],
      defaultSort: ['-text', '-created_at', 'writer'],
    },
    writable: {
      create: ['name', 'price', 'status', 'author', 'labels', 'notes'],
      update: ['name', 'author', 'created_at'],
    },
  }),
  '/products': { crud: new ProductCrud(), operations: ['list', 'get', 'create'] as const, scope: () => ({}) },
  '/filled': new Filling({ model: ProductSchema }),
  '/suppliers': {
    crud: new CrudBase({ model: Supplier, writable: 'all' }), allowHardDelete: true, stream: true,
    idempotency: { ttlHours: 1 },
  },
  '/orders': new CrudBase({ model: Order, writable: ['customer', 'note'] }),
  '/bulk': {
    crud: new CrudBase({
      model: ProductSchema,
      queryConfig: { allowedFilters: [new AllowedFilters('price', 'gte', ['gte', 'in'])] },
      writable: { create: ['price', 'category'], update: ['price'] },
      upsertKeys: ['price', ['category', 'price']],
    }),
    operations: ['updateMany', 'deleteMany', 'upsert'] as const, query: true, allowHardDelete: true,
  },
  '/numbers': {
    crud: new CrudBase({
      model: CategorySchema,
      queryConfig: {
        allowedFilters: [
          AllowedFilters.exact('status'),
          new AllowedFilters('created_at', 'gte', ['gte', 'lt'], { alias: 'since' }),
          new AllowedFilters('productsCount', 'gte', ['eq', 'gte']),
          new AllowedFilters('parentExists'),
          AllowedFilters.trashed(),
          AllowedFilters.scope('recent'),
          AllowedFilters.custom('odd', (qb) => qb),
        ],
        allowedSorts: [new AllowedSort('productsCount')],
        allowedIncludes: [AllowedInclude.count('products'), AllowedInclude.exists('parent')],
        allowedFacets: [
          new AllowedFacet('status'), new AllowedFacet('author'), new AllowedFacet('author.name', { alias: 'writer' }),
        ],
        allowedGroups: [
          new AllowedGroup('status'),
          new AllowedGroup('author.name', { alias: 'writer' }),
          AllowedGroup.date('created_at', ['day', 'month'], { alias: 'added' }),
        ],
        allowedAggregates: [
          AllowedAggregate.count(),
          new AllowedAggregate('price', ['sum', 'avg', 'max', 'countDistinct']),
          new AllowedAggregate('author.id', ['avg', 'sum'], { alias: 'writer' }),
          new AllowedAggregate('created_at', ['min']),
          new AllowedAggregate('author', ['countDistinct']),
        ],
      },
    }),
    operations: ['list', 'aggregate'] as const,
    query: true,
  },
  '/items': new CrudBase({ model: OrderItem }),
  '/books': new CrudBase({
    model: Book, queryConfig: { allowedIncludes: [new AllowedInclude('publisher.books')] },
    writable: ['title', 'publisher'],
  }),
  '/families': new CrudBase({
    model: CategorySchema,
    writable: { create: ['name', { products: ['price'] }], update: [{ products: { create: ['price'], update: [] } }] },
  }),
  '/wide': new CrudBase({
    model: CategorySchema,
    queryConfig: new QueryBuilderConfig<Category>({ allowedFilters: [AllowedFilters.exact('name')] }),
  }),
  '/untyped': new CrudBase<any>({ model: 'Category' as any }),
  '/open': {
    crud: new CrudBase<any>({ model: 'Category' as any }), operations: ['list', 'aggregate', 'upsert'] as const,
    query: true,
  },
}
const api = createClient<ApiOf<typeof resources>>('')
const categories = api['/categories']
type ListQuery = NonNullable<Parameters<typeof categories.list>[0]>
type FilterNames = keyof NonNullable<ListQuery['filter']>
type FilterValue<Name extends FilterNames> = NonNullable<ListQuery['filter']>[Name]

test('crudKit takes the resources', () => {
  expect(app.register(crudKit, { orm: {} as any, resources })).type.not.toRaiseError()
})

describe('filters', () => {
  test('are named as in the URL', () => {
    expect<FilterNames>().type.toBe<
      | 'name'
      | 'by'
      | 'since'
      | 'products.price'
      | 'author'
      | 'id'
      | 'status'
      | 'q'
      | 'text'
      | 'deleted'
      | 'published'
      | 'priced'
      | 'ref'
      | 'labels'
      | 'settings.theme'
      | 'strange'
    >()
  })

  test('have the operators that are allowed, and values of their property', () => {
    expect<FilterValue<'name'>>().type.toBe<string | { readonly eq?: string } | undefined>()
    expect<FilterValue<'since'>>().type.toBe<
      string | Date | {
        readonly gte?: string | Date,
        readonly lte?: string | Date,
        readonly between?: readonly [low: string | Date, high: string | Date],
      } | undefined
    >()
    expect<FilterValue<'by'>>().type.toBe<string | { readonly like?: string, readonly ilike?: string } | undefined>()
    // a decimal is a string in its entity, and a number can be greater than it
    expect<FilterValue<'products.price'>>().type.toBe<
      string | number | null | readonly string[] | {
        readonly gte?: string | number,
        readonly in?: readonly string[],
        readonly isnull?: boolean,
        readonly eq?: string | null,
      } | undefined
    >()
    expect<FilterValue<'q'>>().type.toBe<string | undefined>()
    expect<FilterValue<'deleted'>>().type.toBe<'with' | 'only' | 'without' | undefined>()
    expect<FilterValue<'published'>>().type.toBe<boolean | undefined>()
    expect<FilterValue<'settings.theme'>>().type.toBe<
      string | readonly string[] | { readonly eq?: string, readonly in?: readonly string[] } | undefined
    >()
  })

  test('compare a relation by its key, an array by its items, an enum by its members', () => {
    expect(categories.list).type.toBeCallableWith({ filter: { author: 1 } })
    expect(categories.list).type.toBeCallableWith({ filter: { author: { in: [1, 2n], isnull: true } } })
    expect(categories.list).type.not.toBeCallableWith({ filter: { author: true } })
    expect(categories.list).type.toBeCallableWith({ filter: { labels: { contains: ['a', 'b'], overlap: ['c'] } } })
    // the server splits the value of an operator that takes a list at its commas
    expect(categories.list).type.not.toBeCallableWith({ filter: { labels: 'a, b' } })
    expect(categories.list).type.not.toBeCallableWith({ filter: { id: 'a, b' } })
    expect(categories.list).type.toBeCallableWith({ filter: { status: 'draft' } })
    expect(categories.list).type.toBeCallableWith({ filter: { status: 'all' } })
    expect(categories.list).type.toBeCallableWith({ filter: { status: 'any' } })
    expect(categories.list).type.toBeCallableWith({ filter: { status: '0' } })
    expect(categories.list).type.not.toBeCallableWith({ filter: { status: 'darft' } })
    expect(categories.list).type.toBeCallableWith({ filter: { priced: [1, 5], ref: 5, strange: ['a', 1] } })
  })

  test('take a list without an operator if the server does', () => {
    expect(categories.list).type.toBeCallableWith({ filter: { author: [1, 2] } })
    expect(categories.list).type.not.toBeCallableWith({ filter: { name: ['a', 'b'] } })
    // the default operator is nin, so the operator must be given
    expect(categories.list).type.not.toBeCallableWith({ filter: { id: ['a', 'b'] } })
    expect(categories.list).type.toBeCallableWith({ filter: { id: { nin: ['a', 'b'] } } })
  })

  test('refuse values and names that are not allowed', () => {
    // @ts-expect-error 'nmae' does not exist in type 'Filter<"name" |
    categories.list({ filter: { nmae: 'x' } })
    // @ts-expect-error 'like' does not exist in type
    categories.list({ filter: { name: { like: 'x' } } })
    // @ts-expect-error Type 'number' is not assignable to type
    categories.list({ filter: { name: 5 } })
    // @ts-expect-error Type 'null' is not assignable to type
    categories.list({ filter: { name: null } })
    // @ts-expect-error 'created_at' does not exist in type
    categories.list({ filter: { created_at: new Date() } })
    // @ts-expect-error 'filtre' does not exist in type
    categories.list({ filtre: {} })
  })
})

describe('groups of filters', () => {
  const numbers = api['/numbers']

  test('have the names, operators and values of filters at every level', () => {
    expect(numbers.list).type.toBeCallableWith({
      filter: {
        status: 'draft',
        or: [{ since: { lt: new Date() } }, { and: [{ status: 'active', not: { productsCount: { gte: 1 } } }] }],
        not: { or: [{ status: { eq: 'draft' } }, { parentExists: true }] },
      },
    })
    // @ts-expect-error 'sttaus' does not exist in type
    numbers.list({ filter: { or: [{ status: 'draft' }, { not: { sttaus: 'draft' } }] } })
    // @ts-expect-error Type '"darft"' is not assignable to type
    numbers.list({ filter: { and: [{ or: [{ status: 'darft' }] }] } })
    // @ts-expect-error 'between' does not exist in type
    numbers.list({ filter: { not: { and: [{ since: { between: ['2026-01-01', '2026-02-01'] } }] } } })
    expect(numbers.list).type.not.toBeCallableWith({ filter: { or: { status: 'draft' } } })
    expect(numbers.list).type.not.toBeCallableWith({ filter: { not: [{ status: 'draft' }] } })
  })

  test('are possible in all methods with filters, where the resource has the option', () => {
    expect(numbers.each).type.toBeCallableWith({ filter: { not: { status: 'draft' } } })
    expect(numbers.url).type.toBeCallableWith({ filter: { or: [{ status: 'draft' }] } })
    expect(numbers.aggregate).type.toBeCallableWith({ filter: { or: [{ status: 'draft' }] }, aggregate: ['count'] })
    expect(api['/bulk'].deleteMany).type.toBeCallableWith({ filter: { or: [{ price: '1' }, { price: ['2'] }] } })
    expect(api['/bulk'].updateMany).type.not.toBeCallableWith({ filter: { or: [{ prize: '1' }] } }, {})
    expect(api['/open'].list).type.toBeCallableWith({ filter: { or: [{ any: { gte: 1 } }, { not: { all: ['x'] } }] } })
    // @ts-expect-error 'or' does not exist in type
    categories.list({ filter: { or: [{ name: 'x' }] } })
    // @ts-expect-error 'not' does not exist in type
    categories.url({ filter: { not: { name: 'x' } } })
  })

  test('hold custom filters, scopes and trashed beside all others only', () => {
    expect(numbers.list).type.toBeCallableWith({ filter: { recent: true, and: [{ recent: false }] } })
    // @ts-expect-error 'recent' does not exist in type
    numbers.list({ filter: { not: { recent: true } } })
    expect(numbers.list).type.toBeCallableWith({ filter: { odd: 1, trashed: 'only' } })
    expect(numbers.list).type.toBeCallableWith({ filter: { and: [{ trashed: 'only' }, { and: [{ odd: 1 }] }] } })
    // @ts-expect-error 'trashed' does not exist in type
    numbers.list({ filter: { or: [{ trashed: 'only' }] } })
    // @ts-expect-error 'odd' does not exist in type
    numbers.list({ filter: { and: [{ not: { odd: 1 } }] } })
  })
})

describe('numbers about relations', () => {
  test('are filters and sorts', () => {
    const numbers = api['/numbers']
    expect(numbers.list).type.toBeCallableWith({
      filter: { productsCount: { gte: 5 }, parentExists: false },
      sort: ['-productsCount'],
    })
    expect(numbers.list).type.not.toBeCallableWith({ filter: { productsCount: 'many' } })
    expect(numbers.list).type.not.toBeCallableWith({ filter: { parentExists: 'yes' } })
  })
})

describe('facets', () => {
  test('are in the answer that asks for them', async () => {
    const numbers = api['/numbers']
    const { facets } = await numbers.list({ facets: ['status', 'author', 'writer'] })
    expect(facets.status[0]!.value).type.toBe<'draft' | 'active'>()
    expect(facets.author[0]!.value).type.toBe<number | null>()
    expect(facets.writer[0]!).type.toBeAssignableTo<{ value: string | null, count: number }>()
    const { facets: some } = await numbers.list({ facets: ['writer'], cursor: '', fields: ['id'] as never })
    expect(some).type.not.toHaveProperty('status')
    expect(await numbers.list()).type.not.toHaveProperty('facets')
    const chosen: ('status' | 'writer')[] = []
    expect((await numbers.list({ facets: chosen })).facets?.['status']?.[0]!.count).type.toBe<number | undefined>()
    expect((await api['/open'].list({ facets: ['any'] })).facets.any[0]!.value).type.toBe<any>()
    // @ts-expect-error Type '"price"' is not assignable to type '"status" | "author" | "writer"'
    numbers.list({ facets: ['price'] })
    // @ts-expect-error Type 'string' is not assignable to type 'never'
    categories.list({ facets: ['status'] })
    // @ts-expect-error 'facets' does not exist in type
    numbers.each({ facets: ['status'] })
  })
})

describe('aggregates', () => {
  test('have groups and numbers under the names of items', async () => {
    const numbers = api['/numbers']
    const page = await numbers.aggregate({
      group: ['status', 'writer', 'added.month'],
      aggregate: [
        'count',
        'price.sum',
        'price.avg',
        'price.max',
        'price.countDistinct',
        'writer.sum',
        'created_at.min',
        'author.countDistinct',
      ],
      sort: ['-price.sum', 'added.month'], filter: { since: '2026-01-01' }, page: 1, per_page: 5,
    })
    expect(page).type.toBe<
      Page<{
        status: 'draft' | 'active',
        author_name: string | null,
        created_at_month: string,
        count: number,
        price_sum: string | null,
        price_avg: string | null,
        price_max: string | null,
        price_countDistinct: number,
        author_countDistinct: number,
        author_id_sum: number | null,
        created_at_min: string | null,
      }, number>
    >()
    const { items: [item] } = await numbers.aggregate({ aggregate: ['writer.avg'], limit: 1 })
    expect(item!).type.toBe<{ author_id_avg: number | string | null }>()
    expect(await numbers.aggregate({ group: ['status'], offset: 1 })).type.toBe<
      OffsetPage<{ status: 'draft' | 'active' }, number>
    >()
    const group: ('status' | 'writer')[] = []
    expect((await numbers.aggregate({ group })).items[0]!).type.toBe<Record<string, any>>()
    expect((await api['/open'].aggregate({ group: ['any'], sort: ['-any'] })).items[0]!.any).type.toBe<any>()
  })

  test('refuse names that are not allowed, and sorts by what they do not ask for', () => {
    const numbers = api['/numbers']
    // @ts-expect-error Type '"price"' is not assignable to type
    numbers.aggregate({ group: ['price'] })
    // @ts-expect-error Type '"added"' is not assignable to type
    numbers.aggregate({ group: ['added'] })
    // @ts-expect-error Type '"price.min"' is not assignable to type
    numbers.aggregate({ aggregate: ['price.min'] })
    // @ts-expect-error Type '"-count"' is not assignable to type
    numbers.aggregate({ group: ['status'], sort: ['-count'] })
    // @ts-expect-error 'include' does not exist in type
    numbers.aggregate({ group: ['status'], include: [] })
    // @ts-expect-error 'cursor' does not exist in type
    numbers.aggregate({ group: ['status'], cursor: '' })
    // @ts-expect-error Type 'number' is not assignable to type 'undefined'
    numbers.aggregate({ group: ['status'], page: 1, limit: 5 })
    expect(categories).type.not.toHaveProperty('aggregate')
  })
})

test('sorts', () => {
  expect<NonNullable<ListQuery['sort']>[number]>().type.toBe<
    `${'' | '-' | '+'}${'name' | 'created_at' | 'writer' | 'length' | 'text'}`
  >()
  // @ts-expect-error Type '"-nmae"' is not assignable to type '"
  categories.list({ sort: ['-nmae'] })
  // @ts-expect-error 'sort' does not exist in type
  api['/items'].get([1], { sort: ['order'] })
})

describe('records', () => {
  test('have all columns without a selection, and the keys of relations', async () => {
    const { items } = await categories.list()
    expect(items[0]!).type.toBe<{
      id: string,
      name: string,
      price: string | null,
      status: 'draft' | 'active',
      labels: string[],
      settings: any,
      notes: string,
      created_at: string,
      parent: string | null,
      author: number | null,
    }>()
    expect(await categories.get('x')).type.toBe<(typeof items)[number]>()
    expect(await categories.create({ name: 'x', notes: '', labels: [] })).type.toBe<(typeof items)[number]>()
    expect(await categories.update('x', {})).type.toBe<(typeof items)[number]>()
    expect(await categories.list({ include: [], fields: [] })).type.toBe<Page<(typeof items)[number], number>>()
    expect<Awaited<ReturnType<(typeof categories)['list']>>>().type.toBe<Page<(typeof items)[number], number>>()
  })

  test('are narrowed by fields, under the names of the record', async () => {
    expect(await categories.get('x', { fields: ['id', 'writer'] })).type.toBe<{ id: string, author: number | null }>()
    // @ts-expect-error Type '"price"' is not assignable to type '"name" | "id" | "writer"'
    categories.list({ fields: ['id', 'price'] })
  })

  test('are widened by includes of any depth, and by aggregates', async () => {
    const record = await categories.get('x', {
      fields: ['name'],
      include: [
        'products.tags', 'user', 'productsCount', 'worth', 'productsIdMax', 'parentExists', 'user.size',
        'products.tagsIdMin',
      ],
      fieldsByInclude: { products: ['id'] },
    })
    expect(record).type.toBe<{
      name: string,
      products: { id: number, tags: { id: number, name: string }[], tagsIdMin: number | null }[],
      author: { id: number, name: string, categoriesCount: number } | null,
      productsCount: number,
      productsPriceSum: string | null,
      productsIdMax: number | null,
      parentExists: boolean,
    }>()
    expect(
      await categories.get('x', {
        fields: ['name'], include: ['products.tags'], fieldsByInclude: { 'products.tags': ['label'] },
      })
    ).type.toBe<{
      name: string,
      products: { id: number, price: string, category: string, tags: { name: string }[] }[],
    }>()
    expect(
      (await categories.get('x', { fields: [], include: ['user'], fieldsByInclude: { user: ['id', 'name'] } })).author
    ).type.toBe<{ id: number, name: string } | null>()
    expect((await api['/books'].get(1, { include: ['publisher.books'] })).publisher!.books[0]!.publisher).type.toBe<
      number
    >()
    // @ts-expect-error Type '"prodcts"' is not assignable to type '"
    categories.list({ include: ['prodcts'] })
    // @ts-expect-error 'author' does not exist in type '{ readonly products?: readonly "id"[]
    categories.list({ include: ['user'], fieldsByInclude: { author: ['name'] } })
    // @ts-expect-error Type '"nmae"' is not assignable to type '"name" | "id"'
    categories.list({ include: ['user'], fieldsByInclude: { user: ['nmae'] } })
  })

  test('may have any property if the lists are built at run time', async () => {
    const include: ('products' | 'parent')[] = []
    expect(await categories.get('x', { include })).type.toBe<WireRecord<Category>>()
    const some = include.length > 0 ? ['products'] as const : ['parent'] as const
    expect(await categories.get('x', { include: some, fields: ['id'] })).type.toBeAssignableTo<{ id: string }>()
    expect(await categories.get('x', { include: some, fields: ['id'] })).type.not.toHaveProperty('productsCount')
  })

  test('have the same types in lists, pages, each and streams', async () => {
    for await (const item of api['/suppliers'].stream()) expect(item.country).type.toBe<string>()
    for await (const item of categories.each({ fields: ['id'], include: ['productsCount'] })) {
      expect(item).type.toBe<{ id: string, productsCount: number }>()
    }
    for await (const page of categories.pages({ fields: ['id'], per_page: 5 })) {
      expect(page).type.toBe<CursorPage<{ id: string }>>()
    }
  })
})

test('pages are by number, offset or cursor', async () => {
  type Item = { id: string }
  expect(await categories.list({ fields: ['id'], page: 2, per_page: 5 })).type.toBe<Page<Item, number>>()
  expect(await categories.list({ fields: ['id'], limit: 2 })).type.toBe<OffsetPage<Item, number>>()
  expect(await categories.list({ fields: ['id'], offset: 2 })).type.toBe<OffsetPage<Item, number>>()
  expect(await categories.list({ fields: ['id'], cursor: '', per_page: 2 })).type.toBe<CursorPage<Item>>()
  const cursor = undefined as string | undefined
  expect(await categories.list({ fields: ['id'], cursor })).type.toBe<CursorPage<Item> | Page<Item, number>>()
  const sought: { cursor?: string, fields: ['id'] } = { fields: ['id'] }
  expect(await categories.list(sought)).type.toBe<CursorPage<Item> | Page<Item, number>>()
  expect((await api['/choice'].list({ count: 'none' })).total).type.toBe<number | null>()
  // @ts-expect-error Type 'string' is not assignable to type 'undefined'
  categories.list({ count: 'none' })
  // @ts-expect-error Type 'string' is not assignable to type 'undefined'
  api['/choice'].list({ cursor: '', count: 'none' })
  // @ts-expect-error Type 'number' is not assignable to type 'undefined'
  categories.list({ page: 1, limit: 2 })
  // @ts-expect-error Type 'number' is not assignable to type 'undefined'
  categories.list({ cursor: '', page: 2 })
  // @ts-expect-error 'page' does not exist in type
  categories.each({ page: 2 })
})

test('a variable may have the query of a page by number', async () => {
  type Query = NonNullable<Parameters<(typeof api)['/choice']['list']>[0]>
  const query: Query = { page: 2, per_page: 5, count: 'none' }
  expect(await api['/choice'].list(query)).type.toBe<Awaited<ReturnType<(typeof api)['/choice']['list']>>>()
  type Groups = Parameters<(typeof api)['/numbers']['aggregate']>[0]
  const groups: Groups = { group: ['status'], page: 2, per_page: 5 }
  const answer = await api['/numbers'].aggregate(groups)
  expect(answer).type.toBe<Awaited<ReturnType<(typeof api)['/numbers']['aggregate']>>>()
  expect(answer.items).type.toBe<Array<Record<string, any>>>() // any: as for groups in a variable
})

describe('bodies', () => {
  test('have the writable properties, by operation', () => {
    expect(categories.create).type.toBeCallableWith({
      name: 'x', notes: '', labels: ['a'], author: 1, price: null, status: 'draft',
    })
    expect(categories.create).type.not.toBeCallableWith({ name: 'x', notes: '', labels: ['a'], id: 'x' })
    expect(categories.create).type.not.toBeCallableWith({ name: 'x', notes: '', labels: ['a'], status: 'darft' })
    expect(categories.update).type.toBeCallableWith('x', { author: null, created_at: new Date() })
    expect(categories.update).type.not.toBeCallableWith('x', { price: '1' })
    expect(api['/suppliers'].update).type.toBeCallableWith(1, { name: 'x' })
    expect(api['/suppliers'].update).type.not.toBeCallableWith(1, { email: 'hidden' })
  })

  test('have the owned children of their records', async () => {
    const families = api['/families']
    expect(families.create).type.toBeCallableWith({ name: 'x', products: [{ price: '1' }] })
    expect(families.create).type.not.toBeCallableWith({ name: 'x', products: [{}] })
    expect(families.create).type.not.toBeCallableWith({ name: 'x', products: [{ price: '1', category: 'y' }] })
    expect(families.create).type.not.toBeCallableWith({ products: [] })
    expect(families.update).type.toBeCallableWith('x', {
      products: { add: [{ price: '1' }], update: [{ id: 1 }], remove: [2] },
    })
    expect(families.update).type.not.toBeCallableWith('x', { products: { update: [{}] } })
    expect(families.update).type.not.toBeCallableWith('x', { products: { update: [{ id: 1, price: '2' }] } })
    expect(families.update).type.not.toBeCallableWith('x', { products: { remove: ['x'] } })
    expect(families.update).type.not.toBeCallableWith('x', { products: [] })
    const created = await families.create({ name: 'x' })
    expect(created.products![0]!).type.toBe<{ id: number, price: string, category: string }>()
  })

  test('of new records require properties without a default, unless the server may fill them in', () => {
    // @ts-expect-error Property 'name' is missing
    categories.create({ notes: '', labels: [] })
    expect(api['/orders'].create).type.toBeCallableWith({ customer: 'x' })
    expect(api['/orders'].create).type.not.toBeCallableWith({ note: 'x' })
    expect(api['/products'].create).type.toBeCallableWith({})
    expect(api['/filled'].create).type.toBeCallableWith({ price: '1' })
  })
})

test('keys', () => {
  expect(categories.get).type.toBeCallableWith('x')
  expect(categories.get).type.not.toBeCallableWith(5)
  expect(api['/orders'].get).type.toBeCallableWith(5n)
  expect(api['/items'].get).type.toBeCallableWith([1, 2])
  expect(api['/items'].get).type.not.toBeCallableWith(1)
})

test('the value of a full-text filter is a text', () => {
  expect(categories.list).type.toBeCallableWith({ filter: { text: 'two words' }, sort: ['-text'] })
  expect(categories.list).type.not.toBeCallableWith({ filter: { text: 1 } })
  expect(categories.list).type.not.toBeCallableWith({ filter: { text: { contains: 'a' } } })
  expect(categories.list).type.not.toBeCallableWith({ filter: { words: 'a' } })
})

test('the URL of a list has its conditions and fields', () => {
  expect(categories.url({ filter: { name: 'x' }, sort: ['-name'], fields: ['id'] })).type.toBe<string>()
  expect(categories.url).type.toBeCallableWith({ include: ['user'], fieldsByInclude: { user: ['name', 'id'] } })
  expect(categories.url).type.not.toBeCallableWith({ filter: { nmae: 'x' } })
  expect(categories.url).type.not.toBeCallableWith({ fieldsByInclude: { user: ['nmae'] } })
  expect(categories.url).type.not.toBeCallableWith({ page: 1 })
})

test('operations that are left out do not exist', () => {
  expect(api['/products']).type.toHaveProperty('create')
  expect(api['/products']).type.not.toHaveProperty('update')
  expect(api['/products']).type.not.toHaveProperty('stream')
  expect(categories).type.not.toHaveProperty('stream')
  expect(categories).type.not.toHaveProperty('createMany')
  expect(categories).type.not.toHaveProperty('restore')
  expect(api['/suppliers']).type.toHaveProperty('restore')
  expect(api['/suppliers']).type.toHaveProperty('stream')
  expect(api).type.not.toHaveProperty('/category')
  expect(api['/suppliers'].delete).type.toBeCallableWith(1, { hard: true, ifMatch: {} })
  expect(categories.delete).type.not.toBeCallableWith('x', { hard: true })
  expect(api['/suppliers'].delete).type.toBeCallableWith(1, { idempotencyKey: true })
  expect(api['/suppliers'].restore).type.toBeCallableWith(1, { idempotencyKey: 'a' })
  expect(categories.delete).type.not.toBeCallableWith('x', { idempotencyKey: true })
})

test('writes of many records have the types of their filters and bodies', async () => {
  const bulk = api['/bulk']
  expect<keyof typeof bulk>().type.toBe<'updateMany' | 'deleteMany' | 'upsert'>()
  expect(categories).type.not.toHaveProperty('updateMany')
  expect(categories).type.not.toHaveProperty('upsert')
  expect(bulk.updateMany).type.toBeCallableWith({ filter: { price: { gte: '1' } } }, { price: '2' }, { dryRun: true })
  expect(bulk.updateMany).type.not.toBeCallableWith({ filter: { prise: '1' } }, { price: '2' })
  expect(bulk.updateMany).type.not.toBeCallableWith({ filter: { price: '1' } }, { category: 'x' })
  expect(bulk.updateMany).type.not.toBeCallableWith({}, { price: '2' })
  expect(bulk.updateMany).type.not.toBeCallableWith({ filter: { price: '1' }, page: 1 }, { price: '2' })
  expect(bulk.deleteMany).type.toBeCallableWith({ filter: { price: ['1', '2'] } }, { hard: true, dryRun: true })
  expect(bulk.deleteMany).type.not.toBeCallableWith()
  expect(bulk.deleteMany).type.not.toBeCallableWith([])
  expect(await bulk.deleteMany({ filter: { price: '1' } })).type.toBe<Affected>()

  expect(bulk.upsert).type.toBeCallableWith({ price: '1' }, { on: 'price', ifMatch: '*' })
  expect(bulk.upsert).type.toBeCallableWith([{ category: 'x' }], { on: ['price', 'category'] })
  expect(bulk.upsert).type.not.toBeCallableWith([{ category: 'x' }], { on: 'price', ifMatch: '*' })
  expect(bulk.upsert).type.not.toBeCallableWith({ price: '1' })
  expect(bulk.upsert).type.not.toBeCallableWith({ price: '1' }, { on: 'id' })
  expect(bulk.upsert).type.not.toBeCallableWith({ prise: '1' }, { on: 'price' })
  expect(bulk.upsert).type.toBeCallableWith({ price: '1' }, { on: ['price'] })
  // @ts-expect-error Type '"category"' is not assignable to type
  bulk.upsert({ price: '1' }, { on: 'category' })
  expect(bulk.upsert).type.not.toBeCallableWith({ price: '1' }, { on: ['category'] })
  expect(bulk.upsert).type.not.toBeCallableWith({ price: '1' }, { on: ['id', 'price'] })
  expect(api['/open'].upsert).type.toBeCallableWith({}, { on: ['any', 'thing'] })
  const one = await bulk.upsert({ price: '1' }, { on: 'price' })
  expect(one.created).type.toBe<boolean>()
  expect(one.record.price).type.toBe<string>()
  expect((await bulk.upsert([], { on: 'price' }))[0]!).type.toBe<typeof one>()
})

test('a subclass keeps the literals of its configuration', async () => {
  expect(api['/products'].list).type.toBeCallableWith({ filter: { price: { gte: '5' } } })
  expect(api['/products'].list).type.not.toBeCallableWith({ filter: { price: { eq: '5' } } })
  expect((await api['/products'].get(1, { include: ['category'] })).category!.name).type.toBe<string>()
})

test('any name is accepted if a type argument prevents inference of the literals', async () => {
  expect(api['/wide'].list).type.toBeCallableWith({
    filter: { any: { gte: 1 } }, sort: ['-any'], include: ['any'], fields: ['any'],
  })
  expect((await api['/wide'].list({ fields: ['any'] })).items[0]!).type.toBe<WireRecord<Category>>()
  expect((await api['/wide'].list()).items[0]!.name).type.toBe<string>()
  expect(await api['/untyped'].get(1, { include: ['x'] })).type.toBe<Record<string, any>>()
  expect(api['/untyped'].create).type.toBeCallableWith({ any: 'thing' })
})

describe('CrudBase takes the plain object, of the entity of its model', () => {
  test('names, operators and the default sort are checked', () => {
    const model = CategorySchema
    expect(CrudBase).type.toBeConstructableWith({
      model,
      queryConfig: { allowedFilters: [AllowedFilters.exact('name')], defaultSort: ['-products.price' as string] },
    })
    // @ts-expect-error 'nmae' is not a property to filter by of this entity
    new CrudBase({ model, queryConfig: { allowedFilters: [AllowedFilters.exact('nmae')] } })
    // @ts-expect-error 'products.price' is not a property to sort by of this entity
    new CrudBase({ model, queryConfig: { allowedSorts: [new AllowedSort('products.price')] } })
    // @ts-expect-error 'titel' is not a property to sort by of this entity
    new CrudBase({ model, queryConfig: { defaultSort: ['name', '-titel'] } })
    // @ts-expect-error the allowed operators must hold the default
    new CrudBase({ model, queryConfig: { allowedFilters: [new AllowedFilters('name', 'eq', ['ne'])] } })
    // @ts-expect-error 'allowedFilter' does not exist in type
    new CrudBase({ model, queryConfig: { allowedFilter: [] } })
    // @ts-expect-error 'nmae' is not a property to filter by of this entity
    new CrudBase({ model, queryConfig: new QueryBuilderConfig({ allowedFilters: [AllowedFilters.exact('nmae')] }) })
    // @ts-expect-error Type '"nmae"' is not assignable to type
    new CrudBase({ model, writable: ['nmae'] })
    expect(CrudBase).type.not.toBeConstructableWith({ model, queryConfig: new QueryBuilderConfig<Product>({}) })
  })

  test('a callback gets the builder of the entity', () => {
    new CrudBase({
      model: CategorySchema,
      queryConfig: { allowedFilters: [AllowedFilters.custom('x', (qb, value) => qb.andWhere({ name: value }))] },
    })
  })
})

test('the types follow the entity', () => {
  expect<InferEntity<typeof Order>['version']>().type.toBeAssignableTo<number>()
})
