/** Repeats writes on a synchronous session after a conflict. */
import type { SyncSession } from '../database/index.ts'
import { pauseAfter } from '../write/index.ts'

/**
 * Does the work of a write, up to four times, but only once in a transaction of the caller. The thread is blocked
 * during the pauses.
 */
export function repeated<Result> (session: SyncSession, work: () => Result): Result {
  for (let attempt = 0; ; attempt++) {
    try {
      return work()
    } catch (error) {
      const pause = session.isInTransaction ? undefined : pauseAfter(error, attempt)
      if (pause === undefined) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    }
  }
}
