/**
 * The hooks that a subclass of `CrudBase` may declare, the members of the class that reads and writes use, and the
 * report of an after hook that has failed.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyBaseLogger } from 'fastify'
import type { Role } from '../access/index.ts'
import type { RowChange } from '../config/index.ts'
import type { Id } from '../plan/index.ts'
import type { JsonRecord } from '../answer/index.ts'
import { callerOf } from './caller.ts'
import type { AnyAfterContext, CrudContext } from './context.ts'
import { sharedEmOf, type CrudSession } from './crud-session.ts'
import type { Resource } from './resource.ts'

export interface CrudHooks {
  beforeCreate?(data: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
  beforeUpdate?(id: Id, data: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
  beforeDelete?(id: Id, context: CrudContext): void | Promise<void>
  beforeUpdateMany?(data: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
  beforeDeleteMany?(context: CrudContext): void | Promise<void>
  afterRead?(record: JsonRecord, context: CrudContext): JsonRecord | Promise<JsonRecord>
  afterCreate?(record: JsonRecord, context: AnyAfterContext): void | Promise<void>
  afterUpdate?(record: JsonRecord, context: AnyAfterContext): void | Promise<void>
  afterDelete?(record: JsonRecord, context: AnyAfterContext): void | Promise<void>
  afterUpdateMany?(keys: readonly Id[], context: AnyAfterContext): void | Promise<void>
  afterDeleteMany?(keys: readonly Id[], context: AnyAfterContext): void | Promise<void>
}

/** The hooks of writes, by the change of their rows: those for single records, and those that run once for many. */
export const WRITE_HOOKS = {
  insert: {
    one: { before: 'beforeCreate', after: 'afterCreate' },
    many: undefined,
  },
  update: {
    one: { before: 'beforeUpdate', after: 'afterUpdate' },
    many: { before: 'beforeUpdateMany', after: 'afterUpdateMany' },
  },
  delete: {
    one: { before: 'beforeDelete', after: 'afterDelete' },
    many: { before: 'beforeDeleteMany', after: 'afterDeleteMany' },
  },
} as const satisfies Record<RowChange, Record<'one' | 'many', Record<'before' | 'after', keyof CrudHooks> | undefined>>

/** The names of all hooks. */
export const HOOK_NAMES: readonly string[] = [
  'afterRead',
  ...Object.values(WRITE_HOOKS).flatMap(({ one, many }) => [...Object.values(one), ...Object.values(many ?? {})]),
]

/** The members of a `CrudBase` that its reads and writes use. */
export interface CrudClass extends CrudHooks {
  /**
   * Looks up all names, once for each ORM and role. Mistakes in them are errors of the first read or write.
   *
   * @param role the role that the resource is for. Default: no limits.
   */
  bind(em: EntityManager, role?: Role): Resource
}

/** The logs of servers, by the configuration of their ORM. */
const logs = new WeakMap<object, FastifyBaseLogger>()

/**
 * Lets `reportHook` find the log of a server for sessions that belong to no request.
 *
 * @returns a function that ends this
 */
export function rememberLog ({ config }: EntityManager, log: FastifyBaseLogger): () => void {
  logs.set(config, log)
  return () => {
    if (logs.get(config) === log) logs.delete(config)
  }
}

/**
 * Reports an after hook that has failed: in the log of the request, or of the server. Without a log it is a warning of
 * the process, because its write is done and the error reaches no caller.
 *
 * @param what the hook with its class
 * @param key the key of the record, for the log
 */
export function reportHook (session: CrudSession, what: string, operation: string, key: unknown, err: unknown): void {
  const log = callerOf(session)?.request?.log ?? logs.get(sharedEmOf(session).config)
  const message = `${what} has failed. The write before it is done.`
  // Fastify's logger has no level if logging is off
  if (log?.level !== undefined) log.error({ err, operation, key }, message)
  else {
    process.emitWarning(`${message} Operation: ${operation}. Key: ${JSON.stringify(key)}.`, {
      code: 'FST_CRUD_AFTER_HOOK',
      detail: err instanceof Error ? err.stack ?? String(err) : String(err),
    })
  }
}
