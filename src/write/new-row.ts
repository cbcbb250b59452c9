/** Completes the data of a write with the values of MikroORM's `onCreate` and `onUpdate`. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import { madeOnce } from '../base/made-once.ts'
import {
  columnsOf, fromJson, wireTypeOf, type EntityModel, type Property, type ScalarProperty, type SqlValue,
} from '../model/index.ts'
import { columnData, withColumn, type ColumnValues, type RecordData } from '../plan/index.ts'
import { toBody } from '../resource/index.ts'

/** A record's data as a client sent it or as a hook returned it. */
export type Data = Readonly<Record<string, unknown>>

/** The property's name in data: its public name, or for a hidden property the entity's name for it. */
export function nameInData (property: Property): string {
  return property.hidden ? property.name : property.publicName
}

/** A new row, in which properties that are missing or null have the value of their `onCreate`. */
export function withOnCreate (row: RecordData, model: EntityModel, em: EntityManager): RecordData {
  return complete(row, model, 'onCreate', em)
}

/** The changes of a row with the values of `onUpdate`, which replace given values. */
export function withOnUpdate (row: RecordData, model: EntityModel, em: EntityManager): RecordData {
  return complete(row, model, 'onUpdate', em)
}

/** A property with an `onCreate` or `onUpdate` function. */
interface Hook {
  readonly property: ScalarProperty
  readonly call: NonNullable<Property['write']['onCreate']>
}

interface Hooks {
  /** Whether two properties share a column. */
  readonly overlap: boolean
  readonly onCreate: readonly Hook[]
  readonly onUpdate: readonly Hook[]
}

const hooksOf = madeOnce(({ properties }: EntityModel): Hooks => {
  // hooks of relations and embedded objects are left to the unit of work
  const scalars = [...properties.values()].filter((property) => property.kind === 'scalar')
  const having = (name: 'onCreate' | 'onUpdate'): Hook[] =>
    scalars.flatMap((property) => {
      const call = property.write[name]
      return call === undefined ? [] : [{ property, call }]
    })
  const columns = [...properties.values()]
    .filter(({ kind, write }) => kind === 'relation' || (kind === 'scalar' && write.persisted))
    .flatMap(columnsOf)
  return {
    overlap: new Set(columns).size < columns.length,
    onCreate: having('onCreate'),
    onUpdate: having('onUpdate'),
  }
})

function complete (row: RecordData, model: EntityModel, when: 'onCreate' | 'onUpdate', em: EntityManager): RecordData {
  const { overlap, [when]: hooks } = hooksOf(model)
  if (hooks.length === 0 && !overlap) return row
  const { references, links, properties } = row
  let { columns, values: given } = overlap ? withLatestValues(row) : row
  // an array that grows keeps spare places in memory, as long as the rows of a list live
  const values = new Array<SqlValue>(given.length + hooks.length)
  let count = given.length
  for (let index = 0; index < count; index++) values[index] = given[index]!
  for (const { property, call } of hooks) {
    const index = placeOf(property, columns)
    if (when === 'onCreate' && index < count && values[index] !== null) continue
    const value = call(properties, em)
    if (value === undefined) continue
    values[index] = value === null ? null : toColumn(property, value)
    columns = withProperty(columns, index, property)
    if (index === count) count++
  }
  values.length = count
  return { columns, values, references, links, properties }
}

/** The index of a property's column, also where the columns lack it. */
function placeOf ({ column }: ScalarProperty, columns: RecordData['columns']): number {
  // this runs for each record of a list
  for (let index = 0; index < columns.length; index++) if (columns[index]!.column === column) return index
  return columns.length
}

/** The columns with that of a property at an index. Rows of a list share them, unless a column is replaced. */
function withProperty (columns: RecordData['columns'], index: number, property: ScalarProperty): RecordData['columns'] {
  const { column } = property
  if (index === columns.length) return withColumn(columns, property, column)
  return columns[index]!.property === property ? columns : columns.with(index, { property, column })
}

/** Each column once, with the last of its values. */
function withLatestValues (row: ColumnValues): ColumnValues {
  const data = [...new Map(columnData(row).map((one) => [one.column, one])).values()]
  return { columns: data, values: data.map(({ value }) => value) }
}

/** Converts a value that the entity's own function returned. Invalid values are left to the database to refuse. */
function toColumn (property: ScalarProperty, value: unknown): SqlValue {
  const converted = property.codec?.fromJson?.(value) ??
    fromJson(
      value instanceof Date && wireTypeOf(property.type).takesDates ? value : toBody(property, value),
      property.type
    )
  if (converted.ok && converted.raw) {
    throw new ConfigError(
      `'${property.name}' has a type that makes SQL of its values. Let its onCreate or onUpdate take the entity as ` +
        'an argument, so that MikroORM writes it.'
    )
  }
  return converted.ok ? converted.value : String(value)
}
