/**
 * HTTP: the plugins' work with Fastify's requests, replies and routes. An instance and options in, routes and
 * decorators out. Errors: wrong options, at registration. This folder imports only types of Fastify. The code that
 * calls Fastify is in `plugins/`, and so are the declarations of `request.em` and the other decorators. `docs/` and
 * `streams/` are loaded only by servers that use them.
 */
export { ACTOR_PROPERTY, knownActorOf } from './actor-of-request.ts'
export { askServer, checkDatabase, openDatabase, preparePools, type ServerDatabaseOptions } from './database.ts'
export { EM_PROPERTIES, emGetter, rememberReply } from './em-of-request.ts'
export { ErrorSchema, serializeError } from './error-schema.ts'
export {
  checkKitOptions,
  checkPluginOptions,
  CrudKitOptionsSchema,
  DEFAULT_MAX_BATCH,
  refuseSecond,
  STREAM_TYPES,
  type CrudOperation,
} from './options.ts'
export { knownResources, type KnownResource } from './known-resources.ts'
export { markGenerated } from './declared-parameters.ts'
export { answersProbes, sendProbe, type Probe } from './probes.ts'
export { readQuery } from './read-query.ts'
export { acceptEmptyBody, ignoreBody, refuseOtherTypes } from './routes/content-type.ts'
export { hooksOf, LastHooks } from './routes/hooks.ts'
export { keySegments } from './routes/key.ts'
export { routeDefinitions } from './routes/handlers.ts'
export type { CrudRoutesOptions, RouteHooks } from './routes/options.ts'
export { roleGuard, roleResources, routesByRole, type RoleResource } from './routes/roles.ts'
export { queryChecks } from './routes/query-checks.ts'
export { documentedResource, routedResource, type RoutedResource } from './routes/resource.ts'
export { ownErrors } from './routes/own-errors.ts'
export { ownBodies } from './routes/own-bodies.ts'
export { routeSchema } from './routes/schema.ts'
export { routeTransactions, type RouteTransactions } from './routes/transactions.ts'
export { routeValidation } from './routes/validation.ts'
export { namedSchemas, type NamedSchemas } from './schemas/named.ts'
export { schemaNames, takenNames } from './schemas/names.ts'
export { documentedFor, documentedRoles } from './schemas/roles.ts'
export { exampleText, namedParameter, type NamedFilter } from './schemas/filter-parameters.ts'
export type { DocumentedResource } from './schemas/resource.ts'
export { operationSchema } from './schemas/operation.ts'
export { compileWith } from './server-validator.ts'
export { timed, timesOf, TIMES_PROPERTY, timingHooks } from './timing.ts'
