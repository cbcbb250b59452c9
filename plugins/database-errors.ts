/** Errors of MikroORM's own methods in the application's routes: answered as those of generated routes are. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import { toCrudError } from '../src/run/index.ts'

/** Fastify's own handler, which sends an error's message to the client. */
const DEFAULT_HANDLER = 'defaultErrorHandler'

/**
 * Lets routes that have no error handler, neither of their own nor of their server's, answer errors of the database with
 * ours. An application's handler gets what was thrown.
 */
export function convertDatabaseErrors (fastify: FastifyInstance, orm: MikroORM): void {
  fastify.addHook('onRoute', (route) => {
    // what it throws is for the next handler, Fastify's or the application's; a promise, since what was thrown may be no error
    route.errorHandler ??= async (error, { server }) => {
      throw server.errorHandler.name === DEFAULT_HANDLER ? toCrudError(error, orm) : error
    }
  })
}
