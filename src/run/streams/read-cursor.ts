/** Reads the rows of a cursor in batches. It knows the statements, and not the connection that they run on. */
import { MAX_STREAM_BATCH } from '../../base/page-styles.ts'
import type { Row } from '../../sql/index.ts'
import type { RowPart } from '../pg/row-reader.ts'
import type { BoundStatement } from '../pg/statement.ts'

/** Turns rows that are keys into records. */
export interface Completion {
  /**
   * Makes the statement that reads the records of some keys. It runs in the snapshot of the keys, unless the
   * EntityManager is in a transaction with another isolation level.
   */
  readonly read: (keys: readonly Row[]) => BoundStatement | Promise<BoundStatement>
  /** The exceeded limit that a row reports instead of records. */
  readonly excessOf: (row: Row) => string | undefined
  /** The error for a single record that is too large. */
  readonly refusal: (excess: string) => Error
}

export interface CursorOptions {
  /** Set if the rows of the statement are keys. */
  readonly complete?: Completion | undefined
  /** Cancels the statement in the server, as the signal of the EntityManager does. */
  readonly signal?: AbortSignal | undefined
}

export interface OpenCursor {
  readonly first: IteratorResult<Row[], void>
  readonly rest: AsyncGenerator<Row[], void, undefined>
  /** Ends the statement, the cursor and its transaction, even in the middle of the rows. */
  readonly end: () => Promise<unknown>
}

/** Sends a statement and yields its rows in parts. */
export type Send = (statement: BoundStatement) => AsyncGenerator<RowPart, void, undefined>

let lastCursor = 0

/** A new name for a cursor. */
export const newCursorName = (): string => `crud_stream_${++lastCursor}`

/** Reads the rows of a cursor, or the records of these rows if they are keys. */
export async function * batches (
  send: Send,
  name: string,
  statement: BoundStatement,
  { complete }: CursorOptions
): AsyncGenerator<Row[], void, undefined> {
  const { text, values, origin, columns } = statement
  const size = new BatchSize()
  const fetch = () => send({ text: `fetch ${size.rows} from ${name}`, values: [], origin, columns, fetches: statement })
  for await (const part of send({ text: `declare ${name} no scroll cursor for ${text}`, values })) {
    if (part.rows.length > 0) yield part.rows
  }
  for (;;) {
    const wanted = size.rows
    let count = 0
    let bytes = 0
    if (complete === undefined) {
      for await (const part of fetch()) {
        count += part.rows.length
        bytes += part.bytes
        if (part.rows.length > 0) yield part.rows
      }
      size.learn(count, bytes)
    } else {
      const keys: Row[] = []
      for await (const { rows } of fetch()) keys.push(...rows)
      count = keys.length
      for await (const part of records(send, keys, complete, size)) {
        bytes += part.bytes
        yield part.rows
      }
      size.learn(count, bytes)
    }
    if (count < wanted) return
  }
}

/** Reads the records of some keys. If they are too large together, it reads those of half the keys. */
async function * records (
  send: Send,
  keys: readonly Row[],
  { read, excessOf, refusal }: Completion,
  size: BatchSize
): AsyncGenerator<RowPart, void, undefined> {
  for (let at = 0; at < keys.length;) {
    const some = keys.slice(at, at + size.of(keys.length))
    let excess: string | undefined
    for await (const part of send(await read(some))) {
      if (part.rows.length === 0) continue
      excess ??= excessOf(part.rows[0]!)
      if (excess === undefined) yield part
    }
    if (excess === undefined) {
      at += some.length
      size.accept()
    } else {
      if (some.length === 1) throw refusal(excess)
      size.refuse(some.length)
    }
  }
}

/** Makes a part of rows that were read all at once. */
export function partOfRows (rows: Row[]): RowPart {
  let bytes = 0
  for (const row of rows) for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length
  return { rows, bytes }
}

/** Bytes of rows that are read at a time. The memory of a stream is a small multiple of this. */
export const PART_BYTES = 2 ** 20
/** Rows of the first batch, and the growth of each batch over the one before, until the size of rows is known. */
const FIRST_BATCH = 16
const GROWTH = 4
/** The growth of batches after one that was too large. */
const RECOVERY = 1.2

/** Chooses how many rows to fetch next, so that they have about the bytes of a part. */
export class BatchSize {
  rows = FIRST_BATCH
  /** The most rows to ask for together. Reduced after a batch that was too large, and then slowly increased. */
  #most = MAX_STREAM_BATCH

  /** How many of the given rows to ask for together. */
  of (count: number): number {
    return Math.min(count, this.#most)
  }

  /** Notes that these rows are too large together. */
  refuse (rows: number): void {
    this.#most = Math.ceil(rows / 2)
    this.rows = this.#most
  }

  /** Notes that a batch was not too large. */
  accept (): void {
    this.#most = Math.min(MAX_STREAM_BATCH, Math.ceil(this.#most * RECOVERY))
  }

  /** Adjusts the size to a batch that has been read. */
  learn (rows: number, bytes: number): void {
    if (rows === 0) return
    const fitting = Math.floor(PART_BYTES / Math.max(1, bytes / rows))
    this.rows = Math.max(1, Math.min(fitting, this.rows * GROWTH, this.#most))
  }
}
