/** The operations of a resource. */
import { notOneOf, quoted, shown } from '../base/option-checks.ts'

/** The operations in the order of their routes. */
export const OPERATIONS = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const
export type CrudOperation = typeof OPERATIONS[number]

/** Other words for operations. Words that are nearly the name of an operation need no entry. */
const OTHER_WORDS: ReadonlyMap<unknown, readonly CrudOperation[]> = new Map<string, readonly CrudOperation[]>([
  ...['read', 'view', 'show', 'query'].map((word) => [word, ['list', 'get']] as const),
  ...['find', 'index', 'search'].map((word) => [word, ['list']] as const),
  ...['write', 'save'].map((word) => [word, ['create', 'update']] as const),
  ...['insert', 'add', 'post'].map((word) => [word, ['create']] as const),
  ...['patch', 'put', 'edit', 'replace'].map((word) => [word, ['update']] as const),
  ...['remove', 'destroy'].map((word) => [word, ['delete']] as const),
])

/** The sentence that refuses a value that is no operation. */
export function notAnOperation (value: unknown): string {
  const meant = OTHER_WORDS.get(typeof value === 'string' ? value.toLowerCase() : undefined)
  return meant === undefined
    ? notOneOf(value, OPERATIONS)
    : `expected one of ${quoted(OPERATIONS)}, got ${shown(value)}. Did you mean ${quoted(meant)}?`
}
