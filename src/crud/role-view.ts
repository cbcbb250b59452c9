/** A CRUD class as a role sees it, for tests and scripts. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import { Actor, type AccessOptions } from '../access/index.ts'
import { isEntityManager, SyncSession } from '../database/index.ts'
import { accessFor, actFor, actForSync } from '../resource/index.ts'

/** Options of `forRole`. */
export interface RoleViewOptions {
  /** The argument of functions in `rows`. */
  readonly request?: FastifyRequest
  /**
   * The rules, for scripts that start no server. Default: those of the last server that has made routes of the resource
   * and knows the role. Pass them if several instances have different rules for it.
   */
  readonly access?: AccessOptions
}

const METHODS = [
  'list',
  'listJson',
  'get',
  'getJson',
  'count',
  'exists',
  'stream',
  'streamJson',
  'query',
  'create',
  'createMany',
  'update',
  'delete',
  'restore',
] as const

type Method = typeof METHODS[number]

/** The methods of `CrudBase` that read and write. */
type Methods = { readonly [Name in Method]: (...args: any[]) => unknown } // any: each has other parameters

/** The methods of a CRUD class that read and write, within the limits of a role. */
export type RoleView<Crud extends Methods> = Pick<Crud, Method>

/** The methods of a CRUD class for a role. The name of the role has been checked. */
export function roleView<Crud extends Methods> (
  crud: Crud,
  name: string,
  access: AccessOptions,
  request: FastifyRequest | undefined
): RoleView<Crud> {
  const actorIn = (em: EntityManager): Actor => new Actor(accessFor(access, em).roles.get(name)!, request)
  const methodOf = (method: Method) => (session: unknown, ...args: unknown[]): unknown => {
    const call = (own: unknown): unknown => crud[method](own, ...args)
    if (session instanceof SyncSession) return actForSync(session, actorIn(session.em), () => call(session))
    return call(isEntityManager(session) ? acting(session, actorIn) : session)
  }
  return Object.freeze(Object.fromEntries(METHODS.map((method) => [method, methodOf(method)]))) as RoleView<Crud>
}

/** A fork that acts for the role, in the transaction of the original. The original goes on to act for the server. */
function acting (em: EntityManager, actorIn: (em: EntityManager) => Actor): EntityManager {
  let actor: Actor | undefined
  return actFor(em.fork({ keepTransactionContext: true }) as EntityManager, {
    get actor () {
      actor ??= actorIn(em)
      return actor
    },
  })
}
