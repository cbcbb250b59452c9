/** The replicas of a database. Chooses one for each read, repeats failed reads and schedules the checks. */
import type { Pool } from 'pg'
import { connectionsOf, replaceReads, type Asking, type Connection } from '../../borrowed/mikro-orm.ts'
import { ConfigError, UnavailableError } from '../../base/errors.ts'
import { convertError } from '../errors/convert-error.ts'
import { CANCELLED, CONFLICTS, READ_ONLY, TOO_MANY_CONNECTIONS } from '../errors/driver-errors.ts'
import { WriterHistory } from './lag.ts'
import { ServerProbe } from './probe.ts'
import { Replica, type CheckSettings, type ReplicaReport } from './replica.ts'

const WRITTEN = `
  select (pg_current_wal_lsn() - '0/0')::text as position,
         (extract(epoch from clock_timestamp()) * 1000)::float8 as clock`

export interface ReplicaSettings extends CheckSettings {
  /** The replicas' URLs without credentials and parameters, in the order of their connections. */
  readonly labels: readonly string[]
}

/** What happens to a read that has failed on a replica. */
type Verdict = 'replica is gone' | 'try another' | 'ask the writer' | 'final'

export class ReplicaSet {
  readonly #settings: ReplicaSettings
  #writer: Connection | undefined
  #probe: ServerProbe | undefined
  #replicas: readonly Replica[] = []
  #history = new WriterHistory()
  #timer: NodeJS.Timeout | undefined
  #next = 0

  constructor (settings: ReplicaSettings) {
    this.#settings = settings
  }

  /** The state of the replicas, in the order of the configuration. */
  get reports (): ReplicaReport[] {
    return this.#replicas.map((replica) => replica.report)
  }

  /**
   * Checks the replicas, now and at intervals, until `stop`.
   *
   * @param driver of the ORM, which has the connections
   * @throws {ConfigError} when the writer does not support measuring its replicas
   */
  async start (driver: object): Promise<void> {
    const { labels, checkTimeout } = this.#settings
    const { writer, replicas: connections } = connectionsOf(driver)
    this.#writer = writer
    this.#probe = new ServerProbe(await poolOf(writer), checkTimeout)
    this.#replicas = await Promise.all(
      connections.map(async (connection, index) =>
        new Replica(labels[index]!, connection, await poolOf(connection), this.#settings)
      )
    )
    for (const replica of this.#replicas) this.#repeatElsewhere(replica)
    const problem = await this.#check()
    if ((problem as { code?: unknown } | undefined)?.code === UNDEFINED_FUNCTION) {
      this.stop()
      throw new ConfigError(
        'DatabaseFactory: replicas: the lag of the replicas cannot be measured, because the database does not report ' +
          `its position in the log: ${(problem as Error).message}. ` +
          "With 'maxLag: false', every replica that answers is used",
        { cause: problem }
      )
    }
    this.#schedule()
  }

  /** Ends the checks and closes their connections. */
  stop (): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#probe?.close()
    for (const replica of this.#replicas) replica.close()
    this.#replicas = []
  }

  /** The connection for one read: that of a replica that is up, else the writer's. */
  connection (): Connection {
    return this.#pick()?.connection ?? this.#writer!
  }

  /**
   * Runs a read on a replica that is up. If it fails because of that replica, the read runs on another one, and finally
   * on the writer.
   *
   * @param discard handles an answer that comes after another connection has been asked
   */
  async read<T> (ask: (connection: Connection) => Promise<T>, discard?: (answer: T) => unknown): Promise<T> {
    return await this.#read(this.#pick(), ask, discard)
  }

  async #read<T> (
    first: Replica | undefined,
    ask: (connection: Connection) => Promise<T>,
    discard?: (answer: T) => unknown
  ): Promise<T> {
    let tried: Set<Replica> | undefined
    for (let replica = first; replica !== undefined; replica = this.#pick(tried)) {
      try {
        return await replica.read(ask, discard)
      } catch (error) {
        const verdict = judge(error)
        if (verdict === 'final') throw error
        if (verdict === 'replica is gone') replica.fail((error as Error).cause ?? error)
        if (verdict === 'ask the writer') break
        ;(tried ??= new Set()).add(replica)
      }
    }
    return await ask(this.#writer!)
  }

  /** Picks the replica with the fewest waiting reads. Replicas with the same number take turns. */
  #pick (tried?: ReadonlySet<Replica>): Replica | undefined {
    const replicas = this.#replicas
    const start = this.#next++
    let best: Replica | undefined
    for (let i = 0; i < replicas.length; i++) {
      const replica = replicas[(start + i) % replicas.length]!
      if (
        replica.status === 'up' && tried?.has(replica) !== true &&
        (best === undefined || replica.reading < best.reading)
      ) best = replica
    }
    return best
  }

  /**
   * Repeats MikroORM's own reads, which take a connection before they ask it. Streams are repeated until their first
   * row.
   */
  #repeatElsewhere (replica: Replica): void {
    const read = <T>(ask: (connection: Asking) => Promise<T>, discard?: (answer: T) => unknown): Promise<T> =>
      this.#read(replica, (connection) => ask(asking.get(connection) ?? connection as unknown as Asking), discard)
    const own = replaceReads(replica.connection, {
      execute: (...args) => read((other) => other.execute(...args)),
      stream: async function * (...args) {
        const { rows, first } = await read(async (other) => {
          const rows = other.stream(...args)
          return { rows, first: await rows.next() }
        }, ({ rows }) => rows.return())
        try {
          if (first.done === true) return
          yield first.value
          yield * rows
        } finally {
          await rows.return()
        }
      },
    })
    asking.set(replica.connection, own)
  }

  #schedule (): void {
    this.#timer = setTimeout(async () => {
      await this.#check()
      if (this.#timer !== undefined) this.#schedule()
    }, this.#settings.checkInterval)
    this.#timer.unref()
  }

  /** Checks all replicas once. Returns the error if the writer did not answer. */
  async #check (): Promise<unknown> {
    const problem = this.#settings.maxLag === false ? undefined : await this.#sample()
    await Promise.all(this.#replicas.map((replica) => replica.check(this.#history, problem === undefined)))
    return problem
  }

  async #sample (): Promise<unknown> {
    const at = performance.now()
    try {
      const row = await this.#probe!.ask(WRITTEN)
      this.#history.add({ at, position: BigInt(row['position'] as string), clock: row['clock'] as number })
      return undefined
    } catch (error) {
      return error
    }
  }
}

/** The original methods of a replica's connection, which do not repeat reads. */
const asking = new WeakMap<Connection, Asking>()

const poolOf = async (connection: Connection): Promise<Pool> => await connection.getNativeClient() as unknown as Pool

const UNDEFINED_FUNCTION = '42883'
/** SQLSTATEs of reads that a replica cannot run at the moment, while others can. */
const BUSY: ReadonlySet<string> = new Set([...CONFLICTS, '53200', TOO_MANY_CONNECTIONS, '53400'])
/** pg's message when all connections of a pool are in use for too long: the replica is busy, but not down. */
const POOL_EXHAUSTED = /^timeout exceeded when trying to connect/

/** @param error the driver's error, or the one that `convertError` has made of it */
function judge (error: unknown): Verdict {
  if (!(error instanceof Error)) return 'final'
  const driver = (error.cause ?? error) as { code?: unknown, severity?: unknown }
  const code = String(driver.code ?? '')
  if (code === CANCELLED) return 'final'
  // tables and columns that may have just been created
  if (code === READ_ONLY || /^42...$/.test(code)) return 'ask the writer'
  if ((BUSY.has(code) && driver.severity !== 'FATAL') || POOL_EXHAUSTED.test(String((driver as Error).message))) {
    return 'try another'
  }
  return (error instanceof UnavailableError ? error : convertError(error)) instanceof UnavailableError
    ? 'replica is gone'
    : 'final'
}
