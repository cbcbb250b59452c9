/** The values that a condition requires of a row, as far as they are plain equalities. */
import type { RelationProperty, ScalarProperty } from '../model/index.ts'
import type { ComparePart, RelationKeyPart, Where, WherePart } from './where-tree.ts'
import { keyOfReferenced } from './condition-values.ts'

export interface Equalities {
  /** The values that a row must have, by property. */
  readonly equalities: ReadonlyMap<ScalarProperty | RelationProperty, unknown>
  /** Whether the condition requires more, so that only the database can tell whether it holds for a row. */
  readonly partial: boolean
}

/**
 * The plain equalities of a condition: `{ property: value }`, `{ property: { $eq: value } }`, a to-one relation by its
 * key, and any number of them under `$and`.
 *
 * @example
 * equalitiesOf(readCondition({ tenant: 5, $or: [{ owner: 7 }, { open: true }] }, project)) // tenant: 5; partial
 */
export function equalitiesOf (where: Where): Equalities {
  const equalities = new Map<ScalarProperty | RelationProperty, unknown>()
  return { equalities, partial: !collect(where, equalities) }
}

/** Collects the equalities of a condition. Returns whether the condition consists of nothing else. */
function collect (where: Where, equalities: Map<ScalarProperty | RelationProperty, unknown>): boolean {
  let complete = true
  for (const part of where) {
    if (part.kind === 'and') {
      for (const member of part.members) complete = collect(member, equalities) && complete
      continue
    }
    const equal = equalityOf(part)
    if (equal === undefined) complete = false
    else if (!equalities.has(equal.property)) equalities.set(equal.property, equal.value)
    // the same value twice, as in a scope and in the rows of a role, says no more than once
    else if (equalities.get(equal.property) !== equal.value) complete = false
  }
  return complete
}

export interface Equality {
  readonly property: ScalarProperty | RelationProperty
  readonly value: unknown
}

/** The single value that a part of a condition allows, if there is one. */
export function equalityOf (part: WherePart): Equality | undefined {
  if (part.kind === 'compare') return equalityOfColumn(part)
  return part.kind === 'key' ? equalityOfKey(part) : undefined
}

function equalityOfColumn ({ property, comparisons: [only, ...more] }: ComparePart): Equality | undefined {
  if (more.length > 0 || only?.operator !== '$eq' || !isOneColumn(property)) return undefined
  const { value } = only
  const key = keyOfReferenced(value)
  if (key !== undefined) {
    return property.kind === 'relation' && key.length === 1 ? { property, value: key[0] } : undefined
  }
  return isSimple(value) ? { property, value } : undefined
}

function equalityOfKey ({ relation, where: [only, ...more] }: RelationKeyPart): Equality | undefined {
  if (more.length > 0 || only?.kind !== 'compare' || !only.bare || !isOneColumn(relation)) return undefined
  const [{ operator, value }] = only.comparisons as [ComparePart['comparisons'][number]]
  return operator === '$eq' && isSimple(value) ? { property: relation, value } : undefined
}

/** Whether the property is one column that takes values. */
const isOneColumn = (property: ScalarProperty | RelationProperty): boolean =>
  property.write.persisted &&
  (property.kind === 'scalar' || (property.kind === 'relation' && property.key.length === 1))

/** Whether a body can contain the value: a date, or a value that is not SQL, a list or an object. */
const isSimple = (value: unknown): boolean => typeof value !== 'object' || value === null || value instanceof Date
