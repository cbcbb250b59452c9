/** The error for operations whose bodies may not set any property. */
import type { Writable } from '../plan/index.ts'

/** Says, as a clause, why an operation that takes a body is closed and how to open it. */
export function closedBody (operation: string, entity: string, { declared }: Writable): string {
  const kind = operation === 'update' ? 'update' : 'create'
  if (declared) {
    return `'${operation}' needs a list of what bodies may set, and "writable" of ${entity} has none for '${kind}': ` +
      `add one, as in writable: { ${kind}: ['name'] }, or leave '${operation}' out of the operations`
  }
  return `'${operation}' needs "writable", which says what bodies may set of ${entity}: name the properties, ` +
    "as in writable: ['name', 'price'], write writable: 'all' for every property that is not generated, hidden or " +
    'computed, or leave create, createMany and update out of the operations'
}
