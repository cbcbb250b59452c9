/** An application that updates the database's schema at start-up: node example/migrations/app.ts. */
import { pathToFileURL } from 'node:url'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import crudKit, {
  AllowedFilters,
  AllowedSort,
  CrudBase,
  QueryBuilderConfig,
  type DatabaseFactory,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { migratedDatabase } from './database.ts'
import { Customer } from './entity.ts'
import { applyPending } from './migrate.ts'

const customers = new CrudBase({
  model: Customer,
  writable: ['name', 'country'],
  queryConfig: new QueryBuilderConfig<Customer>({
    allowedFilters: [
      new AllowedFilters('name', 'eq', ['eq', 'contains']),
      new AllowedFilters('country', 'eq', ['eq', 'in']),
    ],
    allowedSorts: [new AllowedSort('name')],
  }),
})

/** Migrates before it returns, so that a server never listens without its tables, or with outdated ones. */
export async function buildApp (
  database: DatabaseFactory,
  options: FastifyServerOptions = {}
): Promise<FastifyInstance> {
  const app = Fastify(options)
  const applied = await applyPending(await database.getEngine())
  for (const name of applied) app.log.info(`applied ${name}`)
  await app.register(crudKit, { database, resources: { '/customers': customers } })
  return app
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const app = await buildApp(migratedDatabase(process.env['DATABASE_URL'] || 'pglite://.data/migrations'), {
    logger: true,
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => app.close())
  await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
}
