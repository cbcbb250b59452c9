/** The session of a request: one that uses the pool directly, or the request's EntityManager. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import { contextOf } from '../borrowed/mikro-orm.ts'
import { AbortedError } from '../base/errors.ts'
import { RequestSession } from '../resource/index.ts'
import { hasReplicas, preparesConnections, type Cancellation } from '../run/index.ts'
import { knownActorOf } from './actor-of-request.ts'
import { onDeparture, openedEm, replyOf } from './em-of-request.ts'
import { checkedQueryOf } from './routes/route-input.ts'

/**
 * Decides between the two kinds of sessions. The EntityManager is needed if statements depend on more than the
 * connection: replicas, a global context, or connections that are prepared for each session.
 */
export function sessionsOf (orm: MikroORM): (request: FastifyRequest) => RequestSession | EntityManager {
  const { em } = orm
  if (hasReplicas(em) || em.config.get('allowGlobalContext') || preparesConnections(em.getConnection())) {
    return (request) => request.em
  }
  // MikroORM's RequestContext, if the application creates one in a hook, has its own filters and parameters
  return (request) => contextOf(em) === em ? new SessionOfRequest(em, request) : request.em
}

class SessionOfRequest extends RequestSession {
  #departure: Departure | undefined

  get em (): EntityManager {
    return this.request.em
  }

  get opened (): EntityManager | undefined {
    return openedEm(this.request)
  }

  get actor (): ReturnType<typeof knownActorOf> {
    return knownActorOf(this.request)
  }

  get checked (): ReturnType<typeof checkedQueryOf> {
    return checkedQueryOf(this.request)
  }

  get departure (): Departure {
    this.#departure ??= new Departure(replyOf(this.request))
    return this.#departure
  }
}

/** Replaces an AbortSignal, at a fraction of its cost. */
class Departure implements Cancellation {
  aborted = false
  reason: unknown
  readonly #listeners = new Set<() => void>()

  constructor (reply: ReturnType<typeof replyOf>) {
    onDeparture(reply, () => {
      this.aborted = true
      this.reason = new AbortedError()
      for (const listener of [...this.#listeners]) listener()
    })
  }

  addEventListener (type: 'abort', listener: () => void): void {
    this.#listeners.add(listener)
  }

  removeEventListener (type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener)
  }
}
