/** Writes of data providers: the changes of a form, the version that may be changed, writes to several records. */
import { CrudError, isCrudError } from '../client/index.ts'
import type { RecordId } from './admin-resource.ts'
import type { AnyRecord } from '../client/url-names.ts'
import { inTurns } from './reads.ts'

/**
 * Returns the properties of `data` whose values differ from those of `previous`. The server refuses properties that
 * clients may not set, and a form has them, too. An empty input of a property that was not loaded is no change.
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
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return Object.is(one, other)
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => isSame(one[name], other[name]))
}

const isObject = (value: unknown): value is AnyRecord => typeof value === 'object' && value !== null

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

/**
 * Calls `work` for each id, and returns the results in the same order. A failure does not end the other writes, and no
 * write is repeated.
 *
 * @throws {CrudError} the first failure; its `detail` says how many records failed, and which
 */
export async function forEachId<Result> (
  ids: readonly RecordId[],
  work: (id: RecordId) => Promise<Result>
): Promise<Result[]> {
  const failures = new Map<RecordId, unknown>()
  const results = await inTurns(ids, async (id) => {
    try {
      return [await work(id)]
    } catch (error) {
      failures.set(id, error)
      return []
    }
  })
  if (failures.size > 0) throw together(ids, failures)
  return results.flatMap((result) => result)
}

/** One error for several failures. */
function together (ids: readonly RecordId[], failures: ReadonlyMap<RecordId, unknown>): unknown {
  const failed = ids.filter((id) => failures.has(id))
  const cause = failures.get(failed[0]!)
  if (!isCrudError(cause) || ids.length === 1) return cause
  const { status, code, errors, detail } = cause
  return new CrudError({
    status,
    code,
    errors,
    detail: `${failed.length} of ${ids.length} records failed (${failed.join(', ')}). The first error: ${detail}`,
    cause,
  })
}
