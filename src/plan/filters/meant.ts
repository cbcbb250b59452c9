/** Sentences that name what a client probably meant by a filter that is refused. */
import { isOr, type FilterParam, type GroupWord } from '../../query/index.ts'
import { listed } from '../../base/suggest.ts'
import type { FilterEntry } from './kinds.ts'
import type { OperatorFilter } from './operators.ts'
import type { PlannedErrors } from './planned.ts'

/** How groups are written. */
const GROUPS = 'Write filter[or][0][<field>]=<value>&filter[or][1][<field>]=<value>.'

/**
 * The sentences about a parameter that stands for `or`, or nothing for another one. They say how groups are written, or
 * name the filters that compare a value with several properties, or what a server needs for them.
 *
 * @param groups whether the request may have groups
 */
export function aboutOr (name: string, filters: ReadonlyMap<string, FilterEntry>, groups: boolean): string {
  if (!isOr(name.replace(/\[.*/s, ''))) return ''
  return groups ? ` ${GROUPS}` : ` ${withoutGroups('or', filters)}`
}

/** The sentences about a group in a request that may not have groups. */
export function withoutGroups (word: GroupWord, filters: ReadonlyMap<string, FilterEntry>): string {
  return [
    `Filters can't be combined by '${word}': a record must match all of them.`,
    ...word === 'or' ? [aboutSeveral(filters)] : [],
    'A server may offer groups of filters (the option query of a resource).',
  ].join(' ')
}

/** The sentence about filters that compare a value with several properties. */
function aboutSeveral (filters: ReadonlyMap<string, FilterEntry>): string {
  const several = [...filters.values()].filter(({ kind }) => kind === 'anyOf' || kind === 'search')
  const names = listed(several.map(({ name }) => `filter[${name}]`))
  return names.length > 0
    ? `To compare a value with several properties, write ${names.join(' or ')}.`
    : 'A server may offer filters that compare a value with several properties (AllowedFilters.anyOf).'
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
