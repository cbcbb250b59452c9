/**
 * Plans upserts, which change the row with a key, or insert one if no row has the key. The statement updates first, and
 * inserts what it has not updated, unless a row that it may not change is in the way. So it has the rules of an update
 * and of an insert, and uses no value of a sequence for a row that exists.
 */
import { madeOnce } from '../base/made-once.ts'
import {
  columnsWhere, newRow, type ColumnValues, type DataColumn, type NewColumn, type NewRow, type RecordData,
} from './record-data.ts'
import { recordset, type Recordset } from './recordset.ts'
import type { Condition, Slot } from './condition-types.ts'
import type { GetPlan, Selection } from './plan-types.ts'
import type { UpsertKey } from './upsert-keys.ts'
import { Values } from './values.ts'
import type { Whitelist } from './whitelist/index.ts'
import {
  referenceChecks, type Assignment, type CheckedRows, type InsertPlan, type MayBeHidden, type ReturningWrite,
  type WriteTarget,
} from './write.ts'

/** What an upsert does to one row. At least one of `insert` and `update` is given. */
export interface UpsertRow {
  /** The columns of the key, in its order. */
  readonly key: ColumnValues
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
export interface UpsertPlan extends ReturningWrite, UpsertTarget, CheckedRows {
  readonly kind: 'upsert'
  /** The changes; `undefined` if a present row is not changed. */
  readonly assignments: readonly Assignment[] | undefined
  /** The new row; `undefined` if none is inserted. */
  readonly insert: UpsertInsert | undefined
}

interface UpsertInsert extends Pick<InsertPlan, 'columns' | 'references'> {
  readonly slots: readonly Slot[]
}

type SlotsOf = { readonly [Member in keyof Recordset]: Slot }

/** A column that is set to a value of the given rows. */
interface GivenColumn extends Pick<Assignment, 'column' | 'property'> {
  /** Whether the value for an update differs from that for an insert. */
  readonly own: boolean
}

/** Changes or inserts each of several rows, or else fails. */
export interface UpsertManyPlan extends ReturningWrite, UpsertTarget, CheckedRows {
  readonly kind: 'upsertMany'
  /** Whether the statement returns the key of each row beside its record. */
  readonly returnsKey: boolean
  /** The columns of new rows; `undefined` if none are inserted. */
  readonly columns: readonly Pick<Assignment, 'column' | 'property'>[] | undefined
  readonly assignments: readonly GivenColumn[] | undefined
  /** The rows as JSON: see `Recordset`. */
  readonly given: SlotsOf
  /** The values of own columns, row by row. Absent if there are no such columns. */
  readonly own?: SlotsOf
  readonly count: Slot
}

/** Plans the upsert of one row. */
export function planUpsert (
  row: UpsertRow,
  key: UpsertKey,
  selection: Selection,
  mayBeHidden: MayBeHidden
): UpsertPlan {
  const { model } = selection
  const values = new Values()
  const slots = new Map<NewColumn, Slot>()
  // a value that is both assigned and inserted is bound once
  const slotsOf = (data: NewRow): readonly Slot[] =>
    data.columns.map((column, index) => {
      let slot = slots.get(column)
      if (slot === undefined) slots.set(column, slot = values.add(data.values[index]!))
      return slot
    })
  const { insert, update } = row
  const inserted = insert && newRow(insert, model)
  return {
    kind: 'upsert',
    model,
    selection,
    on: key,
    conditions: keyConditions(key, slotsOf(row.key)),
    deleted: 'without',
    assignments: update && withSlots(update, slotsOf(update)),
    references: update === undefined ? [] : referenceChecks(update.references, mayBeHidden, values, true),
    insert: inserted && {
      columns: inserted.columns,
      slots: slotsOf(inserted),
      references: referenceChecks(insert!.references, mayBeHidden, values),
    },
    values: values.list,
  }
}

const withSlots = ({ columns }: ColumnValues, slots: readonly Slot[]): readonly Assignment[] =>
  columns.map(({ column, property }, index) => ({ column, property, slot: slots[index]! }))

/**
 * Plans the upsert of several rows that have the same columns. Returns `undefined` if they cannot be written as JSON.
 * References are not checked.
 */
export function planUpsertMany (
  rows: readonly UpsertRow[],
  key: UpsertKey,
  selection: Selection,
  returnsKey: boolean
): UpsertManyPlan | undefined {
  const { model } = selection
  if (model.discriminator !== undefined) return undefined
  const bases = rows.map(({ key, insert, update }) => insert ?? joined(key, update!))
  const given = recordset(bases)
  if (given === undefined) return undefined
  const [first] = rows
  const own = ownColumns(rows, bases)
  const ownRows = own.size === 0
    ? undefined
    : recordset(rows.map(({ update }) => columnsWhere(update!, ({ column }) => own.has(column))))
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
    returnsKey,
    columns: first!.insert?.columns,
    assignments: first!.update?.columns.map(({ column, property }) => ({ column, property, own: own.has(column) })),
    given: add(given),
    ...ownRows !== undefined && { own: add(ownRows) },
    count: values.add(rows.length),
    values: values.list,
  }
}

/** The columns of two rows. They stay the same objects, by which `ownColumns` knows them. */
const joined = (one: ColumnValues, other: ColumnValues): ColumnValues => ({
  columns: [...one.columns, ...other.columns],
  values: [...one.values, ...other.values],
})

/**
 * The columns that have other values in a change than in a new row: hooks of the entity have set them. A value of the
 * data is the same column in both.
 */
function ownColumns (rows: readonly UpsertRow[], bases: readonly ColumnValues[]): ReadonlySet<string> {
  const own = new Set<string>()
  let latest: { readonly update: readonly DataColumn[], readonly base: readonly DataColumn[] } | undefined
  for (let index = 0; index < rows.length; index++) {
    const update = rows[index]!.update?.columns
    const base = bases[index]!.columns
    if (update === undefined || (latest?.update === update && latest.base === base)) continue
    latest = { update, base }
    for (const data of update) if (!base.includes(data)) own.add(data.column)
  }
  return own
}

const keyConditions = ({ columns }: UpsertKey, slots: readonly Slot[]): readonly Condition[] =>
  columns.map((column, index) => ({ kind: 'key', column, slot: slots[index]! }))

/** Plans the look-up of the visible row with an upsert's key. It reads the primary key. */
export function planPresentRow (
  { values: ofKey }: ColumnValues,
  key: UpsertKey,
  { model, limitsOfOne }: Whitelist
): GetPlan {
  const values = new Values()
  return {
    kind: 'get',
    model,
    conditions: keyConditions(key, ofKey.map((value) => values.add(value))),
    customs: [],
    deleted: 'without',
    selection: keySelection(model),
    limits: limitsOfOne,
    values: values.list,
  }
}

const keySelection = madeOnce((model: Selection['model']): Selection => {
  const properties = model.primaryKey.map(({ property }) => property)
  return { model, properties, includes: [], aggregates: [] }
})
