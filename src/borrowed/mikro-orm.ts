/**
 * MikroORM's private, protected, internal and replaced members, except those of `mikro-orm-filters.ts`. No other file
 * of this package uses them. The list gives the reason for each. The tests in test/borrowed fail when one changes.
 */
import {
  EventType, TransactionManager, wrap, type EntityMetadata, type EventSubscriber, type MetadataStorage, type Platform,
  type SessionContext,
} from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Transaction } from 'kysely'
import { borrowedMembers } from './borrowed-member.ts'

export const MIKRO_ORM_MEMBERS = borrowedMembers('@mikro-orm/core', '7.2.1', [
  [
    'EntityManager',
    'getAbortOptions',
    'the signal of em.fork({ signal }), which also ends our statements',
    'that signal ends statements of MikroORM only',
  ],
  ['EntityManager', 'getContext', 'the EntityManager of the transaction that the caller is in'],
  ['EntityManager', 'getTransactionSessionContext', 'variables and role of row level security'],
  ['EntityManager', 'constructor', 'the second argument is the driver: that of a request reads from replicas'],
  ['DatabaseDriver', 'connection', 'replaced in the driver of a request, which notes that the writer is used'],
  ['DatabaseDriver', 'replicas', 'all of them: getConnection() picks one at random'],
  ['AbstractSqlConnection', 'logQuery', "our statements appear in MikroORM's logs", 'they do not'],
  ['AbstractSqlConnection', 'config', 'whether Kysely prepares connections: sessionContext, onCreateConnection'],
  ['AbstractSqlConnection', 'options', 'hooks that are set for one connection only'],
  ['AbstractSqlConnection', 'applySessionContext', 'row level security as em.transactional has it'],
  ['AbstractSqlConnection', 'execute', 'replaced for replicas; the fourth argument is the transaction'],
  ['AbstractSqlConnection', 'stream', 'replaced for replicas; the third argument is the transaction'],
  ['AbstractSqlConnection', 'commit', 'replaced: work that follows a commit is done when it has succeeded'],
  ['AbstractSqlConnection', 'rollback', 'replaced: work that follows a commit is forgotten'],
  ['Transaction', 'index', 'em.transactional inside our savepoints numbers its own'],
  ['Transaction', 'savepointName', 'em.transactional inside our savepoints commits and rolls back by this name'],
  ['TransactionManager', 'createFork', 'calls em.fork(), which is replaced in the EntityManager of a request'],
  ['TransactionManager', 'registerDeletionHandler', 'the caller forgets entities that a transaction has removed'],
  ['TransactionManager', 'mergeEntitiesToParent', 'entities of a transaction move to the caller'],
  ['UnitOfWork', 'unsetIdentity', 'entities that the caller has changed are not overwritten by those of a transaction'],
  ['IdentityMap', 'getByEntity', 'the same'],
  ['EntityComparator', 'prepareEntity', 'whether the caller has changed an entity', 'each counts as changed'],
  ['EntityComparator', 'diffEntities', 'the same', 'the same'],
  ['EntityMetadata', 'referencingProperties', 'changed: those of a class are those of its subclasses, too'],
  ['WrappedEntity', '__originalEntityData', 'the same; moments that a Date cannot hold are left as they are'],
  ['WrappedEntity', '__primaryKeys', 'the key of an entity that is used in a condition'],
  ['WrappedEntity', 'getPrimaryKey', 'the key of an entity that the unit of work has created'],
  ['Platform', 'marshallArray', "replaced: its literals lose text, and MikroORM's unit of work writes them"],
])

export type Connection = ReturnType<EntityManager['getConnection']>
export type Driver = ReturnType<EntityManager['getDriver']>
export type AbortOptions = NonNullable<Parameters<Transaction<unknown>['executeQuery']>[1]>

interface HiddenConnection {
  readonly config: EntityManager['config']
  readonly options: { readonly [hook in typeof CONNECTION_HOOKS[number]]?: unknown }
  logQuery?(query: string, context: unknown): void
  applySessionContext(transaction: object, context: SessionContext): Promise<void>
}

interface HiddenManager {
  registerDeletionHandler(fork: EntityManager, parent: EntityManager): void
  mergeEntitiesToParent(fork: EntityManager, parent: EntityManager): void
}

const hidden = (connection: object): HiddenConnection => connection as unknown as HiddenConnection
const managerOf = (em: EntityManager): HiddenManager => new TransactionManager(em as never) as unknown as HiddenManager

/** The signal and the abort strategy that an EntityManager was forked with. */
export function abortOptionsOf (em: EntityManager): AbortOptions | undefined {
  return (em as unknown as { getAbortOptions?(): AbortOptions | undefined }).getAbortOptions?.()
}

/** The EntityManager of the transaction that the caller is in, or `em` itself. */
export function contextOf (em: EntityManager): EntityManager {
  return em.getContext(false) as EntityManager
}

/** The variables and the role to set in each transaction. */
export function sessionContextOf (em: EntityManager): SessionContext | undefined {
  return em.getTransactionSessionContext()
}

/**
 * Calls a function for an EntityManager and for each EntityManager that is forked from it. MikroORM forks one for each
 * transaction.
 */
export function inheritByForks (em: EntityManager, mark: (em: EntityManager) => void): void {
  mark(em)
  const { fork } = em
  Object.defineProperty(em, 'fork', {
    configurable: true,
    writable: true,
    value: (options?: Parameters<EntityManager['fork']>[0]) => {
      const forked = fork.call(em, options) as EntityManager
      inheritByForks(forked, mark)
      return forked
    },
  })
}

/** A class of EntityManagers. */
export type EntityManagerClass = new(...args: any[]) => EntityManager // any: a mixin extends the class (TS2545)

/** Derives a class of EntityManagers whose driver is replaced by `driverFor`. */
export function withDriver (Base: EntityManagerClass, driverFor: (driver: Driver) => Driver): EntityManagerClass {
  return class extends Base {
    constructor (...[config, driver, ...rest]: any[]) { // any: TypeScript requires it of a mixin (TS2545)
      super(config, driverFor(driver as Driver), ...rest)
    }
  }
}

/** The property descriptor of the writer's connection, for a driver that inherits from another. */
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

/** Options with functions that prepare connections. */
export const CONNECTION_HOOKS = ['onCreateConnection', 'onReserveConnection'] as const

/** Whether Kysely prepares connections, when they are opened or each time that they are taken from the pool. */
export function isPrepared (connection: Connection): boolean {
  const { config, options } = hidden(connection)
  return config.get('sessionContext') === 'connection' ||
    CONNECTION_HOOKS.some((hook) => (options[hook] ?? config.get(hook)) !== undefined)
}

/** Writes a statement to MikroORM's log and its slow query log. */
export function logQuery (connection: object, text: string, context: unknown): void {
  hidden(connection).logQuery?.(text, context)
}

/** Sets the variables and the role of row level security in a transaction. */
export async function applySessionContext (
  connection: object,
  transaction: object,
  context: SessionContext
): Promise<void> {
  await hidden(connection).applySessionContext(transaction, context)
}

/** The properties that MikroORM sets on a transaction of Kysely that is a savepoint. */
interface Savepoint {
  readonly index?: number
  readonly savepointName?: string
}

/** Lets `em.transactional` make, release and roll back its own savepoints inside our savepoint. */
export function noteSavepoint (transaction: object, name: string, outer: object): void {
  Object.defineProperties(transaction, {
    index: { value: ((outer as Savepoint).index ?? 0) + 1 },
    savepointName: { value: name },
  })
}

/** The name of the savepoint that a transaction is; `undefined` for the outermost one. */
export const savepointOf = (transaction: object): string | undefined => (transaction as Savepoint).savepointName

type Ends = Pick<Connection, 'commit' | 'rollback'>

/**
 * Calls a function around each commit and each rollback that MikroORM sends on a connection, of savepoints as well.
 *
 * @param around gets a function that sends it
 */
export function followTransactions (
  connection: Connection,
  around: (transaction: object, end: keyof Ends, send: () => Promise<void>) => Promise<void>
): void {
  const target: Ends = connection
  for (const end of ['commit', 'rollback'] as const) {
    const own = target[end].bind(target)
    target[end] = async (transaction, ...rest) => await around(transaction, end, () => own(transaction, ...rest))
  }
}

/** Lets the caller's EntityManager forget the entities that a transaction's flush removes. */
export function forgetRemoved (em: EntityManager, fork: EntityManager): void {
  managerOf(em).registerDeletionHandler(fork, em)
}

/**
 * Lets a flush that removes an entity of a subclass find what refers to it as one of the class that it extends.
 * MikroORM finds only relations to the class itself, and the next flush would insert the removed entity again. Also, it
 * looks for the entities that refer to it by their class, but keeps them by the root of their class.
 */
export function inheritReferences (metadata: MetadataStorage): void {
  const all = metadata.getAll()
  // rows of a class with a table of its own are not those of the class that it extends, even with the same key
  const baseOf = (meta: EntityMetadata): EntityMetadata | undefined => {
    const base = all.get((metadata.find(meta.extends as never) as EntityMetadata | undefined)?.class as never)
    return base?.root.class === meta.root.class ? base : undefined
  }
  for (const meta of all.values()) {
    const references = meta.referencingProperties
    for (let base: EntityMetadata | undefined = meta; base !== undefined; base = baseOf(base)) {
      for (const { meta: { root }, prop } of [...base.referencingProperties]) {
        const isKnown = references.some((known) => known.meta.class === root.class && known.prop.name === prop.name)
        if (!isKnown) references.push({ meta: root, prop })
      }
    }
  }
}

/** Moves the entities of a transaction to the caller's EntityManager, except those that the caller has changed. */
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
  // a version may lack both methods
  const comparator = em.getComparator() as Partial<ReturnType<EntityManager['getComparator']>>
  if (comparator.diffEntities === undefined || comparator.prepareEntity === undefined) return true
  return Object.keys(
    comparator.diffEntities(type as never, original as never, comparator.prepareEntity(entity) as never)
  ).length > 0
}

/**
 * Whether a subscriber is the one that MikroORM registers in each transaction. It makes the outer EntityManager forget
 * the entities that a flush has removed, so single statements do not need it. MikroORM does not mark it and makes a new
 * one for each transaction. So it is recognized by its source text. If it is not recognized, this costs time but
 * changes no result.
 */
export function isDeletionHandler (subscriber: EventSubscriber): boolean {
  const { afterFlush } = subscriber
  return afterFlush !== undefined && Object.keys(subscriber).length === 1 && String(afterFlush) === deletionHandler()
}

let code: string | undefined

/** The source text of MikroORM's handler, which is registered once to read it. */
function deletionHandler (): string {
  if (code !== undefined) return code
  const registered: EventSubscriber[] = []
  const events = { registerSubscriber: (subscriber: EventSubscriber) => registered.push(subscriber) }
  managerOf({} as EntityManager).registerDeletionHandler({ getEventManager: () => events } as never, {} as never)
  code = String(registered[0]?.[EventType.afterFlush])
  return code
}

/** The values of an entity when it was loaded, which a flush compares with the present ones. */
export const loadedValues = (entity: object): Record<string, unknown> | undefined =>
  wrap(entity, true).__originalEntityData

/** The parts of an entity's key. */
export const keyPartsOfEntity = (entity: object): unknown[] => wrap(entity, true).__primaryKeys

/** The key of an entity as MikroORM represents it: a value, or several values in a list or an object. */
export const keyOfEntity = (entity: object): unknown => wrap(entity, true).getPrimaryKey()

/** The methods by which MikroORM reads from a connection. */
export interface Asking {
  execute(...args: unknown[]): Promise<unknown>
  stream(...args: unknown[]): AsyncGenerator<unknown, void, void>
}

/** The position of the transaction in their arguments. */
const IN_EXECUTE = 3
const IN_STREAM = 2

/**
 * Replaces the methods by which MikroORM reads from a connection outside of transactions. Inside a transaction the
 * original methods run, because its statements cannot move to another connection.
 *
 * @returns the connection's original methods
 */
export function replaceReads (connection: Connection, reads: Asking): Asking {
  const target = connection as unknown as Asking
  const own: Asking = { execute: target.execute.bind(target), stream: target.stream.bind(target) }
  target.execute = (...args) => (args[IN_EXECUTE] === undefined ? reads : own).execute(...args)
  target.stream = (...args) => (args[IN_STREAM] === undefined ? reads : own).stream(...args)
  return own
}

/**
 * Corrects the array literals of an ORM, unless they are right already or the application's own. MikroORM leaves out
 * quotes that PostgreSQL needs: 'NULL' would become null, text would lose surrounding spaces, and line breaks beside a
 * comma would become letters. This changes the platform itself, because it is the only source of literals for the unit
 * of work.
 *
 * @param literal makes the literal of a list
 */
export function correctArrays (platform: Platform, literal: (values: readonly unknown[]) => string): void {
  if (platform.marshallArray(['NULL', ' ']) === '{NULL, }') platform.marshallArray = literal
}
