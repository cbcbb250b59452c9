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
  type AccessOptions,
  type PaginationOptions,
} from '../../src/index.ts'
import { Category, entities } from '../entities.ts'
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
        ],
        allowedSorts: [new AllowedSort('created_at')],
        allowedIncludes: [new AllowedInclude('products')],
        allowedFacets: ['status', 'name', 'created_at'].map((name) => new AllowedFacet(name, { limit: 10 })),
        allowedGroups: [new AllowedGroup('status')],
        allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('price', ['sum', 'avg'])],
        pagination,
      }),
    })
  }
}

export const crudKitServer = (options: StartOptions) => serve(options)

/** The same routes for a role whose condition holds for all rows, so that answers are the same. */
export const crudKitServerWithAccess = (options: StartOptions) =>
  serve(options, {
    role: () => 'member',
    roles: { member: { Category: { rows: () => ({ id: { $gt: 0 } }) }, '*': true } },
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
    },
  })
  return fastify
}
