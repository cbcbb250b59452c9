/** A CRUD class as a role sees it, for tests and scripts. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import { Actor, checkRoleName, type AccessOptions, type Role } from '../access/index.ts'
import { ConfigError } from '../base/errors.ts'
import { checkOptions } from '../base/option-checks.ts'
import { QUERY_OPERATIONS } from '../config/index.ts'
import { isEntityManager, SyncSession } from '../database/index.ts'
import { accessFor, actFor, actForSync, callerOf, type Caller, type CrudSession } from '../resource/index.ts'

/** Options of `forRole`. */
export interface RoleViewOptions {
  /**
   * The request of the caller: the argument of functions in `rows`, and `request` in the context of hooks and custom
   * filters. Default: the request of `request.em`, if a method runs on that.
   */
  readonly request?: FastifyRequest
  /**
   * The rules, for scripts that start no server. Default: those of the last server that has made routes of the resource
   * and knows the role. Pass them if several instances have different rules for it.
   */
  readonly access?: AccessOptions
}

const METHODS = [...QUERY_OPERATIONS, 'listJson', 'getJson', 'streamJson', 'query'] as const

type Method = typeof METHODS[number]

/** The methods of `CrudBase` that read and write. */
type Methods = { readonly [Name in Method]: (...args: any[]) => unknown } // any: each has other parameters

/** The methods of a CRUD class that read and write, within the limits of a role. */
export type RoleView<Crud extends Methods> = Pick<Crud, Method>

/**
 * The methods of a CRUD class for a role.
 *
 * @param known the rules of servers that have routes of the class
 * @throws {ConfigError} for a name that is not the name of a role, and if there are no rules
 */
export function roleView<Crud extends Methods> (
  crud: Crud,
  name: string,
  options: RoleViewOptions,
  known: readonly AccessOptions[]
): RoleView<Crud> {
  const what = `${crud.constructor.name}.forRole`
  checkOptions(what, options, ['request', 'access'])
  const { request } = options
  const access = options.access ?? known.findLast(({ roles }) => Object.hasOwn(roles, name)) ?? known.at(-1)
  if (access === undefined) {
    throw new ConfigError(
      `${what}: there are no rules for roles. First make the routes of this resource on a server with the option ` +
        `'access', or pass the rules: forRole('${name}', { access }).`
    )
  }
  checkRoleName(`${what}: the name`, name, access)
  const methodOf = (method: Method) => (session: unknown, ...args: unknown[]): unknown => {
    const call = (own: unknown): unknown => crud[method](own, ...args)
    const callerOn = (session: CrudSession, em: EntityManager): Caller =>
      new RoleCaller(() => accessFor(access, em).roles.get(name)!, request ?? callerOf(session)?.request)
    if (session instanceof SyncSession) return actForSync(session, callerOn(session, session.em), () => call(session))
    if (!isEntityManager(session)) return call(session)
    // a fork in the transaction of the original, which goes on to act for its own caller
    return call(actFor(session.fork({ keepTransactionContext: true }) as EntityManager, callerOn(session, session)))
  }
  return Object.freeze(Object.fromEntries(METHODS.map((method) => [method, methodOf(method)]))) as RoleView<Crud>
}

/** A role with a request. Rules that cannot work are an error of the method that reads the role. */
class RoleCaller implements Caller {
  readonly request: FastifyRequest | undefined
  readonly #role: () => Role
  #actor: Actor | undefined

  constructor (role: () => Role, request: FastifyRequest | undefined) {
    this.#role = role
    this.request = request
  }

  get actor (): Actor {
    this.#actor ??= new Actor(this.#role(), this.request)
    return this.#actor
  }
}
