/** The plans of writes: what is to be in which column of which row, and what the row shows afterwards. */
import { arrayLiteral, keyColumns, type EntityModel, type KeyColumn } from '../model/index.ts'
import { recordset } from './recordset.ts'
import type { ColumnData, ReferenceData, RecordData } from './data.ts'
import { planKey, type Id } from './key.ts'
import type { Condition, Deleted, EntityConditions, Selection, Slot } from './types.ts'
import { Values } from './values.ts'

/** A column that is set to a bound value. */
export interface Assignment {
  readonly column: string
  readonly property: ColumnData['property']
  readonly slot: Slot
}

/** A record that has to be there, and visible, for a relation to refer to it. */
export interface ReferenceCheck {
  readonly target: EntityModel
  readonly columns: readonly string[]
  readonly slots: readonly Slot[]
  /** Of an update: columns of its row that hold the present key. A key that stays is no change, and is not looked for. */
  readonly present?: readonly string[]
}

interface WritePlan {
  readonly model: EntityModel
  /** What comes back of each row. */
  readonly selection: Selection
  /** Records that the write refers to and that a foreign key alone would not see as absent. */
  readonly references: readonly ReferenceCheck[]
  /** Filters that hold for this request; those that only MikroORM can compile are not among them. */
  readonly filters?: EntityConditions
  readonly values: readonly unknown[]
}

/** New rows. */
export interface InsertPlan extends WritePlan {
  readonly kind: 'insert'
  readonly columns: readonly Pick<Assignment, 'column' | 'property'>[]
  /** All of the rows as one value, a JSON list of objects by column; then `rows` has none. */
  readonly recordset?: Slot
  /** A column that a row has no slot for gets its default. */
  readonly rows: ReadonlyArray<readonly (Slot | undefined)[]>
  /** Single-table inheritance: what the rows' class is called in the table. */
  readonly discriminator?: { readonly column: string, readonly slot: Slot }
}

/** Which of the rows that the conditions find are written to. */
export interface WriteTarget {
  readonly conditions: readonly Condition[]
  readonly deleted: Deleted
  /** Versions of which the row has to have one, as an array. */
  readonly versions?: Slot
}

export interface UpdatePlan extends WritePlan, WriteTarget {
  readonly kind: 'update'
  readonly assignments: readonly Assignment[]
}

export interface DeletePlan extends WritePlan, WriteTarget {
  readonly kind: 'delete'
}

export type AnyWritePlan = InsertPlan | UpdatePlan | DeletePlan

/** Plans the insertion of rows. */
export function planInsert (rows: readonly RecordData[], selection: Selection, isGuarded: Guard): InsertPlan {
  const { model } = selection
  const values = new Values()
  const together = rows.length > 1 && model.discriminator === undefined ? recordset(rows) : undefined
  if (together !== undefined) {
    return {
      kind: 'insert',
      model,
      selection,
      columns: rows[0]!.columns,
      recordset: values.add(together),
      rows: [],
      references: [],
      values: values.list,
    }
  }
  if (rows.length === 1) return planRow(rows[0]!, selection, isGuarded, values)
  const columns = new Map<string, Pick<Assignment, 'column' | 'property'>>()
  for (const { columns: own } of rows) {
    for (const { column, property } of own) {
      // what class a row is of, its resource says
      if (column !== model.discriminator?.column) columns.set(column, { column, property })
    }
  }
  const discriminator = discriminatorOf(model, values)
  const slots = rows.map((row) => {
    const bySlot = new Map(row.columns.map(({ column, value }) => [column, values.add(value)]))
    return [...columns.keys()].map((column) => bySlot.get(column))
  })
  return {
    kind: 'insert',
    model,
    selection,
    columns: [...columns.values()],
    rows: slots,
    discriminator,
    references: [],
    values: values.list,
  }
}

/** One row, with the records that it refers to. */
function planRow (row: RecordData, selection: Selection, isGuarded: Guard, values: Values): InsertPlan {
  const { model } = selection
  const columns = model.discriminator === undefined
    ? row.columns
    : row.columns.filter(({ column }) => column !== model.discriminator!.column)
  const discriminator = discriminatorOf(model, values)
  const slots = columns.map(({ value }) => values.add(value))
  return {
    kind: 'insert',
    model,
    selection,
    columns,
    rows: [slots],
    discriminator,
    references: referenceChecks(row.references, isGuarded, values),
    values: values.list,
  }
}

const discriminatorOf = ({ discriminator }: EntityModel, values: Values): InsertPlan['discriminator'] =>
  discriminator && { column: discriminator.column, slot: values.add(discriminator.values[0]) }

/** Whether a record of an entity may count as absent though its row is there: deleted, or hidden by a filter. */
export type Guard = (model: EntityModel) => boolean

function referenceChecks (
  references: readonly ReferenceData[],
  isGuarded: Guard,
  values: Values,
  hasPresent = false
): readonly ReferenceCheck[] {
  if (references.length === 0) return NO_CHECKS
  return references.filter(({ relation }) => isGuarded(relation.target)).map(({ relation, key }) => ({
    target: relation.target,
    columns: relation.join.targetColumns,
    slots: key.map((value) => values.add(value)),
    ...(hasPresent && { present: relation.join.columns }),
  }))
}

const NO_CHECKS: readonly ReferenceCheck[] = []

export interface TargetOptions {
  readonly deleted: WriteTarget['deleted']
  /** Versions of which the row has to have one. */
  readonly versions?: readonly string[]
}

/** Plans an update, or `undefined` when no record can have the key. */
export function planUpdate (
  id: Id,
  data: Pick<RecordData, 'columns' | 'references'>,
  selection: Selection,
  options: TargetOptions & { readonly isGuarded: Guard }
): UpdatePlan | undefined {
  const { model } = selection
  const values = new Values()
  const target = planTarget(id, model, values, options)
  if (target === undefined) return undefined
  const assignments = data.columns.map(({ column, property, value }) => ({ column, property, slot: values.add(value) }))
  return {
    kind: 'update',
    model,
    selection,
    ...target,
    assignments,
    references: referenceChecks(data.references, options.isGuarded, values, true),
    values: values.list,
  }
}

/** Plans the removal of a row, or `undefined` when no record can have the key. */
export function planDelete (id: Id, selection: Selection, options: TargetOptions): DeletePlan | undefined {
  const { model } = selection
  const values = new Values()
  const target = planTarget(id, model, values, options)
  return target && { kind: 'delete', model, selection, ...target, references: [], values: values.list }
}

function planTarget (
  id: Id,
  model: EntityModel,
  values: Values,
  { deleted, versions }: TargetOptions
): WriteTarget | undefined {
  const conditions = planKey(id, model, values)
  return conditions &&
    { conditions, deleted, ...(versions !== undefined && { versions: values.add(arrayLiteral(versions)) }) }
}

/** A record whose references are looked at, found by its key. */
export interface PresentPlan {
  readonly model: EntityModel
  readonly conditions: readonly Condition[]
  readonly values: readonly unknown[]
}

/** Plans a look at the record with a key, or `undefined` when no record can have it. */
export function planPresent (id: Id, model: EntityModel): PresentPlan | undefined {
  const values = new Values()
  const conditions = planKey(id, model, values)
  return conditions && { model, conditions, values: values.list }
}

/** The key of a row as the database returns it, a list of texts, as an id. */
export function idOfKey (model: EntityModel, key: readonly string[]): Id {
  const columns: readonly KeyColumn[] = keyColumns(model)
  if (columns.length === 1) return key[0]!
  const id: Record<string, unknown> = {}
  let index = 0
  for (const { property, columns } of model.primaryKey) {
    const values = columns.map(() => key[index++])
    id[property.name] = property.kind === 'scalar' || columns.length === 1
      ? values[0]
      : Object.fromEntries(property.key.map((part, at) => [part.publicName, values[at]]))
  }
  return id
}
