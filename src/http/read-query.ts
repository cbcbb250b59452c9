/** Reads the query string of a request. */
import type { FastifyRequest } from 'fastify'
import { MAX_QUERY_BYTES, parseRequestQuery, type QueryParams } from '../query/index.ts'
import { declaredParameters, type DeclaredParameters } from './declared-parameters.ts'

/**
 * Reads the query that Fastify has parsed, flat or nested, so that an application can change it before. The length and
 * invalid percent-encoding, which Fastify's parser does not report, are checked in the URL.
 */
export function readQuery (request: FastifyRequest): QueryParams {
  const url = request.raw.url ?? ''
  const start = url.indexOf('?') + 1
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
