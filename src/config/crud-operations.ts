/** The operations of a resource. */
import { notOneOf, quoted, shown } from '../base/option-checks.ts'

/** The two kinds of bodies, which `writable` describes. An operation may check its bodies by both. */
export type BodyKind = 'create' | 'update'

/** The schemas of bodies. An upsert has one that a new record or a change may have. */
export type BodyName = BodyKind | 'upsert'

/** A kind of change that a statement makes to rows. A delete may set a mark instead. */
export type RowChange = 'insert' | 'update' | 'delete'

/** All that follows from the name of an operation alone. */
interface Facts {
  /** Whether a resource offers the operation only if its options name it. */
  readonly optIn: boolean
  /** The methods of its routes. */
  readonly methods: ReadonlyArray<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>
  readonly path: '/' | '/aggregate' | '/:key' | '/:key/restore'
  /** What its query string may contain: that of a list, a record or groups, the key of an upsert, or only filters. */
  readonly query: 'list' | 'record' | 'groups' | 'none' | 'key' | 'filters'
  /** The schema of its bodies. */
  readonly body?: BodyName
  /** How it changes rows. */
  readonly changes: readonly RowChange[]
  /** The records of its answer, and of its body if it has one. Of those that filters select, it answers numbers. */
  readonly records: 'page' | 'groups' | 'one' | 'list' | 'either' | 'selected'
  /** Whether its requests may name the versions of their record in If-Match, and must if a resource requires it. */
  readonly ifMatch: 'no' | 'optional' | 'required'
  /** Its name in ids of OpenAPI documents. */
  readonly verb: string
  /** What it does, for documentation. */
  readonly summary: (resource: string) => string
}

/** The maximum number of records that one write of many may change, unless an option says otherwise. */
export const MAX_AFFECTED = 100

/** The operations in the order of their routes. Of those that share a route, the first one documents it. */
const FACTS = {
  list: {
    optIn: false,
    methods: ['GET'],
    path: '/',
    query: 'list',
    changes: [],
    records: 'page',
    ifMatch: 'no',
    verb: 'list',
    summary: (name) => `List ${name}`,
  },
  get: {
    optIn: false,
    methods: ['GET'],
    path: '/:key',
    query: 'record',
    changes: [],
    records: 'one',
    ifMatch: 'no',
    verb: 'get',
    summary: (name) => `Get a record of ${name}`,
  },
  aggregate: {
    optIn: true,
    methods: ['GET'],
    path: '/aggregate',
    query: 'groups',
    changes: [],
    records: 'groups',
    ifMatch: 'no',
    verb: 'aggregate',
    summary: (name) => `Numbers about ${name}, by group`,
  },
  create: {
    optIn: false,
    methods: ['POST'],
    path: '/',
    query: 'none',
    body: 'create',
    changes: ['insert'],
    records: 'one',
    ifMatch: 'no',
    verb: 'create',
    summary: (name) => `Create a record in ${name}`,
  },
  createMany: {
    optIn: true,
    methods: ['POST'],
    path: '/',
    query: 'none',
    body: 'create',
    changes: ['insert'],
    records: 'list',
    ifMatch: 'no',
    verb: 'create_many',
    summary: (name) => `Create several records in ${name}`,
  },
  upsert: {
    optIn: true,
    methods: ['PUT'],
    path: '/',
    query: 'key',
    body: 'upsert',
    changes: ['insert', 'update'],
    records: 'either',
    ifMatch: 'optional',
    verb: 'upsert',
    summary: (name) => `Change a record of ${name}, or create it`,
  },
  update: {
    optIn: false,
    methods: ['PATCH', 'PUT'],
    path: '/:key',
    query: 'none',
    body: 'update',
    changes: ['update'],
    records: 'one',
    ifMatch: 'required',
    verb: 'update',
    summary: (name) => `Change a record of ${name}`,
  },
  delete: {
    optIn: false,
    methods: ['DELETE'],
    path: '/:key',
    query: 'none',
    changes: ['delete'],
    records: 'one',
    ifMatch: 'required',
    verb: 'delete',
    summary: (name) => `Delete a record of ${name}`,
  },
  restore: {
    optIn: false,
    methods: ['POST'],
    path: '/:key/restore',
    query: 'none',
    changes: ['update'],
    records: 'one',
    ifMatch: 'optional',
    verb: 'restore',
    summary: (name) => `Restore a deleted record of ${name}`,
  },
  updateMany: {
    optIn: true,
    methods: ['PATCH'],
    path: '/',
    query: 'filters',
    body: 'update',
    changes: ['update'],
    records: 'selected',
    ifMatch: 'no',
    verb: 'update_many',
    summary: (name) => `Change several records of ${name}`,
  },
  deleteMany: {
    optIn: true,
    methods: ['DELETE'],
    path: '/',
    query: 'filters',
    changes: ['delete'],
    records: 'selected',
    ifMatch: 'no',
    verb: 'delete_many',
    summary: (name) => `Delete several records of ${name}`,
  },
} as const satisfies Readonly<Record<string, Facts>>

export type CrudOperation = keyof typeof FACTS

/** The operations with a fact. */
type OperationWith<Fact> = {
  [Name in CrudOperation]: (typeof FACTS)[Name] extends Fact ? Name : never
}[CrudOperation]

export const OPERATIONS = Object.keys(FACTS) as readonly CrudOperation[]

/** All that follows from the name of an operation alone. */
export interface OperationFacts extends Facts {
  readonly writes: boolean
  /** Whether its answer may be a stream, without pages. */
  readonly streams: boolean
  /** Whether its path has the key of a record. */
  readonly byKey: boolean
  /** What its bodies may set. */
  readonly bodies: readonly BodyKind[]
  /** Whether its bodies may have children. Which children there are must be known before their parents are found. */
  readonly takesChildren: boolean
}

const KINDS: Readonly<Record<BodyName, readonly BodyKind[]>> = {
  create: ['create'],
  update: ['update'],
  upsert: ['create', 'update'],
}

export const BODY_NAMES = Object.keys(KINDS) as readonly BodyName[]

const known = new Map(OPERATIONS.map((operation): [CrudOperation, OperationFacts] => {
  const facts: Facts = FACTS[operation]
  return [operation, {
    ...facts,
    writes: facts.changes.length > 0,
    streams: facts.records === 'page' || facts.records === 'groups',
    byKey: facts.path.startsWith('/:key'),
    bodies: facts.body === undefined ? [] : KINDS[facts.body],
    takesChildren: facts.body !== undefined && facts.body !== 'upsert' && facts.records !== 'selected',
  }]
}))

/** All that follows from the name of an operation alone. */
export const factsOf = (operation: CrudOperation): OperationFacts => known.get(operation)!

/** Whether an operation writes all records that its filters select. */
export const isMany = (operation: CrudOperation): operation is OperationWith<{ readonly records: 'selected' }> =>
  factsOf(operation).records === 'selected'

/** Whether an operation deletes records, and may therefore remove them for good. */
export const removes = (operation: CrudOperation): boolean => factsOf(operation).changes.includes('delete')

/** The operations that may create records. */
export const CREATING = OPERATIONS.filter((operation) =>
  factsOf(operation).changes.includes('insert')
) as ReadonlyArray<
  OperationWith<{ readonly body: 'create' | 'upsert' }>
>

/** Whether the bodies of one of some operations have a schema. */
export const takesBodies = (operations: readonly CrudOperation[], name: BodyName): boolean =>
  operations.some((operation) => factsOf(operation).body === name)

/** Whether the bodies with a schema may be one record, and whether they may be a list of records. */
export function formsOfBodies (
  operations: readonly CrudOperation[],
  name: BodyName | undefined
): { readonly one: boolean, readonly list: boolean } {
  const takes = (form: 'one' | 'list'): boolean =>
    operations.some((operation) => {
      const { body, records } = factsOf(operation)
      return body !== undefined && body === name && (records === form || records === 'either')
    })
  return { one: takes('one'), list: takes('list') }
}

/** Those of some operations that have the route of an operation. The first one documents it. */
export function sharingRoute (
  operations: readonly CrudOperation[],
  operation: CrudOperation
): readonly CrudOperation[] {
  const { methods: [method], path } = factsOf(operation)
  return OPERATIONS.filter((other) =>
    factsOf(other).path === path && factsOf(other).methods[0] === method && operations.includes(other)
  )
}

/** The one of several operations with the same route that a body means: a record or a list. */
export const meantBy = (sharing: readonly CrudOperation[], body: unknown): CrudOperation =>
  sharing.find((operation) => factsOf(operation).records === (Array.isArray(body) ? 'list' : 'one')) ?? sharing[0]!

/** What else `CrudBase` reads, and the operation that a role must be allowed to use for it. */
const OTHER_READS = { count: 'list', stream: 'list', exists: 'get' } as const

/**
 * The method of `CrudBase` that runs a statement. Methods that answer in JSON text use the name of their counterpart
 * that does not.
 */
export type QueryOperation = CrudOperation | keyof typeof OTHER_READS

export const QUERY_OPERATIONS = [...OPERATIONS, ...Object.keys(OTHER_READS)] as readonly QueryOperation[]

/** The operation that a role must be allowed to use for a method. */
export const neededFor = (method: QueryOperation): CrudOperation =>
  known.has(method as CrudOperation) ? method as CrudOperation : OTHER_READS[method as keyof typeof OTHER_READS]

/** Other words for operations. Words that are nearly the name of an operation need no entry. */
const OTHER_WORDS: ReadonlyMap<unknown, readonly CrudOperation[]> = new Map<string, readonly CrudOperation[]>([
  ...['read', 'view', 'show', 'query'].map((word) => [word, ['list', 'get']] as const),
  ...['find', 'index', 'search'].map((word) => [word, ['list']] as const),
  ...['group', 'groupBy', 'stats', 'summary', 'summarize'].map((word) => [word.toLowerCase(), ['aggregate']] as const),
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
