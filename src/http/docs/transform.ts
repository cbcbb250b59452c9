/**
 * OpenAPI documentation of the generated routes: the functions in `config.swaggerTransform`, which @fastify/swagger
 * calls when it generates a document. Only servers with @fastify/swagger load this folder. It has no errors.
 */
import type { TSchema } from '@sinclair/typebox'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { offerInBody, type Offer } from '../../catalogue/index.ts'
import { factsOf, formsOfBodies, sharingRoute } from '../../config/index.ts'
import type { SharedSchemas } from '../declared-parameters.ts'
import { ERROR_RESPONSES } from '../error-schema.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import type { RoutedResource } from '../routes/routed-resource.ts'
import { bodyResponses, errorResponses, type Guards } from '../schemas/error-responses.ts'
import { takenNames } from '../schemas/schema-names.ts'
import { querySchema } from '../schemas/operation.ts'
import { parametersOf } from '../schemas/parameters.ts'
import type { DocumentedRoles } from '../schemas/documented-roles.ts'
import { nameComponents, withReferences, type OpenApi } from './components.ts'
import { declaredQuery, queryInBody } from './query-in-body.ts'

/** The argument of a transform of @fastify/swagger. */
interface TransformInput {
  readonly schema: FastifySchema
  readonly url: string
  readonly route: { readonly method: string | readonly string[] }
  readonly openapiObject?: OpenApi
  readonly swaggerObject?: { readonly paths?: object, readonly security?: readonly object[] }
}
type Transform = (input: TransformInput) => { readonly schema: FastifySchema, readonly url: string }

/** One generated route. */
interface DocumentedRoute {
  readonly operation: CrudOperation
  readonly method: string
  /** The prefix of the resource's routes. */
  readonly prefix: string
  /** Name of the resource. */
  readonly name: string
  /** The application's own schema, which takes precedence. */
  readonly own?: FastifySchema
  /** The application's own transform, which gets the generated documentation and returns the final one. */
  readonly transform?: Transform | false
  /** The schema of its body, if that is the query of the list. */
  readonly query?: TSchema | undefined
  /** The names of the schemas that all resources of the server have. */
  readonly names: ReadonlySet<string>
  readonly shared: SharedSchemas
}

/**
 * Makes the transforms of a resource's routes.
 *
 * @returns a function that returns the transform of one route, or `false` if the application turns documentation off
 */
export function transformsOf (
  fastify: FastifyInstance,
  { name }: RoutedResource,
  resource: Offer,
  { config, schemas }: CrudRoutesOptions,
  roles?: DocumentedRoles
): (operation: CrudOperation, method: string, query?: TSchema) => Transform | false {
  const { prefix } = fastify
  const names = takenNames(fastify.server)
  const transform = config?.['swaggerTransform'] as DocumentedRoute['transform']
  const shared: SharedSchemas = (id) => fastify.getSchema(id)
  return (operation, method, query) =>
    documentation(
      { operation, method, prefix, name, own: schemas?.[operation], transform, names, query, shared },
      resource,
      roles
    )
}

function documentation (
  route: DocumentedRoute,
  resource: Offer,
  roles: DocumentedRoles | undefined
): Transform | false {
  const { transform, own, query } = route
  if (transform === false) return false
  return (input) => {
    const { openapiObject } = input
    const components = openapiObject === undefined ? NONE : nameComponents(openapiObject, route.names)
    const shown = takesBoth(route.operation, resource) ? recordOf : (part: unknown) => part
    const replace: Replace = (part) => withReferences(shown(part), components, route.names)
    // the route `/categories/` also answers `/categories`, and clients write the latter
    const url = input.url.replace(/(?<=.)\/$/, '')
    const parameters = querySchema(route.operation, () => {
      const examples = hasExamples(openapiObject)
      return roles === undefined
        ? parametersOf(route.operation, resource, examples)
        : roles.parametersOf(route.operation, examples)
    })
    const schema = {
      ...input.schema,
      // a role may not see the uuid, which the path of other roles names
      ...(roles !== undefined && factsOf(route.operation).byKey && own?.params === undefined && {
        params: roles.keyOf(route.operation),
      }),
      ...(query === undefined
        ? { ...documentedBody(input.schema, replace), ...documentedQuery(input.schema, own, parameters) }
        : queryInBody(route, input, replace(query), parameters, route.shared)),
      response: documentedResponses(
        input.schema,
        own,
        query === undefined
          ? errorResponses(route.operation, resource, guardsOf(input, own, roles))
          : {
              ...errorResponses(route.operation, offerInBody(resource), guardsOf(input, own, roles)),
              ...bodyResponses(),
            },
        replace
      ),
      operationId: operationId(route, { ...input, url }),
      ...rolesOf(route.operation, roles),
    } as FastifySchema
    return transform === undefined ? { schema, url } : transform({ ...input, schema, url })
  }
}

/** Whether a route takes a record or a list, and answers accordingly. */
function takesBoth (operation: CrudOperation, { operations }: Offer): boolean {
  const { body } = factsOf(operation)
  const { one, list } = formsOfBodies(sharingRoute(operations, operation), body)
  return one && list
}

/**
 * The schema of a record in place of that of a record or a list. OpenAPI cannot say that a list is the answer to a
 * list, so all clients that are generated from the document would have to expect one.
 */
function recordOf (schema: unknown): unknown {
  const { anyOf, ...rest } = schema as { readonly anyOf?: readonly TSchema[] }
  const [record, list] = anyOf ?? []
  return anyOf?.length === 2 && list!['type'] === 'array' ? { ...rest, ...record } : schema
}

const NONE: ReadonlyMap<string, string> = new Map()

/** The roles that may use an operation. The document leaves out an operation without any. */
function rolesOf (operation: CrudOperation, roles: DocumentedRoles | undefined): object {
  if (roles === undefined) return {}
  const names = roles.rolesOf(operation)
  if (names.length === 0) return { hide: true }
  return roles.namesRoles ? { 'x-roles': names } : {}
}

/** Whether a document supports JSON Schema's `examples`, which OpenAPI has since version 3.1. */
const hasExamples = (document: TransformInput['openapiObject']): boolean => /^3\.[1-9]/.test(document?.openapi ?? '')

/** Replaces named schemas by references to the components of the document. */
type Replace = (schema: unknown) => unknown

function documentedBody ({ body }: FastifySchema, replace: Replace): FastifySchema {
  return body === undefined ? {} : { body: replace(body) }
}

/** The query string with its parameters, to which the application's own schema adds, or `undefined` without any. */
function documentedQuery (
  { querystring }: FastifySchema,
  own: FastifySchema | undefined,
  parameters: TSchema
): FastifySchema {
  const isOwn = declaredQuery(own) !== undefined
  const given = (isOwn ? querystring : undefined) as { properties?: object, required?: readonly string[] } | undefined
  if (isOwn && given?.properties === undefined) return {}
  const properties = { ...parameters['properties'] as object, ...given?.properties }
  const required = [...parameters['required'] as readonly string[] | undefined ?? [], ...given?.required ?? []]
  const merged = {
    ...parameters,
    ...given,
    ...(required.length > 0 && { required: [...new Set(required)] }),
    properties,
  }
  return { querystring: Object.keys(properties).length === 0 ? undefined : merged }
}

/** What guards a route, by the security that it or the document declares, and by roles. */
function guardsOf (
  { openapiObject, swaggerObject }: TransformInput,
  own: FastifySchema | undefined,
  roles: DocumentedRoles | undefined
): Guards {
  const security = (own as { security?: readonly object[] } | undefined)?.security ??
    (openapiObject ?? swaggerObject)?.security ?? []
  // an empty object among the alternatives means that requests may do without
  const identity = security.length > 0 && security.every((scheme) => Object.keys(scheme).length > 0)
  return { identity, permission: identity || roles !== undefined }
}

/** Adds responses except those that the application's own responses cover, as `4xx` covers 400. */
function documentedResponses (
  { response }: FastifySchema,
  { response: own = {} }: FastifySchema = {},
  errors: Readonly<Record<string, TSchema>>,
  replace: Replace
): object {
  const covered = new Set(Object.keys(own as object).map((status) => status.toLowerCase()))
  const generated = Object.entries(response as object).filter(([status, schema]) =>
    (ERROR_RESPONSES as Record<string, unknown>)[status] !== schema
  )
  const documented = { ...errors, ...Object.fromEntries(generated) }
  const rest = Object.entries(documented).filter(([status]) =>
    status in (own as object) || (!covered.has(status) && !covered.has(`${status[0]}xx`) && !covered.has('default'))
  )
  return Object.fromEntries(rest.map(([status, schema]) => [status, replace(schema)]))
}

/** The verbs of lists whose query is the body, by the method. */
const QUERY_VERBS: Readonly<Record<string, string>> = { POST: 'query', QUERY: 'query_list' }

/**
 * An id that is unique in the document: `list_categories`. If another resource has the same name, the id contains the
 * prefix instead, and if necessary a number.
 */
function operationId (
  { operation, method, prefix, name, own, query }: DocumentedRoute,
  { url, route, openapiObject, swaggerObject }: TransformInput
): string {
  const declared = (own as { operationId?: string } | undefined)?.operationId
  const replaces = method === 'PUT' && operation === 'update'
  const verb = replaces ? 'replace' : query === undefined ? factsOf(operation).verb : QUERY_VERBS[method]!
  // the HEAD route that Fastify adds has the schema of the GET route
  const suffix = route.method === 'HEAD' ? '-head' : ''
  if (declared !== undefined) return `${declared}${replaces ? '_put' : query === undefined ? '' : `_${verb}`}${suffix}`
  const taken = idsIn((openapiObject ?? swaggerObject)?.paths, url, String(route.method).toLowerCase())
  const candidates = [`${verb}_${slug(name)}`, `${verb}_${slug(prefix)}`]
  for (let number = 2; ; number++) {
    const id = candidates.shift()! + suffix
    if (!taken.has(id)) return id
    candidates.push(`${verb}_${slug(prefix)}_${number}`)
  }
}

/**
 * The ids in a document, except that of the operation with the same path and method, which this operation replaces.
 */
function idsIn (paths: object = {}, url: string, method: string): ReadonlySet<unknown> {
  return new Set(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { operationId?: string } | null>)
        .filter(([name]) => path !== url || name !== method).map(([, operation]) => operation?.operationId)
    )
  )
}

/** Reduces a text to letters, digits and underscores, which generators of clients can use in names. */
const slug = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, '') || 'root'
