/** The values of a record that a write sets, by column, and lists of columns that several records share. */
import { madeOnce } from '../base/made-once.ts'
import type { EntityModel, RelationProperty, ScalarProperty, SqlValue } from '../model/index.ts'
import type { OwnedChildren } from './body-rules.ts'

/** The values of a record. Its properties are looked up, and their values are converted. */
export interface RecordData {
  /**
   * The columns of scalars and of the keys of to-one relations, in the order of the data. Records of a list share it if
   * they name the same properties in the same order.
   */
  readonly columns: readonly DataColumn[]
  /** The values of the columns, in the same order. */
  readonly values: readonly SqlValue[]
  /** The keys of the records that to-one relations will refer to. */
  readonly references: readonly ReferenceData[]
  /** The keys of the records that many-to-many relations will refer to, instead of the present ones. */
  readonly links: readonly RelationKeys[]
  /** The same values by property name, as JavaScript values, for MikroORM's unit of work. */
  readonly properties: Readonly<Record<string, unknown>>
  /** The children that are written with the record. Absent if the data names none. */
  readonly children?: readonly ChildrenData[]
}

/** A record without data. */
export const EMPTY_RECORD: RecordData = Object.freeze({
  columns: [],
  values: [],
  references: [],
  links: [],
  properties: {},
})

/** Whether rows have links, which are written after them. */
export const haveLinks = (rows: ReadonlyArray<Pick<RecordData, 'links'>>): boolean =>
  rows.some(({ links }) => links.length > 0)

/** Whether rows are written together with children. */
export const haveChildren = (rows: readonly RecordData[]): boolean =>
  rows.some(({ children }) => children !== undefined)

/** The children of one relation that a body writes. */
export interface ChildrenData {
  readonly owned: OwnedChildren
  readonly add: readonly RecordData[]
  readonly update: ReadonlyArray<{ readonly key: ChildKey, readonly row: RecordData }>
  readonly remove: readonly ChildKey[]
  /** The lists whose children the answer has, in the order of the body. */
  readonly order: ReadonlyArray<'add' | 'update'>
}

/** A child's key: the values of the parts that its parent does not give. */
export type ChildKey = readonly SqlValue[]

/** A column that data sets. */
export interface DataColumn {
  readonly property: ScalarProperty | RelationProperty
  readonly column: string
  /** Whether a custom type makes SQL of the value, so that only MikroORM can write it. The value is null. */
  readonly raw?: true
}

/** A column with its value. */
export interface ColumnData extends DataColumn {
  readonly value: SqlValue
}

/** Columns with their values. */
export type ColumnValues = Pick<RecordData, 'columns' | 'values'>

/** The same as a list of pairs, for work that is not done for each record of a list. */
export const columnData = ({ columns, values }: ColumnValues): readonly ColumnData[] =>
  columns.map((column, index) => ({ ...column, value: values[index]! }))

/** Columns with further ones behind them. */
export const withColumns = ({ columns, values }: ColumnValues, more: readonly ColumnData[]): ColumnValues => ({
  columns: [...columns, ...more],
  values: [...values, ...more.map(({ value }) => value)],
})

/** The columns that pass a test. */
export function columnsWhere (
  { columns, values }: ColumnValues,
  passes: (column: DataColumn) => boolean
): ColumnValues {
  return { columns: columns.filter(passes), values: values.filter((_, index) => passes(columns[index]!)) }
}

/** A column of new rows. */
export interface NewColumn {
  readonly column: string
  /** Absent for the class of a row (single-table inheritance), which the resource determines. */
  readonly property: DataColumn['property'] | undefined
}

/** The values of a new row, by column. */
export interface NewRow {
  readonly columns: readonly NewColumn[]
  readonly values: readonly SqlValue[]
}

/** The columns without that of the class of a row, which the resource determines. */
export const withoutDiscriminator = (row: ColumnValues, { discriminator }: EntityModel): ColumnValues =>
  discriminator === undefined ? row : columnsWhere(row, ({ column }) => column !== discriminator.column)

/** The columns of a new row with that of its class, whatever the data says of it. */
export function newRow (row: ColumnValues, model: EntityModel): NewRow {
  if (model.discriminator === undefined) return row
  const { column, values: [ofClass] } = model.discriminator
  const { columns, values } = withoutDiscriminator(row, model)
  return { columns: [{ column, property: undefined }, ...columns], values: [ofClass!, ...values] }
}

const longerThan: (columns: readonly DataColumn[]) => Map<string, readonly DataColumn[]> = madeOnce(() => new Map())

/** A list of columns with one more. Equal arguments give the same list, so that records can share it. */
export function withColumn (
  columns: readonly DataColumn[],
  property: DataColumn['property'],
  column: string
): readonly DataColumn[] {
  const lists = longerThan(columns)
  let list = lists.get(column)
  if (list?.at(-1)!.property !== property) lists.set(column, list = [...columns, { property, column }])
  return list!
}

export interface ReferenceData {
  readonly relation: RelationProperty
  /** The parts of the key, in the order of `relation.join.targetColumns`. */
  readonly key: readonly SqlValue[]
}

/** Keys of records that a row refers to by one relation. */
export interface RelationKeys {
  readonly relation: RelationProperty
  readonly keys: ReadonlyArray<readonly SqlValue[]>
}
