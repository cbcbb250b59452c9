/** The input of the run stage: a statement and its values. */
import { createHash } from 'node:crypto'
import { serialize } from 'pg-protocol'
import type { QueryCall } from './query-call.ts'

/** Text with `$1`, `$2`, ... and the values for these placeholders. */
export interface BoundStatement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether it only reads, so that it may be repeated and may run on a read-only server. Default false. */
  readonly readOnly?: boolean
  /** The columns of its rows, if all of them may be read as texts. Then the server need not describe them. */
  readonly columns?: readonly string[] | undefined
  /** Kept data of a statement that will run again. */
  readonly prepared?: Prepared | undefined
  /** Whether it looks up one record and nothing else, so that it may share a message with others. Default false. */
  readonly brief?: boolean
  /** The call that it runs for, if `CrudBase` runs it. */
  readonly call?: QueryCall | undefined
  /** The statement whose rows it fetches from a cursor. */
  readonly fetches?: BoundStatement
}

/** Runs before a statement gets a name. PostgreSQL itself makes five plans before it keeps one. */
const RUNS_BEFORE_NAME = 5
/** The most names in this process. Each name takes memory in the server for every connection. */
const MAX_NAMES = 256
/** The most names if a list needs another one. A list takes some 100 KiB, a statement of a single record less. */
const MAX_NAMES_FOR_LISTS = 128

const names = new Set<string>()

/** A statement that runs many times. Its message is made only once, and the server may keep it by a name. */
export class Prepared {
  readonly text: string
  /** The text that the server keeps under the name. */
  readonly keptText: string
  #runs: number
  #name: string | undefined
  #message: Buffer | undefined
  #digest: string | undefined

  /**
   * @param nameable whether the server may keep the statement
   * @param keptText the text to keep, if it is another form of the statement: that of a list, which is planned for the
   * values of each run
   */
  constructor (text: string, nameable: boolean, keptText = text) {
    this.text = text
    this.keptText = keptText
    this.#runs = nameable ? 0 : NaN
  }

  /**
   * Counts a run. Returns the name by which the server may keep the statement; `undefined` for a rare one. The name is
   * a digest of the text. So the same name means the same statement, even if a pooler shares a connection between
   * processes.
   */
  nameForRun (): string | undefined {
    if (this.#name === undefined && ++this.#runs > RUNS_BEFORE_NAME) {
      const name = `crud_${this.digest}`
      if (names.size < (this.keptText === this.text ? MAX_NAMES : MAX_NAMES_FOR_LISTS)) names.add(name)
      if (names.has(name)) this.#name = name
      this.#runs = NaN
    }
    return this.#name
  }

  /** Removes the name permanently, because the server's copy is of no use. */
  forgetName (): void {
    this.#name = undefined
    this.#runs = NaN
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
