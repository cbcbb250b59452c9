/** Short words for filters, their operators and types, and the related records that these words name. */
import type { FilterDescription, OperatorDescription, ValueDescription } from '../../../src/explorer/description.ts'
import type { NameOf } from '../../state/names.ts'
import { eachFilter, isGroup, type FilterNode } from '../../url/filter-tree.ts'
import { itemsOf, type FilterUse } from '../../url/filters.ts'
import { hasZone } from '../../url/periods.ts'
import { wantedOf } from '../../api/names.ts'
import { pathTitle } from '../../api/records.ts'

const WORDS: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  ieq: 'is, in any case',
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  like: 'matches',
  ilike: 'matches, in any case',
  contains: 'contains',
  starts: 'starts with',
  ends: 'ends with',
  in: 'is one of',
  nin: 'is none of',
  between: 'is between',
  overlap: 'has any of',
  isnull: 'is null',
}

/** Moments and dates are before and after each other. */
const TIMES: Readonly<Record<string, string>> = {
  lt: 'is before',
  lte: 'is at or before',
  gt: 'is after',
  gte: 'is at or after',
}

const isTime = (value: ValueDescription | null): boolean =>
  value !== null && (value.type === 'date' || value.type === 'datetime' || value.type === 'time')

/** An operator in a short word, or in the server's sentence. */
export function operatorWord ({ name, takes, value, meaning }: OperatorDescription): string {
  if (name === null) return meaning
  if (name === 'contains' && takes !== 'text') return meaning
  return (isTime(value) ? TIMES[name] : undefined) ?? WORDS[name] ?? meaning
}

/** The operator that a filter of the URL uses. */
export function operatorOf (
  description: FilterDescription | undefined,
  operator: string | undefined
): OperatorDescription | undefined {
  if (operator === undefined) return description?.operators[0]
  return description?.operators.find(({ name }) => name === operator)
}

/** The operator with which a new filter starts. For texts, people look for parts. */
export function firstOperator ({ operators }: FilterDescription): OperatorDescription {
  const [first] = operators
  const isText = first?.value?.type === 'text' && first.name === 'eq'
  return (isText ? operators.find(({ name }) => name === 'contains') : undefined) ?? first!
}

/** Whether a filter looks for a text in several properties. */
export const isSearch = ({ kind }: FilterDescription): boolean => kind === 'search' || kind === 'fullText'

/** A name for people: `products.name` is `Products › name`. */
export function filterTitle (name: string, filter?: FilterDescription): string {
  if (filter !== undefined && isSearch(filter)) return `Search (${name})`
  return pathTitle(name)
}

/** Whether an operator takes keys, if its filter refers to records. */
export const takesKeys = ({ takes }: OperatorDescription): boolean => takes === 'one' || takes === 'list'

/** The related records whose keys are the values of filters. */
export function wantedByFilters (filters: readonly FilterDescription[], nodes: readonly FilterNode[]) {
  return wantedOf([...eachFilter(nodes)].flatMap((use) => {
    const filter = filters.find(({ name }) => name === use.field)
    const operator = operatorOf(filter, use.operator)
    if (!filter?.reference || operator === undefined || !takesKeys(operator)) return []
    const { resource } = filter.reference
    return valuesOf(use, operator).map((key) => [resource, key] as const)
  }))
}

const NO_NAMES: NameOf = () => undefined

/**
 * A condition in words, in three parts: `Price`, `≥`, `100`.
 *
 * @param nameOf names the related records. Without it, their keys are the words
 */
export function wordsOf (
  use: FilterUse,
  filters: readonly FilterDescription[],
  nameOf = NO_NAMES
): readonly [string, string, string] {
  const filter = filters.find(({ name }) => name === use.field)
  const operator = operatorOf(filter, use.operator)
  const word = operator === undefined
    ? use.operator ?? 'is'
    : operator.name === 'isnull' && use.value === 'false'
      ? 'is not null'
      : operator.name === null
        ? ''
        : operatorWord(operator)
  const path = filter?.reference?.resource ?? null
  return [filterTitle(use.field), word, valueWords(use, operator, (key) => nameOf(path, key))]
}

/** A filter, or a group of filters, as a sentence. */
export function sentenceOf (node: FilterNode, filters: readonly FilterDescription[], nameOf?: NameOf): string {
  if (!isGroup(node)) return wordsOf(node, filters, nameOf).filter((part) => part !== '').join(' ')
  const { word, nodes } = node
  const parts = nodes.map((each) => {
    const text = sentenceOf(each, filters, nameOf)
    return nodes.length > 1 && isGroup(each) && each.word !== 'not' && each.nodes.length > 1 ? `(${text})` : text
  })
  return word === 'not' ? `not (${parts.join(' and ')})` : parts.join(` ${word} `)
}

/** Moments are in UTC, unless they name another time zone. */
const withZone = (text: string, value: ValueDescription | null): string =>
  value?.type === 'datetime' && /^\d{4}-\d\d-\d\d/.test(text) && !hasZone(text) ? `${text} UTC` : text

/** The values of a filter: the items of a list, both ends, or the only one. */
function valuesOf ({ value }: FilterUse, operator: OperatorDescription | undefined): readonly string[] {
  const isOne = typeof value === 'string' && operator?.takes !== 'list' && operator?.takes !== 'pair'
  return isOne ? [value] : itemsOf(value)
}

/** The words of a filter's value. */
function valueWords (
  use: FilterUse,
  operator: OperatorDescription | undefined,
  nameOf: (key: string) => string | undefined
): string {
  if (operator?.takes === 'boolean' && operator.name === 'isnull') return ''
  const items = valuesOf(use, operator)
  if (items.length === 0) return 'no value'
  const words = items.map((item) => nameOf(item) ?? withZone(item, operator?.value ?? null))
  const text = words.join(operator?.takes === 'pair' ? ' and ' : ', ')
  return text === '' ? 'empty text' : text
}

/** The type of a value in a word. */
export function typeWord (filter: FilterDescription): string {
  const { kind, operators: [first] } = filter
  if (isSearch(filter)) return 'search'
  if (kind === 'trashed') return 'deleted records'
  if (filter.reference) return filter.reference.entity
  return first?.value?.type ?? kind
}
