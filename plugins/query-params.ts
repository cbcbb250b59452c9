/** Decorates requests with `queryParams`, the query string parsed at the first read. It works without a database. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import {
  checkPluginOptions, declaredParameters, kQueryParams, metaOf, refuseSecond, startOfQuery, timesOf,
  type DeclaredParameters,
} from '../src/http/index.ts'
import { MAX_QUERY_BYTES, parseRequestQuery, type QueryParams } from '../src/query/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The query string, parsed as filters, sorts, fields, includes and pagination. Reading it never throws. Mistakes
     * are in its `errors`.
     */
    readonly queryParams: QueryParams
  }
}

const NAME = 'fastify-crud-kit/query-params'

interface WithQueryParams {
  [kQueryParams]: QueryParams | null
}

async function register (fastify: FastifyInstance, options: object): Promise<void> {
  checkPluginOptions(NAME, options)
  refuseSecond(NAME, 'request.queryParams', fastify.hasRequestDecorator('queryParams'))
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
 * Reads the query that Fastify has parsed, flat or nested, so that an application can change it before. The length and
 * invalid percent-encoding, which Fastify's parser does not report, are checked in the URL.
 */
function readQuery (request: FastifyRequest): QueryParams {
  const url = request.raw.url ?? ''
  const start = startOfQuery(url, request.server) + 1
  const options = new Declared(request)
  if (
    start > 0 && (url.length - start > MAX_QUERY_BYTES || (url.includes('%', start) && !isDecodable(url.slice(start))))
  ) {
    return parseRequestQuery(url.slice(start), options)
  }
  return parseRequestQuery(request.query, options)
}

/**
 * A getter, since Fastify creates a new object of the route's options for each read. It is in a class, because V8 takes
 * a microsecond for an object literal with a getter.
 */
class Declared {
  readonly #request: FastifyRequest

  constructor (request: FastifyRequest) {
    this.#request = request
  }

  get declared (): DeclaredParameters {
    return declaredParameters(this.#request)
  }
}

function isDecodable (text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * The plugin that parses the query string of a request.
 *
 * @example
 * await fastify.register(requestQueryParams)
 * fastify.get('/', async (request) => request.queryParams.sort)
 */
export const requestQueryParams = fp(register, metaOf(NAME))
export default requestQueryParams
