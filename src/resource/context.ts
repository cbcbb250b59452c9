/** The argument of hooks and custom filters that says where they run. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import { SyncSession } from '../database/index.ts'
import { RequestSession } from './request-session.ts'
import type { CrudSession } from './session.ts'

/** What hooks look at: where they run, and what the caller passed as `context`. */
export interface CrudContext {
  /** On a synchronous session without a connection: `session` has it. */
  readonly em: EntityManager
  /** The session, where it is a synchronous one. */
  readonly session?: SyncSession
  readonly request?: FastifyRequest
  readonly [key: string]: unknown
}

/** The context of hooks and custom filters. The EntityManager of a request is forked when one of them asks for it. */
export function contextOf (session: CrudSession, context: Readonly<Record<string, unknown>> | undefined): CrudContext {
  if (session instanceof SyncSession) return { ...context, em: session.em, session }
  return session instanceof RequestSession
    ? {
        ...context,
        get em () {
          return session.em
        },
      }
    : { ...context, em: session }
}
