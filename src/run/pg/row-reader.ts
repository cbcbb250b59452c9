/**
 * Reads the rows of a statement in parts of a limited size, however many and large they are. When a part is full, the
 * socket is not read until the next part is requested, and the server waits.
 */
import type { Connection, PoolClient, Submittable } from 'pg'
import type { Socket } from 'node:net'
import { socketBelow } from '../../borrowed/pg.ts'
import type { Row } from '../../sql/index.ts'
import { bindMessage, rowOf } from './query.ts'
import { cancelUntilOver, type Cancelling } from './server-socket.ts'
import { EXECUTE_AND_SYNC, parseMessage, type BoundStatement } from './statement.ts'

/** Some rows, and their size on the network in bytes. */
export interface RowPart {
  readonly rows: Row[]
  readonly bytes: number
}

export class RowReader implements Submittable {
  /** Read by code that watches the statements of a connection. */
  readonly text: string
  readonly values: readonly unknown[]
  /** pg sets this if `query_timeout` is configured. Calling it stops the timer. */
  callback: (() => void) | undefined
  readonly #client: PoolClient
  readonly #statement: BoundStatement
  readonly #columns: readonly string[]
  /**
   * Bytes of a part. Rows are never split: a part has at least one row, and the rows that the socket had read along
   * with it.
   */
  readonly #limit: number
  #socket: Socket | undefined
  #rows: Row[] = []
  #bytes = 0
  #over = false
  #unwanted = false
  #error: unknown
  /** Called when a part is full or the statement is over. */
  #wake = (): void => {}

  /** @param statement with known columns */
  constructor (client: PoolClient, statement: BoundStatement, columns: readonly string[], limit: number) {
    this.text = statement.text
    this.values = statement.values
    this.#client = client
    this.#statement = statement
    this.#columns = columns
    this.#limit = limit
    client.query(this)
  }

  /**
   * Returns the next rows; `undefined` when there are no more.
   *
   * @param signal cancels the statement in the server
   * @throws the driver's error
   */
  async next (signal: AbortSignal | undefined): Promise<RowPart | undefined> {
    let cancelling: Cancelling | undefined
    const cancel = (): void => {
      this.#unwanted = true
      if (!this.#over) cancelling = cancelUntilOver(this.#client)
    }
    if (signal?.aborted === true) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
    await this.#ready(() => this.#over || (this.#bytes >= this.#limit && !this.#unwanted))
    signal?.removeEventListener('abort', cancel)
    await cancelling?.end()
    if (this.#error !== undefined) throw this.#error
    signal?.throwIfAborted()
    if (this.#rows.length === 0) return undefined
    const part = { rows: this.#rows, bytes: this.#bytes }
    this.#rows = []
    this.#bytes = 0
    return part
  }

  /** Skips the remaining rows. Afterwards the connection is free. */
  async end (): Promise<void> {
    this.#unwanted = true
    this.#rows = []
    if (this.#over) return
    // a server that waits to send notices the cancellation only after the socket is read again
    const cancelling = cancelUntilOver(this.#client)
    await this.#ready(() => this.#over)
    await cancelling.end()
  }

  /** Reads the socket until a condition holds. */
  async #ready (isReady: () => boolean): Promise<void> {
    while (!isReady()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      this.#socket?.resume()
      await promise
    }
  }

  submit (connection: Connection): void | Error {
    const socket = this.#socket = socketBelow(connection)
    const { text, values, prepared } = this.#statement
    try {
      const bind = bindMessage(values)
      const parse = prepared?.message ?? parseMessage(text, '')
      if (socket.writable) socket.write(Buffer.concat([parse, bind, EXECUTE_AND_SYNC]))
    } catch (error) {
      // a value that cannot be converted to text
      return error as Error
    }
  }

  handleDataRow ({ length, fields }: { readonly length: number, readonly fields: readonly (string | null)[] }): void {
    if (this.#unwanted) return
    this.#rows.push(rowOf(this.#columns, fields))
    this.#bytes += length
    if (this.#bytes < this.#limit) return
    this.#socket!.pause()
    this.#wake()
  }

  /** Also called by pg's query_timeout, after which the answer may still come. */
  handleError (error: unknown): void {
    this.#error ??= error
    this.#finish()
  }

  handleReadyForQuery (): void {
    this.#finish()
  }

  #finish (): void {
    this.#over = true
    // the next answer on the connection has to be read
    this.#socket?.resume()
    this.callback?.()
    this.#wake()
  }

  handleRowDescription (): void {}
  handleCommandComplete (): void {}
  handleEmptyQuery (): void {}
  handlePortalSuspended (): void {}
}
