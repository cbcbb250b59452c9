/** Compares what entities and resources need with a database's catalogue. */
import { factsOf, type CrudOperation, type RowChange } from '../config/index.ts'
import { wireTypeOf, type EntityModel, type TypeFamily, type ValueType } from '../model/index.ts'
import type { UpsertKey } from '../plan/index.ts'
import type { Relation, StoredType } from './database-catalogue.ts'
import type { ExpectedColumn, ExpectedTable } from './expected.ts'

/** A resource that clients may use. */
export interface OfferedResource {
  readonly prefix: string
  readonly model: EntityModel
  readonly operations: readonly CrudOperation[]
  /** The keys by which upserts find records. */
  readonly upsertKeys: ReadonlyArray<Pick<UpsertKey, 'name' | 'columns'>>
}

/** A difference between the database and the entities or resources. */
export type Difference =
  & { readonly entity: string, readonly table: string }
  & (
    | { readonly kind: 'table' }
    | { readonly kind: 'column', readonly property: string, readonly column: string }
    /** The property cannot read the column. */
    | {
      readonly kind: 'type',
      readonly property: string,
      readonly column: string,
      readonly declared: string,
      readonly stored: string,
    }
    /** A materialized view has never been refreshed. */
    | { readonly kind: 'unpopulated' }
    /** Operations of a resource that the table or view cannot do. */
    | {
      readonly kind: 'operations',
      readonly prefix: string,
      readonly refused: readonly CrudOperation[],
      readonly possible: readonly CrudOperation[],
    }
    /** Upserts of a resource fail, because no unique index has exactly the columns of their key. */
    | {
      readonly kind: 'upsertKey',
      readonly prefix: string,
      readonly key: string,
      readonly columns: readonly string[],
    }
    /** Several rows may have one key. */
    | { readonly kind: 'key', readonly columns: readonly string[] }
  )

/** The differences, the most important ones first. */
export function compare (
  tables: readonly ExpectedTable[],
  catalogue: ReadonlyMap<string, Relation>,
  resources: readonly OfferedResource[]
): readonly Difference[] {
  const found = tables.flatMap((expected): readonly Difference[] => {
    const { entity, table } = expected
    const relation = catalogue.get(table)
    if (relation === undefined) return [{ kind: 'table', entity, table }]
    return [
      ...expected.columns.flatMap((column) => differenceOf(column, expected, relation)),
      ...relation.populated ? [] : [{ kind: 'unpopulated', entity, table } as const],
      ...ambiguousKeys(expected, relation).map((columns) => ({ kind: 'key', entity, table, columns } as const)),
    ]
  })
  const ofResources = resources.flatMap((resource): readonly Difference[] => {
    const relation = catalogue.get(resource.model.table)
    return relation === undefined ? [] : [...refusedBy(resource, relation), ...unguardedKeys(resource, relation)]
  })
  return [...found, ...ofResources].sort((one, other) => RANKS.indexOf(one.kind) - RANKS.indexOf(other.kind))
}

const RANKS: readonly Difference['kind'][] = [
  'table', 'column', 'type', 'unpopulated', 'operations', 'upsertKey', 'key',
]

function differenceOf (
  { column, property, type }: ExpectedColumn,
  { entity, table }: ExpectedTable,
  { columns }: Relation
): readonly Difference[] {
  const stored = Object.hasOwn(columns, column) ? columns[column] : undefined
  if (stored === undefined) return [{ kind: 'column', entity, table, property, column }]
  if (type === undefined || canRead(type, stored)) return []
  return [{ kind: 'type', entity, table, property, column, declared: type.kind, stored: stored.declared }]
}

/** The keys that no unique index covers. Only the server knows those of views, and of tables of other servers. */
function ambiguousKeys ({ keys }: ExpectedTable, { isTable, uniques }: Relation): readonly (readonly string[])[] {
  if (!isTable) return []
  return keys.filter((key) => !uniques.some((unique) => unique.every((column) => key.includes(column))))
}

/** Whether one key may belong to several rows, so that a write must count the rows that it finds. */
export function canRepeatKeys (expected: ExpectedTable, relation: Relation): boolean {
  // a statement cannot count the rows that rules write
  return !relation.hasRules && (!relation.isTable || ambiguousKeys(expected, relation).length > 0)
}

function refusedBy (
  { prefix, model, operations }: OfferedResource,
  relation: Relation
): readonly Difference[] {
  const isRefused = (operation: CrudOperation): boolean =>
    changesOf(operation, model).some((change) => relation.refuses.includes(change))
  const refused = operations.filter(isRefused)
  if (refused.length === 0) return []
  const possible = operations.filter((operation) => !isRefused(operation))
  return [{ kind: 'operations', entity: model.name, table: model.table, prefix, refused, possible }]
}

/** The keys of upserts that the table has no unique index for: the statement names its columns. */
function unguardedKeys (
  { prefix, model: { name, table }, operations, upsertKeys }: OfferedResource,
  { isTable, uniques }: Relation
): readonly Difference[] {
  if (!isTable || !operations.some((operation) => factsOf(operation).query === 'key')) return []
  return upsertKeys.flatMap(({ name: key, columns: parts }): readonly Difference[] => {
    const columns = parts.map(({ column }) => column)
    const isGuarded = uniques.some((unique) =>
      unique.length === columns.length && unique.every((column) => columns.includes(column))
    )
    return isGuarded ? [] : [{ kind: 'upsertKey', entity: name, table, prefix, key, columns }]
  })
}

/** How an operation changes rows. A delete of records that are marked as deleted is an update. */
const changesOf = (operation: CrudOperation, { deletedAt }: EntityModel): readonly RowChange[] =>
  factsOf(operation).changes.map((change) => change === 'delete' && deletedAt !== undefined ? 'update' : change)

/** Families by `pg_type.typcategory` (PostgreSQL manual, table 51.65). */
const BY_CATEGORY: Readonly<Record<string, TypeFamily>> = {
  B: 'boolean',
  C: 'composite',
  E: 'enum',
  G: 'geometry',
  I: 'network',
  N: 'number',
  R: 'range',
  S: 'text',
  T: 'interval',
  V: 'bits',
}

/** Families of types whose category also contains other types. */
const BY_NAME: Readonly<Record<string, TypeFamily>> = {
  bytea: 'bytes',
  date: 'date',
  json: 'json',
  jsonb: 'json',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamp',
  timetz: 'time',
  uuid: 'uuid',
}

/**
 * Whether a property of a type can read a column, and write it. A type that is not known here, such as one of an
 * extension, passes.
 */
function canRead (type: ValueType, stored: StoredType): boolean {
  // the type of a column does not tell how many dimensions its arrays have
  if (type.kind === 'array') return stored.isArray && canReadItem(type.element, stored)
  return type.kind === 'other' || (!stored.isArray && canReadItem(type, stored))
}

function canReadItem (type: ValueType, stored: StoredType): boolean {
  if (type.kind === 'array') return canReadItem(type.element, stored)
  const family = BY_CATEGORY[stored.category] ?? BY_NAME[stored.name]
  return family === undefined || wireTypeOf(type).families?.(type).includes(family) !== false
}
