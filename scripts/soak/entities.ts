/** The entities of the soak's server: with versions, soft delete, unique values and all kinds of relations. */
import { defineEntity, p } from '@mikro-orm/core'
import {
  AllowedFilters, AllowedInclude, AllowedSort, CrudBase, primaryKey, QueryBuilderConfig, softDelete, timestamps,
  type CrudKitOptions,
} from '../../src/index.ts'

/** Each product is created by one request, which writes its own `marker`. */
export const Product: any = defineEntity({
  name: 'Product',
  properties: {
    ...primaryKey,
    ...timestamps,
    ...softDelete,
    version: p.integer().version(),
    marker: p.string().index(),
    sku: p.string().unique(),
    stock: p.integer().default(0),
    category: () => p.manyToOne(Category),
    tags: () => p.manyToMany(Tag).inversedBy('products').owner(),
  },
})
export const Category: any = defineEntity({
  name: 'Category',
  properties: { ...primaryKey, name: p.string().unique(), products: () => p.oneToMany(Product).mappedBy('category') },
})
export const Tag: any = defineEntity({
  name: 'Tag',
  properties: { ...primaryKey, name: p.string().unique(), products: () => p.manyToMany(Product).mappedBy('tags') },
})
/** A transfer changes two accounts and adds a row, in one transaction. */
export const Account: any = defineEntity({
  name: 'Account',
  properties: { ...primaryKey, balance: p.integer() },
})
export const Transfer: any = defineEntity({
  name: 'Transfer',
  properties: {
    ...primaryKey,
    marker: p.string().index(),
    amount: p.integer(),
    from: () => p.manyToOne(Account),
    to: () => p.manyToOne(Account),
  },
})
/** Read as streams, and never changed. */
export const Reading: any = defineEntity({
  name: 'Reading',
  properties: { ...primaryKey, sensor: p.string(), note: p.text() },
})

export const entities = [Product, Category, Tag, Account, Transfer, Reading]

export const products = new CrudBase<any>({
  model: Product,
  writable: ['marker', 'sku', 'stock', 'category', 'tags'],
  queryConfig: new QueryBuilderConfig<any>({
    allowedFilters: [
      new AllowedFilters('id', 'eq', ['eq', 'gte', 'lt']),
      AllowedFilters.exact('marker'),
      new AllowedFilters('stock', 'gte', ['gte', 'lt']),
      AllowedFilters.exact('category.name'),
      AllowedFilters.exact('tags.name'),
      AllowedFilters.search('q', ['marker', 'category.name']),
    ],
    allowedSorts: [new AllowedSort('id'), new AllowedSort('stock'), new AllowedSort('category.name')],
    allowedIncludes: [new AllowedInclude('category'), new AllowedInclude('tags')],
  }),
})
export const transfers = new CrudBase<any>({ model: Transfer, writable: 'all' })
export const accounts = new CrudBase<any>({ model: Account, writable: 'all' })
const categories = new CrudBase<any>(
  {
    model: Category,
    writable: 'all',
    queryConfig: new QueryBuilderConfig<any>({ allowedIncludes: [AllowedInclude.count('products')] }),
  }
)
const readings = new CrudBase<any>(
  {
    model: Reading,
    queryConfig: new QueryBuilderConfig<any>({ allowedFilters: [new AllowedFilters('id', 'eq', ['eq', 'lte'])] }),
  }
)

export const resources: NonNullable<CrudKitOptions['resources']> = {
  '/products': { crud: products, operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] },
  '/categories': { crud: categories, operations: ['list', 'get'] },
  '/readings': { crud: readings, operations: ['list'], stream: { stallTimeoutMillis: 5_000 } },
}

export const CATEGORIES = 5
export const TAGS = 5
export const ACCOUNTS = 10
export const READINGS = 4_000
/** Number of products that many workers change. */
export const SHARED = 4

/** The rows that exist from the start. */
export const SEED = `
  insert into category (name) select 'category ' || n from generate_series(1, ${CATEGORIES}) n;
  insert into tag (name) select 'tag ' || n from generate_series(1, ${TAGS}) n;
  insert into account (balance) select 1000 from generate_series(1, ${ACCOUNTS}) n;
  insert into reading (sensor, note)
    select 'sensor ' || n % 7, repeat(md5(n::text), 32) from generate_series(1, ${READINGS}) n;
  insert into product (
    marker, sku, category_id, version
  ) select 'shared', 'shared ' || n, 1, 1 from generate_series(1, ${SHARED}) n;`
