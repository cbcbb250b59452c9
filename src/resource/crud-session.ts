/** The sessions that the methods of `CrudBase` run on, and the EntityManagers and transactions of sessions. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { SyncSession } from '../database/index.ts'
import type { OrPromise } from '../base/or-promise.ts'
import { cannotWait, doAtOnce, doInTurn, wait, type Steps } from '../base/steps.ts'
import type { EntityModel } from '../model/index.ts'
import {
  askDistribution, askUnaccent, followCommit, noteRules, noteTriggers, read, readFromWriter, RULES, run, runAround,
  runOutside, transact, TRIGGERS, workNow, type BoundStatement,
} from '../run/index.ts'
import type { Row } from '../sql/index.ts'
import { RequestSession } from './request-session.ts'

/** A session with promises: an EntityManager, or the session of a request in generated routes. */
type Session = EntityManager | RequestSession

/** A session with promises, or a session of a factory with `useAsync: false`. */
export type CrudSession = Session | SyncSession

/** The result of a method of `CrudBase`: a value on a synchronous session, a promise on others and on `any`. */
export type CrudResult<Given extends CrudSession, Value> = 0 extends 1 & Given ? Promise<Value>
  : Given extends SyncSession ? Value
    : Promise<Value>

/** @throws {ConfigError} on a synchronous session, for a method that takes promises */
export function requirePromises (session: CrudSession, what: string): void {
  if (session instanceof SyncSession) throw cannotWait(what)
}

/** Does the steps of an operation: at once on a synchronous session, on others in turn. */
export function operate<On extends CrudSession, Result> (session: On, steps: Steps<Result>): CrudResult<On, Result> {
  return (session instanceof SyncSession ? doAtOnce(steps) : doInTurn(steps)) as CrudResult<On, Result>
}

/** The EntityManager of a session. */
export function emOf (session: CrudSession): EntityManager {
  return session instanceof SyncSession || session instanceof RequestSession ? session.em : session
}

/** An EntityManager with the metadata, the configuration and the query builder of a session, but without its state. */
export function sharedEmOf (session: CrudSession): EntityManager {
  return session instanceof RequestSession ? session.opened ?? session.shared : emOf(session)
}

/** The EntityManager of a session, if it has been used: a request forks one only then. */
export function openedEmOf (session: Session): EntityManager | undefined {
  return session instanceof RequestSession ? session.opened : session
}

/** Whether the session has variables or a role, for which policies of row level security may hide rows. */
export function hasSessionContext (session: CrudSession): boolean {
  return !(session instanceof SyncSession) && openedEmOf(session)?.getSessionContext() !== undefined
}

/** Lets all reads of a session go to the server that is written to. */
export function readWhereWritten (session: CrudSession): void {
  const em = session instanceof SyncSession ? undefined : openedEmOf(session)
  if (em !== undefined) readFromWriter(em)
}

/** Runs a statement of a read, which may go to a replica. */
export function readStatement (session: CrudSession, statement: BoundStatement): OrPromise<readonly Row[]> {
  if (session instanceof SyncSession) return session.run(statement)
  const em = openedEmOf(session)
  return em === undefined ? runOnShared(session as RequestSession, statement) : read(em, statement)
}

/**
 * Runs a statement of a write, including statements that only read.
 *
 * @param model the entity whose rows it writes, so that errors can name properties
 */
export function runStatement (
  session: CrudSession,
  statement: BoundStatement,
  model?: EntityModel
): OrPromise<readonly Row[]> {
  if (session instanceof SyncSession) return session.run(statement, model)
  const em = openedEmOf(session)
  return em === undefined ? runOnShared(session as RequestSession, statement, model) : run(em, statement, model)
}

const runOnShared = (
  { shared, departure }: RequestSession,
  statement: BoundStatement,
  model?: EntityModel
): Promise<Row[]> => runOutside(shared.getConnection(), statement, departure, model)

/** Asks the server once whether it distributes tables, so that writes have the form that it takes. */
export function knowServer (session: CrudSession): Steps<void> {
  return askDistribution(sharedEmOf(session), (statement) => runStatement(session, statement))
}

/** Asks the server once where its extension unaccent is. */
export function knowUnaccent (session: CrudSession): Steps<void> {
  return askUnaccent(sharedEmOf(session), (statement) => runStatement(session, statement))
}

/** Asks the server once which tables have triggers, on which the check of written rows depends. */
export function * knowTriggers (session: CrudSession): Steps<void> {
  noteTriggers(sharedEmOf(session), yield * wait(runStatement(session, TRIGGERS)))
}

/** Asks the server which columns its rules read, so that errors can point to them. */
export function * knowRules (session: CrudSession): Steps<void> {
  noteRules(sharedEmOf(session), yield * wait(runStatement(session, RULES)))
}

/** Whether a transaction is open, which a statement that fails would end. */
export function isInTransaction (session: CrudSession): boolean {
  return session instanceof SyncSession ? session.isInTransaction : openedEmOf(session)?.isInTransaction() === true
}

/** Does work in a new transaction of the session, or in a savepoint if it is in a transaction. */
export function * inTransaction<Result> (
  session: CrudSession,
  work: (inner: EntityManager | SyncSession) => Steps<Result>
): Steps<Result> {
  if (session instanceof SyncSession) return session.transaction((inner) => doAtOnce(work(inner)))
  return yield * wait(runAround<[EntityManager], Result, Result>(
    (inside) => transact(emOf(session), inside),
    (em) => doInTurn(work(em))
  ))
}

/** Does work that follows a statement. Its promise resolves when the work is done or deferred. */
type AfterCommit = (work: () => Steps<void>) => OrPromise<void>

/**
 * Follows the transaction of a session. Do this before the statement that the work belongs to.
 *
 * @returns a function that does work after that statement: once its transaction has committed, or else at once
 */
export function * afterCommitOf (session: CrudSession): Steps<AfterCommit> {
  if (session instanceof SyncSession) {
    const after = session.followCommit()
    return (work) => after(() => doAtOnce(work()))
  }
  const em = openedEmOf(session)
  if (em?.isInTransaction() !== true) return (work) => workNow(sharedEmOf(session), () => doInTurn(work()))
  const after = yield * wait(followCommit(em))
  return (work) => after(() => doInTurn(work()))
}
