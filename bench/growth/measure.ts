/** Measures the server's time for each request in databases of different sizes, which take turns. */
import pg from 'pg'
import { startPostgres } from '../../scripts/postgres.ts'
import { Backends } from '../backends.ts'
import { request } from '../client.ts'
import { costsOf, dealt, dealtShare, sequence, type Party } from '../cost.ts'
import { own } from '../dialects/own.ts'
import { encode } from '../load.ts'
import { ServerProcess } from '../server-process.ts'
import type { ServerName } from '../variants.ts'
import { createDatabase, SAMPLE, tidy } from './data.ts'
import type { GrowthOperation, Owner } from './operations.ts'

export interface GrowthOptions {
  /** Numbers of categories, ascending. */
  readonly sizes: readonly number[]
  readonly operations: readonly GrowthOperation[]
  /** Whether the hand-written routes are measured as well. */
  readonly byHand: boolean
  /** Rounds that count, after two that do not. */
  readonly rounds: number
  /** The time for which each server answers requests of an operation in a round. */
  readonly seconds: number
  readonly onProgress: (text: string) => void
}

/** CPU time of PostgreSQL for each request, in microseconds: a figure for each round. */
export type GrowthSamples = ReadonlyMap<string, readonly number[]>

interface GrowthResults {
  readonly samples: GrowthSamples
  /** PostgreSQL's version. */
  readonly version: string
}

export const seriesOf = (operation: string, rows: number, owner: Owner): string => `${operation} ${rows} ${owner}`

/** A database with its servers. */
interface Site {
  readonly rows: number
  readonly client: pg.Client
  readonly servers: ReadonlyMap<ServerName, ServerProcess>
  readonly cursors: Readonly<Record<Owner, readonly string[]>>
}

/** Statements get their final plan in these rounds, and processes touch the shared memory. */
const WARM_UP = 2
const REQUESTS = 1_000
const CONNECTIONS = 2
/** The tables of 10 000 000 rows fit into the buffers, so that reading from disk is not measured. */
const SETTINGS = {
  shared_buffers: '8GB',
  max_connections: 100,
  autovacuum: 'off',
  max_wal_size: '4GB',
  max_parallel_workers_per_gather: 0,
}

/** @throws Error on systems without the /proc of Linux, which has the CPU times of PostgreSQL's processes */
export async function measureGrowth (options: GrowthOptions): Promise<GrowthResults> {
  const postgres = await startPostgres({ settings: SETTINGS })
  const sites: Site[] = []
  let backends: Backends | undefined
  try {
    for (const rows of options.sizes) {
      options.onProgress(`filling: ${rows.toLocaleString('en')} rows`)
      sites.push(await createSite(postgres.url, rows, options))
    }
    backends = await Backends.connect(postgres.url)
    const { rows: [server] } = await sites[0]!.client.query("select current_setting('server_version') as version")
    return { samples: await measureSites(sites, backends, options), version: server.version }
  } finally {
    await backends?.close()
    for (const { servers, client } of sites) {
      for (const server of servers.values()) await server.stop()
      await client.end()
    }
    await postgres.stop()
  }
}

async function createSite (admin: string, rows: number, { operations, byHand }: GrowthOptions): Promise<Site> {
  const owners = ownersOf(byHand)
  const names = new Set(operations.flatMap(({ servers }) => owners.flatMap((owner) => servers[owner] ?? [])))
  const cursors: Record<Owner, readonly string[]> = { generated: [], 'hand-written': [] }
  const url = await createDatabase(admin, rows, {
    whole: operations.some(({ servers }) => servers.generated !== 'crud-kit-bounded'),
    onSample: async (url) => {
      if (!operations.some(({ name }) => name === 'cursor-deep')) return
      cursors.generated = await sampleCursors(url, 'crud-kit')
      if (byHand) cursors['hand-written'] = await sampleCursors(url, 'hand-written')
    },
  })
  const servers = new Map<ServerName, ServerProcess>()
  for (const name of names) servers.set(name, await startServer(url, name, rows))
  const client = new pg.Client(url)
  await client.connect()
  return { rows, client, servers, cursors }
}

const startServer = (url: string, name: ServerName, rows: number) =>
  ServerProcess.start({ name }, { url, poolSize: CONNECTIONS }, [], applicationOf(name, rows))

const applicationOf = (name: ServerName, rows: number) => `${name} ${rows}`

/**
 * Reads cursors of the second half of the set while the table has only a sample of its rows. A cursor is a position in
 * the order, so it is the same when the other rows are there. Reading half of a large table page by page takes too
 * long.
 */
async function sampleCursors (url: string, name: ServerName): Promise<readonly string[]> {
  const server = await startServer(url, name, 0)
  try {
    const cursors: string[] = []
    const perPage = 20
    let cursor = ''
    for (let read = perPage; read < SAMPLE * 0.9; read += perPage) {
      cursor = own.nextCursor(await request(server.port, own.request({ kind: 'cursor', cursor, perPage })))
      if (read > SAMPLE / 2) cursors.push(cursor)
    }
    return cursors
  } finally {
    await server.stop()
  }
}

async function measureSites (
  sites: readonly Site[],
  backends: Backends,
  { operations, byHand, rounds, seconds, onProgress }: GrowthOptions
): Promise<GrowthSamples> {
  const samples = new Map<string, number[]>()
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const operation of operations) {
      onProgress(`round ${round + 1} of ${rounds}: ${operation.name}`)
      const present = sites.filter(({ rows }) => rows >= (operation.atLeast ?? 0))
      const parties = present.flatMap((site) => partiesOf(operation, site, ownersOf(byHand)))
      const costs = await costsOf(parties, { backends, connections: CONNECTIONS, seconds })
      for (const { client, rows } of present) await tidy(client, operation, rows)
      if (round < 0) continue
      for (const [index, { series }] of parties.entries()) {
        const { postgresCpu } = costs[index]!
        if (postgresCpu === undefined) throw new Error('--growth needs the /proc of Linux')
        samples.set(series, [...samples.get(series) ?? [], postgresCpu])
      }
    }
  }
  return samples
}

const ownersOf = (byHand: boolean): readonly Owner[] => byHand ? ['generated', 'hand-written'] : ['generated']

/** The servers of a database that answer an operation's requests. They write different rows of the same tables. */
function partiesOf (
  operation: GrowthOperation,
  { rows, servers, cursors }: Site,
  owners: readonly Owner[]
): ReadonlyArray<Party & { readonly series: string }> {
  const length = operation.requests ?? REQUESTS
  const numbers = sequence(length)
  return owners.flatMap((owner, share) => {
    const name = operation.servers[owner]
    if (name === undefined) return []
    const requests = Array.from(
      { length },
      (_, n) => encode(operation.request(n, { rows, cursors: cursors[owner] }))
    )
    return [{
      series: seriesOf(operation.name, rows, owner),
      server: servers.get(name)!,
      owner: applicationOf(name, rows),
      next: operation.once ? dealtShare(requests, share, owners.length) : dealt(numbers, requests),
    }]
  })
}
