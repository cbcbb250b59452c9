/**
 * npm run bench -- --distributed: measures requests of one tenant in small and large databases, on the Citus cluster at
 * CITUS_URL, on one server, and on one server with partitioned tables. Prints Markdown; --save writes it to
 * bench/DISTRIBUTED.md. --quick takes tables of a tenth, and fewer rounds.
 */
import type { FastifyInstance } from 'fastify'
import fs from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { execute } from '../../test/citus/cluster.ts'
import { median } from '../statistics.ts'
import { createFilled, TASKS_OF_TENANT, type FilledDatabase, type Layout } from './databases.ts'
import { serve, type ScopeForm } from './server.ts'

/** The largest growth from the small to the large database that counts as flat. */
const FLAT = 1.3

const quick = process.argv.includes('--quick')
const [SMALL, LARGE] = quick ? [20_000, 200_000] : [200_000, 2_000_000]
const DATABASES: ReadonlyArray<readonly [Layout, size: number]> = [
  ['cluster', SMALL],
  ['cluster', LARGE],
  ['one server', SMALL],
  ['partitioned', SMALL],
]
const ROUNDS = quick ? 3 : 9
const REQUESTS: Readonly<Record<ScopeForm, number>> = { equality: 40, list: 10 }
const LIST = '/tasks?include=project,labels&per_page=20'

const TITLES: Record<Layout, string> = {
  cluster: 'Citus, co-located tables',
  'one server': 'one server',
  partitioned: 'one server, tables with 32 partitions by tenant',
}
interface Contestant extends FilledDatabase {
  readonly size: number
  readonly app: FastifyInstance
}
type Figure = readonly number[]

if (!process.env.CITUS_URL) throw new Error('CITUS_URL is not set: the URL of a database on the coordinator of Citus')

const contestants: Contestant[] = []
try {
  for (const [layout, size] of DATABASES) {
    console.error(`# ${layout}: ${size} tasks, ${new Date().toISOString().slice(11, 19)}`)
    const database = await createFilled(layout, size)
    contestants.push({ ...database, size, app: await serve(database.url) })
  }
  await report()
} finally {
  for (const { app, drop } of contestants) {
    await app.close()
    await drop()
  }
}

/** Milliseconds of one request after the other, each of another tenant. */
async function turn ({ app, tenants }: Contestant, form: ScopeForm, path: string): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < REQUESTS[form]; n++) {
    const tenant = String(1 + Math.floor(Math.random() * tenants))
    const started = performance.now()
    const response = await app.inject({ url: path, headers: { 'x-tenant': tenant, 'x-condition': form } })
    times.push(performance.now() - started)
    const { items, total } = response.json()
    if (items.length !== 20 || total !== TASKS_OF_TENANT || items[0].labels.length === 0) {
      throw new Error(`${path}: ${response.statusCode} ${response.body.slice(0, 300)}`)
    }
  }
  return median(times)
}

/** The medians of all rounds. The databases take turns, so that other load of the machine meets all of them. */
async function measure (): Promise<Map<string, number[]>> {
  const figures = new Map<string, number[]>()
  for (let round = -2; round < ROUNDS; round++) {
    console.error(`# round ${round}, ${new Date().toISOString().slice(11, 19)}`)
    for (const contestant of contestants) {
      for (const form of ['equality', 'list'] as const) {
        const time = await turn(contestant, form, LIST)
        const name = nameOf(contestant.layout, contestant.size, form)
        if (round >= 0) figures.set(name, [...figures.get(name) ?? [], time])
      }
    }
  }
  return figures
}

function nameOf (layout: Layout, size: number, form: ScopeForm): string {
  return `${layout} ${size} ${form}`
}

async function report (): Promise<void> {
  const figures = await measure()
  const of = (layout: Layout, size: number, form: ScopeForm = 'equality') => figures.get(nameOf(layout, size, form))!
  const [{ version }] = await execute(process.env.CITUS_URL!, "select current_setting('server_version') as version")
  const [{ nodes }] = await execute(
    process.env.CITUS_URL!,
    "select count(*)::int as nodes from pg_dist_node where noderole = 'primary' and groupid <> 0"
  )
  const [{ citus }] = await execute(
    process.env.CITUS_URL!,
    "select extversion as citus from pg_extension where extname = 'citus'"
  )
  const growth = ratio(of('cluster', LARGE), of('cluster', SMALL))
  const without = (layout: Layout, size: number) => ratio(of(layout, size, 'list'), of(layout, size))
  const time = (layout: Layout, size: number) =>
    `| ${TITLES[layout]} | ${tasks(size)} | ${milliseconds(of(layout, size))} | ${
      milliseconds(of(layout, size, 'list'))
    } | ${shown(without(layout, size))} |`
  const text = [
    `- ${os.cpus().length} CPUs for all nodes and the client, Node ${process.version}, PostgreSQL ${version}, ` +
    `Citus ${citus} with ${nodes} workers on the same machine, ${new Date().toISOString().slice(0, 10)}.`,
    `- \`GET ${LIST}\`: 20 of ${TASKS_OF_TENANT} tasks of one tenant, each with its project and labels, with the ` +
    `total. There are ${tasks(SMALL)} tasks of ${SMALL / TASKS_OF_TENANT} tenants, or ${tasks(LARGE)} of ` +
    `${LARGE / TASKS_OF_TENANT}.`,
    `- Medians of ${ROUNDS} rounds of ${REQUESTS.equality} requests (${REQUESTS.list} without the equality), ` +
    'one after the other, each of a random tenant. A ratio is the median of the ratios of the rounds, followed by ' +
    'the smallest and the largest one.',
    '- The equality is the condition on the tenant in the includes and the pivot table, in addition to the one on ' +
    'the tasks themselves. Without it, related rows are found by their keys only.',
    `- Goal: a tenant's list on the cluster grows by at most ${FLAT}x with ten times the tasks: ${
      median(growth) <= FLAT ? 'met' : '**not met**'
    }.`,
    '',
    '| | ratio |',
    '| --- | ---: |',
    `| Citus: ${tasks(LARGE)} tasks, to ${tasks(SMALL)} | ${shown(growth)} |`,
    `| Citus, to one server: ${tasks(SMALL)} tasks | ${shown(ratio(of('cluster', SMALL), of('one server', SMALL)))} |`,
    `| 32 partitions, to one table each: ${tasks(SMALL)} tasks | ${
      shown(ratio(of('partitioned', SMALL), of('one server', SMALL)))
    } |`,
    '',
    '| | tasks | with the equality, ms | without, ms | ratio, without to with |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...DATABASES.map(([layout, size]) => time(layout, size)),
    '',
  ].join('\n')
  console.log(text)
  if (process.argv.includes('--save')) {
    fs.writeFileSync(
      fileURLToPath(new URL('../DISTRIBUTED.md', import.meta.url)),
      '# Distributed tables\n\nWritten by `npm run bench -- --distributed --save`; [README.md](README.md) describes ' +
        `it.\n\n${text}`
    )
  }
}

function ratio (over: Figure, under: Figure): number[] {
  return over.map((time, round) => time / under[round]!)
}

function tasks (count: number): string {
  return count.toLocaleString('en').replaceAll(',', ' ')
}

function milliseconds (times: Figure): string {
  return median(times).toFixed(1)
}

function shown (ratios: Figure): string {
  return `${median(ratios).toFixed(2)}x (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
}
