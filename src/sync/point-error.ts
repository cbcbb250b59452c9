/** Points errors of the database on a synchronous session, as `src/write/point-error.ts` does. */
import type { SyncSession } from '../database/index.ts'
import type { RecordData } from '../plan/index.ts'
import { noteRules, RULES, type ServerError } from '../run/index.ts'
import {
  isRepeatable,
  isSameError,
  needsRules,
  pointed,
  rowErrorIn,
  searchRefused,
  type Part,
  type Write,
} from '../write/index.ts'

type SyncWrite = Write<SyncSession>

/** Inserts a part of a batch, in a transaction that will be rolled back. */
export type Attempt = (inner: SyncWrite, part: Part) => unknown

/** Does the work of a write. Its error points to its record and properties as far as they can be found out. */
export function pointing<Result> (
  write: SyncWrite,
  rows: readonly RecordData[],
  work: () => Result,
  pointer: (index: number) => string = () => '',
  attempt?: Attempt
): Result {
  try {
    return work()
  } catch (error) {
    const cause = rowErrorIn(error)
    if (cause === undefined) throw error
    if (needsRules(write, cause)) refusalOf(() => noteRules(write.session.em, write.session.run(RULES)))
    const index = rows.length < 2 ? 0 : attempt && findRefused(write, rows.length, cause, attempt)
    throw pointed(cause, write, rows, index, pointer)
  }
}

/** The index of the refused record of a batch, or `undefined` if it cannot be found out. Leaves nothing behind. */
function findRefused (write: SyncWrite, count: number, error: ServerError, attempt: Attempt): number | undefined {
  if (!isRepeatable(error)) return undefined
  let index: number | undefined
  // the search is always rolled back, and if it fails the error of the write matters more
  refusalOf(() =>
    write.session.transaction((session) => {
      const search = searchRefused(count)
      let step = search.next()
      while (step.done !== true) {
        const part = step.value
        const refusal = refusalOf(() => session.transaction((inner) => attempt({ ...write, session: inner }, part)))
        if (refusal !== undefined && !isSameError(refusal, error)) throw refusal
        step = search.next(refusal !== undefined)
      }
      index = step.value
      throw error
    })
  )
  return index
}

function refusalOf (attempted: () => unknown): unknown {
  try {
    attempted()
    return undefined
  } catch (error) {
    return error
  }
}
