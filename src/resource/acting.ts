/** Finds the role that a session acts for, and its limits. */
import type { Actor } from '../access/index.ts'
import type { CrudOperation } from '../config/index.ts'
import type { QueryOperation } from '../run/index.ts'
import { callerOf } from './caller.ts'
import type { CrudClass } from './hooks.ts'
import type { Resource } from './resource.ts'
import { sharedEmOf, type CrudSession } from './session.ts'

/** The role that a session acts for; `undefined` if roles do not limit it. */
export const actorOf = (session: CrudSession): Actor | Promise<Actor> | undefined => callerOf(session)?.actor

/** The same after the application has told the role. */
export function knownActor (session: CrudSession): Actor | undefined {
  const actor = actorOf(session)
  if (actor instanceof Promise) throw new TypeError('the role of this session is not known yet')
  return actor
}

/** The operation that a role must be allowed for each kind of statement. */
const NEEDED: Readonly<Record<QueryOperation, CrudOperation>> = {
  list: 'list',
  count: 'list',
  stream: 'list',
  get: 'get',
  exists: 'get',
  create: 'create',
  createMany: 'createMany',
  update: 'update',
  delete: 'delete',
  restore: 'restore',
}

/**
 * The resource of a CRUD class for the role that a session acts for.
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
  actor.check(crud.bind(em).model.name, NEEDED[operation])
  return crud.bind(em, actor.role)
}
