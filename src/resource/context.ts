/** The argument of hooks and custom filters that says where they run. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import type { SyncSession } from '../database/index.ts'

/** What hooks look at: where they run, and what the caller passed as `context`. */
export interface CrudContext {
  /** On a synchronous session without a connection: `session` has it. */
  readonly em: EntityManager
  /** The session, where it is a synchronous one. */
  readonly session?: SyncSession
  readonly request?: FastifyRequest
  readonly [key: string]: unknown
}
