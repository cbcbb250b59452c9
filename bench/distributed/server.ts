/** Routes for the tasks of a tenant. The header `x-condition` says which statements they send. */
import { MikroORM } from '@mikro-orm/postgresql'
import Fastify, { type FastifyInstance } from 'fastify'
import { entities } from '../../example/distributed/entities.ts'
import { resources } from '../../example/distributed/resources.ts'
// the example's resources are instances of this module's classes
import { crudKit } from '../../src/index.ts'

/**
 * - `equality`: the scope compares the tenant with `=`, and so do includes, their pivot tables and filters.
 * - `list`: the scope has the same rows by a list with one value, `= any($1)`. Related rows are found by their keys.
 */
export type ScopeForm = 'equality' | 'list'

export async function serve (url: string): Promise<FastifyInstance> {
  const orm = await MikroORM.init({ entities, clientUrl: url, pool: { min: 1, max: 4 } })
  const app = Fastify()
  app.addHook('onClose', () => orm.close(true))
  await app.register(crudKit, {
    orm,
    indexAdvice: false,
    shared: ['Project', 'Label', 'Tenant'],
    resources: {
      '/tasks': {
        ...resources['/tasks'],
        scope: ({ headers }) => {
          const tenant = Number(headers['x-tenant'])
          return { tenant: headers['x-condition'] === 'list' ? { $in: [tenant] } : tenant }
        },
      },
    },
  })
  await app.ready()
  return app
}
