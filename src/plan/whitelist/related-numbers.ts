/** Finds the numbers about relations that filters and sorts may name: those that each record may include. */
import type { RelatedNumber, RelatedNumbers } from '../condition-types.ts'
import type { IncludeEntry } from './includes.ts'

/** The numbers by their names in records, and by those in URLs. */
export function relatedNumbers (includes: ReadonlyMap<string, IncludeEntry>): RelatedNumbers {
  const numbers = new Map<string, RelatedNumber>()
  for (const entry of includes.values()) {
    if (entry.kind !== 'aggregate' || entry.parent !== undefined) continue
    const { aggregate } = entry
    // the least of values of a custom type is a value of the database, which clients do not know
    if (aggregate.property?.codec !== undefined) continue
    const { name, type, function: fn } = aggregate
    const number: RelatedNumber = Object.freeze({
      kind: 'number',
      name,
      aggregate,
      type,
      nullable: fn !== 'count' && fn !== 'exists',
    })
    numbers.set(name, number)
    numbers.set(entry.name, number)
  }
  return numbers
}
