/**
 * The server process. It gets the URL of its database, and answers messages of the soak with its port, its memory after
 * garbage collection, the state of its pool and, after closing, the resources that are still active. Then it must end
 * without help.
 */
import Fastify from 'fastify'
import type { Pool } from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { crudKit, DatabaseFactory, withTransaction } from '../../src/index.ts'
import { accounts, entities, resources, SEED, transfers } from './entities.ts'
import type { Answer, Question } from './messages.ts'

const database = new DatabaseFactory({
  databaseUrl: process.env['SOAK_DATABASE_URL']!,
  entities,
  schema: 'create',
  applicationName: 'soak',
  statementTimeoutMillis: 8_000,
  pool: { max: 10, connectionTimeoutMillis: 2_000, probeAfterMillis: 3_000, queueLimit: 100 },
})
const app = Fastify({ logger: { level: 'error' }, requestTimeout: 5_000, forceCloseConnections: 'idle' })
await app.register(crudKit, { database, resources, indexAdvice: false })

interface Order {
  marker: string
  amount: number
  from: number
  to: number
}

/** A hand-written route that makes three writes in a transaction. */
app.post('/transfers', async (request, reply) => {
  const { marker, amount, from, to } = request.body as Order
  const transfer = await withTransaction(request.em, async (em) => {
    for (const [id, change] of [[from, -amount], [to, amount]] as const) {
      const account = (await accounts.get(em, id))!
      await accounts.update(em, id, { balance: account['balance'] + change })
    }
    return await transfers.create(em, { marker, amount, from, to })
  }, { isolationLevel: 'serializable' })
  return reply.code(201).send(transfer)
})

const answer = (message: Answer): void => {
  process.send!(message)
}

async function poolOf (): Promise<Pool> {
  return await app.orm.em.getConnection().getNativeClient() as unknown as Pool
}

function memory (): Answer {
  for (let times = 0; times < 3; times++) globalThis.gc!()
  const { heapUsed, rss } = process.memoryUsage()
  return { kind: 'memory', heap: heapUsed, rss }
}

/** Time limit for `app.close()` in milliseconds. */
const CLOSE_TIMEOUT = 15_000

async function close (): Promise<void> {
  const inTime = await Promise.race([app.close().then(() => true), sleep(CLOSE_TIMEOUT, false, { ref: false })])
  // resources that end within the next turns of the event loop do not count
  await sleep(100)
  answer({ kind: 'closed', inTime, resources: process.getActiveResourcesInfo() })
  process.off('disconnect', orphaned)
  process.disconnect()
}

/** Ends this process because its parent process has died. */
function orphaned (): void {
  process.exit(1)
}
process.once('disconnect', orphaned)

process.on('message', async ({ kind }: Question) => {
  if (kind === 'memory') answer(memory())
  if (kind === 'pool') {
    const { totalCount, idleCount, waitingCount } = await poolOf()
    answer({ kind: 'pool', total: totalCount, idle: idleCount, waiting: waitingCount })
  }
  if (kind === 'close') await close()
})

await app.ready()
await app.orm.em.getConnection().executeDump(SEED)
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
answer({ kind: 'listening', port: typeof address === 'object' && address !== null ? address.port : 0 })
