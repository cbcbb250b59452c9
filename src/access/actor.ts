/** The role that a session acts for, and the request from which the rows of the role are made. */
import type { FastifyRequest } from 'fastify'
import type { Where } from '../conditions/index.ts'
import type { CrudOperation } from '../config/index.ts'
import { ConfigError, ForbiddenError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import type { OrPromise } from '../base/or-promise.ts'
import type { Role } from './role.ts'
import type { Rule } from './rule.ts'

export class Actor {
  readonly role: Role
  readonly #request: FastifyRequest | undefined
  #read: Map<EntityModel, OrPromise<Where>> | undefined

  /** @param request the argument of functions in `rows`, which a script without a request lacks */
  constructor (role: Role, request: FastifyRequest | undefined) {
    this.role = role
    this.#request = request
  }

  /** The argument of the function in `rows` of an entity. */
  requestFor (entity: string): FastifyRequest {
    return this.#request ?? missingRequest(entity)
  }

  /** The rows that have been read for this request, so that functions of the application are called only once. */
  get readRows (): Map<EntityModel, OrPromise<Where>> {
    this.#read ??= new Map()
    return this.#read
  }

  /**
   * Refuses an operation that the role may not use.
   *
   * @param pointer the JSON pointer to what needs the operation, if that is a part of a body
   * @throws {ForbiddenError}
   */
  check (entity: string, operation: CrudOperation, pointer?: string): Rule {
    const rule = this.role.ruleOf(entity)
    if (rule?.allows(operation) === true) return rule
    // for the log: clients do not learn the names of roles and entities
    const cause = new ConfigError(
      rule === undefined
        ? `The role '${this.role.name}' has no rule for ${entity}.`
        : `The rule of the role '${this.role.name}' for ${entity} lacks the operation '${operation}'.`
    )
    throw new ForbiddenError(undefined, { cause, pointer })
  }
}

/** A request that explains what is missing when it is read. */
function missingRequest (entity: string): FastifyRequest {
  return new Proxy({}, {
    get (_, name) {
      throw new ConfigError(
        `access: 'rows' of ${entity} reads '${String(name)}' of the request, and there is none: ` +
          'pass one, as in crud.forRole(name, { request }).'
      )
    },
  }) as FastifyRequest
}
