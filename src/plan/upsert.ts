/**
 * Plans upserts, which change the row with a key, or insert one if no row has the key. The statement updates first, and
 * inserts what it has not updated, unless a row that it may not change is in the way. So it has the rules of an update
 * and of an insert, and uses no value of a sequence for a row that exists.
 */
import type { SqlValue } from '../model/index.ts'
import type { ColumnData, RecordData } from './data.ts'
import { recordset, type Recordset } from './recordset.ts'
import type { Condition, Slot } from './condition-types.ts'
import type { GetPlan, Selection } from './plan-types.ts'
import type { UpsertKey } from './upsert-keys.ts'
import { Values } from './values.ts'
import type { Whitelist } from './whitelist/index.ts'
import {
  discriminatorOf, referenceChecks, type Assignment, type CheckedRows, type InsertPlan, type MayBeHidden,
  type RowWritePlan, type WritePlan, type WriteTarget,
} from './write.ts'

/** What an upsert does to one row. At least one of `insert` and `update` is given. */
export interface UpsertRow {
  /** The values of the columns of the key. */
  readonly key: readonly ColumnData[]
  /** The new row; `undefined` if the data cannot be one. */
  readonly insert: RecordData | undefined
  /** The changes of the present row; `undefined` if the data may not change one. */
  readonly update: RecordData | undefined
}

/** Selects the rows to change. */
interface UpsertTarget extends Omit<WriteTarget, 'key'> {
  readonly on: UpsertKey
}

/** Changes or inserts one row. */
export interface UpsertPlan extends WritePlan, UpsertTarget, CheckedRows {
  readonly kind: 'upsert'
  /** The changes; `undefined` if a present row is not changed. */
  readonly assignments: readonly Assignment[] | undefined
  /** The new row; `undefined` if none is inserted. */
  readonly insert: UpsertInsert | undefined
}

export interface UpsertInsert extends Pick<InsertPlan, 'columns' | 'discriminator' | 'references'> {
  readonly slots: readonly Slot[]
}

type SlotsOf = { readonly [Member in keyof Recordset]: Slot }

/** A column that is set to a value of the given rows. */
export interface GivenColumn extends Pick<Assignment, 'column' | 'property'> {
  /** Whether the value for an update differs from that for an insert. */
  readonly own: boolean
}

/** Changes or inserts each of several rows, or else fails. */
export interface UpsertManyPlan extends WritePlan, UpsertTarget, CheckedRows {
  readonly kind: 'upsertMany'
  /** The columns of new rows; `undefined` if none are inserted. */
  readonly columns: readonly Pick<Assignment, 'column' | 'property'>[] | undefined
  readonly assignments: readonly GivenColumn[] | undefined
  /** The rows as JSON: see `Recordset`. */
  readonly given: SlotsOf
  /** The values of own columns, row by row. Absent if there are no such columns. */
  readonly own?: SlotsOf
  readonly count: Slot
}

export type AnyWritePlan = RowWritePlan | UpsertPlan | UpsertManyPlan

/** Plans the upsert of one row. */
export function planUpsert (
  row: UpsertRow,
  key: UpsertKey,
  selection: Selection,
  mayBeHidden: MayBeHidden
): UpsertPlan {
  const { model } = selection
  const values = new Values()
  const slots = new Map<ColumnData, Slot>()
  // a value that is both assigned and inserted is bound once
  const slotOf = (data: ColumnData): Slot => {
    let slot = slots.get(data)
    if (slot === undefined) slots.set(data, slot = values.add(data.value))
    return slot
  }
  const { insert, update } = row
  const columns = insert?.columns.filter(({ column }) => column !== model.discriminator?.column)
  return {
    kind: 'upsert',
    model,
    selection,
    on: key,
    conditions: keyConditions(row.key, key, slotOf),
    deleted: 'without',
    assignments: update?.columns.map((data) => ({ column: data.column, property: data.property, slot: slotOf(data) })),
    references: update === undefined ? [] : referenceChecks(update.references, mayBeHidden, values, true),
    insert: columns && {
      columns,
      slots: columns.map(slotOf),
      discriminator: discriminatorOf(model, values),
      references: referenceChecks(insert!.references, mayBeHidden, values),
    },
    values: values.list,
  }
}

/**
 * Plans the upsert of several rows that have the same columns. Returns `undefined` if they cannot be written as JSON.
 * References are not checked.
 */
export function planUpsertMany (
  rows: readonly UpsertRow[],
  key: UpsertKey,
  selection: Selection
): UpsertManyPlan | undefined {
  const { model } = selection
  if (model.discriminator !== undefined) return undefined
  const bases = rows.map(({ key, insert, update }) => insert ?? { columns: [...key, ...update!.columns] })
  const given = recordset(bases)
  if (given === undefined) return undefined
  const [first] = rows
  const own = new Set<string>()
  for (const [index, { update }] of rows.entries()) {
    for (const data of update?.columns ?? []) if (!bases[index]!.columns.includes(data)) own.add(data.column)
  }
  const ownRows = own.size === 0
    ? undefined
    : recordset(rows.map(({ update }) => ({ columns: update!.columns.filter(({ column }) => own.has(column)) })))
  if (own.size > 0 && ownRows === undefined) return undefined
  const values = new Values()
  const add = ({ common, rows }: Recordset): SlotsOf => ({ common: values.add(common), rows: values.add(rows) })
  return {
    kind: 'upsertMany',
    model,
    selection,
    on: key,
    conditions: [],
    deleted: 'without',
    references: [],
    columns: first!.insert?.columns,
    assignments: first!.update?.columns.map(({ column, property }) => ({ column, property, own: own.has(column) })),
    given: add(given),
    ...ownRows !== undefined && { own: add(ownRows) },
    count: values.add(rows.length),
    values: values.list,
  }
}

const keyConditions = (
  data: readonly ColumnData[],
  { columns }: UpsertKey,
  slotOf: (data: ColumnData) => Slot
): readonly Condition[] => columns.map((column, index) => ({ kind: 'key', column, slot: slotOf(data[index]!) }))

/** Plans the look-up of the visible row with an upsert's key. It reads the primary key. */
export function planPresentRow (
  data: readonly ColumnData[],
  key: UpsertKey,
  { model, limitsOfOne }: Whitelist
): GetPlan {
  const values = new Values()
  return {
    kind: 'get',
    model,
    conditions: keyConditions(data, key, ({ value }) => values.add(value satisfies SqlValue)),
    customs: [],
    deleted: 'without',
    selection: keySelection(model),
    limits: limitsOfOne,
    values: values.list,
  }
}

const keySelections = new WeakMap<object, Selection>()

function keySelection (model: Selection['model']): Selection {
  let selection = keySelections.get(model)
  if (selection === undefined) {
    const properties = model.primaryKey.map(({ property }) => property)
    keySelections.set(model, selection = { model, properties, includes: [], aggregates: [] })
  }
  return selection
}
