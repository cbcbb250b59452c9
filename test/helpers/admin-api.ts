/** The APIs that tests of data providers call. */
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { resources as exampleResources } from '../../example/resources/index.ts'
import { createClient, type ApiOf, type Client } from '../../src/client/index.ts'
import { AllowedFilters, AllowedSort, CrudBase, crudKit, type CrudKitOptions } from '../../src/index.ts'
import { entities, Order, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { databases } from './databases.ts'
import { openExample } from './example.ts'

const nursery = {
  '/orders': new CrudBase({
    model: Order,
    queryConfig: {
      allowedFilters: [new AllowedFilters('id', 'eq', ['eq', 'in']), new AllowedFilters('customer', 'eq', ['eq'])],
      allowedSorts: [new AllowedSort('id')],
    },
    writable: ['note', 'customer'],
  }),
  '/plants': {
    crud: new CrudBase({
      model: Plant,
      queryConfig: {
        allowedFilters: [
          new AllowedFilters('uuid', 'eq', ['eq', 'in']),
          new AllowedFilters('name', 'eq', ['eq', 'in', 'like', 'contains']),
          AllowedFilters.search('q', ['name', 'latinName']),
        ],
        allowedSorts: [new AllowedSort('name', 'uuid')],
        pagination: { maxPerPage: 3, count: 'none' },
      },
      writable: ['name', 'supplier', 'price'],
    }),
    operations: ['list', 'get', 'create', 'createMany', 'update', 'updateMany', 'delete', 'deleteMany'],
  },
} as const satisfies CrudKitOptions['resources']

type NurseryApi = ApiOf<typeof nursery>
export type ExampleApi = ApiOf<typeof exampleResources>

/** A listening server, a client of it, and the requests that it has received. */
export interface TestApi<Api> {
  readonly app: FastifyInstance
  readonly url: string
  readonly api: Client<Api>
  /** Returns the requests since the last call, e.g. `GET /categories?page=1`. */
  readonly requests: () => string[]
}

/** The example with its catalogue. All clients have the role of an admin. */
export async function exampleApi (t: Test): Promise<TestApi<ExampleApi>> {
  const app = await openExample(t)
  app.addHook('onRequest', async ({ headers }) => {
    headers['x-role'] = 'admin'
  })
  return await listen<ExampleApi>(app)
}

/** A resource with versions, `/orders`, and one with small pages, no totals, a UUID as key and batches, `/plants`. */
export async function nurseryApi (t: Test): Promise<TestApi<NurseryApi>> {
  const { orm, close } = await databases[0]![1]({ entities, seed })
  const app = Fastify()
  await app.register(crudKit, { orm, resources: nursery })
  t.teardown(async () => {
    await app.close()
    await close()
  })
  return await listen<NurseryApi>(app)
}

/** Starts a server. */
export async function listen<Api> (app: FastifyInstance): Promise<TestApi<Api>> {
  const received: string[] = []
  // a server that listens takes no more hooks; this one sees every request of the underlying server
  app.server.prependListener(
    'request',
    ({ method, url }) => received.push(`${method} ${decodeURIComponent(url ?? '')}`)
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, url, api: createClient<Api>(url), requests: () => received.splice(0) }
}
