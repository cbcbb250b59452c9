/**
 * Proposes what clients may do with a table: filters and sorts that an index serves, includes that keys serve, and
 * bodies that the table accepts.
 */
import type { CrudOperation } from '../../config/index.ts'
import { columnTypeOf, type ValueUse } from './column-type.ts'
import { leadsIndex, type ColumnFacts } from './database-facts.ts'
import { keyOfRelation } from './key-of-relation.ts'
import {
  isNullable, type EntityPlan, type PlannedColumn, type PlannedProperty, type PlannedReference,
} from './entity-plan.ts'

interface Proposal {
  readonly filters: ReadonlyArray<{ readonly name: string, readonly operators: readonly string[] }>
  readonly sorts: readonly string[]
  readonly fields: readonly string[]
  readonly includes: readonly string[]
  readonly writable: readonly string[]
  /** `undefined` for those that a resource has by itself. */
  readonly operations: readonly CrudOperation[] | undefined
  /** Sentences for comments. */
  readonly notes: readonly string[]
}

export function proposeWhitelist (plan: EntityPlan): Proposal {
  const { properties } = plan
  const visible = properties.filter((property) => property.kind !== 'column' || !property.hidden)
  const writable = plan.readonly ? [] : visible.filter((property) => isWritable(property)).map(({ name }) => name)
  const { operations, notes } = operationsOf(plan, writable)
  return {
    filters: visible.flatMap((property) => filtersFor(property, plan)).filter(({ operators }) => operators.length > 0),
    sorts: visible.filter((property) => canSort(property, plan)).map(({ name }) => name),
    fields: visible.filter(({ kind }) => kind === 'column' || kind === 'reference').map(({ name }) => name),
    includes: visible.filter((property) => canInclude(property)).map(({ name }) => name),
    writable,
    operations,
    notes,
  }
}

const OPERATORS: Readonly<Record<ValueUse, readonly string[]>> = {
  text: ['eq', 'in'],
  choice: ['eq', 'in'],
  measure: ['eq', 'in', 'gte', 'lte'],
  switch: ['eq'],
  key: ['eq', 'in'],
  items: [],
  range: [],
  opaque: [],
}

/** A reference of several columns is compared by each part of its key that an index of this table begins with. */
function filtersFor (property: PlannedProperty, plan: EntityPlan): Proposal['filters'] {
  const { name } = property
  if (property.kind !== 'reference' || property.columns.length === 1) {
    return [{ name, operators: operatorsFor(property, plan) }]
  }
  const { target } = property
  const key = keyOfRelation(target.relation)!.columns
  return property.columns.flatMap((column, index) => {
    if (!leadsIndex(plan.relation, column.name)) return []
    const part = target.properties.find((one) => one.kind === 'column' && one.column.name === key[index])
    return part === undefined ? [] : [{ name: `${name}.${part.name}`, operators: ['eq', 'in'] }]
  })
}

function operatorsFor (property: PlannedProperty, { relation }: EntityPlan): readonly string[] {
  if (property.kind === 'reference') {
    const [column] = property.columns
    if (!leadsIndex(relation, column!.name)) return []
    // the key of the target may be a reference again
    const isPlain = property.target.properties.filter((one) => 'primary' in one && one.primary)
      .every(({ kind }) => kind === 'column')
    return isPlain ? ['eq', 'in', ...isNullable(property) ? ['isnull'] : []] : []
  }
  if (property.kind !== 'column') return []
  const { column } = property
  const { use } = columnTypeOf(column, relation.checks)
  // any column of these indexes can be searched, and not only the first one
  const has = (test: (operatorClass: string, method: string) => boolean): boolean =>
    relation.indexes.some(({ columns, partial, method, classes }) =>
      !partial && columns.some((name, at) => name === column.name && test(classes[at]!, method))
    )
  const ordered = leadsIndex(relation, column.name) ? OPERATORS[use] : []
  return [
    ...ordered,
    ...ordered.length > 0 && isNullable(property) ? ['isnull'] : [],
    ...use === 'text' && has((of) => of === 'gin_trgm_ops' || of === 'gist_trgm_ops') ? ['contains', 'starts'] : [],
    ...use === 'items' && has((_, method) => method === 'gin') ? ['contains', 'overlap'] : [],
    ...use === 'range' && has((of, method) => method === 'gist' && of === 'range_ops') ? ['contains'] : [],
  ]
}

function canSort (property: PlannedProperty, { relation }: EntityPlan): boolean {
  if (property.kind !== 'column') return false
  const { use } = columnTypeOf(property.column, relation.checks)
  return OPERATORS[use].length > 0 && leadsIndex(relation, property.column.name)
}

/** Whether related records are found by an index. */
function canInclude (property: PlannedProperty): boolean {
  switch (property.kind) {
    case 'column':
      return false
    case 'reference':
      return true
    case 'inverse':
      return leadsIndex(property.source.relation, property.reference.columns[0]!.name)
    case 'pivot':
      return leadsIndex(property.pivot, property.columns[0]!)
  }
}

/** Names and types that mean more to a resource than other columns (src/model/write-rules.ts). */
const isTimestamp = ({ type }: ColumnFacts): boolean => /^(?:timestamp|date\b)/.test(type)
const marksDeleted = ({ name, type }: ColumnFacts): boolean => name === 'deleted_at' && type.startsWith('timestamp')
const setsItself = (column: ColumnFacts): boolean =>
  isTimestamp(column) && column.default !== null &&
  /^\(?(?:now\(\)|CURRENT_|LOCALTIME|transaction_timestamp|statement_timestamp|clock_timestamp|timezone\()/i.test(
    column.default
  )

function isWritable (property: PlannedProperty): boolean {
  if (property.kind === 'pivot') return property.owner || property.other !== undefined
  if (property.kind === 'inverse') return false
  if (property.kind === 'reference') return true
  const { column, primary, name, versioned } = property
  if (column.generated !== null || column.computed || versioned) return false
  if (primary || name === 'uuid') return column.default === null && !column.counts
  return !column.counts && !setsItself(column) && !marksDeleted(column)
}

/** Whether a new row must get a value for it. */
const isRequired = (property: PlannedColumn | PlannedReference): boolean =>
  property.kind === 'column'
    ? !isNullable(property) && property.column.default === null && property.column.generated === null &&
      !property.column.counts
    : !isNullable(property) && property.columns.every((column) => column.default === null)

function operationsOf (plan: EntityPlan, writable: readonly string[]): Pick<Proposal, 'operations' | 'notes'> {
  const { relation: { accepts, unreadable, unseen }, properties } = plan
  if (plan.readonly) return { operations: undefined, notes: [] }
  const closed = properties.filter((property) => property.kind === 'column' || property.kind === 'reference')
    .filter((property) => isRequired(property) && !writable.includes(property.name))
  const soft = properties.some((property) =>
    property.kind === 'column' && marksDeleted(property.column) && property.column.nullable
  )
  const notes = [
    ...accepts.includes('insert') && closed.length > 0
      ? [
        `'create' is left out: new rows need ${
          closed.map(({ name }) => `'${name}'`).join(', ')
        }, which clients cannot write. Set it in beforeCreate.`,
        ]
      : [],
    ...accepts.includes('insert') && unseen.length > 0
      ? [`'create' is left out: the view does not show what new rows need: ${unseen.join(', ')}.`]
      : [],
    ...accepts.includes('insert') && unreadable.length > 0
      ? ["'create' is left out: this role may not read all columns."]
      : [],
  ]
  const creates = accepts.includes('insert') && [...closed, ...unseen, ...unreadable].length === 0
  const isKey = (name: string): boolean =>
    properties.some((property) => property.name === name && 'primary' in property && property.primary)
  const updates = accepts.includes('update') && writable.some((name) => !isKey(name))
  const removes = soft ? accepts.includes('update') : accepts.includes('delete')
  const operations: CrudOperation[] = [
    'list',
    'get',
    ...creates ? ['create' as const] : [],
    ...updates ? ['update' as const] : [],
    ...removes ? ['delete' as const] : [],
    ...soft && removes ? ['restore' as const] : [],
  ]
  return { operations: creates && updates && removes ? undefined : operations, notes }
}
