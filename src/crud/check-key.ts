/**
 * Checks the keys that methods of `CrudBase` get. A value that no key of the entity can look like is a mistake in the
 * code that calls the method. A key that no record has is not.
 */
import { ConfigError } from '../base/errors.ts'
import { isObject, isObjectLiteral } from '../base/is-object.ts'
import { quoted, shown } from '../base/option-checks.ts'
import { keyColumns, uuidOfId, type EntityModel, type KeyColumn, type PrimaryKeyPart } from '../model/index.ts'
import type { Id } from '../plan/index.ts'
import type { Call } from '../resource/index.ts'

/**
 * The key of a call.
 *
 * @throws {ConfigError} for a value that cannot be one; the message says what to pass
 */
export function keyOfCall ({ crud, operation, resource: { model } }: Call, id: Id): Id {
  if (isKey(id, model)) return id
  throw new ConfigError(
    `${crud.constructor.name}.${operation} takes the key of a record as 'id': ${formOf(model)}; it got ${
      kindOf(id, model)
    }.`
  )
}

function isKey (id: unknown, model: EntityModel): boolean {
  const { primaryKey } = model
  if (isObject(id)) {
    return Object.keys(id).length === primaryKey.length &&
      primaryKey.every((part) => isPart(part, id[part.property.name]))
  }
  const [column, ...more] = keyColumns(model)
  return more.length === 0 ? isValue(id, column!) : typeof id === 'string' && uuidOfId(id, model) !== undefined
}

/** Whether a value can be a part of a key. A relation to a composite key has an object with its parts. */
function isPart ({ property, columns }: PrimaryKeyPart, value: unknown): boolean {
  if (columns.length === 1 || property.kind === 'scalar') return isValue(value, columns[0]!)
  return isObject(value) && property.key.every((part) => isValue(value[part.publicName], part))
}

function isValue (value: unknown, { type }: KeyColumn): boolean {
  const kind = typeof value
  return kind === 'string' || kind === 'number' || kind === 'bigint' || value instanceof Date ||
    (kind === 'boolean' && type.kind === 'boolean')
}

function formOf (model: EntityModel): string {
  const { primaryKey } = model
  if (keyColumns(model).length === 1) return 'a text or a number'
  return `an object with ${quoted(primaryKey.map(({ property }) => property.name))}`
}

/** Describes a value that is no key in the words of the error: `an array`, `an object without 'place'`. */
function kindOf (id: unknown, { primaryKey }: EntityModel): string {
  if (!isObjectLiteral(id)) return withoutText(id)
  const wrong = primaryKey.find((part) => !isPart(part, id[part.property.name]))
  if (wrong === undefined) return 'an object with other members'
  const { name } = wrong.property
  const value = id[name]
  return value === undefined ? `an object without '${name}'` : `an object whose '${name}' is ${withoutText(value)}`
}

/** A text may come from a client, so the error does not quote it. */
const withoutText = (value: unknown): string => typeof value === 'string' ? 'a text' : shown(value)
