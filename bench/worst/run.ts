/**
 * npm run bench -- --worst: measures time and memory of the most expensive requests that the default limits allow. It
 * sends one at a time, each to an idle server process and connection. Prints a table; --save writes it to
 * bench/WORST.md.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startPostgres } from '../../scripts/postgres.ts'
import { count } from '../growth/report.ts'
import { createWorstData, LARGE, SMALL, type WorstSizes } from './data.ts'

/** Limits: seconds of a backend's CPU, and MiB by which Node's memory may grow. */
const MOST_SECONDS = 2
const MOST_MEMORY = 64

/** The largest number of include paths of a request. */
const TEN_INCLUDES =
  'tasks,labels,tasksCount,tasksTitleMin,tasksTitleMax,tasksBodyMax,tasksExists,labelsCount,labelsExists,labelsNameMin'

/** The largest number of parameters of a request. */
const EVERY_FILTER = Array.from({ length: 97 }, (_, i) => `filter[title][in][]=A common task; word ${i}`)
  .concat('filter[title][ilike]=%25TASK%25', 'filter[body][contains]=people').join('&')

/** The largest number of conditions of a request with groups, alternatives of each other. */
const alternatives = (condition: (index: number) => string) =>
  Array.from({ length: 50 }, (_, i) => `filter[or][${i}]${condition(i)}`).join('&')

/** The same, in groups that are independent of each other. */
const independent = (condition: (index: number) => string) =>
  Array.from({ length: 50 }, (_, i) => `filter[and][${i}][not]${condition(i)}`).join('&')

const EVERY_NUMBER = ['title.min', 'title.countDistinct', 'body.max', 'body.countDistinct', 'count'].join()

/** A record of an upsert or a batch. */
const paper = (n: number, name = 'Paper') =>
  ({ title: `${name} ${n}`, content: `What paper ${n} says. `.repeat(10), project: n })
const THOUSAND = Array.from({ length: 1_000 }, (_, n) => n + 1)

/** A request that is not a GET, or one to tables that were never analyzed. */
interface Worst {
  readonly path: string
  readonly method?: 'PATCH' | 'DELETE' | 'POST' | 'PUT'
  readonly body?: unknown
  readonly analyzed?: false
}

const REQUESTS: ReadonlyArray<string | Worst> = [
  '/projects?include=labels.projects.tasks&per_page=100',
  '/projects?include=labels.projects.tasks&per_page=1',
  '/projects/1?include=labels.projects.tasks',
  '/projects?include=labels.projects.tasks&per_page=100&cursor=',
  '/projects?include=labels.projects.labels,tasks&per_page=100',
  '/projects?include=tasks&per_page=100',
  '/projects?include=tasksCount,tasksTitleMax,labelsCount,labels,tasks&per_page=100',
  '/labels?include=projects.tasks,projects.labels&per_page=100',
  '/labels?include=projects&per_page=9',
  '/tasks?include=project.tasks&per_page=100',
  '/projects?filter[q]=common&per_page=100',
  '/projects?filter[q]=word%204711&per_page=100',
  '/projects?filter[q]=nothing',
  '/projects?filter[tasks.title]=common',
  '/tasks?filter[q]=common&per_page=100',
  '/tasks?filter[title][like]=%25a%25c%25o%25m%25t%25k%25w%25z',
  '/tasks?filter[body][contains]=people&filter[title][contains]=word&filter[title][ilike]=%25TASK%25&' +
  'filter[title][like]=%25common%25&sort=body',
  `/tasks?filter[title][in]=${Array.from({ length: 100 }, (_, i) => `A common task; word ${i}`).join('%2C')}`,
  '/tasks?sort=-body&per_page=100',
  '/tasks?sort=project.name,title&per_page=100',
  '/tasks?limit=100&offset=100000',
  '/tasks?sort=title&limit=100&offset=100000',
  `/tasks?${EVERY_FILTER}&per_page=100`,
  `/projects?include=${TEN_INCLUDES}&per_page=100`,
  `/projects?include=${TEN_INCLUDES}&per_page=1`,
  `/tasks?${alternatives((i) => `[title][contains]=word ${i}`)}`,
  `/tasks?${alternatives((i) => `[project.name]=Project ${i}`)}`,
  `/tasks?${independent((i) => `[project.name]=Project ${i}`)}`,
  `/projects?${alternatives((i) => `[tasks.title]=word ${i}x`)}`,
  `/projects?${independent((i) => `[tasks.title]=word ${i}x`)}`,
  `/projects?${alternatives((i) => `[labels.name]=Label ${i}x`)}`,
  `/projects?${independent((i) => `[labels.name]=Label ${i}x`)}`,
  `/projects?${alternatives((i) => `[q]=word ${i}x`)}`,
  `/projects?${alternatives((i) => `[tasksCount][gte]=${i + 100}`)}`,
  '/projects?sort=-tasksCount&filter[tasksCount][gte]=1&per_page=100',
  '/tasks?facets=done,title,body,project.name',
  '/tasks?facets=done,title,body,project.name&filter[done]=true&filter[title][contains]=common&' +
  'filter[body][contains]=body',
  `/tasks/aggregate?aggregate=${EVERY_NUMBER}`,
  `/tasks/aggregate?group=title&aggregate=${EVERY_NUMBER}&per_page=1000`,
  `/tasks/aggregate?group=project.name,done&aggregate=${EVERY_NUMBER}&sort=-count&per_page=1000`,
  `/tasks/aggregate?group=title,body,project.name&aggregate=${EVERY_NUMBER}&per_page=1000`,
  '/papers?per_page=100',
  '/papers?cursor=&per_page=100',
  '/papers?filter[content][contains]=zzzz',
  '/papers?sort=content&per_page=100',
  '/notes?filter[q]=common&sort=-q&per_page=100',
  '/notes?filter[q]=common%20-word4711%20or%20note&sort=-q&per_page=100',
  '/notes?filter[q]=word4711&sort=-q&per_page=100',
  '/notes?filter[q]=nothing',
  '/notes?filter[unstored]=common&sort=-unstored&per_page=100',
  { method: 'PATCH', path: '/tasks?filter[title][contains]=common', body: { done: true } },
  { method: 'PATCH', path: '/tasks?filter[title][contains]=word&filter[body][contains]=x', body: { done: true } },
  { method: 'PATCH', path: '/tasks?filter[title][in]=A%20common%20task%2C%20word%204711', body: { done: true } },
  { method: 'PATCH', path: '/projects?filter[tasks.title]=word%204711', body: { notes: 'Changed' } },
  { method: 'DELETE', path: '/tasks?filter[project.name]=Project%2011' },
  { method: 'DELETE', path: '/papers?filter[content][contains]=zzzz' },
  { method: 'POST', path: '/papers', body: THOUSAND.map((n) => paper(n, 'New paper')) },
  // half of these titles exist
  { method: 'PUT', path: '/papers?on=title', body: THOUSAND.map((n) => paper(n + 1_500)) },
  { path: '/projects?filter[q]=common&per_page=100', analyzed: false },
  { path: '/projects?filter[q]=word%204711', analyzed: false },
  { path: '/projects?filter[q]=nothing', analyzed: false },
  { path: '/tasks?filter[q]=nothing', analyzed: false },
  { path: '/labels?include=projects&per_page=9', analyzed: false },
  { path: '/projects?sort=-tasksCount&filter[tasksCount][gte]=1&per_page=100', analyzed: false },
  { path: '/tasks/aggregate?group=project.name,done&aggregate=count&sort=-count', analyzed: false },
]

const NEVER_ANALYZED = 'never_analyzed'

const describe = (sizes: WorstSizes): string =>
  `${count(sizes.projects)} projects, ${count(sizes.tasks)} tasks, ${count(sizes.labels)} labels, ${
    count(sizes.projects * sizes.labelsEach)
  } links, ${count(sizes.papers)} papers of 100 KB, ${count(sizes.notes)} notes`

/** A part of the requests to measure, after `--only`. Default: all of them. */
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1]! : ''

const postgres = await startPostgres({
  settings: {
    shared_buffers: '512MB',
    work_mem: '4MB',
    autovacuum: 'off',
    max_wal_size: '4GB',
    max_parallel_workers_per_gather: 0,
  },
})
const client = new pg.Client(postgres.url)
await client.connect()
const lines: string[] = []
try {
  await createWorstData(postgres.url, LARGE)
  await client.query(`create database ${NEVER_ANALYZED}`)
  await createWorstData(urlOf(NEVER_ANALYZED), SMALL)
  const { rows: [{ version }] } = await client.query("select current_setting('server_version') as version")
  lines.push(
    `PostgreSQL ${version}, Node ${process.version}, ${
      new Date().toISOString().slice(0, 10)
    }. ${
      describe(LARGE)
    }. The tables that were never analyzed have ${describe(SMALL)}.`,
    '',
    '| Request | Status | Bytes | Time, s | PostgreSQL CPU, s | PostgreSQL memory, MiB | Node memory, MiB | |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |'
  )
  for (const request of REQUESTS.map((request) => typeof request === 'string' ? { path: request } : request)) {
    if (!request.path.includes(only)) continue
    process.stderr.write(`${request.path.slice(0, 100)}\n`)
    lines.push(await measure(request))
  }
} finally {
  await client.end()
  await postgres.stop()
}
/** The URL of another database of the server. */
function urlOf (database: string): string {
  return Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href
}

const text = `${lines.join('\n')}\n`
console.log(text)
if (process.argv.includes('--save')) {
  fs.writeFileSync(
    fileURLToPath(new URL('../WORST.md', import.meta.url)),
    '# The worst requests\n\nWritten by `npm run bench -- --worst --save`; [README.md](README.md) says what the ' +
      `columns mean.\n\n${text}`
  )
}

async function measure ({ path, method, body, analyzed }: Worst): Promise<string> {
  const server = fork(fileURLToPath(new URL('server-process.ts', import.meta.url)), {
    execArgv: ['--expose-gc'],
    env: { ...process.env, DATABASE_URL: analyzed === false ? urlOf(NEVER_ANALYZED) : postgres.url },
  })
  try {
    const [{ port }] = await once(server, 'message') as [{ port: number }]
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      let bytes = 0
      for await (const chunk of response.body!) bytes += chunk.length
      return { status: response.status, bytes }
    }
    // the first requests load code, which must not count as a cost of this one
    for (let i = 0; i < 3; i++) await ask('/labels?include=projects&per_page=1')
    const { rows: [{ pid }] } = await client.query("select pid from pg_stat_activity where application_name = 'worst'")
    server.send('rest')
    await once(server, 'message')
    for (const id of [pid, server.pid]) fs.writeFileSync(`/proc/${id}/clear_refs`, '5')
    const before = { cpu: cpu(pid), backend: memory(pid), node: memory(server.pid!) }
    const started = performance.now()
    const { status, bytes } = await ask(path, {
      ...(method !== undefined && { method }),
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const seconds = (performance.now() - started) / 1000
    const used = cpu(pid) - before.cpu
    const grown = { backend: peak(pid) - before.backend, node: peak(server.pid!) - before.node }
    const verdict = used > MOST_SECONDS || grown.node > MOST_MEMORY ? 'too much' : ''
    const shown = path.length > 110 ? `${path.slice(0, 109)}…` : path
    const request = `${method === undefined ? '' : `${method} `}${decodeURIComponent(shown.replace(/%[0-9A-F]?…$/, '…'))}`
    const given = Array.isArray(body) ? `, ${count(body.length)} records` : ''
    return `| \`${request}\`${given}${analyzed === false ? ', never analyzed' : ''} | ${status} | ${bytes} | ${
      seconds.toFixed(2)
    } | ${used.toFixed(2)} | ${grown.backend.toFixed(0)} | ${grown.node.toFixed(0)} | ${verdict} |`
  } finally {
    server.send('stop')
    await once(server, 'exit')
  }
}

/** CPU time in seconds. */
function cpu (pid: number): number {
  return parseInt(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8')) / 1e9
}
function field (pid: number, name: string): number {
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}
/**
 * Resident memory in MiB, current and largest since the last reset. Pages of PostgreSQL's shared buffers that the
 * process has touched count.
 */
function memory (pid: number): number {
  return field(pid, 'VmRSS')
}
function peak (pid: number): number {
  return field(pid, 'VmHWM')
}
