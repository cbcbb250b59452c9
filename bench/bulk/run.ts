/**
 * npm run bench -- --bulk: measures changes, deletions and upserts of 100 records in one request, and upserts of one,
 * as a ratio to a statement that does the same in a hand-written route. Prints a table. `--rounds 8 --seconds 2.4` are
 * the defaults. A turn begins with new tables. It ends after that time, or earlier once all its requests are sent.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../scripts/postgres.ts'
import { Backends } from '../backends.ts'
import { encode, load } from '../load.ts'
import { median } from '../statistics.ts'

const { values } = parseArgs({
  options: {
    bulk: { type: 'boolean' },
    rounds: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '2.4' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const NAMES = ['hand-written', 'crud-kit'] as const
const BATCHES = 4_000
const EACH = 100
const WARM_UP = 2

/** An item that one of two requests creates, and the other one changes. */
const item = (n: number) => ({ code: `C-${n}`, title: `Item ${n}`, price: n % 977 })

const OPERATIONS = {
  'update-many': {
    table: 'articles',
    requests: BATCHES,
    request: (n: number) =>
      encode({ method: 'PATCH', path: `/articles?filter[batch]=${n}`, body: { status: `status ${n % 977}` } }),
  },
  'delete-many': {
    table: 'articles',
    requests: BATCHES,
    request: (n: number) => encode({ method: 'DELETE', path: `/articles?filter[batch]=${n}` }),
  },
  'upsert of 1': {
    table: 'items',
    requests: 10 * BATCHES,
    request: (n: number) => encode({ method: 'PUT', path: '/items?on=code', body: item(n) }),
  },
  'upsert of 100': {
    table: 'items',
    requests: BATCHES,
    request: (n: number) =>
      encode({
        method: 'PUT',
        path: '/items?on=code',
        body: Array.from({ length: EACH }, (_, index) => item((n - 1) * EACH + index + 1)),
      }),
  },
} as const

const FILL = {
  articles: `insert into articles (batch, title, status, version)
    select 1 + (n - 1) / ${EACH}, 'Article ' || n, 'draft', 1 from generate_series(1, ${BATCHES * EACH}) n`,
  items: `insert into items (code, title, price, version)
    select 'C-' || n, 'An item', 0, 1 from generate_series(2, ${BATCHES * EACH}, 2) n`,
}

interface Costs {
  readonly cpu: number
  readonly server: number
  readonly requests: number
}

interface Server {
  readonly child: ChildProcess
  readonly port: number
}

async function start (name: string, url: string): Promise<Server> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [name], {
    env: { ...process.env, NODE_ENV: 'production', DATABASE_URL: url, PGAPPNAME: name },
  })
  const [{ port }] = await once(child, 'message') as [{ port: number }]
  return { child, port }
}

async function cpuOf ({ child }: Server): Promise<number> {
  child.send('cpu')
  const [{ cpu }] = await once(child, 'message') as [{ cpu: NodeJS.CpuUsage }]
  return cpu.user + cpu.system
}

const postgres = await startPostgres({
  settings: { shared_buffers: '512MB', max_wal_size: '4GB', autovacuum: 'off', max_parallel_workers_per_gather: 0 },
})
const client = new pg.Client(postgres.url)
await client.connect()
const servers = new Map<string, Server>()
const backends = await Backends.connect(postgres.url)
try {
  await client.query(
    'create table articles (id serial primary key, batch int not null, title varchar(255) not null, ' +
      'status varchar(20) not null, version int not null)'
  )
  await client.query('create index on articles (batch)')
  await client.query(
    'create table items (id serial primary key, code varchar(20) not null unique, title varchar(255) not null, ' +
      'price int not null, version int not null default 1)'
  )
  for (const name of NAMES) servers.set(name, await start(name, postgres.url))

  const turn = async (name: string, operation: keyof typeof OPERATIONS): Promise<Costs> => {
    const { table, requests: count, request } = OPERATIONS[operation]
    await client.query(`truncate ${table} restart identity`)
    await client.query(FILL[table])
    await client.query(`vacuum (analyze) ${table}`)
    const server = servers.get(name)!
    // not in the order of the table: at the end of an index, the planner would look at each deleted row
    const requests = Array.from({ length: count }, (_, n) => request((n + 1) * 2_617 % count + 1))
    const before = { cpu: await cpuOf(server), server: await backends.cpu(name) }
    // each request once: a second deletion of the same records would find nothing
    const { requests: sent } = await load({ port: server.port, connections: 16, seconds, requests, once: true })
    const after = { cpu: await cpuOf(server), server: await backends.cpu(name) }
    return {
      cpu: (after.cpu - before.cpu) / sent,
      server: before.server === undefined || after.server === undefined ? NaN : (after.server - before.server) / sent,
      requests: sent,
    }
  }

  console.log(
    '| | CPU, us | ratio | PostgreSQL CPU, us | ratio | requests |\n| --- | ---: | ---: | ---: | ---: | ---: |'
  )
  for (const operation of Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]) {
    const costs: Record<string, Costs[]> = { 'hand-written': [], 'crud-kit': [] }
    for (let round = 0; round < WARM_UP + rounds; round++) {
      for (const name of round % 2 === 0 ? NAMES : NAMES.toReversed()) {
        const cost = await turn(name, operation)
        if (round >= WARM_UP) costs[name]!.push(cost)
      }
    }
    for (const name of NAMES) {
      const own = costs[name]!
      const ratio = (key: 'cpu' | 'server') =>
        median(own.map((cost, round) => cost[key] / costs['hand-written']![round]![key])).toFixed(2)
      const middle = (key: keyof Costs) => median(own.map((cost) => cost[key])).toFixed(0)
      console.log(
        `| ${operation}, ${name} | ${middle('cpu')} | ${ratio('cpu')} | ${middle('server')} | ${ratio('server')} | ${
          middle('requests')
        } |`
      )
    }
  }
} finally {
  for (const { child } of servers.values()) {
    child.send('stop')
    await once(child, 'exit')
  }
  await backends.close()
  await client.end()
  await postgres.stop()
}
