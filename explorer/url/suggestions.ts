/** Applies the suggestion of an error to a query string. */
import { isOperator } from '../../src/base/operator-names.ts'
import type { CrudErrorItem } from '../../src/client/error.ts'
import type { FilterDescription, OperatorDescription } from '../../src/explorer/description.ts'
import type { Pair } from './address.ts'
import { withFilter } from './change-filters.ts'
import { filtersOf } from './filter-tree.ts'
import { parameterOf } from './filters.ts'
import { inOrder, namesOf, withNames } from './names.ts'

/** The parts of a filter's description that decide what its suggestion replaces. */
interface KnownFilter extends Pick<FilterDescription, 'field'> {
  readonly operators: ReadonlyArray<Pick<OperatorDescription, 'name'>>
}

/**
 * Replaces the refused name or value of an error by the suggested one. Returns `undefined` if the error has no
 * suggestion, or if it does not belong to these parameters.
 *
 * @param filterOf the description of a filter, or `undefined` if there is no such filter
 */
export function withSuggestion (
  params: readonly Pair[],
  { source, suggestion, detail }: CrudErrorItem,
  filterOf: (name: string) => KnownFilter | undefined
): Pair[] | undefined {
  const parameter = source?.parameter
  if (parameter === undefined || suggestion === undefined) return undefined
  const filter = filtersOf(params).find((filter) => parameterOf(filter) === parameter.replace(/\[\]$/, ''))
  if (filter !== undefined) {
    const { field, operator } = filter
    const operators = filterOf(field)?.operators.map(({ name }) => name)
    const refusesOperator = operator !== undefined && operators?.includes(operator) !== true
    const meant = refusesOperator && !isOperator(operator) && operators?.includes(suggestion) !== true
      ? filterOf(suggestion)
      : undefined
    // `filter[author][name]` was meant for the path `author.name`, or for the filter whose alias stands for it. In
    // `filter[nme][gtt]` two names are misspelt
    const isPath = meant !== undefined && (meant.field === null ? !field.includes('.') : meant.field === field)
    if (isPath || suggestion === `${field}.${operator}`) {
      return withFilter(params, { ...filter, field: suggestion, operator: undefined }, parameter)
    }
    if (operators === undefined) return withFilter(params, { ...filter, field: suggestion }, parameter)
    return withFilter(
      params,
      { ...filter, ...refusesOperator ? { operator: suggestion } : { value: suggestion } },
      parameter
    )
  }
  if (/^(?:sort|include|fields|facets|group|aggregate)(?:\[|$)/.test(parameter)) {
    const names = namesOf(params, parameter)
    const refused = /'([^']*)'/.exec(detail)?.[1]
    if (names === undefined || refused === undefined) return undefined
    const bare = refused.replace(/^[+-]/, '')
    return withNames(
      params,
      parameter,
      names.map((name) =>
        name.replace(/^[+-]/, '') === bare ? name.slice(0, name.length - bare.length) + suggestion : name
      )
    )
  }
  if (!params.some(([name]) => name === parameter)) return undefined
  return inOrder(params.map(([name, text]) => name === parameter ? [suggestion, text] : [name, text]))
}
