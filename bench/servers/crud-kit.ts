/** The generated routes. */
import Fastify from 'fastify'
import {
  AllowedAggregate,
  AllowedFacet,
  AllowedFilters,
  AllowedGroup,
  AllowedInclude,
  AllowedSort,
  CrudBase,
  crudKit,
  QueryBuilderConfig,
} from '../library.ts'
import type { AccessOptions, PaginationOptions } from '../../src/index.ts'
import { Article, Category, entities } from '../entities.ts'
import { POOL, type StartOptions } from '../pool.ts'

class CategoryCrud extends CrudBase {
  constructor (pagination: PaginationOptions = {}) {
    super({
      model: Category,
      writable: 'all',
      queryConfig: new QueryBuilderConfig({
        allowedFilters: [
          AllowedFilters.exact('status'),
          new AllowedFilters('price', 'eq', ['eq', 'gte', 'lte']),
          new AllowedFilters('name', 'contains'),
          new AllowedFilters('productsCount', 'gte', ['gte']),
        ],
        allowedSorts: [new AllowedSort('created_at', 'productsPriceMax')],
        allowedIncludes: [
          new AllowedInclude('products'), AllowedInclude.count('products'), AllowedInclude.max('products.price'),
        ],
        allowedFacets: ['status', 'name', 'created_at'].map((name) => new AllowedFacet(name, { limit: 10 })),
        allowedGroups: [new AllowedGroup('status')],
        allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('price', ['sum', 'avg'])],
        pagination,
      }),
    })
  }
}

const articles = new CrudBase({
  model: Article,
  queryConfig: new QueryBuilderConfig({
    allowedFilters: [AllowedFilters.fullText('q', ['title', 'body'], { config: 'english' })],
  }),
})

export const crudKitServer = (options: StartOptions) => serve(options)

const ALL = { rows: () => ({ id: { $gt: 0 } }) }
/** The same routes for a role whose condition holds for all rows, so that answers are the same. */
export const crudKitServerWithAccess = (options: StartOptions) =>
  serve(options, {
    role: () => 'member',
    roles: { member: { Category: ALL, Article: ALL, '*': true } },
  })

/** The same routes with bounded totals, for tables of any size. */
export const crudKitServerBounded = (options: StartOptions) =>
  serve(options, undefined, new CategoryCrud({ count: { upTo: 10_000 } }))

async function serve ({ url, poolSize }: StartOptions, access?: AccessOptions, crud = new CategoryCrud()) {
  const fastify = Fastify()
  await fastify.register(crudKit, {
    database: { databaseUrl: url, entities, pool: { max: poolSize, ...POOL } },
    ...(access !== undefined && { access }),
    resources: {
      '/categories': {
        crud,
        operations: ['list', 'get', 'aggregate', 'create', 'createMany', 'update'],
        query: true,
      },
      '/articles': { crud: articles, operations: ['list'] },
    },
  })
  return fastify
}
