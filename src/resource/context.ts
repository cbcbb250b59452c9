/** The argument `context` of hooks and custom filters. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import { SyncSession } from '../database/index.ts'
import { callerOf } from './caller.ts'
import { RequestSession } from './request-session.ts'
import { emOf, type CrudSession } from './crud-session.ts'

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

/** The argument of after hooks: the argument of other hooks, and what the write has changed. */
export interface AnyAfterContext extends CrudContext {
  /**
   * An EntityManager outside of the transaction that has ended. A client that disconnects does not cancel its
   * statements.
   */
  readonly em: EntityManager
  /** The names of the entity's properties that the body has set. */
  readonly changed: readonly string[]
  /** The values before an update or a delete, in wire form, of the properties in the option `previous`. */
  readonly previous?: Readonly<Record<string, any>> | undefined
}

/**
 * The context of an after hook. Its session is that of the caller's, without the transaction that has ended.
 *
 * @param written what the write has changed
 */
export function afterContext (
  session: CrudSession,
  context: Readonly<Record<string, unknown>> | undefined,
  written: Pick<AnyAfterContext, 'changed' | 'previous'>
): AnyAfterContext {
  if (session instanceof SyncSession) {
    return { ...crudContext(session.outermost, context), ...written } as AnyAfterContext
  }
  const request = callerOf(session)?.request
  let em: EntityManager | undefined
  return {
    ...(request !== undefined && { request }),
    ...context,
    ...written,
    get em () {
      em ??= emOf(session).fork({ signal: new AbortController().signal }) as EntityManager
      return em
    },
  }
}
