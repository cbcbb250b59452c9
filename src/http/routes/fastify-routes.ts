/** The routes of a resource as Fastify takes them: the handler, schemas, validators and hooks of each operation. */
import type { TSchema } from '@sinclair/typebox'
import type { FastifyContextConfig, FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { Access } from '../../access/index.ts'
import { offerInBody, type Offer } from '../../catalogue/index.ts'
import { factsOf } from '../../config/index.ts'
import { QUERY_METHOD } from '../query-body.ts'
import { markGenerated } from '../declared-parameters.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import { MAX_QUERY_BODY_BYTES } from '../../query/index.ts'
import { answersProbes } from '../probes.ts'
import { operationSchema, type GeneratedSchema } from '../schemas/operation.ts'
import type { NamedSchemas } from '../schemas/named.ts'
import type { documentedRoles } from '../schemas/documented-roles.ts'
import { ERROR_RESPONSES, serializeError } from '../error-schema.ts'
import { compileWith, routeValidation } from './validation.ts'
import type { Streaming } from '../streams/streaming.ts'
import { timed, timingHooks } from '../timing.ts'
import { inputOfRequest, type RouteHandler } from './route-input.ts'
import { acceptEmptyBody, refuseOtherQueries, refuseOtherTypes } from './content-type.ts'
import { routeDefinitions } from './handlers.ts'
import { hooksOf, LastHooks } from './route-hooks.ts'
import { ownErrors } from './own-schema-errors.ts'
import { ownBodies } from './own-schemas.ts'
import type { RoutedResource } from './routed-resource.ts'
import { preValidationOf } from './pre-validation.ts'
import type { RoleResource } from './roles.ts'
import { varyOf } from './vary.ts'
import { seenResources } from './seen-resource.ts'

/** What roles may do with a resource. */
interface Limits {
  readonly access: Access
  readonly resources: readonly RoleResource[]
  readonly docs: ReturnType<typeof documentedRoles>
}

/** The parts of a resource's routes, which are made at its registration. */
export interface RouteParts {
  readonly options: CrudRoutesOptions
  readonly routed: RoutedResource
  readonly offer: Offer
  readonly named: NamedSchemas
  /** Absent without roles. */
  readonly limits: Limits | undefined
  /** Sends streams, if the resource has them. */
  readonly streaming: Streaming | undefined
  /** Whether the routes send `Server-Timing`. */
  readonly timing: boolean
  /** Makes the documented schema of an operation, if the server has documentation. */
  readonly transformOf: ((operation: CrudOperation, method: string, query?: TSchema) => unknown) | undefined
}

interface FastifyRoute {
  /** What the bodies of the route are: a record or several, a query, or nothing. */
  readonly body: 'data' | 'query' | undefined
  readonly route: RouteOptions
}

/**
 * @returns the routes, in the order of their documentation, and a hook for the instance on which they are registered:
 *   `onRoute` appends hooks that must run after those of the application
 */
export function fastifyRoutes (
  fastify: FastifyInstance,
  { options, routed, offer, named, limits, streaming, timing, transformOf }: RouteParts
): { readonly routes: FastifyRoute[], readonly onRoute: LastHooks['append'] } {
  const { name, operations } = routed
  const { orm } = fastify
  const inputParts = {
    orm,
    crud: options.crud,
    access: limits?.access,
    seenBy: seenResources(options, routed),
    formatOf: streaming?.formatOf,
    varyOf: varyOf(options, limits !== undefined),
  }
  const [compileOwn, compileInBody] = [compileWith(fastify), compileWith(fastify, true)]
  const generatedOf = schemasOf(offer, named)
  const generatedInBody = schemasOf(offerInBody(offer), named)
  const lastHooks = new LastHooks()
  const routes = routeDefinitions({ orm, routed, options, streaming })
    .map((definition): FastifyRoute => {
      const { operation, method, url, inBody } = definition
      const handler: RouteHandler = (request, reply) => definition.handler(inputOfRequest(request), reply)
      const measured = timing ? timed(handler) : handler
      const own = options.schemas?.[operation]
      const swaggerTransform = transformOf?.(operation, String(method), inBody && named.query)
      const generated = inBody ? generatedInBody(operation) : generatedOf(operation)
      const bodies = ownBodies(operation, generated, options, operations)
      const takesBody = generated.body !== undefined
      const checkBody = takesBody ? refuseOtherTypes : acceptEmptyBody
      const hooks = hooksOf(
        options,
        definition.operations,
        timing ? timingHooks : undefined
      )
      const crud = { operation, resource: name }
      lastHooks.keep(crud, {
        preParsing: method === 'GET' ? undefined : inBody ? refuseOtherQueries : checkBody,
        preValidation: preValidationOf(definition, routed, inputParts),
      })
      const route = {
        method,
        url,
        handler: method === 'GET' ? answersProbes(measured) : measured,
        schema: {
          ...routeSchema(operation, name, generated, bodies === undefined ? own : { ...own, body: bodies.schema }),
          // before OpenAPI 3.2, documents have no place for QUERY
          ...(method === QUERY_METHOD && { hide: true }),
        },
        ...(inBody && { bodyLimit: MAX_QUERY_BODY_BYTES }),
        validatorCompiler: routeValidation(method, generated, bodies, inBody ? compileInBody : compileOwn),
        schemaErrorFormatter: ownErrors(fastify) as never,
        config: {
          ...options.config,
          crud,
          ...(swaggerTransform !== undefined && { swaggerTransform }),
        } as FastifyContextConfig,
        // answers are sent as the text of the database, so only errors are serialized
        ...(own?.response === undefined && { serializerCompiler: () => serializeError }),
        ...hooks,
      } as RouteOptions
      return { body: inBody ? 'query' : takesBody ? 'data' : undefined, route }
    })
  return { routes, onRoute: lastHooks.append }
}

/** Makes the schema of each operation once, for all routes of the operation. */
function schemasOf (offer: Offer, named: NamedSchemas): (operation: CrudOperation) => GeneratedSchema {
  const schemas = new Map<CrudOperation, GeneratedSchema>()
  return (operation) => {
    let schema = schemas.get(operation)
    if (schema === undefined) {
      schemas.set(operation, schema = operationSchema(operation, offer, named))
      markGenerated(schema.querystring)
    }
    return schema
  }
}

/**
 * The schema of a route. Parts of the application's own schema take the place of generated ones in it, but the
 * validator checks both. If the application has responses, Fastify serializes them, and only the schemas of errors are
 * added.
 */
function routeSchema (
  operation: CrudOperation,
  name: string,
  generated: GeneratedSchema,
  own: FastifySchema = {}
): FastifySchema {
  const given = Object.fromEntries(Object.entries(own).filter(([, part]) => part !== undefined))
  const { query, ...parts } = given as FastifySchema & { readonly query?: unknown }
  return {
    tags: [name],
    summary: factsOf(operation).summary(name),
    ...generated,
    ...parts,
    ...(query !== undefined && { querystring: query }),
    response: own.response === undefined ? generated.response : { ...ERROR_RESPONSES, ...own.response as object },
  } as FastifySchema
}
