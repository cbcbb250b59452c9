/**
 * A read as data. It yields its statements, one after another, and gets the rows of each. It has no connection: a
 * session with promises and a blocking one send the same read in their own way.
 */
import type { BoundStatement } from '../run/index.ts'
import type { Row } from '../sql/index.ts'

/** The statements of a read. After the rows of the last one it returns its result. */
export type Reading<Result> = Generator<BoundStatement, Result, readonly Row[]>

/** Sends the statements of a read, and waits for the rows of each. An error is thrown where it was yielded. */
export async function send<Result> (
  reading: Reading<Result>,
  run: (statement: BoundStatement) => Promise<readonly Row[]>
): Promise<Result> {
  let step = reading.next()
  while (step.done !== true) {
    let rows: readonly Row[]
    try {
      rows = await run(step.value)
    } catch (error) {
      step = reading.throw(error)
      continue
    }
    step = reading.next(rows)
  }
  return step.value
}

/** The same on a blocking session. */
export function sendAndWait<Result> (
  reading: Reading<Result>,
  run: (statement: BoundStatement) => readonly Row[]
): Result {
  let step = reading.next()
  while (step.done !== true) {
    let rows: readonly Row[]
    try {
      rows = run(step.value)
    } catch (error) {
      step = reading.throw(error)
      continue
    }
    step = reading.next(rows)
  }
  return step.value
}
