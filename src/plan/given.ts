/** Lists the parameters of a request by their names in the URL. */
import type { QueryCode } from '../base/errors.ts'
import { PAGE_PARAMETER_NAMES } from '../base/page-styles.ts'
import { nameSuffix, SUMMARY_PARAMETERS, type QueryParams, type SummaryParameter } from '../query/index.ts'
import { nameGroups, parameterName } from './filters/index.ts'
import { cited } from './refusal.ts'

export function paginationParameters (params: QueryParams): readonly string[] {
  return PAGE_PARAMETER_NAMES.filter((name) => params[name] !== undefined)
}

/** The parameters that select rows, with the code of their errors. */
export function rowParameters (params: QueryParams): ReadonlyArray<readonly [code: QueryCode, name: string]> {
  return [
    ...[...params.filters, ...nameGroups(params)]
      .map((param) => ['FST_CRUD_FILTER_INVALID', parameterName(param)] as const),
    ...withNames('sort', params.sort).map((name) => ['FST_CRUD_SORT_INVALID', name] as const),
    ...paginationParameters(params).map((name) => ['FST_CRUD_PAGINATION_INVALID', name] as const),
  ]
}

/** The parameters that select what a record shows. */
export function selectionParameters ({ include, fields, fieldsByInclude }: QueryParams): readonly string[] {
  const behind = Object.keys(fieldsByInclude).flatMap((path) =>
    withNames(`fields[${cited(path)}]`, fieldsByInclude[path]!)
  )
  return [...withNames('fields', fields), ...behind, ...withNames('include', include)]
}

/** The name of a parameter that lists names, or nothing if the request does not have it. */
function withNames (parameter: string, names: readonly string[]): readonly string[] {
  const [first] = names
  return first === undefined ? [] : [`${parameter}${nameSuffix(names, first)}`]
}

/** The parameters of a request that ask for numbers about many records. Most requests have none. */
export function summaryParameters (params: QueryParams): readonly SummaryParameter[] {
  return params.group === undefined && params.aggregate === undefined && params.facets === undefined
    ? NO_SUMMARIES
    : SUMMARY_PARAMETERS.filter((name) => params[name] !== undefined)
}

const NO_SUMMARIES: readonly SummaryParameter[] = []

/** Whether a request has parameters that some routes, or all of them, do not take. Most requests have none. */
export const hasUnknown = (params: QueryParams): boolean =>
  params.unknown.length > 0 || summaryParameters(params).length > 0
