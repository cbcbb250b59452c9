/** Keys of records. The look-up takes the primary key, the `uuid` property, or an object for a composite key. */
import {
  keyColumns, keyFromText, uuidOfId, type EntityModel, type KeyColumn, type PrimaryKeyPart, type SqlValue,
} from '../model/index.ts'
import { isObject } from '../base/is-object.ts'
import type { Condition } from './condition-types.ts'
import type { Values } from './values.ts'

/** A record's key: a single value, or the parts of a composite key by property name. */
export type Id = string | number | bigint | { readonly [property: string]: unknown }

/**
 * Plans the conditions that find a record by its key. Returns `undefined` if the key has a value that its column cannot
 * hold, so that no record can have it.
 */
export function planKey (id: Id, model: EntityModel, values: Values): readonly Condition[] | undefined {
  const uuid = uuidOfId(id, model)
  if (uuid !== undefined) {
    return [{ kind: 'compare', operator: 'eq', operand: uuid, slots: [values.add(String(id).toLowerCase())] }]
  }
  const [single, ...more] = model.primaryKey
  const given = single !== undefined && more.length === 0 && !isObject(id) ? { [single.property.name]: id } : id
  if (!isObject(given) || Object.keys(given).length !== model.primaryKey.length) return undefined

  const conditions: Condition[] = []
  for (const part of model.primaryKey) {
    for (const [column, value] of columnValues(part, given[part.property.name])) {
      const converted = convertKey(column, value)
      if (converted === undefined) return undefined
      conditions.push({ kind: 'key', column, slot: values.add(converted) })
    }
  }
  return conditions
}

/** The columns of a key part with their values. A relation to a composite key has several, given as an object. */
function columnValues ({ property, columns }: PrimaryKeyPart, value: unknown): [KeyColumn, unknown][] {
  if (columns.length === 1 || property.kind === 'scalar') return [[columns[0]!, value]]
  const parts = isObject(value) ? value : {}
  return property.key.map((part) => [part, parts[part.publicName]])
}

function convertKey (column: KeyColumn, value: unknown): SqlValue | undefined {
  if (value === undefined || value === null || (typeof value === 'object' && !(value instanceof Date))) return undefined
  // toISOString() throws for an invalid Date, whose text 'Invalid Date' is refused like any other
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : String(value)
  const converted = keyFromText(text, column)
  return converted.ok ? converted.value : undefined
}

/** Turns the key of a row, a list of texts or numbers from the database, into an id. */
export function idOfKey (model: EntityModel, key: ReadonlyArray<string | number>): Id {
  if (keyColumns(model).length === 1) return key[0]!
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
