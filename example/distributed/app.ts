/**
 * Tenants, projects, tasks and labels on a distributed PostgreSQL: `npm run distributed`.
 *
 * `DATABASE_URL` names a database on the coordinator of a Citus cluster, in which the extension `citus` exists and the
 * workers are added. The migration creates the tables there and distributes them by tenant. A plain PostgreSQL server
 * works as well, and without DATABASE_URL the rows are in a folder. The header `x-tenant: 1` names the tenant of a
 * request, and `x-role: operator` creates tenants.
 *
 *     curl -H 'x-tenant: 1' 'http://127.0.0.1:3000/tasks?include=project,labels&filter[labels.name]=Label 2'
 */
import { pathToFileURL } from 'node:url'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import crudKit, { type DatabaseFactory } from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { applyPending } from '../migrations/migrate.ts'
import { accessIn } from './access.ts'
import { distributedDatabase } from './database.ts'
import { Tenant } from './entities.ts'
import { resources } from './resources.ts'
import { FEW, seed } from './seed.ts'

/** Migrates and fills an empty database, and registers the routes. The application does not listen yet. */
export async function buildApp (
  database: DatabaseFactory,
  options: FastifyServerOptions = {},
  env: NodeJS.ProcessEnv = process.env
): Promise<FastifyInstance> {
  const app = Fastify(options)
  const orm = await database.getEngine()
  // before crudKit, which asks the server at start-up how its tables are distributed
  for (const name of await applyPending(orm)) app.log.info(`applied ${name}`)
  const em = orm.em.fork()
  if (await em.count(Tenant) === 0) await seed(em, FEW)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Tasks', description: 'The distributed example of fastify-crud-kit.', version: '1.0.0' },
      components: {
        securitySchemes: {
          tenant: { type: 'apiKey', in: 'header', name: 'x-tenant', description: 'The number of a tenant.' },
          role: { type: 'apiKey', in: 'header', name: 'x-role', description: 'operator, who creates tenants.' },
        },
      },
      security: [{ tenant: [] }, { role: [] }],
    },
  })
  await app.register(swaggerUi, { routePrefix: '/docs' })
  // Each index begins with the tenant, which the condition of a member contains. The advice about indexes does not know
  // these conditions.
  await app.register(crudKit, { database, resources, access: accessIn(env), indexAdvice: false })
  return app
}

async function start (): Promise<void> {
  const database = distributedDatabase(process.env['DATABASE_URL'] || 'pglite://.data/distributed')
  const app = await buildApp(database, { logger: { level: 'warn' } })
  const address = await app.listen({
    port: Number(process.env['PORT'] ?? 3000),
    host: process.env['HOST'] ?? '127.0.0.1',
  })
  const { distributed } = database
  console.log(`Documentation  ${address}/docs`)
  console.log(
    distributed === undefined
      ? 'One server      no table is distributed'
      : `Citus ${distributed.version}   ${Object.keys(distributed.tables).join(', ')}`
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      app.close().catch((error: unknown) => {
        app.log.error(error)
        process.exitCode = 1
      })
    })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await start().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
