/**
 * Answers errors of MikroORM's own methods in the application's routes as those of generated routes are answered, and
 * adds the shared schema `fastify-crud-kit/error`.
 */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { checkPluginOptions, ErrorSchema } from '../src/http/index.ts'
import { toCrudError } from '../src/run/index.ts'

const NAME = 'fastify-crud-kit/errors'

/** Fastify's own handler, which sends an error's message to the client. */
const DEFAULT_HANDLER = 'defaultErrorHandler'

async function register (fastify: FastifyInstance, options: object): Promise<void> {
  checkPluginOptions(NAME, options)
  const { orm } = fastify
  fastify.addSchema(ErrorSchema)
  // a handler of the application, for a route or for a server, gets the error as it was thrown
  fastify.addHook('onRoute', (route) => {
    // what it throws goes to the next handler; it is async because a thrown value may be no Error
    route.errorHandler ??= async (error, { server }) => {
      throw server.errorHandler.name === DEFAULT_HANDLER ? toCrudError(error, orm) : error
    }
  })
}

/**
 * The errors of routes that are written by hand. A route that declares the schema answers with `detail` and `errors`,
 * too.
 *
 * @example
 * await fastify.register(crudErrors)
 * fastify.get('/', { schema: { response: { '4xx': { $ref: 'fastify-crud-kit/error#' } } } }, listCategories)
 */
export const crudErrors = fp(register, {
  name: NAME,
  fastify: '>=5.8 <7',
  dependencies: ['fastify-crud-kit/database'],
  decorators: { fastify: ['orm'] },
})
export default crudErrors
