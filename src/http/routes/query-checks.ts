/** Checks query strings of the generated routes for parameters that the route does not know. */
import {
  checkGet,
  checkWriteQuery,
  planAhead,
  planStream,
  type UnknownOptions,
  type Whitelist,
} from '../../plan/index.ts'
import type { QueryParamError, QueryParams } from '../../query/index.ts'
import { declaredParameters } from '../declared-parameters.ts'
import type { RouteRequest } from './request.ts'

/** The checks of a resource's query strings. Each throws one error for all mistakes in a query string. */
export interface QueryChecks {
  readonly list: (request: RouteRequest) => void
  readonly stream: (request: RouteRequest) => void
  readonly get: (request: RouteRequest) => void
  readonly write: (request: RouteRequest) => void
  /** @returns whether the row is to be removed for good */
  readonly remove: (request: RouteRequest) => boolean
}

export interface QueryRules {
  readonly whitelist: Whitelist
  readonly unknownParameters: 'refuse' | 'ignore'
  readonly allowHardDelete: boolean
}

export function queryChecks ({ whitelist, unknownParameters, allowHardDelete }: QueryRules): QueryChecks {
  const optionsFor = (request: RouteRequest, own: readonly string[] = []): UnknownOptions => {
    const { names, open } = declaredParameters(request)
    return { refuseUnknown: unknownParameters === 'refuse' && !open, declared: [...own, ...names] }
  }

  /** Plans a query string to find its errors. */
  const read = (plan: (params: QueryParams, options: UnknownOptions) => unknown) => (request: RouteRequest): void => {
    const { queryParams } = request
    plan(queryParams, queryParams.unknown.length > 0 ? optionsFor(request) : {})
  }

  const write = (request: RouteRequest, takesHard: boolean, hardError: string | undefined): void => {
    const { queryParams } = request
    const errors: QueryParamError[] = hardError === undefined
      ? []
      : [{ source: { parameter: 'hard' }, code: 'FST_CRUD_QUERY_INVALID', detail: hardError }]
    // 'hard' has its own error
    const params = { ...queryParams, unknown: queryParams.unknown.filter((name) => name !== 'hard') }
    checkWriteQuery(params, whitelist, { ...optionsFor(request, takesHard ? ['hard'] : []), strict: HARD }, errors)
  }

  return {
    list: read((params, options) => planAhead(params, whitelist, options)),
    stream: read((params, options) => planStream(params, whitelist, options)),
    get: read((params, options) => checkGet(params, whitelist, options)),
    write: (request) => {
      if (hasQuery(request)) {
        write(request, false, hardOf(request) === undefined ? undefined : "'hard' belongs to DELETE.")
      }
    },
    remove: (request) => {
      if (!hasQuery(request)) return false
      const hard = hardOf(request)
      write(request, allowHardDelete, hardMistake(hard, allowHardDelete))
      return hard === 'true'
    },
  }
}

/**
 * The parameters that are refused even if unknown parameters are ignored: without `hard`, the row would not be
 * removed.
 */
const HARD: readonly string[] = ['hard']

/** Whether a request has a query string. Most writes do not. */
function hasQuery ({ url, query }: RouteRequest): boolean {
  return url.includes('?') || Object.keys(query).length > 0
}

const hardOf = ({ query }: RouteRequest): unknown => query['hard']

function hardMistake (hard: unknown, allowed: boolean): string | undefined {
  if (hard === undefined) return undefined
  if (!allowed) return "'hard' is not enabled for this resource."
  return hard === 'true' || hard === 'false' ? undefined : "'hard' is true or false."
}
