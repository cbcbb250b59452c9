/** Records the statements of an asynchronous context, for explanations. Outside of `recorded`, nothing is recorded. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { BoundStatement } from './pg/statement.ts'

/** A statement that has run. */
export interface RecordedStatement extends BoundStatement {
  /** Milliseconds from asking for a connection to receiving the rows. */
  readonly duration: number
}

const storage = new AsyncLocalStorage<RecordedStatement[]>()

/** Runs work, and returns the statements that `run` has sent for it, in the order in which they ended. */
export async function recorded (work: () => Promise<unknown>): Promise<readonly RecordedStatement[]> {
  const statements: RecordedStatement[] = []
  await storage.run(statements, work)
  return statements
}

/** Records a statement that has run, if its context is recorded. */
export function record (statement: BoundStatement, duration: number): void {
  storage.getStore()?.push({ ...statement, duration })
}
