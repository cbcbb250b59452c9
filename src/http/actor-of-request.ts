/** The role of a request. The application tells it when it is first needed, and again after all of its hooks. */
import type { FastifyRequest } from 'fastify'
import type { Access, Actor } from '../access/index.ts'
import { isPromise, type OrPromise } from '../base/or-promise.ts'

const kActor = Symbol('fastify-crud-kit.actor')

/** The property that a request needs for its role. The plugin decorates requests with it, as null. */
export const ACTOR_PROPERTY: symbol = kActor

interface WithActor {
  [kActor]?: Actor | Promise<Actor> | null
}

/** The role of a request. The first call asks the application. */
export function actorOfRequest (request: FastifyRequest, access: Access): Actor | Promise<Actor> {
  const withActor = request as WithActor
  withActor[kActor] ??= access.actorOf(request)
  return withActor[kActor]
}

/** The role of a request, if it is known. */
export function knownActorOf (request: FastifyRequest): Actor | Promise<Actor> | undefined {
  return (request as WithActor)[kActor] ?? undefined
}

/**
 * Asks the application for the role of a request, even if a hook has used it before: only now are all hooks of the
 * application done, such as those that find out who the user is.
 */
export function settleActor (request: FastifyRequest, access: Access): OrPromise<Actor> {
  const settle = (actor: Actor): Actor => {
    ;(request as WithActor)[kActor] = actor
    return actor
  }
  const actor = access.actorOf(request)
  return isPromise(actor) ? actor.then(settle) : settle(actor)
}
