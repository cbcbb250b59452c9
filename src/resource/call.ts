/**
 * A call of an operation: who wants what of which resource. Here a role chooses the resource that it sees, for routes
 * and for the methods of `CrudBase`.
 */
import type { Actor } from '../access/index.ts'
import type { Where } from '../conditions/index.ts'
import { factsOf, neededFor, type CrudOperation, type QueryOperation } from '../config/index.ts'
import { wait, type Steps } from '../base/steps.ts'
import type { OwnedChildren, Whitelist } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import { callerOf } from './caller.ts'
import type { ReadOptions } from './request-conditions.ts'
import type { CrudClass } from './hooks.ts'
import type { Resource } from './resource.ts'
import type { CheckedQuery } from './request-session.ts'
import { waitForFilteredRows } from './role-rows.ts'
import { operate, readWhereWritten, sharedEmOf, type CrudResult, type CrudSession } from './crud-session.ts'

/** The options of all operations. Each takes some of them. */
export interface OperationOptions extends ReadOptions {
  /** The header If-Match: the versions that the record may have. */
  readonly ifMatch?: string | undefined
  /** Values that the server sets, by property name. */
  readonly values?: object
  /** Whether a delete removes the row even if it could be marked as deleted. */
  readonly hard?: boolean
  /** The maximum number of records that a write of many may change. */
  readonly maxAffected?: number
  /** Whether a write of many records only counts them. */
  readonly dryRun?: boolean
  /** Ends a stream, even while the database is executing its statement. */
  readonly signal?: AbortSignal
}

export interface Call<On extends CrudSession = CrudSession> {
  readonly crud: CrudClass
  readonly session: On
  readonly operation: QueryOperation
  readonly options: OperationOptions
  /** The role of the caller, with its request; `undefined` if roles do not limit the caller. */
  readonly actor: Actor | undefined
  /** The resource as the role sees it. */
  readonly resource: Resource
  /** The rows of the resource that the role may write; `undefined` for all. */
  readonly rows: Where | undefined
  /** The query string of the caller's request, if it has been checked. */
  readonly checked: CheckedQuery | undefined
}

/** Makes the call of a caller, and does the steps of its operation in the way of the session. */
export function perform<On extends CrudSession, Answer> (
  crud: CrudClass,
  session: On,
  operation: QueryOperation,
  options: OperationOptions,
  steps: (call: Call<On>) => Steps<Answer>
): CrudResult<On, Answer> {
  return operate(session, performing(crud, session, operation, options, steps))
}

function * performing<On extends CrudSession, Answer> (
  crud: CrudClass,
  session: On,
  operation: QueryOperation,
  options: OperationOptions,
  steps: (call: Call<On>) => Steps<Answer>
): Steps<Answer> {
  return yield * steps(yield * callFor(crud, session, operation, options))
}

/**
 * The call of a caller. It waits if the application must first tell the role, or the rows of the role.
 *
 * @throws {ForbiddenError} if the role may not use the entity, or not this operation
 */
export function * callFor<On extends CrudSession> (
  crud: CrudClass,
  session: On,
  operation: QueryOperation,
  options: OperationOptions
): Steps<Call<On>> {
  const { writes } = factsOf(neededFor(operation))
  // roles, rows and hooks decide about the write by what is stored now
  if (writes) readWhereWritten(session)
  const caller = callerOf(session)
  const acting = caller?.actor
  const actor = acting && (yield * wait(acting))
  const resource = resourceFor(crud, session, actor, operation)
  const rows = actor && writes
    ? yield * waitForFilteredRows(session, actor, resource.model)
    : undefined
  return { crud, session, operation, options, actor, resource, rows, checked: caller?.checked }
}

/**
 * The call of a write of owned children, which is a part of the write of their parents. The hooks and the scope of a
 * resource of the children do not apply.
 *
 * @param pointer the JSON pointer to the first of the children in the body
 * @throws {ForbiddenError} if the role may not use the operation on children
 */
export function * childCall<On extends CrudSession> (
  { crud, session, options, conditions: { actor }, resource }:
    & Pick<Call<On>, 'crud' | 'session' | 'options' | 'resource'>
    & { readonly conditions: { readonly actor?: Actor | undefined } },
  children: OwnedChildren,
  operation: CrudOperation,
  pointer: string
): Steps<Call<On>> {
  const own = resource.ofChildren(children)
  if (actor?.role.unlimited === false) actor.check(own.model.name, operation, pointer)
  const rows = actor && (yield * waitForFilteredRows(session, actor, own.model))
  const { context } = options
  const passed = context === undefined ? {} : { context }
  return { crud, session, operation, options: passed, actor, resource: own, rows, checked: undefined }
}

/**
 * The resource of a CRUD class as a role sees it.
 *
 * @throws {ForbiddenError} if the role may not use the entity, or not this operation
 */
export function resourceFor (
  crud: CrudClass,
  session: CrudSession,
  actor: Actor | undefined,
  operation: QueryOperation
): Resource {
  const em = sharedEmOf(session)
  if (actor === undefined || actor.role.unlimited) return crud.bind(em)
  actor.check(crud.bind(em).model.name, neededFor(operation))
  return crud.bind(em, actor.role)
}

/** The whitelist for parameters. Those of the caller's request take the names of its route. */
export function whitelistOfCall ({ checked, resource }: Call, params: QueryParams | undefined): Whitelist {
  const { whitelist } = resource
  return checked?.params === params && checked?.of === whitelist ? checked.whitelist : whitelist
}
