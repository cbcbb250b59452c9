/** The role that a session acts for. An EntityManager of the application's own acts for the server, without limits. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Actor } from '../access/index.ts'
import { inheritByForks } from '../borrowed/mikro-orm.ts'
import type { CrudOperation } from '../config/index.ts'
import { SyncSession } from '../database/index.ts'
import type { QueryOperation } from '../run/index.ts'
import type { CrudClass } from './hooks.ts'
import { RequestSession } from './request-session.ts'
import type { Resource } from './resource.ts'
import { sharedEmOf, type CrudSession } from './session.ts'

/** The role of a request, which is found out when it is first needed. */
export interface ActorSource {
  readonly actor: Actor | Promise<Actor> | undefined
}

const sources = new WeakMap<object, ActorSource>()

/** Lets an EntityManager act for a role, and all EntityManagers that are forked from it, as transactions do. */
export function actFor<Em extends EntityManager> (em: Em, source: ActorSource): Em {
  inheritByForks(em, (own) => sources.set(own, source))
  return em
}

/** Runs a function while a synchronous session acts for a role. */
export function actForSync<Result> (session: SyncSession, actor: Actor, work: () => Result): Result {
  const before = sources.get(session)
  sources.set(session, { actor })
  try {
    return work()
  } finally {
    if (before === undefined) sources.delete(session)
    else sources.set(session, before)
  }
}

/** The role that a session acts for; `undefined` if it acts for the server. */
export function actorOf (session: CrudSession): Actor | Promise<Actor> | undefined {
  return session instanceof RequestSession ? session.actor : sources.get(session)?.actor
}

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
