/**
 * Plans changes and removals of several rows by one statement, which finds each row by its key. The keys and the new
 * values are one JSON text, so the statement is the same for any number of rows.
 */
import type { EntityModel, KeyColumn, RelationProperty, SqlValue } from '../model/index.ts'
import { EMPTY_RECORD, type DataColumn, type RecordData } from './record-data.ts'
import { cellsOf, isReadable } from './recordset.ts'
import type { Condition, Deleted, EntityConditions, Slot } from './condition-types.ts'
import type { Selection } from './plan-types.ts'
import { Values } from './values.ts'

/** A row to change: its key, by column, and its new values. */
interface KeyedRow {
  readonly key: readonly SqlValue[]
  readonly row: Pick<RecordData, 'columns' | 'values' | 'references'>
}

interface EachPlan {
  readonly model: EntityModel
  readonly selection: Selection
  /** The columns of the keys. */
  readonly keys: readonly KeyColumn[]
  /** A JSON list of objects by column: the key of each row, and its new values. */
  readonly rows: Slot
  /** Conditions on all rows. */
  readonly conditions: readonly Condition[]
  readonly deleted: Deleted
  readonly filters?: EntityConditions
  readonly values: readonly unknown[]
}

/** Changes rows. */
export interface UpdateEachPlan extends EachPlan {
  readonly kind: 'updateEach'
  /** The columns that change. `always`: in all of the rows. */
  readonly assignments: readonly (Pick<DataColumn, 'column' | 'property'> & { readonly always: boolean })[]
  /** The relations whose new records must be visible, if a foreign key alone cannot tell. */
  readonly references: readonly RelationProperty[]
  /** The conditions that the rows must fulfil after the change, unless only MikroORM can compile one of them. */
  readonly inside?: readonly Condition[]
}

/** Removes rows. */
export interface DeleteEachPlan extends EachPlan {
  readonly kind: 'deleteEach'
}

/** A key that all of the rows have in common, such as that of their parent. */
export type CommonKey = ReadonlyArray<readonly [column: KeyColumn, value: SqlValue]>

/**
 * Plans the change of rows. Returns `undefined` if there is nothing to change, or if JSON cannot carry a value to its
 * column.
 *
 * @param mayBeHidden whether records of an entity may count as absent although their rows exist
 */
export function planUpdateEach (
  rows: readonly KeyedRow[],
  keys: readonly KeyColumn[],
  common: CommonKey,
  selection: Selection,
  mayBeHidden: (model: EntityModel) => boolean
): UpdateEachPlan | undefined {
  if (!rows.every(({ row }) => row.columns.every((data) => data.raw !== true && isReadable(data)))) return undefined
  const counts = new Map<string, { readonly data: DataColumn, rows: number }>()
  const references = new Set<RelationProperty>()
  for (const { row } of rows) {
    for (const data of row.columns) {
      const known = counts.get(data.column)
      if (known === undefined) counts.set(data.column, { data, rows: 1 })
      else known.rows++
    }
    for (const { relation } of row.references) if (mayBeHidden(relation.target)) references.add(relation)
  }
  if (counts.size === 0) return undefined
  return {
    kind: 'updateEach',
    ...planEach(rows, keys, common, selection, 'without'),
    assignments: [...counts.values()].map(({ data: { column, property }, rows: count }) => ({
      column,
      property,
      always: count === rows.length,
    })),
    references: [...references],
  }
}

/** Plans the removal of rows. */
export function planDeleteEach (
  keys: ReadonlyArray<readonly SqlValue[]>,
  columns: readonly KeyColumn[],
  common: CommonKey,
  selection: Selection
): DeleteEachPlan {
  const rows = keys.map((key) => ({ key, row: EMPTY_RECORD }))
  return { kind: 'deleteEach', ...planEach(rows, columns, common, selection, 'with') }
}

function planEach (
  rows: readonly KeyedRow[],
  keys: readonly KeyColumn[],
  common: CommonKey,
  selection: Selection,
  deleted: Deleted
): EachPlan {
  const values = new Values()
  const conditions = common.map(([column, value]): Condition => ({ kind: 'key', column, slot: values.add(value) }))
  const cells = rows.map(({ key, row }) => ({
    ...Object.fromEntries(keys.map(({ column }, index) => [column, key[index]])),
    ...cellsOf(row),
  }))
  return {
    model: selection.model,
    selection,
    keys,
    rows: values.add(JSON.stringify(cells)),
    conditions,
    deleted,
    values: values.list,
  }
}
