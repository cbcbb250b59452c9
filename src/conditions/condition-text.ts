/** Conditions as texts that tell them apart, whatever the order of their parts. */
import { isRaw, RawQueryFragment } from '@mikro-orm/core'
import { keyOfReferenced } from './condition-values.ts'
import { isPlainObject, isSql } from './plain-object.ts'
import type { Comparison, Where, WherePart } from './where-tree.ts'

/**
 * A condition as a text. Two conditions have the same text only if they are the same, apart from queries and objects of
 * classes, which all count as equal. So do dates that are compared by their order or are bound to a fragment of SQL,
 * because they often are the time of the request.
 *
 * @example
 * textOfCondition(readCondition({ tenant: { $in: [7, 5] } }, project)) // [["compare","tenant",["$in",["5","7"]]]]
 */
export const textOfCondition = (where: Where): string => JSON.stringify(sorted(where.map(partOf)))

type Json = string | number | boolean | null | readonly Json[]

function partOf (part: WherePart): Json {
  switch (part.kind) {
    case 'and':
    case 'or':
      return [part.kind, ...sorted(part.members.map(textOfCondition))]
    case 'not':
      return [part.kind, textOfCondition(part.where)]
    case 'compare':
      return [part.kind, part.property.name, ...sorted(part.comparisons.map(comparisonOf))]
    case 'key':
      return [part.kind, part.relation.name, textOfCondition(part.where)]
    case 'related':
      return [part.kind, part.relation.name, part.quantifier ?? '', textOfCondition(part.where)]
    case 'embedded':
      return [part.kind, part.property.name, textOfCondition(part.where)]
    case 'sql':
      return [part.kind, valueOf(RawQueryFragment.getKnownFragment(part.fragment as never)), valueOf(part.value)]
    case 'verbatim':
      return [part.kind, part.name, valueOf(part.value)]
  }
}

/** Operators by which a value is compared with a date that often is the time of the request. */
const BY_ORDER: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte'])

function comparisonOf ({ operator, value }: Comparison): Json {
  if (value instanceof Date && BY_ORDER.has(operator)) return [operator]
  // the order of a list says nothing
  return [operator, Array.isArray(value) ? sorted(value.map(valueOf)) : valueOf(value)]
}

/** A value with its type: `5` and `'5'` differ. */
function valueOf (value: unknown): Json {
  if (typeof value === 'bigint') return ['bigint', String(value)]
  if (typeof value !== 'object' || value === null) return value as Json
  if (value instanceof Date) return ['date', value.toISOString()]
  if (value instanceof RegExp) return ['regexp', String(value)]
  if (value instanceof Uint8Array) return ['bytes', Buffer.from(value).toString('base64')]
  if (Array.isArray(value)) return ['list', ...value.map(valueOf)]
  if (isRaw(value)) {
    return ['sql', value.sql, ...value.params.map((param) => valueOf(param instanceof Date ? null : param))]
  }
  if (isPlainObject(value)) {
    return ['object', ...sorted(Object.entries(value).map(([name, member]) => [name, valueOf(member)]))]
  }
  const key = isSql(value) ? undefined : keyOfReferenced(value)
  return key === undefined ? ['other'] : ['key', ...key.map(valueOf)]
}

const sorted = (items: readonly Json[]): Json[] => items.map((item) => JSON.stringify(item)).sort()
