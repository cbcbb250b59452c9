/** Sentences that name what a client probably meant by a filter that is refused. */
import { isOr, ONLY_AND, type FilterParam } from '../../query/index.ts'
import { listed } from '../../base/suggest.ts'
import type { FilterEntry } from './kinds.ts'
import type { OperatorFilter } from './operators.ts'
import type { PlannedErrors } from './planned.ts'

/**
 * The sentences about a parameter that stands for `or`, or nothing for another one. They name the filters that compare
 * a value with several properties, or what a server needs for them.
 */
export function aboutOr (name: string, filters: ReadonlyMap<string, FilterEntry>): string {
  if (!isOr(name.replace(/\[.*/s, ''))) return ''
  const several = [...filters.values()].filter(({ kind }) => kind === 'anyOf' || kind === 'search')
  const names = listed(several.map(({ name }) => `filter[${name}]`))
  return ` ${ONLY_AND} ${
    names.length === 0
      ? 'A server may offer filters that compare a value with several properties (AllowedFilters.anyOf).'
      : `To compare a value with several properties, write ${names.join(' or ')}.`
  }`
}

/** The errors of a filter. If it refuses the text `null` and allows to look for null, they say how. */
export function withNullFilter (
  planned: PlannedErrors,
  { operator, value }: FilterParam,
  { name, operators, defaultOperator }: OperatorFilter
): PlannedErrors {
  const isNull = typeof value === 'string' && value.trim().toLowerCase() === 'null'
  const used = operator ?? defaultOperator
  if (!isNull || used === 'isnull' || !operators.has('isnull') || !operators.has(used as never)) return planned
  const hint = `For null, write filter[${name}][isnull]=${used !== 'ne' && used !== 'nin'}.`
  return { kind: 'errors', errors: planned.errors.map((error) => ({ ...error, detail: `${error.detail} ${hint}` })) }
}
