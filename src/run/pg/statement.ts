/** The input of the run stage: a statement and its values. */
import { createHash } from 'node:crypto'
import { serialize } from 'pg-protocol'
import { prepareValue } from '../../borrowed/pg.ts'
import { QUERY_OPERATIONS, type QueryOperation } from '../../config/index.ts'

/** Text with `$1`, `$2`, ... and the values for these placeholders. */
export interface BoundStatement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether it only reads, so that it may be repeated and may run on a read-only server. Default false. */
  readonly readOnly?: boolean
  /** The columns of its rows, if all of them may be read as texts. Then the server need not describe them. */
  readonly columns?: readonly string[] | undefined
  /** Kept data of a statement that will run again. */
  readonly prepared?: PreparedText | undefined
  /**
   * Whether it may share a message with others while it is quick, because it only looks up one record. Default false.
   */
  readonly shareable?: boolean
  /** The operation that it belongs to, if `CrudBase` runs it. */
  readonly origin?: QueryOrigin | undefined
  /** The statement whose rows it fetches from a cursor. */
  readonly fetches?: BoundStatement
}

/** Quick runs in a row, before a statement shares messages. */
const RUNS_BEFORE_SHARING = 16

/** Runs before a statement gets a name. PostgreSQL itself makes five plans before it keeps one. */
const RUNS_BEFORE_NAME = 5

/** A statement that runs many times. Its message is made only once, and the server may keep it by a name. */
export class PreparedText {
  readonly text: string
  /** The text that the server keeps under the name. */
  readonly namedText: string
  #runs: number
  #quickRuns = 0
  #name: string | undefined
  #message: Buffer | undefined
  #digest: string | undefined

  /**
   * @param nameable whether the server may keep the statement
   * @param namedText the text that the server keeps, if it is another form of the statement: that of a list, which is
   * planned for the values of each run
   */
  constructor (text: string, nameable: boolean, namedText = text) {
    this.text = text
    this.namedText = namedText
    this.#runs = nameable ? 0 : -Infinity
  }

  /**
   * Counts a run. Returns the name by which the server may keep the statement; `undefined` for a rare one. The name is
   * a digest of `namedText`. So the same name means the same statement, even if a pooler shares a connection between
   * processes.
   */
  nameForRun (): string | undefined {
    if (++this.#runs <= RUNS_BEFORE_NAME) return undefined
    this.#name ??= `crud_${this.namedText === this.text ? this.digest : digestOf(this.namedText)}`
    return this.#name
  }

  /** Lets the statement run without its name some times, because the server's copy was of no use. */
  restNaming (): void {
    this.#runs = 0
  }

  /** Notes whether a run was quick. */
  noteRun (quick: boolean): void {
    this.#quickRuns = quick ? this.#quickRuns + 1 : 0
  }

  /** Whether the latest runs were so quick that others may wait for it. */
  get isQuick (): boolean {
    return this.#quickRuns >= RUNS_BEFORE_SHARING
  }

  /** A digest that identifies the text. */
  get digest (): string {
    this.#digest ??= digestOf(this.text)
    return this.#digest
  }

  /** The parse message, without a name. */
  get message (): Buffer {
    this.#message ??= parseMessage(this.text, '')
    return this.#message
  }
}

export function digestOf (text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** @param name by which the server keeps the statement */
export function parseMessage (text: string, name: string): Buffer {
  return serialize.parse({ text, name, types: [] }) as Buffer
}

/** Runs a statement for all of its rows, and ends the message. */
export const EXECUTE_AND_SYNC = Buffer.concat([serialize.execute({}) as Buffer, serialize.sync() as Buffer])

/** Where a statement comes from: an operation of a resource. */
export interface QueryOrigin {
  /** The operation that runs the statement. */
  readonly operation: QueryOperation
  /** Name of the resource. By default this is the name of its table. */
  readonly resource: string
}

/** The `QueryOrigin` of each operation of a resource. */
export function originsOf (resource: string): Readonly<Record<QueryOperation, QueryOrigin>> {
  return Object.fromEntries(QUERY_OPERATIONS.map((operation) => [operation, { operation, resource }])) as Record<
    QueryOperation,
    QueryOrigin
  >
}

/**
 * Converts values for PGlite, or for a driver that may be PGlite's. PGlite converts values while it writes the message,
 * and would fail halfway at a value that has no text. All instances in a process share this memory, so the partial
 * message would become part of the next two messages of any instance.
 */
export function preparedValues (values: readonly unknown[]): unknown[] {
  return values.map((value) => prepareValue(value))
}
