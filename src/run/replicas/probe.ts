/**
 * A connection beside the pool that asks a server how it is: a question that had to wait behind the reads of a busy pool
 * would make a busy server a dead one.
 */
import type { Client, Pool } from 'pg'
import { clientBeside, cut, unref } from '../../borrowed/pg.ts'

export class Probe {
  readonly #pool: Pool
  readonly #timeout: number
  #client: Client | undefined
  #connected = false
  /** Connections made: a server that has been started again is asked over another one. */
  connections = 0

  /** @param timeout milliseconds for connecting and answering together */
  constructor (pool: Pool, timeout: number) {
    this.#pool = pool
    this.#timeout = timeout
  }

  /**
   * Asks for one row. One question at a time.
   *
   * @throws the driver's error, or `ETIMEDOUT` when there is no answer in time. The next question makes a new connection.
   */
  async ask (text: string): Promise<Record<string, unknown>> {
    const client = this.#client ??= this.#create()
    let waiting = true
    let late = false
    const giveUp = (): void => {
      if (!waiting) return
      late = true
      cut(client)
    }
    // after a pause of this process, the answer may be there already: it is read first
    const timer = setTimeout(() => setImmediate(giveUp), this.#timeout)
    try {
      if (!this.#connected) await this.#connect(client)
      return (await client.query<Record<string, unknown>>(text)).rows[0]!
    } catch (error) {
      this.#drop(client)
      if (late) {
        throw Object.assign(new Error(`no answer within ${this.#timeout} ms`, { cause: error }), { code: 'ETIMEDOUT' })
      }
      throw error
    } finally {
      waiting = false
      clearTimeout(timer)
    }
  }

  /** Closes the connection. A question that is waiting fails. */
  close (): void {
    if (this.#client !== undefined) this.#drop(this.#client)
  }

  #create (): Client {
    const client = clientBeside(this.#pool, { connectionTimeoutMillis: 0 })
    client.on('error', () => this.#drop(client))
    return client
  }

  async #connect (client: Client): Promise<void> {
    await client.connect()
    // asking is no reason for a process to stay
    unref(client)
    this.#connected = true
    this.connections++
  }

  #drop (client: Client): void {
    if (this.#client === client) {
      this.#client = undefined
      this.#connected = false
    }
    cut(client)
  }
}
