/**
 * Repeats writes after a deadlock or a serialization failure. Such an error undoes a statement or transaction although
 * it is correct, and it is likely to succeed after the other writes have ended.
 */
import { delayOf, wait, type Backoff } from '../database/index.ts'
import { openedEmOf, type Session } from '../resource/index.ts'
import { signalOf, transienceOf } from '../run/index.ts'

const BACKOFF: Backoff = { baseDelay: 20, maxDelay: 200 }
const REPETITIONS = 3

/**
 * Does the work of a write, up to four times. The hooks of `CrudBase` run once, before it. Hooks of MikroORM's unit of
 * work belong to the transaction and are repeated with it. Inside a transaction of the caller, the work is done once:
 * the server has undone the whole transaction, and only the caller can repeat it.
 */
export function repeated<Result> (session: Session, work: () => Promise<Result>): Promise<Result> {
  const attempt = (count: number): Promise<Result> =>
    work().catch(async (error: unknown) => {
      const em = openedEmOf(session)
      const pause = em?.isInTransaction() === true ? undefined : pauseAfter(error, count)
      if (pause === undefined) throw error
      await wait(pause, em && signalOf(em))
      return await attempt(count + 1)
    })
  return attempt(0)
}

/** Milliseconds to wait before the next attempt after a failed one, or `undefined` if there is no next attempt. */
export function pauseAfter (error: unknown, attempt: number): number | undefined {
  return attempt < REPETITIONS && transienceOf(error) === 'conflict' ? delayOf(attempt, BACKOFF) : undefined
}
