/** The application: API documentation at /docs, and a resource for each entity. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import crudKit, { type DatabaseFactory } from '../src/index.ts' // in an application: 'fastify-crud-kit'
import { Category } from './entities/index.ts'
import { resources } from './resources/index.ts'
import { seed } from './seed/catalogue.ts'

/** Opens the database, fills it when it is new, and registers everything; not listening yet. */
export async function buildApp (database: DatabaseFactory, options: FastifyServerOptions = {}): Promise<FastifyInstance> {
  const app = Fastify(options)
  // documentation first: it sees the routes that are registered after it
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Catalogue', description: 'The example application of fastify-crud-kit.', version: '1.0.0' },
    },
  })
  await app.register(swaggerUi, { routePrefix: '/docs' })

  await app.register(crudKit, { database, resources })
  const em = app.orm.em.fork()
  if (await em.count(Category) === 0) await seed(em)

  app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs'))
  return app
}
