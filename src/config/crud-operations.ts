/** The operations of a resource. */
import { notOneOf, quoted, shown } from '../base/option-checks.ts'

/** The two kinds of bodies, which `writable` describes. An operation may check its bodies by both. */
export type BodyKind = 'create' | 'update'

/** What follows from the name of an operation alone. */
interface OperationFacts {
  /** Whether a resource offers the operation only if its options name it. */
  readonly optIn: boolean
  readonly writes: boolean
  /** Whether its path has the key of a record. */
  readonly byKey: boolean
  /** What its bodies may set. */
  readonly bodies: readonly BodyKind[]
}

/** The maximum number of records that one write of many may change, unless an option says otherwise. */
export const MAX_AFFECTED = 100

/** The operations in the order of their routes. */
const FACTS = {
  list: { optIn: false, writes: false, byKey: false, bodies: [] },
  get: { optIn: false, writes: false, byKey: true, bodies: [] },
  create: { optIn: false, writes: true, byKey: false, bodies: ['create'] },
  createMany: { optIn: true, writes: true, byKey: false, bodies: ['create'] },
  upsert: { optIn: true, writes: true, byKey: false, bodies: ['create', 'update'] },
  update: { optIn: false, writes: true, byKey: true, bodies: ['update'] },
  delete: { optIn: false, writes: true, byKey: true, bodies: [] },
  restore: { optIn: false, writes: true, byKey: true, bodies: [] },
  updateMany: { optIn: true, writes: true, byKey: false, bodies: ['update'] },
  deleteMany: { optIn: true, writes: true, byKey: false, bodies: [] },
} as const satisfies Readonly<Record<string, OperationFacts>>

export type CrudOperation = keyof typeof FACTS

export const OPERATIONS = Object.keys(FACTS) as readonly CrudOperation[]

/** What follows from the name of an operation alone. */
export const factsOf = (operation: CrudOperation): OperationFacts => FACTS[operation]

/** Whether an operation writes all records that its filters select. */
export const isMany = (operation: CrudOperation): operation is 'updateMany' | 'deleteMany' =>
  operation === 'updateMany' || operation === 'deleteMany'

/** The schemas of bodies. An upsert has one that a new record or a change may have. */
export type BodyName = BodyKind | 'upsert'

/** Whether the bodies of one of some operations have a schema. */
export const takesBodies = (operations: readonly CrudOperation[], name: BodyName): boolean =>
  operations.some((operation) => {
    const { bodies: [kind, other] } = factsOf(operation)
    return (other === undefined ? kind : 'upsert') === name
  })

/** Other words for operations. Words that are nearly the name of an operation need no entry. */
const OTHER_WORDS: ReadonlyMap<unknown, readonly CrudOperation[]> = new Map<string, readonly CrudOperation[]>([
  ...['read', 'view', 'show', 'query'].map((word) => [word, ['list', 'get']] as const),
  ...['find', 'index', 'search'].map((word) => [word, ['list']] as const),
  ...['write', 'save'].map((word) => [word, ['create', 'update']] as const),
  ...['insert', 'add', 'post'].map((word) => [word, ['create']] as const),
  ...['merge', 'import', 'createOrUpdate', 'insertOrUpdate'].map((word) => [word.toLowerCase(), ['upsert']] as const),
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
