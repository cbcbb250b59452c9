/**
 * Whether a database answers. In: a MikroORM instance. Out: the state of its writer, its replicas and its pool, within a
 * time; a database that is down is an answer, never an error.
 */
import type { PGlite } from '@electric-sql/pglite'
import type { MikroORM } from '@mikro-orm/postgresql'
import { Type, type Static } from '@sinclair/typebox'
import type { Pool } from 'pg'
import { clientBeside } from '../borrowed/pg.ts'
import { clientOf, isThere, replicaReports, runOnPool, waitingFor } from '../run/index.ts'

const ServerHealthSchema = Type.Object({
  status: Type.Union([Type.Literal('up'), Type.Literal('busy'), Type.Literal('read-only'), Type.Literal('down')], {
    description: 'busy: it is there, but had no connection for the question. read-only: it refuses to write.',
  }),
  millis: Type.Number({ description: 'Time that the answer took.' }),
})

export const ReplicaHealthSchema = Type.Object({
  url: Type.String({ description: 'Without credentials and parameters.' }),
  status: Type.Union([Type.Literal('up'), Type.Literal('lagging'), Type.Literal('down')], {
    description: 'As it was found at the last check; only one that is up is read from.',
  }),
  lag: Type.Union([Type.Number(), Type.Null()], {
    description: "Milliseconds by which its data was behind the writer's, at most; null where that is not known.",
  }),
})

export const HealthSchema = Type.Object({
  status: Type.Union([Type.Literal('up'), Type.Literal('degraded'), Type.Literal('down')], {
    description: 'down: nothing can be written. degraded: the writer is busy or read-only, or a replica is not up.',
  }),
  writer: ServerHealthSchema,
  replicas: Type.Array(ReplicaHealthSchema),
  pool: Type.Optional(Type.Object({
    size: Type.Integer({ description: 'Connections that are open.' }),
    idle: Type.Integer({ description: 'Of these, the ones that nobody uses.' }),
    waiting: Type.Integer({ description: 'Requests that wait for a connection.' }),
    max: Type.Integer({ description: 'Connections at most.' }),
  }, { description: "The writer's; PGlite has none." })),
}, { description: 'The state of the database.' })

export type ServerHealth = Static<typeof ServerHealthSchema>
export type ReplicaHealth = Static<typeof ReplicaHealthSchema>
/** The state of a database. */
export type Health = Static<typeof HealthSchema>

/** Time for an answer, unless configured: probes ask every few seconds. */
export const HEALTH_TIMEOUT = 2_000

/**
 * The state of a database.
 *
 * @param timeout milliseconds after which it is down, or busy, whatever comes later
 * @param replicas the states of its replicas. Default: as they were at their last checks
 */
export async function checkHealth (
  orm: MikroORM,
  timeout: number = HEALTH_TIMEOUT,
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
    // PGlite is in this process: when it takes its time, it is busy
    const status = await Promise.race([asked, tooLate]) ??
      (pool === undefined && client !== undefined ? 'busy' : 'down')
    const writer = { status, millis: Math.round(performance.now() - started) }
    return { status: overall(writer, replicas), writer, replicas: [...replicas], ...(pool && { pool: sizes(pool) }) }
  } finally {
    clearTimeout(timer)
  }
}

/** Why one is down may name addresses that are nobody's business. */
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

/** Asks on a connection of the pool; where all are in use it does not queue behind them, and only knocks at the server's door. */
async function askPool (pool: Pool, timeout: number, signal: AbortSignal): Promise<ServerHealth['status']> {
  if (pool.idleCount === 0 && pool.totalCount >= pool.options.max) {
    // made for what it knows about where the server is: it is not connected
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
