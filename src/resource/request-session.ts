/**
 * The session of an HTTP request, for which an EntityManager is forked only when somebody asks for it. A fork, and a signal
 * that aborts its queries, cost a tenth of what a list does, and few requests use more of them than the connection.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Cancellation } from '../run/index.ts'

export abstract class RequestSession {
  /** The ORM's own EntityManager: for its metadata, its configuration and its connection, never for entities. */
  readonly shared: EntityManager

  constructor (shared: EntityManager) {
    this.shared = shared
  }

  /** The EntityManager of the request. */
  abstract get em (): EntityManager
  /** The same, where somebody has asked for it: what he has set on it counts from then on. */
  abstract get opened (): EntityManager | undefined
  /** Says that the client has gone away. */
  abstract get departure (): Cancellation
}
