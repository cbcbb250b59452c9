/** Lists the parameters of a request by their names in the URL. */
import type { QueryCode } from '../base/errors.ts'
import { PAGE_PARAMETER_NAMES } from '../base/page-styles.ts'
import { nameSuffix, type QueryParams } from '../query/index.ts'
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
