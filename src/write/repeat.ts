/**
 * Repeats writes after a deadlock or a serialization failure. Such an error undoes a statement or transaction although
 * it is correct, and it is likely to succeed after the other writes have ended.
 */
import type { OrPromise } from '../base/or-promise.ts'
import { wait, type Steps } from '../base/steps.ts'
import { delayOf, SyncSession, pause, type Backoff } from '../database/index.ts'
import { isInTransaction, openedEmOf, type CrudSession } from '../resource/index.ts'
import { signalOf, transienceOf } from '../run/index.ts'

const BACKOFF: Backoff = { baseDelay: 20, maxDelay: 200 }
const REPETITIONS = 3

/**
 * Does the work of a write, up to four times. The hooks of `CrudBase` run once, before it. Hooks of MikroORM's unit of
 * work belong to the transaction and are repeated with it. Inside a transaction of the caller, the work is done once:
 * the server has undone the whole transaction, and only the caller can repeat it.
 */
export function * repeated<Result> (session: CrudSession, work: () => Steps<Result>): Steps<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return yield * work()
    } catch (error) {
      if (attempt === REPETITIONS || transienceOf(error) !== 'conflict' || isInTransaction(session)) throw error
      yield * wait(pauseOn(session, delayOf(attempt, BACKOFF)))
    }
  }
}

/** Lets time pass. A synchronous session blocks the thread. */
function pauseOn (session: CrudSession, millis: number): OrPromise<unknown> {
  if (session instanceof SyncSession) return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)
  const em = openedEmOf(session)
  return pause(millis, em && signalOf(em))
}
