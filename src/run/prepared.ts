/** An operation that is one statement, as data. */
import type { EntityModel } from '../model/index.ts'
import type { Row } from '../sql/index.ts'
import type { BoundStatement } from './pg/statement.ts'

/** A statement to send, and what its rows mean. A session only sends it: `answer` reads nothing but the rows. */
export interface Prepared<Answer> {
  readonly statement: BoundStatement
  /** The entity whose rows it writes, so that errors can name properties. */
  readonly model?: EntityModel
  readonly answer: (rows: readonly Row[]) => Answer
}
