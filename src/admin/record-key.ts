/** Keys of records: from the property or the properties that identify a record to its `id`, and back. */
import type { ClientFilter } from './filter.ts'
import { joinId, splitId } from './id.ts'
import type { Bound, RecordId, RecordKey } from './admin-resource.ts'
import type { AnyRecord } from '../client/url-names.ts'

/** The key of a record, as the client takes it. The client refuses what is no key, such as `undefined`. */
export function keyOf (id: RecordId, { key }: Bound): RecordKey {
  return key.length > 1 && typeof id === 'string' ? splitId(id) : id
}

/**
 * Prepares a record for an admin framework: adds `id`, and makes ids of composite foreign keys.
 *
 * @throws {TypeError} if a part of a composite key is missing, because it was not selected
 */
export function withId (record: AnyRecord, bound: Bound): any { // any: the caller chooses the type of its records
  const { key, references } = bound
  if (key.length === 1 && key[0] === 'id' && references.size === 0) return record
  const copy: AnyRecord = { ...record, id: key.length === 1 ? record[key[0]!] : joinId(partsOf(record, bound)) }
  for (const [relation, names] of references) {
    const value = record[relation] as unknown
    if (isKey(value, names)) copy[relation] = joinId(names.map((name) => value[name] as RecordId))
  }
  return copy
}

function partsOf (record: AnyRecord, { name, key }: Bound): RecordId[] {
  return key.map((part) => {
    let value: unknown = record
    for (const step of part.split('.')) value = isRecord(value) ? value[step] : value
    if (typeof value === 'string' || typeof value === 'number') return value
    throw new TypeError(
      isRecord(value)
        ? `'${part}' of a record of '${name}' is an object. Name the part of the key in it, such as '${part}.id'.`
        : `A record of '${name}' has no '${part}', which is a part of its key (${key.join(', ')}).`
    )
  })
}

/** Whether a value is a composite key, and not a record that is included. */
function isKey (value: unknown, names: readonly string[]): value is AnyRecord {
  return isRecord(value) && Object.keys(value).length === names.length && names.every((name) => name in value)
}

export const isRecord = (value: unknown): value is AnyRecord => typeof value === 'object' && value !== null

/**
 * Writes the values of a form as a body: without the `id` that `withId` has added, and with the composite keys of
 * related records as objects.
 *
 * @param isNew whether the record does not exist yet, so that an `id` in its composite key is still its own property
 */
export function bodyOf (data: object, { key, references }: Bound, isNew = false): AnyRecord {
  const { id, ...rest } = data as AnyRecord
  const isOwn = id !== undefined && key.includes('id') && (isNew || key.length === 1)
  const body: AnyRecord = isOwn ? { ...rest, id } : rest
  for (const [relation, names] of references) {
    const value = body[relation] as unknown
    if (typeof value !== 'string') continue
    const parts = splitId(value)
    body[relation] = Object.fromEntries(names.map((name, index) => [name, parts[index]]))
  }
  return body
}

/** Records that can be read in one request, because their keys differ in only one part. */
interface Group {
  /** The conditions on the other parts. */
  readonly same: ClientFilter
  /** The part that differs. */
  readonly part: string
  readonly values: readonly RecordId[]
}

/** Divides records into groups. The part that differs is chosen so that there are few groups. */
export function groupsOf (ids: readonly RecordId[], { key }: Bound): Group[] {
  const [part, ...others] = key as readonly [string, ...string[]]
  if (others.length === 0) return [{ same: {}, part, values: ids }]
  const keys = ids.map(splitId).filter((parts) => parts.length === key.length)
  const choices = key.map((_, index) => groupsBy(keys, key, index))
  return choices.reduce((best, groups) => groups.length < best.length ? groups : best)
}

/** The groups of keys that differ in the part at `index`. */
function groupsBy (keys: ReadonlyArray<readonly RecordId[]>, names: readonly string[], index: number): Group[] {
  const part = names[index]!
  const groups = new Map<string, Group & { readonly values: RecordId[] }>()
  for (const parts of keys) {
    const others = parts.filter((_, at) => at !== index)
    const id = joinId(others)
    let group = groups.get(id)
    if (group === undefined) {
      const same = Object.fromEntries(
        names.filter((_, at) => at !== index).map((name, at) => [name, { in: [others[at]] }])
      )
      groups.set(id, group = { same, part, values: [] })
    }
    group.values.push(parts[index]!)
  }
  return [...groups.values()]
}
