/** Refuses parameters that a route does not take, because a filter that has no effect returns wrong rows. */
import { pageParametersOf } from '../window.ts'
import {
  isFromTree, pointerOf, rootOf, type QueryParamError, type QueryParams, type SummaryParameter,
} from '../../query/index.ts'
import { summaryParameters } from '../given.ts'
import { didYouMean, listed } from '../../base/suggest.ts'
import type { QueryErrors } from '../query-errors.ts'
import type { QueryRules } from '../query-rules.ts'
import { cited } from '../refusal.ts'
import type { Whitelist } from '../whitelist/index.ts'
import { aboutOr } from '../filters/index.ts'
import { ANY_FILTER, isWrittenAsFilter, standsForFilters, suggestionFor } from './suggestion.ts'
import { plain, REFUSED } from './words.ts'

const CODE = 'FST_CRUD_QUERY_INVALID'
const NO_FILTERS: Whitelist['filters'] = new Map()

/** The purpose of a route, which decides the parameters it takes. */
export type Purpose = 'list' | 'stream' | 'get' | 'write' | 'many' | 'aggregate'

/** Names of the parameters that a route takes, without those for which the whitelist allows no values. */
function takenBy (purpose: Purpose, whitelist: Whitelist): string[] {
  const { filters, sorts, fields, includes, facets, pagination } = whitelist
  if (purpose === 'write') return []
  const ofRows = filters.size > 0 ? ['filter'] : []
  if (purpose === 'many') return ofRows
  if (purpose === 'aggregate') {
    return [
      ...ofRows,
      ...(whitelist.groups.size > 0 ? ['group'] : []),
      ...(whitelist.numbers.size > 0 ? ['aggregate'] : []),
      'sort',
      ...pageParametersOf(whitelist.groupPagination).filter((name) => name !== 'cursor'),
    ]
  }
  const selection = [...(fields.size > 0 ? ['fields'] : []), ...(includes.size > 0 ? ['include'] : [])]
  if (purpose === 'get') return selection
  const rows = [...ofRows, ...(sorts.size > 0 ? ['sort'] : []), ...selection]
  return purpose === 'stream'
    ? rows
    : [...rows, ...pageParametersOf(pagination), ...(facets.size > 0 ? ['facets'] : [])]
}

/** The parameters that a request has and that its route does not take, although they are part of the grammar. */
function notTaken (params: QueryParams, purpose: Purpose): readonly string[] {
  const given = summaryParameters(params)
  if (given.length === 0) return given
  const taken = TAKEN[purpose] ?? []
  return given.filter((name) => !taken.includes(name))
}

/** The parameters about many records that routes take. A stream refuses facets itself, and says why. */
const TAKEN: { readonly [Route in Purpose]?: readonly SummaryParameter[] } = {
  list: ['facets'],
  stream: ['facets'],
  aggregate: ['group', 'aggregate'],
}

/**
 * Adds an error for each unknown parameter that is refused.
 *
 * @param others further parameters of the request that the route does not take. They are never ignored.
 */
export function refuseUnknown (
  params: QueryParams,
  whitelist: Whitelist,
  purpose: Purpose,
  rules: QueryRules,
  errors: QueryErrors,
  others: readonly string[]
): void {
  const summaries = notTaken(params, purpose)
  // true for nearly all requests
  if (params.unknown.length === 0 && others.length === 0 && summaries.length === 0) return
  const known = takenBy(purpose, whitelist)
  const inTree = isFromTree(params)
  const taken = [...known, ...(rules.declared ?? []).filter((name) => !isTaken(name, known))]
  const allowed = listed(inTree ? membersOf(taken) : taken.map((name) => name === 'filter' ? ANY_FILTER : name))
  const filters = known.includes('filter') ? whitelist.filters : NO_FILTERS
  for (const name of [...params.unknown, ...others, ...summaries]) {
    const suggested = (): string | undefined => suggestionFor(name, taken, whitelist, params)
    if (
      rules.refuseUnknown !== true && !others.includes(name) && !inTree && !REFUSED.has(rootOf(name)) &&
      !isStrict(name, suggested(), rules) && !isWrittenAsFilter(name, suggested(), whitelist)
    ) continue
    const { groups = true } = rules
    errors.add(CODE, () => unknownParameter(name, suggested(), { allowed, filters, groups, inTree }))
  }
}

/** Whether a declared parameter is one of the query language: `page`, or `filter[name]` if filters are taken. */
function isTaken (name: string, known: readonly string[]): boolean {
  const family = /^(?:filter|fields)(?=\[)/.exec(name)?.[0]
  return known.includes(family ?? name)
}

/** The names that parameters have in JSON. */
const membersOf = (taken: readonly string[]): readonly string[] =>
  taken.includes('fields') && taken.includes('include') ? [...taken, 'fieldsByInclude'] : taken

function isStrict (name: string, suggestion: string | undefined, { strict = [] }: QueryRules): boolean {
  const word = plain(rootOf(name))
  return strict.some((one) => plain(one) === word || one === suggestion)
}

interface Taken {
  /** What the route takes, as errors list it. */
  readonly allowed: readonly string[]
  /** The filters that the route takes. */
  readonly filters: Whitelist['filters']
  /** Whether filters may be combined. */
  readonly groups: boolean
  /** Whether the request is JSON, which has members instead of parameters. */
  readonly inTree: boolean
}

function unknownParameter (
  name: string,
  parameterMeant: string | undefined,
  { allowed, filters, groups, inTree }: Taken
): QueryParamError {
  const parameter = cited(name).toWellFormed()
  const suggestion = inTree && parameterMeant?.includes('[') ? pointerOf(parameterMeant) : parameterMeant
  // no filter can be chosen for the client, so that this is no suggestion to follow
  const anyFilter = inTree ? 'filter' : ANY_FILTER
  const near = suggestion ?? (filters.size > 0 && standsForFilters(name) ? anyFilter : undefined)
  const what = inTree ? `A query in JSON has no member '${parameter}'.` : `There is no parameter '${parameter}'.`
  const sentence = `${what}${filters.size === 0 ? '' : aboutOr(name, filters, groups, inTree)}`
  const list = allowed.length === 0 ? 'none' : allowed.join(', ')
  return {
    source: { parameter },
    code: CODE,
    detail: `${didYouMean(sentence, near)} Allowed: ${list}.`,
    allowed,
    ...(suggestion !== undefined && { suggestion }),
  }
}
