/** The shape of the plan of a write, which is made in the same way as that of a read. */
import type {
  Assignment, CheckedRows, DeleteEachPlan, DeletePlan, InsertPlan, ManyPlan, NewColumn, ReferenceCheck, RowForHooks,
  UpdateEachPlan, UpdatePlan, UpsertManyPlan, UpsertPlan, WriteTarget,
} from '../plan/index.ts'
import { conditionsShape, rowWriters, idOf, shapeKey, recordWriters, type AnyWriter, type Writers } from './shape.ts'

/** What tells writes of one shape apart. The compiler does not get it. */
type Unread = 'values'

/** The parts of the plans of writes that the compiler gets, beside the form. Each of them is in the key. */
export type InsertShape = Omit<InsertPlan, Unread>
export type UpdateShape = Omit<UpdatePlan, Unread>
type DeleteShape = Omit<DeletePlan, Unread>
export type UpdateEachShape = Omit<UpdateEachPlan, Unread>
export type DeleteEachShape = Omit<DeleteEachPlan, Unread>
/** A write of new rows, or of one row. */
export type OneWriteShape = InsertShape | UpdateShape | DeleteShape
export type UpsertShape = Omit<UpsertPlan, Unread>
export type UpsertManyShape = Omit<UpsertManyPlan, Unread>
export type WriteShape = OneWriteShape | UpdateEachShape | DeleteEachShape | UpsertShape | UpsertManyShape
/** A write of many rows returns no records. */
export type ManyShape = Omit<ManyPlan, Unread | 'customs'>

const { model, conditions, deleted, filters } = rowWriters
const { selection } = recordWriters
const inside = ({ inside }: CheckedRows): string => inside === undefined ? '' : `>${conditionsShape(inside)}`

const written: Writers<Omit<DeleteShape, keyof WriteTarget>> = {
  model,
  selection,
  filters,
  references: ({ references }) => referencesShape(references),
  forHooks: ({ forHooks }) => shapeForHooks(forHooks),
}
const target: Writers<Omit<WriteTarget, 'key'>> = {
  conditions,
  deleted,
  versions: ({ versions }) => versions ?? '',
}
const insertion: Writers<InsertShape> = {
  ...written,
  inside,
  returnsKey: ({ returnsKey }) => returnsKey,
  columns: ({ columns }) => columns.map(columnShape).join(),
  recordset: ({ recordset }) => recordset === undefined ? '' : `${recordset.common},${recordset.rows}`,
  // of several rows, each list of slots has a statement
  rows: ({ rows }) => rows.map((row) => row.join()).join(';'),
}
const removal: Writers<DeleteShape> = {
  ...written,
  ...target,
  // the first of the conditions
  key: () => '',
}
const update: Writers<UpdateShape> = {
  ...removal,
  inside,
  assignments: ({ assignments }) => assignmentsShape(assignments),
}
const upsert: Writers<UpsertShape> = {
  ...written,
  ...target,
  inside,
  on: ({ on }) => idOf(on),
  assignments: ({ assignments }) => assignments === undefined ? '-' : assignmentsShape(assignments),
  insert: ({ insert }) =>
    insert === undefined
      ? '-'
      : `${insert.columns.map(columnShape).join()}=${insert.slots.join()}:${referencesShape(insert.references)}`,
}
const upsertMany: Writers<UpsertManyShape> = {
  ...written,
  ...target,
  inside,
  on: ({ on }) => idOf(on),
  returnsKey: ({ returnsKey }) => returnsKey,
  columns: ({ columns }) => columns?.map(columnShape).join() ?? '-',
  assignments: ({ assignments }) => assignments?.map((set) => `${columnShape(set)}${set.own ? '!' : ''}`).join() ?? '-',
  given: ({ given }) => `${given.common},${given.rows}`,
  own: ({ own }) => own === undefined ? '' : `${own.common},${own.rows}`,
  count: ({ count }) => count,
}
const many: Writers<ManyShape> = {
  ...rowWriters,
  does: ({ does }) => does,
  inside,
  fetchSlot: ({ fetchSlot }) => fetchSlot,
  assignments: ({ assignments }) => assignmentsShape(assignments),
  references: ({ references }) => referencesShape(references),
  returnsKeys: ({ returnsKeys }) => returnsKeys,
}
const removalOfEach: Writers<DeleteEachShape> = {
  ...recordWriters,
  keys: ({ keys }) => keys.map(idOf).join(),
  rows: ({ rows }) => rows,
}
const updateOfEach: Writers<UpdateEachShape> = {
  ...removalOfEach,
  inside,
  assignments: ({ assignments }) => assignments.map((set) => `${columnShape(set)}${set.always ? '' : '?'}`).join(),
  references: ({ references }) => references.map(idOf).join(),
}

const WRITERS: { readonly [Kind in (WriteShape | ManyShape)['kind']]: readonly AnyWriter[] } = {
  insert: Object.values(insertion),
  update: Object.values(update),
  delete: Object.values(removal),
  updateEach: Object.values(updateOfEach),
  deleteEach: Object.values(removalOfEach),
  many: Object.values(many),
  upsert: Object.values(upsert),
  upsertMany: Object.values(upsertMany),
}

/** The key of the shape of a write. */
export function writeShapeOf (shape: WriteShape | ManyShape): string {
  return shapeKey(shape, WRITERS[shape.kind])
}

const assignmentsShape = (assignments: readonly Assignment[]): string =>
  assignments.map((set) => `${columnShape(set)}=${set.slot}`).join()

const referencesShape = (references: readonly ReferenceCheck[]): string =>
  references.length === 0 ? '' : references.map(referenceShape).join('&')

function referenceShape ({ target, columns, slots, present }: ReferenceCheck): string {
  return `${idOf(target)}:${columns.join()}:${slots.join()}:${present?.join() ?? ''}`
}

/** The shape of what after hooks get. */
function shapeForHooks (row: RowForHooks | undefined): string {
  if (row === undefined) return ''
  const { whole, previous } = row
  return `${whole === undefined ? '' : idOf(whole)},${previous === undefined ? '' : idOf(previous)}`
}

/** The shape of a column, for a property that may have several. The model has the column of a class. */
function columnShape ({ property, column }: NewColumn): string {
  if (property === undefined) return '*'
  return property.kind === 'scalar' ? String(idOf(property)) : `${idOf(property)}.${column}`
}
