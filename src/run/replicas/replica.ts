/** One replica: whether it may be read from, and what is being read from it. */
import type { Pool, PoolClient } from 'pg'
import { UnavailableError } from '../../errors.ts'
import type { Connection } from '../../borrowed/mikro-orm.ts'
import { cut } from '../../borrowed/pg.ts'
import type { WriterHistory } from './lag.ts'
import { Probe } from './probe.ts'

export type { Connection }

/** `lagging`: it answers, but its data is older than `maxLag`, or may be. `down`: it does not answer, or is no replica. */
export type ReplicaStatus = 'up' | 'lagging' | 'down'

/** How a replica is. */
export interface ReplicaReport {
  /** Without credentials and parameters. */
  readonly url: string
  readonly status: ReplicaStatus
  /** Milliseconds by which its data was behind the writer's at the last check, at most; `null` when that isn't known. */
  readonly lag: number | null
  /** Why it is down. */
  readonly reason?: string
}

export interface CheckSettings {
  /** Milliseconds; `false` to take every server that answers. */
  readonly maxLag: number | false
  /** Milliseconds between two checks. */
  readonly checkInterval: number
  /** Milliseconds that a check waits for an answer. */
  readonly checkTimeout: number
}

const ALIVE = 'select 1 as alive'
const REPLAYED = `
  select pg_is_in_recovery()::int as standby, (pg_last_wal_replay_lsn() - '0/0')::text as position,
         (extract(epoch from pg_last_xact_replay_timestamp()) * 1000)::float8 as commit`

export class Replica {
  readonly connection: Connection
  readonly #url: string
  readonly #settings: CheckSettings
  readonly #probe: Probe
  /** Connections of its pool. */
  readonly #clients = new Set<PoolClient>()
  /** Ends a read that is waiting for an answer. */
  readonly #reads = new Set<(error: Error) => void>()
  #status: ReplicaStatus = 'down'
  #reason = 'not checked yet'
  #lag: number | null = null
  /** All that was committed before has been replayed. */
  #freshAt = -Infinity
  /** Until when it may be read from without another check. */
  #usableUntil = -Infinity
  #failedAt = -Infinity
  /** The connection of the probe over which the following was found. */
  #connection = 0
  #position: bigint | undefined
  /** It has replayed what its writer has not written. */
  #astray = false

  constructor (url: string, connection: Connection, pool: Pool, settings: CheckSettings) {
    this.#url = url
    this.connection = connection
    this.#settings = settings
    this.#probe = new Probe(pool, settings.checkTimeout)
    pool.on('connect', (client) => this.#clients.add(client))
    pool.on('remove', (client) => this.#clients.delete(client))
  }

  get report (): ReplicaReport {
    const { status } = this
    if (status === 'down') return { url: this.#url, status, lag: null, reason: this.#reason }
    // it was up at the last check, which was too long ago
    const expired = status !== this.#status
    return { url: this.#url, status, lag: expired ? Math.ceil(performance.now() - this.#freshAt) : this.#lag }
  }

  /** What was found at the last check holds until the data could be too old, should the replica have stopped since. */
  get status (): ReplicaStatus {
    return this.#status === 'up' && performance.now() > this.#usableUntil ? 'lagging' : this.#status
  }

  /** Reads that are waiting for an answer. */
  get reading (): number {
    return this.#reads.size
  }

  /**
   * Runs a read. It fails as soon as the replica is known not to answer any more.
   *
   * @param discard what to do with an answer that comes after that
   */
  read<T> (ask: (connection: Connection) => Promise<T>, discard?: (answer: T) => unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reads.add(reject)
      ask(this.connection).then((answer) => {
        if (this.#reads.delete(reject)) resolve(answer)
        else discard?.(answer)
      }).catch(reject).finally(() => this.#reads.delete(reject))
    })
  }

  /** Leaves it out until a check that starts from now on finds it well. */
  fail (error: unknown): void {
    this.#failedAt = performance.now()
    this.#down((error as Error).message)
  }

  /**
   * Asks it how it is.
   *
   * @param history where the writer has been, its latest sample included
   * @param writerAnswers whether the latest sample is of this moment
   */
  async check (history: WriterHistory, writerAnswers: boolean): Promise<void> {
    const started = performance.now()
    const { maxLag } = this.#settings
    try {
      const row = await this.#probe.ask(maxLag === false ? ALIVE : REPLAYED)
      // a read has failed since, of which this answer does not know
      if (this.#failedAt >= started) return
      if (maxLag === false) this.#up(Infinity)
      else this.#measure(row, history, writerAnswers, maxLag)
    } catch (error) {
      this.#down((error as Error).message)
      this.#abandon()
    }
  }

  close (): void {
    this.#probe.close()
  }

  #measure (row: Record<string, unknown>, history: WriterHistory, writerAnswers: boolean, maxLag: number): void {
    if (this.#connection !== this.#probe.connections) {
      // a server that has crashed comes back with less than it had replayed
      this.#connection = this.#probe.connections
      this.#freshAt = -Infinity
      this.#position = undefined
      this.#astray = false
    }
    if (row['standby'] !== 1) return this.#down('it is not a standby: is it a replica of this writer?')
    if (typeof row['position'] !== 'string') return this.#down('it does not say what it has replayed')
    const { latest } = history
    // the writer was asked after the replica had this position: it can only be ahead
    if (writerAnswers && this.#position !== undefined && this.#position > latest!.position) this.#astray = true
    this.#position = BigInt(row['position'])
    if (this.#astray) return this.#down('it is ahead of the writer: it does not follow it')
    // nothing is written while there is no writer, as far as this process can tell: what could be read stays readable
    if (!writerAnswers) return this.#status === 'up' ? this.#up(Infinity) : this.#lagging(null)
    this.#freshAt = Math.max(
      this.#freshAt,
      history.freshAt({ position: this.#position, commit: (row['commit'] as number | null) ?? undefined })
    )
    const lag = Math.max(0, performance.now() - this.#freshAt)
    this.#lag = Number.isFinite(lag) ? Math.ceil(lag) : null
    if (lag <= maxLag) this.#up(this.#freshAt + maxLag)
    else this.#lagging(this.#lag)
  }

  #up (usableUntil: number): void {
    this.#status = 'up'
    this.#usableUntil = usableUntil
    if (usableUntil === Infinity) this.#lag = null
  }

  #lagging (lag: number | null): void {
    this.#status = 'lagging'
    this.#lag = lag
  }

  #down (reason: string): void {
    this.#status = 'down'
    this.#reason = reason
  }

  /** Nothing that waits for a server that can't be asked has an answer to expect: it may have vanished without a word. */
  #abandon (): void {
    for (const reject of this.#reads) reject(new UnavailableError(`${this.#url} does not answer`))
    this.#reads.clear()
    for (const client of this.#clients) cut(client)
  }
}
