/**
 * Writes that are tried again. A deadlock or a serialization failure undoes what a statement or a transaction has done, although
 * nothing is wrong with it: it is likely to succeed when the other writes have ended.
 */
import { delayOf, SyncSession, wait as pause, type Backoff } from '../database/index.ts'
import { signalOf, transienceOf } from '../run/index.ts'
import { RequestSession, wait, type CrudSession, type Work } from '../resource/index.ts'

const BACKOFF: Backoff = { baseDelay: 20, maxDelay: 200 }
const REPETITIONS = 3

/**
 * Does the work of a write, up to four times. It begins after the hooks of `CrudBase`, which run once; those of MikroORM's
 * unit of work belong to the transaction and are repeated with it. Inside of a transaction of the caller it is done once:
 * the server has undone the whole transaction, and only its owner can repeat it.
 */
export function * repeated<Result> (session: CrudSession, work: () => Work<Result>): Work<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return yield * work()
    } catch (error) {
      if (attempt >= REPETITIONS || transienceOf(error) !== 'conflict' || isInTransaction(session)) throw error
      yield * rest(session, delayOf(attempt, BACKOFF))
    }
  }
}

function isInTransaction (session: CrudSession): boolean {
  if (session instanceof SyncSession) return session.isInTransaction
  return (session instanceof RequestSession ? session.opened : session)?.isInTransaction() === true
}

/** Waits, in a synchronous session without letting anything else happen. */
function * rest (session: CrudSession, milliseconds: number): Work<void> {
  if (session instanceof SyncSession) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
    return
  }
  const em = session instanceof RequestSession ? session.opened : session
  yield * wait(pause(milliseconds, em && signalOf(em)))
}
