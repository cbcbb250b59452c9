/** One replica: its state, and its waiting reads. */
import type { Pool, PoolClient } from 'pg'
import type { Connection } from '../../borrowed/mikro-orm.ts'
import { cut } from '../../borrowed/pg.ts'
import { UnavailableError } from '../../base/errors.ts'
import type { WriterHistory } from './lag.ts'
import { ServerProbe } from './probe.ts'

/**
 * `lagging`: the replica answers, but its data is or may be older than `maxLag`. `down`: it does not answer, or it is
 * not a replica.
 */
type ReplicaStatus = 'up' | 'lagging' | 'down'

/** The state of a replica. */
export interface ReplicaReport {
  /** The URL without credentials and parameters. */
  readonly url: string
  /** The result of the last check. */
  readonly status: ReplicaStatus
  /** The most milliseconds by which its data was behind the writer's at the last check; `null` if that is not known. */
  readonly lag: number | null
  /** Why it is down. */
  readonly reason?: string
}

export interface CheckSettings {
  /** Milliseconds; `false` to use every server that answers. */
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
  readonly #probe: ServerProbe
  /** The connections of its pool. */
  readonly #clients = new Set<PoolClient>()
  /** For each read that waits for an answer, the function that rejects it. */
  readonly #reads = new Set<(error: Error) => void>()
  #status: ReplicaStatus = 'down'
  #reason = 'not checked yet'
  #lag: number | null = null
  /** Everything that was committed before this time has been replayed. */
  #freshAt = -Infinity
  /** The replica may be read from until this time without another check. */
  #usableUntil = -Infinity
  #failedAt = -Infinity
  /** The probe's connection that the following two values belong to. */
  #connection = 0
  #position: bigint | undefined
  /** Whether it has replayed more than its writer has written. */
  #astray = false

  constructor (url: string, connection: Connection, pool: Pool, settings: CheckSettings) {
    this.#url = url
    this.connection = connection
    this.#settings = settings
    this.#probe = new ServerProbe(pool, settings.checkTimeout)
    pool.on('connect', (client) => this.#clients.add(client))
    pool.on('remove', (client) => this.#clients.delete(client))
  }

  get report (): ReplicaReport {
    const { status } = this
    if (status === 'down') return { url: this.#url, status, lag: null, reason: this.#reason }
    // it was up at the last check, but its data may be too old by now
    const expired = status !== this.#status
    return { url: this.#url, status, lag: expired ? Math.ceil(performance.now() - this.#freshAt) : this.#lag }
  }

  /** The state of the last check. It expires when the data could be too old, in case the replica has stopped since. */
  get status (): ReplicaStatus {
    return this.#status === 'up' && performance.now() > this.#usableUntil ? 'lagging' : this.#status
  }

  /** Number of reads that wait for an answer. */
  get reading (): number {
    return this.#reads.size
  }

  /**
   * Runs a read. It fails as soon as the replica is known to be down.
   *
   * @param discard handles an answer that comes after that
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

  /** Stops reading from the replica until a check that starts after this call succeeds. */
  fail (error: unknown): void {
    this.#failedAt = performance.now()
    this.#down((error as Error).message)
  }

  /**
   * Checks the replica.
   *
   * @param history the writer's positions, including the latest sample
   * @param writerAnswers whether the latest sample was taken just now
   */
  async check (history: WriterHistory, writerAnswers: boolean): Promise<void> {
    const started = performance.now()
    const { maxLag } = this.#settings
    try {
      const row = await this.#probe.ask(maxLag === false ? ALIVE : REPLAYED)
      // a read has failed since the check began, so this answer is outdated
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
    if (row['standby'] !== 1) return this.#down('it is not a standby, so it cannot be a replica of this writer')
    if (typeof row['position'] !== 'string') return this.#down('it does not report its position in the log')
    const { latest } = history
    // the writer was asked after the replica had reached this position, so the writer cannot be behind it
    if (writerAnswers && this.#position !== undefined && this.#position > latest!.position) this.#astray = true
    this.#position = BigInt(row['position'])
    if (this.#astray) return this.#down('it is ahead of the writer, so it does not follow this writer')
    // nothing is written while the writer is down, as far as this process can tell, so replicas that were up stay up
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

  /** Rejects the waiting reads and closes the connections of a server that does not answer. */
  #abandon (): void {
    for (const reject of this.#reads) reject(new UnavailableError(`${this.#url} does not answer`))
    this.#reads.clear()
    for (const client of this.#clients) cut(client)
  }
}
