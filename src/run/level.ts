/**
 * The levels of a transaction: itself, and the savepoints that are open in it, one inside the other.
 *
 * A connection has one stack of savepoints, but code may ask for several at once (`Promise.all`). What is undone with
 * a savepoint is whatever was sent after it, so a statement of anybody else has to wait until the savepoint is over.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { methodsOf, replaceOnTransaction, type OwnMethods, type Transaction } from '../borrowed/kysely.ts'
import { DatabaseError } from '../errors.ts'
import { ThroughDriver } from './convert-error.ts'
import type { HeldConnection } from './held-connection.ts'

export interface Level {
  /** The level in whose function this one was asked for. */
  readonly parent: Level | undefined
  /** The savepoint that was open when this one was made. */
  readonly below: Level | undefined
  /** No statement may be sent any more: it would run outside of what was undone. */
  ended: boolean
  /** What it is inside of has been undone, and it with it. */
  orphaned: boolean
  /** Writes in it are a mistake. */
  readonly readOnly: boolean
  /** Resolves when the savepoint is gone. */
  readonly gone: PromiseWithResolvers<void>
}

const current = new AsyncLocalStorage<Level>()

/** Runs a function inside of a level. */
export function runInside<Result> (level: Level, fn: () => Promise<Result>): Promise<Result> {
  return current.run(level, fn)
}

export function newLevel (below: Level | undefined, readOnly = false): Level {
  return { parent: current.getStore(), below, ended: false, orphaned: false, readOnly, gone: Promise.withResolvers() }
}

/**
 * Waits until no savepoint is open but those that the caller is inside of, and puts a new level on top of them.
 *
 * @param outer the transaction that it is asked for in
 */
export async function enter (held: HeldConnection, outer: object, readOnly = false): Promise<Level> {
  // whoever waits has to act in the same tick in which it is its turn: others have waited, too
  while (isBusy(held)) await held.top.gone.promise
  assertOpen(outer)
  const level = newLevel(held.top, readOnly)
  held.top = level
  return level
}

/** Ends a level when the savepoints in it are over and its statements have been answered. From then on nothing gets in. */
export async function end (held: HeldConnection, level: Level, idle: () => Promise<void>): Promise<void> {
  do {
    while (isBusy(held, level)) await held.top.gone.promise
    await idle()
  } while (isBusy(held, level))
  level.ended = true
}

/** Takes a level from the stack, and what is left of those inside: they go with it. */
export function leave (held: HeldConnection, level: Level): void {
  if (level.orphaned) return
  endInner(held, level)
  held.top = level.below
  level.gone.resolve()
}

/** Ends the savepoints inside of `level`, all of them without one. */
export function endInner (held: HeldConnection, level: Level | undefined): void {
  while (held.top !== undefined && held.top !== level) {
    const { top } = held
    top.ended = top.orphaned = true
    held.top = top.below
    top.gone.resolve()
  }
}

/** Whether somebody else's savepoint is open, or one of ours that is being undone. */
function isBusy (held: HeldConnection, level?: Level): held is HeldConnection & { readonly top: Level } {
  return held.top !== undefined && held.top !== level && (held.top.ended || !isInside(held.top))
}

function isInside (level: Level): boolean {
  for (let inner = current.getStore(); inner !== undefined; inner = inner.parent) if (inner === level) return true
  return false
}

/** What the code of this package still may do with a transaction that is over. */
const unguarded = new WeakMap<object, OwnMethods>()
const levels = new WeakMap<object, Level>()

/** A transaction as it was before `guard`. */
export function withoutGuard (transaction: Transaction): OwnMethods {
  let raw = unguarded.get(transaction)
  if (raw === undefined) unguarded.set(transaction, raw = methodsOf(transaction))
  return raw
}

/**
 * Lets statements of a level wait for their turn, and refuses them once it has ended: they would run outside of what was
 * undone, or on a connection that is somebody else's by then. So it is with savepoints of MikroORM's inside.
 */
export function guard (transaction: Transaction, held: HeldConnection, level: Level): void {
  const { executor, savepoint, rollbackToSavepoint, releaseSavepoint } = withoutGuard(transaction)
  const executeQuery = transaction.executeQuery.bind(transaction)
  levels.set(transaction, level)
  const checked = <Args extends unknown[], Result>(method: (...args: Args) => Result) => (...args: Args): Result => {
    assertOpen(transaction)
    return method(...args)
  }
  replaceOnTransaction(transaction, {
    executeQuery: async (...args: Parameters<typeof executeQuery>) => {
      while (isBusy(held, level)) await held.top.gone.promise
      if (isOver(transaction)) throw new ThroughDriver(overError())
      return await executeQuery(...args)
    },
    // what is streamed
    getExecutor: checked(() => executor),
    savepoint: checked((name: string) => ({
      execute: async () => {
        const inner = await savepoint(name).execute() as unknown as Transaction
        guard(inner, held, level)
        return inner
      },
    })),
    rollbackToSavepoint: checked(rollbackToSavepoint),
    releaseSavepoint: checked(releaseSavepoint),
  })
}

/** @throws {DatabaseError} when a transaction is over, or a level in it gone: what it would do now would not be part of it */
export function assertOpen (transaction: object, level?: Level): void {
  if (isOver(transaction) || level?.orphaned === true) throw overError()
}

const isOver = (transaction: object): boolean => levels.get(transaction)?.ended === true

const overError = (): DatabaseError => new DatabaseError('The transaction that this EntityManager belongs to is over.')
