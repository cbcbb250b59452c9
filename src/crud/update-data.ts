/** The data of an update that repeats the key of the path. */
import { RequestValidationError } from '../errors.ts'
import { convert, fromJson, isUuid, type EntityModel, type KeyColumn, type ScalarProperty } from '../model/index.ts'
import type { Id } from '../plan/index.ts'
import type { Data } from './new-row.ts'

/**
 * The data without the key by which the record is found: clients may send whole records back, but not to another key.
 *
 * @throws {RequestValidationError} for a key that is not the path's
 */
export function withoutKey (data: Data, id: Id, model: EntityModel): Data {
  if (typeof data !== 'object' || data === null) return data
  const rest: Record<string, unknown> = { ...data }
  for (const { property, expected, column } of keyParts(id, model)) {
    const name = property.publicName
    if (property.hidden || !(name in rest)) continue
    const given = fromJson(rest[name], column.type)
    const own = convert(String(expected), column.type)
    if (!given.ok || !own.ok || String(given.value) !== String(own.value)) {
      throw new RequestValidationError([{ source: { pointer: `/${name}` }, code: 'FST_ERR_VALIDATION', detail: `'${name}' is the record's key and can not be changed: leave it out, or repeat it as it is in the path.` }])
    }
    delete rest[name]
  }
  return rest
}

interface KeyPart {
  readonly property: Pick<ScalarProperty, 'publicName' | 'hidden'>
  readonly expected: unknown
  readonly column: Pick<KeyColumn, 'type'>
}

/** The parts of the key by which a record was asked for, with their values. */
function keyParts (id: Id, { primaryKey, uuid }: EntityModel): KeyPart[] {
  const [single, ...more] = primaryKey
  if (typeof id === 'object') return primaryKey.filter(({ columns }) => columns.length === 1).map(({ property, columns }) => ({ property, expected: id[property.name], column: columns[0]! }))
  if (uuid !== undefined && single?.columns[0]?.type.kind !== 'uuid' && isUuid(String(id))) return [{ property: uuid, expected: id, column: uuid }]
  return single === undefined || more.length > 0 ? [] : [{ property: single.property, expected: id, column: single.columns[0]! }]
}
