/**
 * Measures writes of 100 records in one request, and upserts of one, on both sides: the generated routes, and a
 * statement that does the same in a hand-written route. A round begins with new rows and sends a fixed number of
 * requests, each once, to one of the two, because a second deletion of the same records would find nothing.
 */
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../scripts/postgres.ts'
import { Backends } from '../backends.ts'
import { request } from '../client.ts'
import { costsOf, dealt, sequence, type Cost } from '../cost.ts'
import { encode } from '../load.ts'
import { ServerProcess } from '../server-process.ts'
import { bulkOperations, createBulkTables, EACH, refill, type BulkName, type BulkOperation } from './operations.ts'

export const BULK_OWNERS = ['hand-written', 'crud-kit'] as const
type BulkOwner = typeof BULK_OWNERS[number]

/** Samples of the rounds that count. */
export type BulkSamples = ReadonlyMap<BulkName, Readonly<Record<BulkOwner, readonly Cost[]>>>

export interface BulkOptions {
  readonly rounds: number
  readonly warmUp: number
  readonly connections: number
  readonly pool: number
  readonly onProgress: (text: string) => void
}

/**
 * Repetitions of a round that does not count. A round cannot be longer than its table, and V8 fully optimizes the code
 * of a request after some 10 000 of them.
 */
const WARM_UP_ROUNDS = 3

/** All batches of the tables are written in a round, each by one of the two sides. */
const ROWS = 100_000
const REQUESTS: Readonly<Record<BulkName, number>> = {
  'update-many': ROWS / EACH,
  'delete-many': ROWS / EACH,
  'upsert-one': 5_000,
  'upsert-many': ROWS / EACH / 2,
}

export async function measureBulk (options: BulkOptions): Promise<BulkSamples> {
  const postgres = await startPostgres({
    settings: { shared_buffers: '512MB', max_wal_size: '4GB', autovacuum: 'off', max_parallel_workers_per_gather: 0 },
  })
  const client = new pg.Client(postgres.url)
  const servers = new Map<BulkOwner, ServerProcess>()
  let backends: Backends | undefined
  try {
    await client.connect()
    await createBulkTables(client, ROWS)
    backends = await Backends.connect(postgres.url)
    const samples = new Map<BulkName, Record<BulkOwner, Cost[]>>()
    for (const operation of bulkOperations) {
      // processes that do nothing else, because garbage of an operation would be collected in others
      for (const owner of BULK_OWNERS) {
        servers.set(
          owner,
          await ServerProcess.start({ name: `bulk-${owner}` }, { url: postgres.url, poolSize: options.pool }, [], owner)
        )
      }
      await checkAnswers(operation, client, servers)
      const all: Record<BulkOwner, Cost[]> = { 'hand-written': [], 'crud-kit': [] }
      samples.set(operation.name, all)
      for (let round = -options.warmUp; round < options.rounds; round++) {
        options.onProgress(`round ${round + 1} of ${options.rounds}: ${operation.name}`)
        for (let repetitions = round < 0 ? WARM_UP_ROUNDS : 1; repetitions > 0; repetitions--) {
          await refill(client, operation.table, ROWS)
          const costs = await measureRound(operation, servers, backends, options)
          if (round >= 0) for (const [index, owner] of BULK_OWNERS.entries()) all[owner].push(costs[index]!)
        }
      }
      for (const server of servers.values()) await server.stop()
      servers.clear()
    }
    return samples
  } finally {
    await backends?.close()
    for (const server of servers.values()) await server.stop()
    await client.end()
    await postgres.stop()
  }
}

/** @throws Error if the routes do not answer alike, apart from the keys of new records */
async function checkAnswers (
  { name, table, request: requestOf }: BulkOperation,
  client: pg.Client,
  servers: ReadonlyMap<BulkOwner, ServerProcess>
): Promise<void> {
  const answers: unknown[] = []
  for (const owner of BULK_OWNERS) {
    await refill(client, table, ROWS)
    const { body } = await request(servers.get(owner)!.port, requestOf(1, ROWS))
    answers.push(JSON.parse(JSON.stringify(body, (name, value) => name === 'id' ? undefined : value)))
  }
  if (!isDeepStrictEqual(answers[0], answers[1])) {
    throw new Error(`${name}: ${answers.map((answer) => JSON.stringify(answer)).join('\n')}`)
  }
}

/** The costs of one round, in the order of `BULK_OWNERS`. */
async function measureRound (
  { name, request }: BulkOperation,
  servers: ReadonlyMap<BulkOwner, ServerProcess>,
  backends: Backends,
  { connections }: BulkOptions
): Promise<readonly Cost[]> {
  const requests = Array.from({ length: REQUESTS[name] }, (_, n) => encode(request(n, ROWS)))
  const next = dealt(sequence(requests.length, true), requests)
  return await costsOf(
    BULK_OWNERS.map((owner) => ({ server: servers.get(owner)!, owner, next })),
    { backends, connections, seconds: Infinity }
  )
}
