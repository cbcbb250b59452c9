/** The generated routes. */
import Fastify from 'fastify'
import { AllowedFilters, AllowedInclude, AllowedSort, CrudBase, crudKit, QueryBuilderConfig } from '../../src/index.ts'
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

export async function crudKitServer ({ url, poolSize }: StartOptions) {
  const fastify = Fastify()
  await fastify.register(crudKit, {
    database: { databaseUrl: url, entities, pool: { max: poolSize, ...POOL } },
    resources: {
      '/categories': { crud: new CategoryCrud(), operations: ['list', 'get', 'create', 'createMany', 'update'] },
    },
  })
  return fastify
}
