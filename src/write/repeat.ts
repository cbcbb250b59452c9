/**
 * Writes that are tried again. A deadlock or a serialization failure undoes what a statement or a transaction has done,
 * although nothing is wrong with it: it is likely to succeed when the other writes have ended.
 */
import { delayOf, wait, type Backoff } from '../database/index.ts'
import { openedEmOf, type Session } from '../resource/index.ts'
import { signalOf, transienceOf } from '../run/index.ts'

const BACKOFF: Backoff = { baseDelay: 20, maxDelay: 200 }
const REPETITIONS = 3

/**
 * Does the work of a write, up to four times. It begins after the hooks of `CrudBase`, which run once; those of MikroORM's
 * unit of work belong to the transaction and are repeated with it. Inside of a transaction of the caller it is done once:
 * the server has undone the whole transaction, and only its owner can repeat it.
 */
export async function repeated<Result> (session: Session, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const em = openedEmOf(session)
      const pause = em?.isInTransaction() === true ? undefined : pauseAfter(error, attempt)
      if (pause === undefined) throw error
      await wait(pause, em && signalOf(em))
    }
  }
}

/** How long to wait after a failed attempt before the next one, in milliseconds; `undefined` where there is none. */
export function pauseAfter (error: unknown, attempt: number): number | undefined {
  return attempt < REPETITIONS && transienceOf(error) === 'conflict' ? delayOf(attempt, BACKOFF) : undefined
}
