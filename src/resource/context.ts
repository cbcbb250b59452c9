/** The argument `context` of hooks and custom filters. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import { SyncSession } from '../database/index.ts'
import { callerOf } from './caller.ts'
import { RequestSession } from './request-session.ts'
import type { CrudSession } from './crud-session.ts'

/** The argument of hooks: the EntityManager or session that they run on, and the members of the caller's `context`. */
export interface CrudContext {
  /** On a synchronous session, an EntityManager without a connection: use `session` instead. */
  readonly em: EntityManager
  /** The session, if it is synchronous. */
  readonly session?: SyncSession
  /** The request of `request.em`, if the method runs on that, on a fork of it or in a transaction of it. */
  readonly request?: FastifyRequest
  readonly [key: string]: unknown
}

/** The context of hooks and custom filters. The EntityManager of a request is forked when one of them reads `em`. */
export function crudContext (
  session: CrudSession,
  context: Readonly<Record<string, unknown>> | undefined
): CrudContext {
  const request = callerOf(session)?.request
  const given = request === undefined ? context : { request, ...context }
  if (session instanceof SyncSession) return { ...given, em: session.em, session }
  return session instanceof RequestSession
    ? {
        ...given,
        get em () {
          return session.em
        },
      }
    : { ...given, em: session }
}
