/**
 * The session of an HTTP request. An EntityManager is forked only when it is first used. A fork, and a signal that
 * aborts its queries, cost a tenth of a list, and few requests need more than the connection.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../access/index.ts'
import type { KeysetPlan, ListPlan, Whitelist } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import type { Cancellation } from '../run/index.ts'

/** The query string of a list or a record, which has been checked for its route. */
export interface CheckedQuery {
  readonly params: QueryParams
  /** The whitelist of the resource. */
  readonly of: Whitelist
  /** The same with the names of the route. */
  readonly whitelist: Whitelist
  /** The plan of a page. */
  readonly plan: ListPlan | KeysetPlan | undefined
}

/** A request, in whose name methods of `CrudBase` read and write. */
export interface Caller {
  readonly request: FastifyRequest | undefined
  /** The role of the request, which is found out when it is first needed. Absent if roles do not limit the caller. */
  readonly actor: Actor | Promise<Actor> | undefined
  /** The query string of the request, if it has been checked. */
  readonly checked?: CheckedQuery | undefined
}

export abstract class RequestSession implements Caller {
  /** The ORM's global EntityManager: for its metadata, its configuration and its connection, never for entities. */
  readonly shared: EntityManager
  readonly request: FastifyRequest

  constructor (shared: EntityManager, request: FastifyRequest) {
    this.shared = shared
    this.request = request
  }

  /** The EntityManager of the request. */
  abstract get em (): EntityManager
  /** The EntityManager of the request if it has been used, since its filters and transaction then apply. */
  abstract get opened (): EntityManager | undefined
  /** The role of the request, if the server has the option `access`. */
  abstract get actor (): Actor | Promise<Actor> | undefined
  /** The query string of the request, if it has been checked. */
  abstract get checked (): CheckedQuery | undefined
  /** The cancellation for a client that has disconnected. */
  abstract get departure (): Cancellation
}
