/** `request.queryParams`: the query string, read when first asked for. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MAX_QUERY_BYTES, parseQueryParams, type QueryParams } from '../src/query/index.ts'
import { timesOf } from './server-timing.ts'

const kQueryParams = Symbol('fastify-crud-kit.queryParams')

interface WithQueryParams { [kQueryParams]: QueryParams | null }

/** Decorates requests with `queryParams`. */
export function decorateQueryParams (fastify: FastifyInstance): void {
  fastify.decorateRequest(kQueryParams as never, null as never)
  fastify.decorateRequest('queryParams', {
    getter (this: FastifyRequest) {
      const request = this as FastifyRequest & WithQueryParams
      request[kQueryParams] ??= readTimed(request)
      return request[kQueryParams]
    },
  })
}

function readTimed (request: FastifyRequest): QueryParams {
  const times = timesOf(request)
  if (times === undefined) return readQuery(request)
  const before = times.enter('parse')
  const params = readQuery(request)
  times.enter(before)
  return params
}

/**
 * Reads what Fastify has parsed, flat or nested, so that an application may change it. What its parser glosses over
 * (length, percent-encoding that decodes to nothing) is looked up in the URL.
 */
function readQuery (request: FastifyRequest): QueryParams {
  // the route's options are made anew for whoever looks at them
  const options = { get declared () { return declaredParameters(request) } }
  const url = request.raw.url ?? ''
  const start = url.indexOf('?') + 1
  if (start > 0 && (url.length - start > MAX_QUERY_BYTES || (url.includes('%', start) && !isDecodable(url.slice(start))))) {
    return parseQueryParams(url.slice(start), options)
  }
  return parseQueryParams(request.query, options)
}

function isDecodable (text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const declared = new WeakMap<object, ReadonlySet<string>>()
const NONE: ReadonlySet<string> = new Set()

/** Names of the parameters that the route's own schema declares. */
export function declaredParameters ({ routeOptions, server }: FastifyRequest): ReadonlySet<string> {
  const schema: unknown = routeOptions.schema?.querystring
  if (!isObject(schema)) return NONE
  let names = declared.get(schema)
  if (names === undefined) declared.set(schema, names = new Set(propertiesOf(schema, (id) => server.getSchema(id))))
  return names
}

/** The names in a JSON Schema's `properties`, also behind references to shared schemas and in `allOf`, `anyOf` and `oneOf`. */
function propertiesOf (schema: object, shared: (id: string) => unknown, seen = new Set<object>()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const { properties, $ref, allOf, anyOf, oneOf } = schema as Record<string, unknown>
  const referred = typeof $ref === 'string' ? shared($ref.replace(/#$/, '')) : undefined
  const parts = [referred, allOf, anyOf, oneOf].flat().filter(isObject)
  return [...isObject(properties) ? Object.keys(properties) : [], ...parts.flatMap((part) => propertiesOf(part, shared, seen))]
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
