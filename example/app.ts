/**
 * The application: a resource for each entity, with the roles of access.ts, the explorer at /explorer, and API
 * documentation at /docs.
 */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import underPressure from '@fastify/under-pressure'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import crudKit, { HealthSchema, type DatabaseFactory } from '../src/index.ts' // in an application: 'fastify-crud-kit'
import { crudExplorer } from '../plugins/explorer.ts' // in an application: 'fastify-crud-kit/explorer'
import { accessIn, ROLES, roleScheme } from './access.ts'
import { Category } from './entities/index.ts'
import { resources } from './resources/index.ts'
import { categoryRoutes } from './routes.ts'
import { seed } from './seed/catalogue.ts'

/** Opens the database, fills it if it is empty, and registers everything. The application does not listen yet. */
export async function buildApp (
  database: DatabaseFactory,
  options: FastifyServerOptions = {},
  env: NodeJS.ProcessEnv = process.env
): Promise<FastifyInstance> {
  const isDevelopment = env['NODE_ENV'] !== 'production'
  const app = Fastify(options)
  // the documentation comes first, because it only sees routes that are registered after it
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Catalogue', description: 'The example application of fastify-crud-kit.', version: '1.0.0' },
      components: { securitySchemes: { role: roleScheme } },
      // the header may be left out
      security: [{}, { role: [] }],
    },
  })
  await app.register(swaggerUi, { routePrefix: '/docs' })

  await app.register(crudKit, { database, resources, access: accessIn(env), serverTiming: isDevelopment })
  await app.register(categoryRoutes)
  await app.register(crudExplorer, {
    prefix: '/explorer',
    enabled: isDevelopment,
    docs: '/docs',
    explain: true,
    headers: [{ name: roleScheme.name, description: roleScheme.description, values: ROLES }],
  })
  await app.register(underPressure, {
    healthCheck: async () => {
      const health = await app.crudHealth()
      if (health.status === 'down') app.log.error(health)
      return health.status !== 'down' && { ...health }
    },
    exposeStatusRoute: {
      url: '/health',
      routeOpts: {},
      routeSchemaOpts: { tags: ['health'], summary: 'Whether the server and its database can be used' },
      routeResponseSchemaOpts: HealthSchema.properties,
    },
  })
  // a container whose database is away is not restarted, which would not help
  app.get(
    '/live',
    { schema: { tags: ['health'], summary: 'Whether the process runs' } },
    async () => ({ status: 'ok' })
  )
  const em = app.orm.em.fork()
  if (await em.count(Category) === 0) await seed(em)

  app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect(isDevelopment ? '/explorer' : '/docs'))
  return app
}
