/** What the run stage takes: a statement and its values. */
import { createHash } from 'node:crypto'
import { serialize } from 'pg-protocol'
import type { QueryCall } from './query-channel.ts'

/** A row as the driver reads it, by column name. */
export type Row = Record<string, unknown>

/** Text with `$1`, `$2`, ... and the values they stand for. */
export interface BoundStatement {
  readonly text: string
  readonly values: readonly unknown[]
  /** It changes nothing: it may be run again, and on a server that only reads. Default false. */
  readonly readOnly?: boolean
  /** The columns of its rows, where all of them may be read as texts: then the server need not say what they are. */
  readonly columns?: readonly string[] | undefined
  /** What is kept of the statement for the next time, where there will be one. */
  readonly prepared?: Prepared | undefined
  /** What it is run for, where `CrudBase` runs it. */
  readonly call?: QueryCall | undefined
  /** The statement whose rows it fetches from a cursor. */
  readonly fetches?: BoundStatement
}

/** Runs after which a statement is worth a name: PostgreSQL itself makes five plans before it keeps one. */
const RUNS_BEFORE_NAME = 5
/** Names in this process, at most: each of them takes memory in the server, for every connection. */
const MAX_NAMES = 256

const names = new Set<string>()

/** A statement that is run many times: its message to the server is made once, and the server may keep it by a name. */
export class Prepared {
  readonly text: string
  #runs: number
  #name: string | undefined
  #message: Buffer | undefined
  #digest: string | undefined

  /** @param nameable whether one plan serves all values: a list's wants to be another one for values that are rare */
  constructor (text: string, nameable: boolean) {
    this.text = text
    this.#runs = nameable ? 0 : NaN
  }

  /**
   * Counts a run. Returns the name by which the server may keep the statement; `undefined` for one that is rare. It is
   * made of the text: what another process has prepared by the same name, where a pooler gives a connection to both,
   * is the same statement.
   */
  nameForRun (): string | undefined {
    if (this.#name === undefined && ++this.#runs > RUNS_BEFORE_NAME) {
      const name = `crud_${this.digest}`
      if (names.size < MAX_NAMES) names.add(name)
      if (names.has(name)) this.#name = name
      this.#runs = NaN
    }
    return this.#name
  }

  /** Takes its name away for good, since what the server has kept is of no use. Returns whether it had one. */
  forgetName (): boolean {
    const had = this.#name !== undefined
    this.#name = undefined
    this.#runs = NaN
    return had
  }

  /** What tells the text from others. */
  get digest (): string {
    this.#digest ??= digestOf(this.text)
    return this.#digest
  }

  /** The message by which the server parses it, without a name. */
  get message (): Buffer {
    this.#message ??= parseMessage(this.text, '')
    return this.#message
  }
}

export function digestOf (text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** @param name by which the server is to keep it */
export function parseMessage (text: string, name: string): Buffer {
  return serialize.parse({ text, name, types: [] }) as Buffer
}
