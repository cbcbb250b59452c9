/** The caller that a session acts for. An EntityManager of the application acts for the server, without limits. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { inheritByForks } from '../borrowed/mikro-orm.ts'
import type { SyncSession } from '../database/index.ts'
import { RequestSession, type Caller } from './request-session.ts'
import type { CrudSession } from './crud-session.ts'

const callers = new WeakMap<object, Caller>()

/** Lets an EntityManager act for a caller, and all EntityManagers that are forked from it, as transactions do. */
export function actFor<Em extends EntityManager> (em: Em, caller: Caller): Em {
  inheritByForks(em, (own) => callers.set(own, caller))
  return em
}

/** Runs a function while a synchronous session acts for a caller. */
export function actForSync<Result> (session: SyncSession, caller: Caller, work: () => Result): Result {
  const before = callers.get(session)
  callers.set(session, caller)
  try {
    return work()
  } finally {
    if (before === undefined) callers.delete(session)
    else callers.set(session, before)
  }
}

/** The caller that a session acts for; `undefined` if it acts for the server. */
export const callerOf = (session: CrudSession): Caller | undefined =>
  session instanceof RequestSession ? session : callers.get(session)
