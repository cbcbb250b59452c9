/** Decorates requests with `queryParams`, the query string parsed at the first read. It works without a database. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { checkPluginOptions, kQueryParams, readQuery, refuseSecond, timesOf } from '../src/http/index.ts'
import type { QueryParams } from '../src/query/index.ts'

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
 * The plugin that parses the query string of a request.
 *
 * @example
 * await fastify.register(requestQueryParams)
 * fastify.get('/', async (request) => request.queryParams.sort)
 */
export const requestQueryParams = fp(register, { name: NAME, fastify: '>=5.8 <7' })
export default requestQueryParams
