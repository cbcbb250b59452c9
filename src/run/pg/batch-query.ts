/**
 * Several statements in one message, for pg's `client.query`. They end with one Sync, so the server answers them in one
 * message as well, and runs them in one implicit transaction. After an error it skips the rest of them (PostgreSQL
 * manual, section 54.2.4). So they must be statements that only read.
 */
import type { Connection, Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import { socketBelow } from '../../borrowed/pg.ts'
import type { Row } from '../../sql/index.ts'
import { preparing } from './named-statements.ts'
import { bindMessage, rowOf } from './query.ts'
import type { BoundStatement, PreparedText } from './statement.ts'

/** A statement of a batch. */
export interface BatchPart {
  readonly statement: BoundStatement & { readonly columns: readonly string[], readonly prepared: PreparedText }
  /** The name by which the server may keep the statement. */
  readonly name: string | undefined
  /** Is called once, with an error of the driver, or with rows, or without both if the server has skipped it. */
  readonly done: (error: unknown, rows?: Row[]) => void
}

const EXECUTE = serialize.execute({}) as Buffer
const SYNC = serialize.sync() as Buffer

export class BatchQuery implements Submittable {
  readonly #parts: readonly BatchPart[]
  readonly #over: (error: unknown) => void
  /** The parts that were sent, and the rows of each. */
  readonly #sent: BatchPart[] = []
  readonly #rows: Row[][] = []
  /** The index of the part that the server answers. */
  #at = 0
  #settled = false

  /** @param over is called once, with the error of a part, before the parts are done */
  constructor (parts: readonly BatchPart[], over: (error: unknown) => void) {
    this.#parts = parts
    this.#over = over
  }

  /** pg notes the name and the text as parsed when the server has confirmed that. */
  get name (): string | undefined {
    return this.#sent[this.#at]?.name
  }

  get text (): string | undefined {
    return this.#sent[this.#at]?.statement.text
  }

  submit (connection: Connection): void {
    const closes: Buffer[] = []
    const messages: Buffer[] = []
    const prepared = new Set<string>()
    for (const part of this.#parts) {
      const { statement, name } = part
      let bind: Buffer
      try {
        bind = bindMessage(statement.values, name)
      } catch (error) {
        // a value that cannot be converted to text
        process.nextTick(part.done, error)
        continue
      }
      if (name === undefined || !prepared.has(name)) {
        const { close, parse } = preparing(connection, statement, name)
        closes.push(close)
        messages.push(parse)
      }
      if (name !== undefined) prepared.add(name)
      messages.push(bind, EXECUTE)
      this.#sent.push(part)
      this.#rows.push([])
    }
    messages.push(SYNC)
    const socket = socketBelow(connection)
    if (socket.writable) socket.write(Buffer.concat([...closes, ...messages]))
  }

  handleDataRow ({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows[this.#at]!.push(rowOf(this.#sent[this.#at]!.statement.columns, fields))
  }

  handleCommandComplete (): void {
    this.#at++
  }

  handleError (error: unknown): void {
    this.#settle(error)
  }

  handleReadyForQuery (): void {
    this.#settle(undefined)
  }

  /** Settles only once: pg's query_timeout reports an error, and the server's answer may still come later. */
  #settle (error: unknown): void {
    if (this.#settled) return
    this.#settled = true
    this.#over(error)
    for (const [index, { done }] of this.#sent.entries()) {
      // the answers before an error are complete
      if (index < this.#at) done(undefined, this.#rows[index])
      else done(index === this.#at ? error : undefined)
    }
  }

  handleRowDescription (): void {}
  handleEmptyQuery (): void {}
  handlePortalSuspended (): void {}
}
