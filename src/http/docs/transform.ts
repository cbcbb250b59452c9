/** The functions in the routes' `config.swaggerTransform`, which @fastify/swagger calls when it makes a document. */
import type { TSchema } from '@sinclair/typebox'
import type { FastifySchema } from 'fastify'
import type { CrudOperation } from '../options.ts'
import type { CrudRoutesOptions } from '../routes/options.ts'
import type { RoutedResource } from '../routes/resource.ts'
import { documentOperation, type DocumentedResource, type DocumentedSchema } from './operation.ts'

/** What a transform is called with, and returns; see @fastify/swagger. */
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
  /** Where the resource is. */
  readonly prefix: string
  /** Name of the resource. */
  readonly name: string
  /** What the application has declared itself: it wins. */
  readonly own?: FastifySchema
  /** The application's own transform: it gets what is documented here, and has the last word. */
  readonly transform?: Transform | false
}

/**
 * Makes the transforms of a resource's routes.
 *
 * @returns the transform of one route; `false` if the application turns documentation off
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
    // `/categories/` answers `/categories`, too, which is how clients write it
    const url = input.url.replace(/(?<=.)\/$/, '')
    const schema = {
      ...input.schema,
      ...merge(documented, route.own),
      operationId: operationId(route, { ...input, url }),
    } as FastifySchema
    return transform === undefined ? { schema, url } : transform({ ...input, schema, url })
  }
}

/** JSON Schema's `examples` came with OpenAPI 3.1. */
const hasExamples = (document: TransformInput['openapiObject']): boolean => /^3\.[1-9]/.test(document?.openapi ?? '')

/** What is documented, where the application has said nothing else: by part, and in the query and responses by name. */
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

/** A status of the application's own stands also for those that it covers: `4xx` for 400. */
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
 * An id that no other operation in the document has: `list_categories`, with the prefix where another resource has the
 * name, too, and a number where even that is taken.
 */
function operationId (
  { operation, method, prefix, name, own }: DocumentedRoute,
  { url, route, openapiObject, swaggerObject }: TransformInput
): string {
  const declared = (own as { operationId?: string } | undefined)?.operationId
  const verb = method === 'PUT' ? 'replace' : VERBS[operation]
  // the route that Fastify adds for HEAD has the schema of the one for GET
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
 * The ids in a document, but that of an operation which this one takes the place of: `/categories/` was there before.
 */
function idsIn (paths: object = {}, url: string, method: string): ReadonlySet<unknown> {
  return new Set(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { operationId?: string } | null>)
        .filter(([name]) => path !== url || name !== method).map(([, operation]) => operation?.operationId)
    )
  )
}

/** Letters, digits and underscores: what generators of clients make names of. */
const slug = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, '') || 'root'
