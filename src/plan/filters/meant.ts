/** Sentences that name what a client probably meant by a filter that is refused. */
import { isOperator } from '../../operators/index.ts'
import {
  groupForm, isGroupWord, isOr, noteOf, rootOf, type FilterParam, type GroupWord, type QueryParamError,
} from '../../query/index.ts'
import { listed } from '../../base/suggest.ts'
import { aliasFor } from '../alias.ts'
import { cited, refusal } from '../refusal.ts'
import type { FilterEntry, FilterList } from './kinds.ts'
import type { OperatorFilter } from './operators.ts'
import { CODE, parameterName, type PlannedErrors } from './planned.ts'

/** How groups are written. */
const GROUPS = 'Write filter[or][0][<field>]=<value>&filter[or][1][<field>]=<value>.'

/** The error of a filter that is not allowed. */
export function unknownFilter (
  param: FilterParam,
  { filters, lists = () => true }: FilterList,
  groups: boolean
): QueryParamError {
  const { field } = param
  const inTree = noteOf(param).pointer !== undefined
  if (inTree && isGroupWord(field)) return refusal(CODE, parameterName(param), groupForm(field))
  const allowed = [...filters.values()].filter(lists).map(({ name }) => name)
  const sentence = `The filter '${cited(field)}' is not allowed.${aboutOr(field, filters, groups, inTree)}`
  return refusal(CODE, parameterName(param), sentence, {
    given: field,
    meant: aliasFor(field, filters.values()) ?? pathIn(param, filters),
    allowed,
  })
}

/** The filter by a property of a related record that `filter[author][name]` was probably meant for. */
export function pathIn (
  { field, operator }: FilterParam,
  filters: ReadonlyMap<string, FilterEntry>
): string | undefined {
  if (operator === undefined || isOperator(operator)) return undefined
  const path = `${field}.${operator}`
  return filters.has(path) ? path : aliasFor(path, filters.values())
}

/**
 * The sentences about a parameter that stands for `or`, or nothing for another one. They say how groups are written, or
 * name the filters that compare a value with several properties, or what a server needs for them.
 *
 * @param groups whether the request may have groups
 * @param inTree whether the request is JSON
 */
export function aboutOr (
  name: string,
  filters: ReadonlyMap<string, FilterEntry>,
  groups: boolean,
  inTree: boolean
): string {
  const word = rootOf(name)
  if (inTree && isGroupWord(word)) return ` ${groupForm(word)}`
  if (!isOr(word)) return ''
  if (!groups) return ` ${withoutGroups('or', filters)}`
  return ` ${inTree ? groupForm('or') : GROUPS}`
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
  const several = [...filters.values()].filter(({ kind }) =>
    kind === 'anyOf' || kind === 'search' || kind === 'fullText'
  )
  const names = listed(several.map(({ name }) => `filter[${name}]`))
  return names.length > 0
    ? `To compare a value with several properties, write ${names.join(' or ')}.`
    : 'A server may offer filters that compare a value with several properties (AllowedFilters.anyOf).'
}

/** The errors of a filter. If it refuses null, or the text `null`, and allows to look for null, they say how. */
export function withNullFilter (
  planned: PlannedErrors,
  param: FilterParam,
  { name, operators, defaultOperator }: OperatorFilter
): PlannedErrors {
  const { operator, value } = param
  const { kinds, pointer, groups = '' } = noteOf(param)
  const isText = typeof value === 'string' && value.trim().toLowerCase() === 'null'
  const isNull = isText || kinds?.includes('null') === true
  const used = operator ?? defaultOperator
  if (!isNull || used === 'isnull' || !operators.has('isnull') || !operators.has(used as never)) return planned
  const isnull = used !== 'ne' && used !== 'nin'
  const hint = pointer === undefined
    ? `For null, write filter${groups}[${name}][isnull]=${isnull}.`
    : `For null, write {"isnull": ${isnull}}.`
  return { kind: 'errors', errors: planned.errors.map((error) => ({ ...error, detail: `${error.detail} ${hint}` })) }
}
