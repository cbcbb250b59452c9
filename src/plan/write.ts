/** Plans writes: the values of columns, the rows to write, and what is returned of the rows. */
import { arrayLiteral, convert, momentText, type EntityModel } from '../model/index.ts'
import { recordset } from './recordset.ts'
import {
  newRow, type ColumnValues, type DataColumn, type NewColumn, type ReferenceData, type RecordData,
} from './record-data.ts'
import { planKey, type Id } from './key.ts'
import type { Condition, Deleted, EntityConditions, Slot } from './condition-types.ts'
import type { Selection } from './plan-types.ts'
import { Values } from './values.ts'

/** A column, and the bound value that it is set to. */
export interface Assignment {
  readonly column: string
  readonly property: DataColumn['property']
  readonly slot: Slot
}

/** A record that must exist and be visible, because a relation will refer to it. */
export interface ReferenceCheck {
  readonly target: EntityModel
  readonly columns: readonly string[]
  readonly slots: readonly Slot[]
  /** For an update, the columns of its row that hold the present key. A key that stays the same is not checked. */
  readonly present?: readonly string[]
}

/** The members that all plans have whose writes return records. */
export interface ReturningWrite {
  readonly model: EntityModel
  /** The values that the statement returns for each row. */
  readonly selection: Selection
  /** The records that the write refers to, if a foreign key alone cannot tell that they count as absent. */
  readonly references: readonly ReferenceCheck[]
  /** Absent if no after hook runs. */
  readonly forHooks?: RowForHooks
  /** The filters of this request, except those that only MikroORM can compile. */
  readonly filters?: EntityConditions
  readonly values: readonly unknown[]
}

/** What after hooks get of each row, beside the record of the answer. */
export interface RowForHooks {
  /** The whole record, if the answer has only what a role sees. */
  readonly whole?: Selection | undefined
  /** The values that an update or a delete replaces. */
  readonly previous?: Selection | undefined
}

/** Rows that must lie in the scope after the write, or else the statement fails. */
export interface CheckedRows {
  /** The conditions of the scope, unless only MikroORM can compile one of them. */
  readonly inside?: readonly Condition[]
}

/** New rows. */
export interface InsertPlan extends ReturningWrite, CheckedRows {
  readonly kind: 'insert'
  /** Whether the statement returns the key of each row beside its record. */
  readonly returnsKey: boolean
  readonly columns: readonly NewColumn[]
  /** All rows as JSON, in two values: see `Recordset`. If they are given, `rows` is empty. */
  readonly recordset?: { readonly common: Slot, readonly rows: Slot }
  /** The slots of each row, in the order of `columns`. A column without a slot gets its default. */
  readonly rows: ReadonlyArray<readonly (Slot | undefined)[]>
}

/** Selects the row to write. */
export interface WriteTarget {
  readonly conditions: readonly Condition[]
  /** Those of the conditions that find the row by its key. */
  readonly key: readonly Condition[]
  readonly deleted: Deleted
  /** The versions, as an array. The row must have one of them. */
  readonly versions?: Slot
}

export interface UpdatePlan extends ReturningWrite, WriteTarget, CheckedRows {
  readonly kind: 'update'
  readonly assignments: readonly Assignment[]
}

export interface DeletePlan extends ReturningWrite, WriteTarget {
  readonly kind: 'delete'
}

/**
 * Plans the insertion of rows.
 *
 * @param returnsKey whether the keys of several rows are needed. The key of a single row is always returned
 */
export function planInsert (
  rows: readonly RecordData[],
  selection: Selection,
  mayBeHidden: MayBeHidden,
  returnsKey: boolean
): InsertPlan {
  const { model } = selection
  const values = new Values()
  if (rows.length === 1) return planRow(rows[0]!, selection, mayBeHidden, values)
  const given = rows.map((row) => newRow(row, model))
  const together = recordset(given)
  if (together !== undefined) {
    return {
      kind: 'insert',
      model,
      selection,
      returnsKey,
      columns: given[0]!.columns,
      recordset: { common: values.add(together.common), rows: values.add(together.rows) },
      rows: [],
      references: [],
      values: values.list,
    }
  }
  const columns = new Map<string, NewColumn>()
  for (const { columns: own } of given) for (const column of own) columns.set(column.column, column)
  const slots = given.map(({ columns: own, values: ofRow }) => {
    const bySlot = new Map(own.map(({ column }, index) => [column, values.add(ofRow[index]!)]))
    return [...columns.keys()].map((column) => bySlot.get(column))
  })
  return {
    kind: 'insert',
    model,
    selection,
    returnsKey,
    columns: [...columns.values()],
    rows: slots,
    references: [],
    values: values.list,
  }
}

/** Plans the insertion of one row, with checks of the records that it refers to. */
function planRow (row: RecordData, selection: Selection, mayBeHidden: MayBeHidden, values: Values): InsertPlan {
  const { model } = selection
  const given = newRow(row, model)
  const slots = given.values.map((value) => values.add(value))
  return {
    kind: 'insert',
    model,
    selection,
    returnsKey: true,
    columns: given.columns,
    rows: [slots],
    references: referenceChecks(row.references, mayBeHidden, values),
    values: values.list,
  }
}

/** Whether records of an entity may count as absent although their rows exist, because they are deleted or filtered. */
export type MayBeHidden = (model: EntityModel) => boolean

export function referenceChecks (
  references: readonly ReferenceData[],
  mayBeHidden: MayBeHidden,
  values: Values,
  hasPresent = false
): readonly ReferenceCheck[] {
  if (references.length === 0) return NO_CHECKS
  return references.filter(({ relation }) => mayBeHidden(relation.target)).map(({ relation, key }) => ({
    target: relation.target,
    columns: relation.join.targetColumns,
    slots: key.map((value) => values.add(value)),
    ...(hasPresent && { present: relation.join.columns }),
  }))
}

const NO_CHECKS: readonly ReferenceCheck[] = []

interface TargetOptions {
  readonly deleted: WriteTarget['deleted']
  /** The versions of which the row must have one. */
  readonly versions?: readonly string[]
}

/** The columns of data, with the slots of their values. */
export const assignmentsOf = ({ columns, values: given }: ColumnValues, values: Values): readonly Assignment[] =>
  columns.map(({ column, property }, index) => ({ column, property, slot: values.add(given[index]!) }))

/** Plans an update. Returns `undefined` if no record can have the key. */
export function planUpdate (
  id: Id,
  data: Pick<RecordData, 'columns' | 'values' | 'references'>,
  selection: Selection,
  options: TargetOptions & { readonly mayBeHidden: MayBeHidden }
): UpdatePlan | undefined {
  const { model } = selection
  const values = new Values()
  const target = planTarget(id, model, values, options)
  if (target === undefined) return undefined
  const assignments = assignmentsOf(data, values)
  return {
    kind: 'update',
    model,
    selection,
    ...target,
    assignments,
    references: referenceChecks(data.references, options.mayBeHidden, values, true),
    values: values.list,
  }
}

/**
 * Plans the removal of a row, which may be marked as deleted. Returns `undefined` if no record can have the key.
 *
 * @param versions the versions of which the row must have one
 */
export function planDelete (id: Id, selection: Selection, versions?: readonly string[]): DeletePlan | undefined {
  const { model } = selection
  const values = new Values()
  const target = planTarget(id, model, values, { deleted: 'with', versions })
  return target && { kind: 'delete', model, selection, ...target, references: [], values: values.list }
}

/** Which texts can be versions of an entity. */
const versionTest = ({ version }: EntityModel): (text: string) => boolean =>
  version?.type.kind === 'datetime'
    ? (text) => convert(text, version.type).ok && momentText(text) === text
    : () => true

function planTarget (
  id: Id,
  model: EntityModel,
  values: Values,
  { deleted, versions }: TargetOptions
): WriteTarget | undefined {
  const conditions = planKey(id, model, values)
  return conditions &&
    {
      conditions,
      key: conditions,
      deleted,
      ...(versions !== undefined && { versions: values.add(arrayLiteral(versions.filter(versionTest(model)))) }),
    }
}

/** Finds a record by its key, to check to which records it refers at present. */
export interface PresentPlan {
  readonly model: EntityModel
  readonly conditions: readonly Condition[]
  readonly values: readonly unknown[]
}

/** Plans the look-up of the record with a key. Returns `undefined` if no record can have the key. */
export function planPresent (id: Id, model: EntityModel): PresentPlan | undefined {
  const values = new Values()
  const conditions = planKey(id, model, values)
  return conditions && { model, conditions, values: values.list }
}
