/**
 * A separate connection that checks a server. In the pool, a check would wait behind other reads, and a busy server
 * would look like a dead one.
 */
import type { Client, Pool } from 'pg'
import { clientBeside, cut, unref } from '../../borrowed/pg.ts'

export class ServerProbe {
  readonly #pool: Pool
  readonly #timeout: number
  #client: Client | undefined
  #connected = false
  /** Number of connections made. A server that was restarted is checked over a new connection. */
  connections = 0

  /** @param timeout milliseconds for connecting and answering together */
  constructor (pool: Pool, timeout: number) {
    this.#pool = pool
    this.#timeout = timeout
  }

  /**
   * Runs a query that returns one row. Only one query may run at a time.
   *
   * @throws the driver's error, or `ETIMEDOUT` if there is no answer in time. The next query opens a new connection.
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
    // after a pause of this process, the answer may already be there and is read first
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

  /** Closes the connection. A query that waits for its answer fails. */
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
    // checks do not keep the process running
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
