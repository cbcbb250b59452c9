/**
 * The session of an HTTP request. An EntityManager is forked only when it is first used. A fork, and a signal that
 * aborts its queries, cost a tenth of a list, and few requests need more than the connection.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Actor } from '../access/index.ts'
import type { Cancellation } from '../run/index.ts'

export abstract class RequestSession {
  /** The ORM's global EntityManager: for its metadata, its configuration and its connection, never for entities. */
  readonly shared: EntityManager

  constructor (shared: EntityManager) {
    this.shared = shared
  }

  /** The EntityManager of the request. */
  abstract get em (): EntityManager
  /** The EntityManager of the request if it has been used, since its filters and transaction then apply. */
  abstract get opened (): EntityManager | undefined
  /** The role of the request, if the server has the option `access`. */
  abstract get actor (): Actor | Promise<Actor> | undefined
  /** The cancellation for a client that has disconnected. */
  abstract get departure (): Cancellation
}
