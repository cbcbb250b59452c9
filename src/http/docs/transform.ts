/** The functions in `config.swaggerTransform` of routes, which @fastify/swagger calls when it generates a document. */
import type { TSchema } from '@sinclair/typebox'
import type { FastifySchema } from 'fastify'
import type { CrudOperation } from '../options.ts'
import type { CrudRoutesOptions } from '../routes/options.ts'
import type { RoutedResource } from '../routes/resource.ts'
import type { DocumentedResource } from './documented-resource.ts'
import { documentOperation, type DocumentedSchema } from './operation.ts'

/** The argument of a transform of @fastify/swagger. */
interface TransformInput {
  readonly schema: FastifySchema
  readonly url: string
  readonly route: { readonly method: string | readonly string[] }
  readonly openapiObject?: { readonly openapi?: string, readonly paths?: object }
  readonly swaggerObject?: { readonly paths?: object }
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
}

/**
 * Makes the transforms of a resource's routes.
 *
 * @returns a function that returns the transform of one route, or `false` if the application turns documentation off
 */
export function transformsOf (
  { name, bound: { model, whitelist, writable }, operations }: RoutedResource,
  options: CrudRoutesOptions,
  prefix: string
): (operation: CrudOperation, method: string) => Transform | false {
  const { crud, config, schemas, scope } = options
  const resource: DocumentedResource = {
    ...options,
    model,
    whitelist,
    writable,
    operations,
    queryConfig: crud.queryConfig,
    scoped: scope !== undefined,
    changesRecords: crud.afterRead !== undefined,
  }
  const transform = config?.['swaggerTransform'] as DocumentedRoute['transform']
  return (operation, method) =>
    documentation({ operation, method, prefix, name, own: schemas?.[operation], transform }, resource)
}

function documentation (route: DocumentedRoute, resource: DocumentedResource): Transform | false {
  const { transform } = route
  if (transform === false) return false
  return (input) => {
    const documented = documentOperation(route.operation, resource, hasExamples(input.openapiObject))
    // the route `/categories/` also answers `/categories`, and clients write the latter
    const url = input.url.replace(/(?<=.)\/$/, '')
    const schema = {
      ...input.schema,
      ...merge(documented, route.own),
      operationId: operationId(route, { ...input, url }),
    } as FastifySchema
    return transform === undefined ? { schema, url } : transform({ ...input, schema, url })
  }
}

/** Whether a document supports JSON Schema's `examples`, which OpenAPI has since version 3.1. */
const hasExamples = (document: TransformInput['openapiObject']): boolean => /^3\.[1-9]/.test(document?.openapi ?? '')

/** Adds documentation to the application's own schema: missing parts, query parameters and responses. */
function merge (documented: DocumentedSchema, own: FastifySchema = {}): object {
  const parts = Object.fromEntries(
    Object.entries(documented).filter(([part, schema]) =>
      schema !== undefined && (own as Record<string, unknown>)[part] === undefined
    )
  )
  return {
    ...parts,
    ...mergeQuery(documented.querystring, own.querystring),
    response: mergeResponses(documented.response, own.response as Record<string, unknown> | undefined),
  }
}

function mergeQuery (documented: TSchema | undefined, own: unknown): object {
  const given = own as { properties?: object } | undefined
  if (documented === undefined || given?.properties === undefined) return {}
  return { querystring: { ...documented, ...given, properties: { ...documented['properties'], ...given.properties } } }
}

/** Adds responses except those that the application's own responses cover, as `4xx` covers 400. */
function mergeResponses (documented: DocumentedSchema['response'], own: Record<string, unknown> = {}): object {
  const covered = new Set(Object.keys(own).map((status) => status.toLowerCase()))
  const rest = Object.entries(documented).filter(([status]) =>
    !covered.has(status) && !covered.has(`${status[0]}xx`) && !covered.has('default')
  )
  return Object.fromEntries([...Object.entries(own), ...rest])
}

const VERBS = {
  list: 'list',
  get: 'get',
  create: 'create',
  createMany: 'create_many',
  update: 'update',
  delete: 'delete',
  restore: 'restore',
} as const satisfies Record<CrudOperation, string>

/**
 * An id that is unique in the document: `list_categories`. If another resource has the same name, the id contains the
 * prefix instead, and if necessary a number.
 */
function operationId (
  { operation, method, prefix, name, own }: DocumentedRoute,
  { url, route, openapiObject, swaggerObject }: TransformInput
): string {
  const declared = (own as { operationId?: string } | undefined)?.operationId
  const verb = method === 'PUT' ? 'replace' : VERBS[operation]
  // the HEAD route that Fastify adds has the schema of the GET route
  const suffix = route.method === 'HEAD' ? '-head' : ''
  if (declared !== undefined) return `${declared}${method === 'PUT' ? '_put' : ''}${suffix}`
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
