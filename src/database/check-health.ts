/**
 * Checks whether a database answers. Takes a MikroORM instance and returns, within a time limit, the state of the
 * writer, the replicas and the pool. A database that is down is a result, not an error.
 */
import type { PGlite } from '@electric-sql/pglite'
import type { MikroORM } from '@mikro-orm/postgresql'
import * as Type from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'
import type { Pool } from 'pg'
import { clientBeside } from '../borrowed/pg.ts'
import { clientOf, isThere, replicaReports, runOnPool, waitingFor } from '../run/index.ts'

const ServerHealthSchema = Type.Object({
  status: Type.Union([Type.Literal('up'), Type.Literal('busy'), Type.Literal('read-only'), Type.Literal('down')], {
    description: 'busy: it runs, but had no free connection for the check. read-only: it refuses to write.',
  }),
  millis: Type.Number({ description: 'Time that the answer took.' }),
})

const ReplicaHealthSchema = Type.Object({
  url: Type.String({ description: 'Without credentials and parameters.' }),
  status: Type.Union([Type.Literal('up'), Type.Literal('lagging'), Type.Literal('down')], {
    description: 'Result of the last check. Only replicas that are up are read from.',
  }),
  lag: Type.Union([Type.Number(), Type.Null()], {
    description: "Upper bound of the milliseconds by which its data was behind the writer's; null if unknown.",
  }),
})

/** The JSON Schema of `Health`. */
export const HealthSchema = Type.Object({
  /** `down`: nothing can be written. `degraded`: the writer is busy or read-only, or a replica is not up. */
  status: Type.Union([Type.Literal('up'), Type.Literal('degraded'), Type.Literal('down')], {
    description: 'down: nothing can be written. degraded: the writer is busy or read-only, or a replica is not up.',
  }),
  /** The state of the writer. */
  writer: ServerHealthSchema,
  /** The state of each replica. */
  replicas: Type.Array(ReplicaHealthSchema),
  /** The connections of the writer's pool. PGlite has none. */
  pool: Type.Optional(Type.Object({
    size: Type.Integer({ description: 'Connections that are open.' }),
    idle: Type.Integer({ description: 'Open connections that are not in use.' }),
    waiting: Type.Integer({ description: 'Requests that wait for a connection.' }),
    max: Type.Integer({ description: 'Largest number of connections.' }),
  }, { description: "The writer's; PGlite has none." })),
}, { description: 'The state of the database.' })

type ServerHealth = Static<typeof ServerHealthSchema>
type ReplicaHealth = Static<typeof ReplicaHealthSchema>
/** The state of a database. */
export type Health = Static<typeof HealthSchema>

/** Default time for an answer, short because probes ask every few seconds. */
export const HEALTH_TIMEOUT = 2_000

/**
 * Returns the state of a database.
 *
 * @param timeout milliseconds after which a database without an answer counts as down or busy
 * @param replicas the states of its replicas. Default: those of their last checks
 */
export async function checkHealth (
  orm: MikroORM,
  timeout: number,
  replicas: readonly ReplicaHealth[] = healthOfReplicas(orm)
): Promise<Health> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(new Error('no answer in time')), timeout)
  const tooLate = new Promise<undefined>((resolve) => {
    abort.signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const started = performance.now()
  try {
    const client = await Promise.race([clientOf(orm.em.getConnection()).catch(() => undefined), tooLate])
    const pool = client !== undefined && 'totalCount' in client ? client : undefined
    const asked = pool === undefined ? askPglite(client as PGlite | undefined) : askPool(pool, timeout, abort.signal)
    // PGlite runs in this process, so a slow answer means that it is busy
    const status = await Promise.race([asked, tooLate]) ??
      (pool === undefined && client !== undefined ? 'busy' : 'down')
    const writer = { status, millis: Math.round(performance.now() - started) }
    return { status: overall(writer, replicas), writer, replicas: [...replicas], ...(pool && { pool: sizes(pool) }) }
  } finally {
    clearTimeout(timer)
  }
}

/** Leaves out the reason why a replica is down, which may contain internal addresses. */
function healthOfReplicas (orm: MikroORM): ReplicaHealth[] {
  return replicaReports(orm.em).map(({ url, status, lag }) => ({ url, status, lag }))
}

function sizes (pool: Pool): NonNullable<Health['pool']> {
  return { size: pool.totalCount, idle: pool.idleCount, waiting: waitingFor(pool), max: pool.options.max }
}

function overall (writer: ServerHealth, replicas: readonly ReplicaHealth[]): Health['status'] {
  if (writer.status === 'down') return 'down'
  return [writer, ...replicas].every(({ status }) => status === 'up') ? 'up' : 'degraded'
}

/**
 * Sends a query on a connection of the pool. If all are in use, it does not queue behind them, and only checks that the
 * server accepts connections.
 */
async function askPool (pool: Pool, timeout: number, signal: AbortSignal): Promise<ServerHealth['status']> {
  if (pool.idleCount === 0 && pool.totalCount >= pool.options.max) {
    // this client is never connected, and only holds the server's address
    return await isThere(clientBeside(pool), timeout) ? 'busy' : 'down'
  }
  const question = {
    text: 'select current_setting(\'transaction_read_only\') as "readOnly"',
    values: [],
    readOnly: true,
  }
  return await runOnPool(pool, question, signal).then(
    ([row]) => row?.['readOnly'] === 'on' ? 'read-only' : 'up',
    () => 'down'
  )
}

async function askPglite (client: PGlite | undefined): Promise<ServerHealth['status']> {
  if (client === undefined) return 'down'
  return await client.query('select 1').then(() => 'up', () => 'down')
}
