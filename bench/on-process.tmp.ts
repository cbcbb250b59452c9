/**
 * Measures one start without a database: `node bench/startup-process.ts <the library's built index.js> <resources>`.
 * Prints its cost as JSON.
 */
import { pathToFileURL } from 'node:url'
import type { StartupCost } from './startup.ts'

/** CPU time of all threads of this process in milliseconds, including compilation and garbage collection. */
function cpu (): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const start = cpu()
const { default: Fastify } = await import('fastify')
const { MikroORM } = await import('@mikro-orm/postgresql')
const { categoriesAndProducts } = await import('./entities.ts')
const pairs = Array.from(
  { length: Number(process.argv[3]) },
  (_, index) => categoriesAndProducts(index === 0 ? '' : String(index))
)
const orm = await MikroORM.init({
  clientUrl: 'postgres://nobody@127.0.0.1:1/none',
  entities: pairs.flatMap(({ Category, Product }) => [Category, Product]),
})
await Fastify().get('/', async () => '{}').ready()
const others = cpu()

const { AllowedFilters, AllowedInclude, AllowedSort, CrudBase, crudKit, QueryBuilderConfig } = await import(
  pathToFileURL(process.argv[2]!).href
) as typeof import('../src/index.ts')
const imported = cpu(); (globalThis as any).on = true

const fastify = Fastify()
await fastify.register(crudKit, {
  orm,
  resources: Object.fromEntries(
    pairs.map(({ Category }, index) => [
      `/categories${index === 0 ? '' : index}`,
      new CrudBase({
        model: Category,
        writable: 'all',
        queryConfig: new QueryBuilderConfig({
          allowedFilters: [AllowedFilters.exact('status'), new AllowedFilters('price', 'eq', ['eq', 'gte', 'lte'])],
          allowedSorts: [new AllowedSort('created_at')],
          allowedIncludes: [new AllowedInclude('products')],
        }),
      }),
    ])
  ),
})
await fastify.ready()
const registered = cpu()

console.log(JSON.stringify(
  {
    others: others - start,
    imported: imported - others,
    registered: registered - imported,
    sum: registered - others,
  } satisfies StartupCost
))
