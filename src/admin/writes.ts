/** Writes of data providers: the changes of a form, the version that may be changed, writes to several records. */
import { CrudError, isCrudError, type Affected } from '../client/index.ts'
import type { AnyRecord } from '../client/url-names.ts'
import type { Bound, ManyConditions, RecordId } from './admin-resource.ts'
import { inTurns, partsOfIds } from './reads.ts'
import { isRecord, keyOf, withId } from './record-key.ts'

/**
 * Returns the properties of `data` whose values differ from those of `previous`. A form has all properties, and the
 * server refuses those that clients may not set. An empty input of a property that was not loaded is no change.
 */
export function changesOf (data: AnyRecord, previous: AnyRecord | undefined): AnyRecord {
  if (previous === undefined) return data
  return Object.fromEntries(
    Object.entries(data).filter(([name, value]) => !isSame(value ?? null, previous[name] ?? null))
  )
}

/** Whether two JSON values are equal. Dates count as the text that they are sent as. */
function isSame (one: unknown, other: unknown): boolean {
  if (one instanceof Date) return isSame(one.toJSON(), other)
  if (other instanceof Date) return isSame(one, other.toJSON())
  if (!isRecord(one) || !isRecord(other) || Array.isArray(one) !== Array.isArray(other)) return Object.is(one, other)
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => isSame(one[name], other[name]))
}

/** The condition of a write on the version of its record. */
export interface Match {
  readonly ifMatch?: string
}

/**
 * Returns the condition of a write: the version of the record that the user saw.
 *
 * @param name the property with the version, or `undefined` if writes overwrite any version
 * @param place where the application can pass the version, for the error
 * @throws {TypeError} if there is no version, because the write would overwrite any
 */
export function matchOf (version: unknown, name: string | undefined, place: string): Match {
  if (name === undefined) return {}
  if (typeof version !== 'number' && typeof version !== 'string') {
    throw new TypeError(`No version in ${place}: this write could overwrite the change of another user.`)
  }
  return { ifMatch: `"${version}"` }
}

/** Creates records: all or none in one request, where the resource offers it. */
export async function createAll (bound: Bound, bodies: readonly AnyRecord[]): Promise<AnyRecord[]> {
  const { resource, operations } = bound
  const records = operations.includes('createMany')
    ? await resource.createMany(bodies)
    : await forEachId([...bodies.keys()], async (index) => await resource.create(bodies[index]!))
  return records.map((record) => withId(record, bound))
}

/** Sets the same values in several records. Returns the records, or only their ids if one request has changed them. */
export async function updateAll (bound: Bound, ids: readonly RecordId[], body: AnyRecord): Promise<AnyRecord[]> {
  const { resource, operations } = bound
  if (!operations.includes('updateMany')) {
    const records = await forEachId(ids, async (id) => await resource.update(keyOf(id, bound), body, {}))
    return records.map((record) => withId(record, bound))
  }
  // the server would answer that no record has changed
  if (Object.keys(body).length > 0) await together(bound, ids, async (query) => await resource.updateMany(query, body))
  return ids.map((id) => ({ id }))
}

/** Deletes several records. Returns the records, or only their ids if one request has deleted them. */
export async function deleteAll (bound: Bound, ids: readonly RecordId[]): Promise<AnyRecord[]> {
  const { resource, operations } = bound
  if (!operations.includes('deleteMany')) {
    const records = await forEachId(ids, async (id) => await resource.delete(keyOf(id, bound), {}))
    return records.map((record) => withId(record, bound))
  }
  await together(bound, ids, async (query) => await resource.deleteMany(query))
  return ids.map((id) => ({ id }))
}

/**
 * Calls `write` for each hundred records, one after the other.
 *
 * @throws {CrudError} the first failure, which ends the writes; and one with status 404 if there are fewer records than
 *   ids
 */
async function together (
  bound: Bound,
  ids: readonly RecordId[],
  write: (query: ManyConditions) => Promise<Affected>
): Promise<void> {
  const unique = [...new Set(ids)]
  let written = 0
  for (const { filter } of partsOfIds(bound, unique)) {
    try {
      written += (await write({ filter })).affected
    } catch (error) {
      if (written === 0 || !isCrudError(error)) throw error
      throw partly(error, `${written} of ${unique.length} records are done. `)
    }
  }
  if (written === unique.length) return
  const others = written > 0 ? ' The others are done.' : ''
  const detail = `${unique.length - written} of ${unique.length} records were not found.${others}`
  throw new CrudError({ status: 404, code: 'FST_CRUD_NOT_FOUND', detail })
}

/** An error after a part of a change. */
function partly (cause: CrudError, before: string): CrudError {
  const { status, code, errors, detail } = cause
  return new CrudError({ status, code, errors, detail: before + detail, cause })
}

/**
 * Calls `work` for each id, and returns the results in the same order. A failure does not end the other writes, and no
 * write is repeated.
 *
 * @throws {CrudError} the first failure; its `detail` says how many records failed, and which
 */
async function forEachId<Id extends RecordId, Result> (
  ids: readonly Id[],
  work: (id: Id) => Promise<Result>
): Promise<Result[]> {
  const failures = new Map<Id, unknown>()
  const results = await inTurns(ids, async (id) => {
    try {
      return [await work(id)]
    } catch (error) {
      failures.set(id, error)
      return []
    }
  })
  if (failures.size > 0) throw joined(ids, failures)
  return results.flatMap((result) => result)
}

/** One error for several failures. */
function joined (ids: readonly RecordId[], failures: ReadonlyMap<RecordId, unknown>): unknown {
  const failed = ids.filter((id) => failures.has(id))
  const cause = failures.get(failed[0]!)
  if (!isCrudError(cause) || ids.length === 1) return cause
  return partly(cause, `${failed.length} of ${ids.length} records failed (${failed.join(', ')}). The first error: `)
}
