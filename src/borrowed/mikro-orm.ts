/**
 * Members of MikroORM that are private, protected or internal, or that are replaced. No other file of this package uses
 * them. The list says why each is needed, test/borrowed notices when one changes.
 */
import {
  EventType,
  TransactionManager,
  wrap,
  type EventSubscriber,
  type Platform,
  type SessionContext,
} from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Transaction } from 'kysely'
import { membersOf } from './members.ts'

export const MIKRO_ORM_MEMBERS = membersOf('@mikro-orm/core', '7.2.1', [
  ['EntityManager', 'getAbortOptions', 'the signal of em.fork({ signal }), which also ends statements of ours'],
  ['EntityManager', 'getContext', 'the EntityManager of the transaction that the caller is in'],
  ['EntityManager', 'getTransactionSessionContext', 'variables and role of row level security'],
  ['EntityManager', 'applyFilters', "the filters' condition: public API adds it to queries of MikroORM's only"],
  ['EntityManager', 'constructor', 'the second argument is the driver: that of a request reads from replicas'],
  ['DatabaseDriver', 'connection', 'replaced in the driver of a request, which notes that the writer is used'],
  ['DatabaseDriver', 'replicas', 'all of them: getConnection() picks one at random'],
  ['AbstractSqlConnection', 'logQuery', "our statements appear in MikroORM's logs"],
  ['AbstractSqlConnection', 'config', 'whether Kysely prepares connections: sessionContext, onCreateConnection'],
  ['AbstractSqlConnection', 'options', 'hooks that one connection has for itself'],
  ['AbstractSqlConnection', 'applySessionContext', 'row level security as em.transactional has it'],
  ['AbstractSqlConnection', 'execute', 'replaced for replicas; the fourth argument is the transaction'],
  ['AbstractSqlConnection', 'stream', 'replaced for replicas; the third argument is the transaction'],
  ['Transaction', 'index', 'em.transactional inside of our savepoints numbers its own'],
  ['Transaction', 'savepointName', 'em.transactional inside of our savepoints: commit and rollback go by it'],
  ['TransactionManager', 'registerDeletionHandler', 'the caller forgets entities that a transaction has removed'],
  ['TransactionManager', 'mergeEntitiesToParent', 'entities of a transaction move to the caller'],
  ['UnitOfWork', 'unsetIdentity', 'what the caller has changed is not overwritten by that'],
  ['IdentityMap', 'getByEntity', 'the same'],
  ['EntityComparator', 'prepareEntity', 'whether the caller has changed an entity'],
  ['EntityComparator', 'diffEntities', 'the same'],
  ['WrappedEntity', '__originalEntityData', 'the same'],
  ['WrappedEntity', '__primaryKeys', 'the key of an entity that stands in a condition'],
  ['WrappedEntity', 'getPrimaryKey', 'the key of an entity that the unit of work has created'],
  ['Platform', 'marshallArray', "replaced: its literals lose text, and MikroORM's unit of work writes them"],
])

export type Connection = ReturnType<EntityManager['getConnection']>
type Driver = ReturnType<EntityManager['getDriver']>
export type AbortOptions = NonNullable<Parameters<Transaction<unknown>['executeQuery']>[1]>

interface HiddenConnection {
  readonly config: EntityManager['config']
  readonly options: { readonly [hook in typeof HOOKS[number]]?: unknown }
  logQuery(query: string, context: unknown): void
  applySessionContext(transaction: object, context: SessionContext): Promise<void>
}

interface HiddenManager {
  registerDeletionHandler(fork: EntityManager, parent: EntityManager): void
  mergeEntitiesToParent(fork: EntityManager, parent: EntityManager): void
}

const hidden = (connection: object): HiddenConnection => connection as unknown as HiddenConnection
const managerOf = (em: EntityManager): HiddenManager => new TransactionManager(em as never) as unknown as HiddenManager

/** The signal and the strategy that an EntityManager was forked with to abort its queries. */
export function abortOptionsOf (em: EntityManager): AbortOptions | undefined {
  return (em as unknown as { getAbortOptions(): AbortOptions | undefined }).getAbortOptions()
}

/** The EntityManager of the transaction that the caller is inside of; else `em` itself. */
export function contextOf (em: EntityManager): EntityManager {
  return em.getContext(false) as EntityManager
}

/** The variables and the role that are to be set in each transaction. */
export function sessionContextOf (em: EntityManager): SessionContext | undefined {
  return em.getTransactionSessionContext()
}

/**
 * The condition of the filters that are active for an entity.
 *
 * @param options arguments of filters by name, or whether they are on
 */
export function conditionOfFilters (
  em: EntityManager,
  entity: unknown,
  type: 'read' | 'update' | 'delete',
  options: Readonly<Record<string, unknown>>
): Promise<object | undefined> {
  return em.applyFilters(entity as never, undefined as never, options as never, type) as Promise<object | undefined>
}

export type EntityManagerClass = new(config: any, driver: any, ...rest: any[]) => EntityManager

/** A class of EntityManagers whose driver is made from the one that they would have otherwise. */
export function withDriver (Base: EntityManagerClass, driverFor: (driver: Driver) => Driver): EntityManagerClass {
  return class extends Base {
    constructor (config: unknown, driver: Driver, ...rest: unknown[]) {
      super(config, driverFor(driver), ...rest)
    }
  }
}

/** The descriptor of the writer's connection in a driver that inherits from another. */
export function writerMember<Owner> (get: (driver: Owner) => Connection): PropertyDescriptorMap {
  return {
    connection: {
      get (this: Owner) {
        return get(this)
      },
    },
  }
}

/** All connections of a driver. */
export function connectionsOf (
  driver: object
): { readonly writer: Connection, readonly replicas: readonly Connection[] } {
  const { connection: writer, replicas } = driver as { connection: Connection, replicas: readonly Connection[] }
  return { writer, replicas }
}

const HOOKS = ['onCreateConnection', 'onReserveConnection'] as const

/** Whether Kysely does something to a connection when it is new, or each time that it is taken from the pool. */
export function isPrepared (connection: Connection): boolean {
  const { config, options } = hidden(connection)
  return config.get('sessionContext') === 'connection' ||
    HOOKS.some((hook) => (options[hook] ?? config.get(hook)) !== undefined)
}

/** Writes a statement to MikroORM's log, and to that of slow queries. */
export function logQuery (connection: object, text: string, context: unknown): void {
  hidden(connection).logQuery(text, context)
}

/** Sets the variables and the role of row level security in a transaction. */
export async function applySessionContext (
  connection: object,
  transaction: object,
  context: SessionContext
): Promise<void> {
  await hidden(connection).applySessionContext(transaction, context)
}

/** What MikroORM notes on a transaction of Kysely's that is a savepoint. */
interface Savepoint {
  readonly index?: number
  readonly savepointName?: string
}

/** Lets `em.transactional` make, release and undo savepoints of its own inside of one of ours. */
export function noteSavepoint (transaction: object, name: string, outer: object): void {
  Object.defineProperties(transaction, {
    index: { value: ((outer as Savepoint).index ?? 0) + 1 },
    savepointName: { value: name },
  })
}

export const isSavepoint = (transaction: object): boolean => (transaction as Savepoint).savepointName !== undefined

/** Lets the caller's EntityManager forget the entities that a transaction's flush removes. */
export function forgetRemoved (em: EntityManager, fork: EntityManager): void {
  managerOf(em).registerDeletionHandler(fork, em)
}

/** Moves the entities of a transaction to the caller's EntityManager, but for those that the caller has changed. */
export function takeEntities (em: EntityManager, fork: EntityManager): void {
  const [own, loaded] = [em.getUnitOfWork(false), fork.getUnitOfWork(false)]
  for (const entity of [...own.getIdentityMap()] as object[]) {
    const theirs = loaded.getIdentityMap().getByEntity(entity)
    if (theirs !== undefined && theirs !== entity && (own.getRemoveStack().has(entity) || isChanged(em, entity))) {
      loaded.unsetIdentity(theirs)
    }
  }
  managerOf(em).mergeEntitiesToParent(fork, em)
}

function isChanged (em: EntityManager, entity: object): boolean {
  const { __meta: { class: type }, __originalEntityData: original } = wrap(entity, true)
  if (original === undefined) return false
  const comparator = em.getComparator()
  return Object.keys(
    comparator.diffEntities(type as never, original as never, comparator.prepareEntity(entity) as never)
  ).length > 0
}

/**
 * Whether a subscriber is the one that MikroORM registers in each transaction: it makes the EntityManager outside forget
 * the entities that a flush has removed, and a statement removes none. MikroORM does not mark it and makes a new one for
 * each transaction, so that its code is all that tells. A subscriber that is not recognized costs time and changes no result.
 */
export function isDeletionHandler (subscriber: EventSubscriber): boolean {
  const { afterFlush } = subscriber
  return afterFlush !== undefined && Object.keys(subscriber).length === 1 && String(afterFlush) === deletionHandler()
}

let code: string | undefined

/** The code of MikroORM's handler, which it is made to register once. */
function deletionHandler (): string {
  if (code !== undefined) return code
  const registered: EventSubscriber[] = []
  const events = { registerSubscriber: (subscriber: EventSubscriber) => registered.push(subscriber) }
  managerOf({} as EntityManager).registerDeletionHandler({ getEventManager: () => events } as never, {} as never)
  code = String(registered[0]?.[EventType.afterFlush])
  return code
}

/** The parts of an entity's key. */
export const primaryKeysOf = (entity: object): unknown[] => wrap(entity, true).__primaryKeys

/** The key of an entity as MikroORM has it: a value, or several in a list or an object. */
export const primaryKeyOf = (entity: object): unknown => wrap(entity, true).getPrimaryKey()

/** How MikroORM asks a connection. */
export interface Asking {
  execute(...args: unknown[]): Promise<unknown>
  stream(...args: unknown[]): AsyncGenerator<unknown, void, void>
}

/** Where in their arguments the transaction is. */
const IN_EXECUTE = 3
const IN_STREAM = 2

/**
 * Replaces what MikroORM calls on a connection outside of transactions; inside of one it is that connection or none.
 *
 * @returns the connection's own methods
 */
export function replaceReads (connection: Connection, reads: Asking): Asking {
  const target = connection as unknown as Asking
  const own: Asking = { execute: target.execute.bind(target), stream: target.stream.bind(target) }
  target.execute = (...args) => (args[IN_EXECUTE] === undefined ? reads : own).execute(...args)
  target.stream = (...args) => (args[IN_STREAM] === undefined ? reads : own).stream(...args)
  return own
}

/**
 * Corrects the array literals of an ORM, unless they are right or of the application's own making. MikroORM's leave out
 * quotes that PostgreSQL needs: 'NULL' became null, text lost the spaces around it, and line breaks beside a comma became
 * letters. The platform itself is changed, since the unit of work takes its literals from nowhere else.
 *
 * @param literal makes the literal of a list
 */
export function correctArrays (platform: Platform, literal: (values: readonly unknown[]) => string): void {
  if (platform.marshallArray(['NULL', ' ']) === '{NULL, }') platform.marshallArray = literal
}
