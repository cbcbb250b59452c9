/** Queries in the bodies of requests: `QUERY /` and `POST /query`. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  isFixedParameter, isFromTree, isParameter, markTree, NO_PARAMS, parseQueryBody, parseQueryTree, type QueryParamError,
  type QueryParams,
} from '../query/index.ts'
import { cited } from '../plan/index.ts'
import { declaredParameters } from './declared-parameters.ts'

/** The symbol under which a request keeps its query parameters. */
export const kQueryParams = Symbol('fastify-crud-kit.queryParams')

interface WithQueryParams {
  [kQueryParams]?: QueryParams | null
}

// an `import` of this module reads all of its exports, some of which make Node.js load its client of WebSockets
const { METHODS } = process.getBuiltinModule('node:http')

/** The method of RFC 10008. Node.js must know it. */
export const QUERY_METHOD: string | undefined = METHODS.find((method) => method === 'QUERY')

/** Lets a server have routes with the method QUERY. */
export function allowQueryMethod (fastify: FastifyInstance): void {
  if (QUERY_METHOD !== undefined && !fastify.supportedMethods.includes(QUERY_METHOD)) {
    fastify.addHttpMethod(QUERY_METHOD, { hasBody: true })
  }
}

/** Adds the parsers of the bodies: JSON, and text that is written like a query string. */
export function readQueries (instance: FastifyInstance): void {
  const parseJson = instance.getDefaultJsonParser('error', 'error')
  instance.addContentTypeParser('application/json', { parseAs: 'string' }, parseJson)
  instance.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (request, body, done) => done(null, body)
  )
}

/** Reads the query in the body of a request. From then on, it is that of the request. */
export function takeQueryBody (request: FastifyRequest): void {
  const { body } = request
  const params = body === undefined
    ? NO_PARAMS
    : typeof body === 'string' && isForm(request)
      ? parseQueryBody(body)
      : parseQueryTree(body)
  ;(request as WithQueryParams)[kQueryParams] = withUrlErrors(params, request)
}

/** Whether a text is the query itself. A text in JSON is none. */
const isForm = ({ headers }: FastifyRequest): boolean =>
  /^[^;]*\/x-www-form-urlencoded\b/i.test(headers['content-type']!)

/**
 * The URL of such a request has no parameters of the query, because it could say something else than the body. Others
 * are those that the schema of the list declares.
 */
function withUrlErrors (params: QueryParams, request: FastifyRequest): QueryParams {
  const names = Object.keys(request.query as object)
  if (names.length === 0) return params
  const { has, open } = declaredParameters(request)
  const wrong = names.find((name) => has(name) ? isFixedParameter(name) : isParameter(name) || !open)
  if (wrong === undefined) return params
  const error: QueryParamError = {
    source: { parameter: cited(wrong) },
    code: 'FST_CRUD_QUERY_INVALID',
    detail: `The query of this request is in its body, so its URL takes no parameter '${cited(wrong)}'.`,
    limit: true,
  }
  const refused = Object.freeze({ ...params, errors: Object.freeze([...params.errors, error]) })
  if (isFromTree(params)) markTree(refused)
  return refused
}
