/**
 * HTTP: the plugins' work with Fastify's requests, replies and routes. An instance and options in, routes and
 * decorators out. Errors: wrong options, at registration. This folder imports only types of Fastify. The code that
 * calls Fastify is in `plugins/`, and so are the declarations of `request.em` and the other decorators. `docs/` and
 * `streams/` are loaded only by servers that use them.
 */
export { checkDatabase, openDatabase, preparePools, type ServerDatabaseOptions } from './database.ts'
export { EM_PROPERTIES, emGetter, rememberReply } from './em-of-request.ts'
export { ErrorSchema, serializeError } from './error-schema.ts'
export {
  checkKitOptions,
  checkPluginOptions,
  CrudKitOptionsSchema,
  refuseSecond,
  type CrudOperation,
} from './options.ts'
export { readQuery } from './read-query.ts'
export { hooksOf } from './routes/hooks.ts'
export { routeDefinitions } from './routes/handlers.ts'
export type { CrudRoutesOptions } from './routes/options.ts'
export { routedResource } from './routes/resource.ts'
export { routeSchema } from './routes/schema.ts'
export { routeTransactions, type RouteTransactions } from './routes/transactions.ts'
export { timed, timesOf, TIMES_PROPERTY, timingHooks } from './timing.ts'
