/**
 * Gives errors of MikroORM in the application's routes the same answers as in generated routes, and adds the shared
 * schema `fastify-crud-kit/error`.
 */
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { checkPluginOptions, ErrorSchema, metaOnDatabase, refuseSecond } from '../src/http/index.ts'
import { toCrudError } from '../src/run/index.ts'

const NAME = 'fastify-crud-kit/errors'

/** Fastify's own handler, which sends an error's message to the client. */
const DEFAULT_HANDLER = 'defaultErrorHandler'

async function register (fastify: FastifyInstance, options: object): Promise<void> {
  checkPluginOptions(NAME, options)
  refuseSecond(NAME, 'the schema fastify-crud-kit/error', fastify.getSchema('fastify-crud-kit/error') !== undefined)
  const { orm } = fastify
  fastify.addSchema(ErrorSchema)
  // an error handler of the application, for a route or for the server, gets the original error
  fastify.addHook('onRoute', (route) => {
    // an error that it throws goes to the next handler. It is async because a thrown value may not be an Error
    route.errorHandler ??= async (error, { server }) => {
      throw server.errorHandler.name === DEFAULT_HANDLER ? toCrudError(error, orm) : error
    }
  })
}

/**
 * The plugin for errors of the application's own routes. The answers of a route that declares the schema contain
 * `detail` and `errors`.
 *
 * @example
 * await fastify.register(crudErrors)
 * fastify.get('/', { schema: { response: { '4xx': { $ref: 'fastify-crud-kit/error#' } } } }, listCategories)
 */
export const crudErrors = fp(register, metaOnDatabase(NAME))
export default crudErrors
