/** The values of a property that the filters of a list choose, which facets and groups offer. */
import type { DividingProperty, FilterDescription } from '../../src/explorer/description.ts'
import type { Pair } from './address.ts'
import { filterTreeOf, isGroup, withFilterTree, type FilterNode } from './filter-tree.ts'
import { itemsOf, type FilterUse } from './filters.ts'
import { joinItems } from './items.ts'

interface Choice {
  /** The chosen values, as the URL has them. */
  readonly texts: readonly string[]
  /** Whether records without a value are chosen. */
  readonly isNone: boolean
}

const NOTHING: Choice = { texts: [], isNone: false }

/** The operator of a filter that is used, also if the URL leaves it to the default. */
const operatorOf = ({ operators }: FilterDescription, { operator }: FilterUse): string | null | undefined =>
  operator ?? operators[0]?.name

const allows = ({ operators }: FilterDescription, operator: string): boolean =>
  operators.some(({ name }) => name === operator)

/** Whether a node chooses values of the property that a filter compares, beside what else all records match. */
function chooses (node: FilterNode, filter: FilterDescription): node is FilterUse {
  return !isGroup(node) && node.field === filter.name && ['eq', 'in', 'isnull'].includes(operatorOf(filter, node)!) &&
    !(operatorOf(filter, node) === 'isnull' && node.value === 'false')
}

/** The values that the filters of a list choose. Those in groups do not count. */
export function choiceOf (params: readonly Pair[], filter: FilterDescription | undefined): Choice {
  if (filter === undefined) return NOTHING
  const uses = filterTreeOf(params).filter((node): node is FilterUse => chooses(node, filter))
  return {
    texts: uses.flatMap((use): readonly string[] => {
      const operator = operatorOf(filter, use)
      if (operator === 'isnull') return []
      return operator === 'in' || typeof use.value !== 'string' ? itemsOf(use.value) : [use.value]
    }),
    isNone: uses.some((use) => operatorOf(filter, use) === 'isnull'),
  }
}

/** Whether the filter of a property can choose a value, or the records without one. */
export const canChoose = (
  { isnull }: DividingProperty,
  filter: FilterDescription | undefined,
  text: string | null
): boolean => filter !== undefined && (text === null ? isnull : allows(filter, 'eq') || allows(filter, 'in'))

/**
 * The choice after a click on a value. Several values need a filter that allows `in`. A value and none at the same time
 * would need an `or`, whose conditions facets count, so that the click changes from one to the other.
 */
export function toggled ({ texts, isNone }: Choice, filter: FilterDescription, text: string | null): Choice {
  if (text === null) return { texts: [], isNone: !isNone }
  if (texts.includes(text)) return { texts: texts.filter((each) => each !== text), isNone: false }
  return { texts: allows(filter, 'in') ? [...texts, text] : [text], isNone: false }
}

/** Chooses values, and returns to the first page. The filter stays where it is. */
export function withChoice (params: readonly Pair[], filter: FilterDescription, { texts, isNone }: Choice): Pair[] {
  const nodes = filterTreeOf(params)
  const at = nodes.findIndex((node) => chooses(node, filter))
  const others = nodes.filter((node) => !chooses(node, filter))
  const named = (operator: string): string | undefined => filter.operators[0]?.name === operator ? undefined : operator
  const field = filter.name
  const next: readonly FilterUse[] = isNone
    ? [{ field, operator: named('isnull'), value: 'true' }]
    : texts.length === 0
      ? []
      : texts.length === 1 && allows(filter, 'eq')
        ? [{ field, operator: named('eq'), value: texts[0]! }]
        : [{ field, operator: 'in', value: joinItems(texts) }]
  const place = at === -1 ? others.length : at
  return withFilterTree(params, [...others.slice(0, place), ...next, ...others.slice(place)])
}
