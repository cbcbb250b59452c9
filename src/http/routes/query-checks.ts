/** Query strings of the generated routes: refused where they hold a parameter that the route does not take. */
import type { FastifyRequest } from 'fastify'
import {
  checkWriteQuery,
  planGet,
  planList,
  planStream,
  type UnknownOptions,
  type Whitelist,
} from '../../plan/index.ts'
import type { QueryParamError, QueryParams } from '../../query/index.ts'
import { declaredParameters } from '../declared-parameters.ts'

/** The checks of a resource's query strings. Each throws the error that stands for all that is wrong with one. */
export interface QueryChecks {
  readonly list: (request: FastifyRequest) => void
  readonly stream: (request: FastifyRequest) => void
  readonly get: (request: FastifyRequest) => void
  readonly write: (request: FastifyRequest) => void
  /** @returns whether the row is to be removed for good */
  readonly remove: (request: FastifyRequest) => boolean
}

export interface QueryRules {
  readonly whitelist: Whitelist
  readonly unknownParameters: 'refuse' | 'ignore'
  readonly allowHardDelete: boolean
}

export function queryChecks ({ whitelist, unknownParameters, allowHardDelete }: QueryRules): QueryChecks {
  const optionsFor = (request: FastifyRequest, own: readonly string[] = []): UnknownOptions => {
    const { names, open } = declaredParameters(request)
    return { refuseUnknown: unknownParameters === 'refuse' && !open, declared: [...own, ...names] }
  }

  /**
   * Plans a query string with unknown parameters for its errors only: `CrudBase`, or a method that overrides it, plans
   * it again.
   */
  const read = (plan: (params: QueryParams, options: UnknownOptions) => unknown) => (request: FastifyRequest): void => {
    const { queryParams } = request
    if (queryParams.unknown.length > 0) plan(queryParams, optionsFor(request))
  }

  const write = (request: FastifyRequest, takesHard: boolean, hardError: string | undefined): void => {
    const { queryParams } = request
    const errors: QueryParamError[] = hardError === undefined
      ? []
      : [{ source: { parameter: 'hard' }, code: 'FST_CRUD_QUERY_INVALID', detail: hardError }]
    // what is said of 'hard' is said already
    const params = { ...queryParams, unknown: queryParams.unknown.filter((name) => name !== 'hard') }
    checkWriteQuery(params, whitelist, { ...optionsFor(request, takesHard ? ['hard'] : []), strict: HARD }, errors)
  }

  return {
    list: read((params, options) => planList(params, whitelist, options)),
    stream: read((params, options) => planStream(params, whitelist, options)),
    get: read((params, options) => planGet('', params, whitelist, options)),
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

/** A row that stays where it was to be removed is as wrong as a filter that does nothing. */
const HARD: readonly string[] = ['hard']

/** False for nearly all requests. */
function hasQuery ({ url, query }: FastifyRequest): boolean {
  return url.includes('?') || Object.keys(query as object).length > 0
}

const hardOf = ({ query }: FastifyRequest): unknown => (query as Record<string, unknown>)['hard']

function hardMistake (hard: unknown, allowed: boolean): string | undefined {
  if (hard === undefined) return undefined
  if (!allowed) return "'hard' is not enabled for this resource."
  return hard === 'true' || hard === 'false' ? undefined : "'hard' is true or false."
}
