/**
 * HTTP: the plugins' work with Fastify's requests, replies and routes. An instance and options in, routes and
 * decorators out. Errors: wrong options, at registration. This folder imports only types of Fastify. The code that
 * calls Fastify is in `plugins/`, and so are the declarations of `request.em` and the other decorators. `docs/` and
 * `streams/` are loaded only by servers that use them.
 */
export { ACTOR_PROPERTY, knownActorOf } from './actor-of-request.ts'
export {
  askServer, checkDatabase, learnRules, openDatabaseOf, preparePools, unconnectedOrmOf, type ServerDatabaseOptions,
} from './server-database.ts'
export { declaredParameters, type DeclaredParameters } from './declared-parameters.ts'
export { EM_PROPERTIES, emGetter, rememberReply } from './em-of-request.ts'
export { ErrorSchema } from './error-schema.ts'
export {
  checkKitOptions, checkResourcesOptions, checkPluginOptions, CrudKitOptionsSchema, metaOf, metaOnDatabase,
  refuseSecond, type KitOptions,
} from './plugin-options.ts'
export { knownResources, resourcesInside, type KnownResource } from './known-resources.ts'
export { isOffline, takeOffline } from './offline.ts'
export { sendProbe } from './probes.ts'
export { startOfQuery } from './start-of-query.ts'
export { INPUT_PROPERTY } from './routes/route-input.ts'
export { refuseBodies } from './routes/content-type.ts'
export { keySegments } from './routes/path-key.ts'
export { fastifyRoutes, type RouteParts } from './routes/fastify-routes.ts'
export type {
  CrudResourcesOptions, KitCheck, ResourceEntry, RoutesCheck, UncheckedRoutes,
} from './routes/check-types.ts'
export { type CrudOperation, type CrudRoutesOptions, type RouteTransactions } from './route-options.ts'
export { roleResources, type RoleResource } from './routes/roles.ts'
export { checkTables, offerOf, routedResource } from './routes/routed-resource.ts'
export { namedSchemas } from './schemas/named.ts'
export { schemaNames, takenNames } from './schemas/schema-names.ts'
export { documentedRoles } from './schemas/documented-roles.ts'
export { timesOf, TIMES_PROPERTY } from './timing.ts'
export { allowQueryMethod, kQueryParams, readQueries } from './query-body.ts'
