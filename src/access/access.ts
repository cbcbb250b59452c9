/** The option `access` of a server, checked and made into roles once, at start-up. */
import type { FastifyRequest } from 'fastify'
import { ConfigError, ForbiddenError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import { after, type OrPromise } from '../base/or-promise.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import { Actor } from './actor.ts'
import { hidingErrors } from './application-calls.ts'
import { checkAccess, type Entities } from './check-access.ts'
import type { AccessOptions } from './access-options.ts'
import { Role } from './role.ts'

export class Access {
  readonly options: AccessOptions
  readonly roles: ReadonlyMap<string, Role>

  /** @throws {ConfigError} for options that cannot work */
  constructor (options: AccessOptions, entities: Entities) {
    checkAccess(options, entities)
    this.options = options
    this.roles = new Map(Object.entries(options.roles).map(([name, rules]) => [name, new Role(name, rules, entities)]))
    for (const role of this.roles.values()) {
      for (const model of entities.values()) role.view(model)
    }
  }

  /**
   * The role of a request, with the request.
   *
   * @throws what the application's function `role` throws, if that has a status
   * @throws {ForbiddenError} for no role or one that is not named, or {ConfigError} for anything but a text
   */
  actorOf (request: FastifyRequest): OrPromise<Actor> {
    const name = hidingErrors<unknown>(() => this.options.role(request), unknownTo)
    return after(name, (name) => this.#actor(name, request))
  }

  #actor (name: unknown, request: FastifyRequest): Actor {
    if (name === undefined || name === null || name === '') {
      throw new ForbiddenError(undefined, { cause: new ConfigError('The request has no role.') })
    }
    if (typeof name !== 'string') {
      throw unknownTo(new ConfigError(`access: 'role' must return the name of a role, got ${shown(name)}.`))
    }
    const role = this.roles.get(name)
    if (role === undefined) throw new ForbiddenError(undefined, { cause: unknownRole(name, [...this.roles.keys()]) })
    return new Actor(role, request)
  }
}

const unknownTo = (cause: Error): ConfigError =>
  new ConfigError('The server could not tell the role of this request.', { cause })

/** The reason for the log. Clients do not learn which roles exist. */
function unknownRole (name: string, roles: readonly string[]): ConfigError {
  const sentence = `The role ${shown(name.slice(0, 100))} is not in access.roles`
  return new ConfigError(didYouMean(sentence, nearest(name, roles), `Roles: ${roles.join(', ')}.`))
}
