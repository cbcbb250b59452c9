/** Collects the conditions of a list, as the client takes them. */
import { splitId } from './id.ts'

/** Conditions by field: a value for the default operator, or values by operator. */
export type ClientFilter = Readonly<Record<string, unknown>>

/** A condition on a field. Without an operator, the filter's default operator applies. */
export interface FieldCondition {
  readonly field: string
  readonly operator?: string | undefined
  readonly value: unknown
}

/** Conditions in groups: each member applies, at least one does, or the only one does not. */
interface ConditionGroup {
  readonly word: GroupName
  readonly members: ReadonlyArray<readonly AdminCondition[]>
}

export type GroupName = 'and' | 'or' | 'not'
export type AdminCondition = FieldCondition | ConditionGroup

/** Relations to records with composite keys, each with the parts of that key. */
type References = ReadonlyMap<string, readonly string[]>

/** The rules of a resource for filters. */
export interface FilterRules {
  readonly references: References
  /** Filters that take no operator. */
  readonly plainFilters: ReadonlySet<string>
}

/** The rules of requests that belong to no resource. */
export const NO_RULES: FilterRules = { references: new Map(), plainFilters: new Set() }

/**
 * Joins conditions, all of which apply. A condition on one of the `references` becomes one for each part of the key.
 * Conditions without a value are left out, and so are groups without conditions. What has no place beside the others,
 * such as the same operator on the same field, becomes a member of `and`.
 */
export function filterOf (conditions: readonly AdminCondition[], references: References): ClientFilter {
  /** Values by name. A map has values by operator. */
  const filter = new Map<string, unknown>()
  const others: ClientFilter[] = []
  const place = (name: string, value: unknown, operator?: string): void => {
    const given = filter.get(name)
    if (!filter.has(name)) filter.set(name, operator === undefined ? value : new Map([[operator, value]]))
    else if (operator !== undefined && given instanceof Map && !given.has(operator)) given.set(operator, value)
    else others.push({ [name]: operator === undefined ? value : { [operator]: value } })
  }
  for (const condition of conditions) {
    if ('field' in condition) {
      for (const { field, operator, value } of byParts(condition, references)) {
        if (value !== undefined) place(field, value, operator)
      }
    } else {
      const { word } = condition
      const members = condition.members.map((member) => filterOf(member, references)).filter(hasConditions)
      if (word === 'and') others.push(...members)
      else if (members.length > 0) place(word, word === 'not' ? members[0] : members)
    }
  }
  if (others.length > 0) place('and', others)
  return Object.fromEntries(
    [...filter].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) as unknown : value])
  )
}

const hasConditions = (filter: ClientFilter): boolean => Object.keys(filter).length > 0

/** The conditions on the parts of a composite key, if a condition compares a relation with the id of a record. */
function byParts (condition: FieldCondition, references: References): readonly FieldCondition[] {
  const { field, operator = 'eq', value } = condition
  const names = references.get(field)
  const id: unknown = operator === 'in' && Array.isArray(value) && value.length === 1 ? value[0] : value
  if (names === undefined || typeof id !== 'string' || (operator !== 'eq' && operator !== 'in')) return [condition]
  const parts = splitId(id)
  return names.map((name, index) => ({ field: `${field}.${name}`, operator: 'eq', value: parts[index] }))
}
