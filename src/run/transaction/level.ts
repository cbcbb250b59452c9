/**
 * The levels of a transaction: the transaction itself and its open savepoints, nested in each other.
 *
 * A connection has one stack of savepoints, but code may open several at once (`Promise.all`). Rolling back a savepoint
 * undoes every statement that was sent after it. So statements of other levels wait until the savepoint has ended.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { methodsOf, replaceOnTransaction, type Transaction } from '../../borrowed/kysely.ts'
import { DatabaseError } from '../../base/errors.ts'
import { madeOnce } from '../../base/made-once.ts'
import { ThroughDriver } from '../errors/driver-errors.ts'

export interface Level {
  /** The level whose function asked for this one. */
  readonly parent: Level | undefined
  /** The savepoint that was open when this one was made. */
  readonly below: Level | undefined
  /** No more statements may be sent: they would run outside of the savepoint. */
  ended: boolean
  /** An enclosing level was rolled back, and this one with it. */
  orphaned: boolean
  /** Whether writes in this level are a mistake. */
  readonly readOnly: boolean
  /** Resolves when the savepoint has been released or rolled back. */
  readonly gone: Gone
}

/** A promise and its function. Declarations with `PromiseWithResolvers` would need the library of ES2024. */
interface Gone {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

/** The open savepoints of a connection. */
export interface SavepointStack {
  /** The innermost one. */
  top: Level | undefined
}

const current = new AsyncLocalStorage<Level>()

/** Runs a function inside a level. */
export function runInside<Result> (level: Level, fn: () => Promise<Result>): Promise<Result> {
  return current.run(level, fn)
}

export function newLevel (below: Level | undefined, readOnly = false): Level {
  return { parent: current.getStore(), below, ended: false, orphaned: false, readOnly, gone: Promise.withResolvers() }
}

/**
 * Waits until only savepoints that enclose the caller are open, and puts a new level on top of them.
 *
 * @param outer the enclosing transaction
 */
export async function enter (stack: SavepointStack, outer: object, readOnly = false): Promise<Level> {
  // a caller has to act in the same tick in which its turn comes, since others wait as well
  while (isBusy(stack)) await stack.top.gone.promise
  assertOpen(outer)
  const level = newLevel(stack.top, readOnly)
  stack.top = level
  return level
}

/**
 * Ends a level, after its inner savepoints have ended and its statements have been answered. Afterwards it accepts no
 * statements.
 */
export async function end (stack: SavepointStack, level: Level, idle: () => Promise<void>): Promise<void> {
  do {
    while (isBusy(stack, level)) await stack.top.gone.promise
    await idle()
  } while (isBusy(stack, level))
  level.ended = true
}

/** Removes a level from the stack, together with the levels inside it. */
export function leave (stack: SavepointStack, level: Level): void {
  if (level.orphaned) return
  endInner(stack, level)
  stack.top = level.below
  level.gone.resolve()
}

/** Ends the savepoints inside `level`, or all savepoints if `level` is undefined. */
export function endInner (stack: SavepointStack, level: Level | undefined): void {
  while (stack.top !== undefined && stack.top !== level) {
    const { top } = stack
    top.ended = top.orphaned = true
    stack.top = top.below
    top.gone.resolve()
  }
}

/** Whether an open savepoint does not enclose the caller, or encloses it and has ended. */
function isBusy (stack: SavepointStack, level?: Level): stack is SavepointStack & { readonly top: Level } {
  return stack.top !== undefined && stack.top !== level && (stack.top.ended || !isInside(stack.top))
}

function isInside (level: Level): boolean {
  for (let inner = current.getStore(); inner !== undefined; inner = inner.parent) if (inner === level) return true
  return false
}

const levels = new WeakMap<object, Level>()

/** The methods of a transaction before `bindToLevel` replaced them. This package uses them even after its end. */
export const originalMethods = madeOnce(methodsOf)

/**
 * Makes statements of a level wait for their turn, and refuses them after its end: they would run outside of the
 * savepoint, or on a connection that another caller has taken. The same holds for MikroORM's savepoints inside it.
 */
export function bindToLevel (transaction: Transaction, stack: SavepointStack, level: Level): void {
  const { executor, savepoint, rollbackToSavepoint, releaseSavepoint } = originalMethods(transaction)
  const executeQuery = transaction.executeQuery.bind(transaction)
  levels.set(transaction, level)
  const checked = <Args extends unknown[], Result>(method: (...args: Args) => Result) => (...args: Args): Result => {
    assertOpen(transaction)
    return method(...args)
  }
  replaceOnTransaction(transaction, {
    executeQuery: async (...args: Parameters<typeof executeQuery>) => {
      while (isBusy(stack, level)) await stack.top.gone.promise
      if (isOver(transaction)) throw new ThroughDriver(overError())
      return await executeQuery(...args)
    },
    // MikroORM uses the executor for streams
    getExecutor: checked(() => executor),
    savepoint: checked((name: string) => ({
      execute: async () => {
        const inner = await savepoint(name).execute() as unknown as Transaction
        bindToLevel(inner, stack, level)
        return inner
      },
    })),
    rollbackToSavepoint: checked(rollbackToSavepoint),
    releaseSavepoint: checked(releaseSavepoint),
  })
}

/**
 * @throws {DatabaseError} when a transaction is over, or the level inside it was rolled back. A statement would not be
 * part of it any more.
 */
export function assertOpen (transaction: object, level?: Level): void {
  if (isOver(transaction) || level?.orphaned === true) throw overError()
}

const isOver = (transaction: object): boolean => levels.get(transaction)?.ended === true

const overError = (): DatabaseError => new DatabaseError('The transaction that this EntityManager belongs to is over.')
