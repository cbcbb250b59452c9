/**
 * Measures writes of 100 records in one request, and upserts of one, on both sides: the generated routes, and a
 * statement that does the same in a hand-written route. A turn begins with new rows and sends a fixed number of
 * requests, each once, because a second deletion of the same records would find nothing.
 */
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../scripts/postgres.ts'
import { Backends } from '../backends.ts'
import { request } from '../client.ts'
import { costOf, type Cost } from '../cost.ts'
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
 * Turns of a round that does not count. A turn cannot be longer than its table, and V8 fully optimizes the code of a
 * request after some 10 000 of them.
 */
const WARM_UP_TURNS = 3

/** All batches of the tables are written in a turn. */
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
        for (const owner of round % 2 === 0 ? BULK_OWNERS : BULK_OWNERS.toReversed()) {
          for (let turns = round < 0 ? WARM_UP_TURNS : 1; turns > 0; turns--) {
            await refill(client, operation.table, ROWS)
            const sample = await turn(operation, owner, servers.get(owner)!, backends, options)
            if (round >= 0) all[owner].push(sample)
          }
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

async function turn (
  { name, request }: BulkOperation,
  owner: BulkOwner,
  server: ServerProcess,
  backends: Backends,
  { connections }: BulkOptions
): Promise<Cost> {
  const requests = Array.from({ length: REQUESTS[name] }, (_, n) => encode(request(n, ROWS)))
  return (await costOf(server, backends, owner, { connections, seconds: Infinity, requests, once: true })).cost
}
