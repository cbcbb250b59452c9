/** The generated routes. */
import Fastify from 'fastify'
import {
  AllowedFilters,
  AllowedInclude,
  AllowedSort,
  CrudBase,
  crudKit,
  QueryBuilderConfig,
  type AccessOptions,
} from '../../src/index.ts'
import { Category, entities } from '../entities.ts'
import { POOL, type StartOptions } from '../pool.ts'

class CategoryCrud extends CrudBase {
  constructor () {
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

async function serve ({ url, poolSize }: StartOptions, access?: AccessOptions) {
  const fastify = Fastify()
  await fastify.register(crudKit, {
    database: { databaseUrl: url, entities, pool: { max: poolSize, ...POOL } },
    ...(access !== undefined && { access }),
    resources: {
      '/categories': { crud: new CategoryCrud(), operations: ['list', 'get', 'create', 'createMany', 'update'] },
    },
  })
  return fastify
}
