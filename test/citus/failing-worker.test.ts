/**
 * A worker of a cluster is killed under load, and started again. Requests of tenants on it are refused, the others go
 * on, and afterwards everything works without a restart of the application.
 */
import { MikroORM } from '@mikro-orm/postgresql'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { withTransaction } from '../../src/index.ts'
import { createClusterDatabase, execute, openWithTables, skip } from './cluster.ts'
import { distribute, entities } from './colocated.ts'
import { send, serveColocated } from './server.ts'

/** Tenants on each of the two workers. */
const TENANTS = 3
/** Answers of each kind that each phase waits for, for each tenant. */
const ENOUGH = 8
const ROUNDS = 3
const PATIENCE_MILLIS = 120_000

/**
 * Citus commits a batch in two phases. If the worker fails between them, the batch is acknowledged, and visible when
 * the cluster has finished the second phase, which it does each minute.
 */
const RECOVER = 'select recover_prepared_transactions()'
const BATCH = / [ab]$/

const runFile = promisify(execFile)

interface Worker {
  /** Kills its processes, without a clean end. */
  readonly stop: () => Promise<void>
  /** Does nothing if it runs. */
  readonly start: () => Promise<void>
}

/** A worker of the cluster, if its files are on this machine. */
async function workerAt (databaseUrl: string, host: string, port: number): Promise<Worker | undefined> {
  const url = new URL(databaseUrl)
  url.hostname = host
  url.port = String(port)
  const [{ data, binaries }] = await execute(
    url.href,
    "select current_setting('data_directory') as data, " +
      "(select setting from pg_config where name = 'BINDIR') as binaries"
  )
  const control = path.join(binaries, 'pg_ctl')
  if (!existsSync(path.join(data, 'postmaster.pid')) || !existsSync(control)) return undefined
  const run = async (...args: readonly string[]): Promise<void> => {
    const command = [control, '-D', data, '-w', ...args]
    // a server refuses to run as root
    const [file, ...rest] = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command
    await runFile(file!, rest, { cwd: '/' })
  }
  return {
    stop: () => run('-m', 'immediate', 'stop'),
    start: async () => {
      await run('status').catch(() => run('-l', path.join(data, 'restarted.log'), 'start'))
    },
  }
}

/** What one tenant has seen in a phase. */
interface Seen {
  reads: number
  writes: number
  refusedReads: number
  refusedWrites: number
}

interface Tenant {
  readonly id: number
  /** Whether its rows are on the worker that is killed. */
  readonly isLost: boolean
  seen: Seen
  /** Marks of writes that were answered with 201, and of the others. */
  readonly acknowledged: string[]
  readonly refused: string[]
}

const nothing = (): Seen => ({ reads: 0, writes: 0, refusedReads: 0, refusedWrites: 0 })

await t.test('a worker that fails under load', { skip }, async (t) => {
  const nodes = await execute(process.env.CITUS_URL!,
    "select nodename, nodeport from pg_dist_node where noderole = 'primary' and groupid > 0 order by nodeport")
  const [first] = nodes
  const worker = await workerAt(process.env.CITUS_URL!, first.nodename, first.nodeport)
  if (worker === undefined) {
    t.comment('SKIPPED: the files of the worker are not on this machine')
    return
  }
  const { url, drop } = await createClusterDatabase()
  const load = { ended: false, loops: [] as Promise<void>[] }
  t.teardown(async () => {
    load.ended = true
    await worker.start()
    await Promise.allSettled(load.loops)
    await execute(url, RECOVER)
    await drop()
  })
  const orm = await openWithTables(url, entities, distribute)
  t.teardown(() => orm.close(true))
  // a test cluster may acknowledge writes that are not on its disk yet
  for (const { nodename, nodeport } of nodes) {
    const node = new URL(url)
    node.hostname = nodename
    node.port = String(nodeport)
    await execute(node.href, `alter database ${node.pathname.slice(1)} set synchronous_commit = on`)
  }

  const placed = await execute(
    url,
    'select id, nodeport from generate_series(1, 60) id join citus_shards s ' +
      "on s.shardid = get_shard_id_for_distribution_column('task', id) order by id"
  )
  const tenantsOf = (isLost: boolean): Tenant[] =>
    placed.filter(({ nodeport }) => (nodeport === first.nodeport) === isLost).slice(0, TENANTS)
      .map(({ id }) => ({ id, isLost, seen: nothing(), acknowledged: [], refused: [] }))
  const tenants = [...tenantsOf(true), ...tenantsOf(false)]
  t.equal(tenants.length, 2 * TENANTS)

  const wrong: string[] = []
  // what the database said about an answer that is wrong
  const write500 = (line: string) => {
    const { res, err } = JSON.parse(line)
    if (res.statusCode === 500) wrong.push(err.stack)
  }
  const app = await serveColocated(t, orm, { logger: { level: 'error', stream: { write: write500 } } })
  for (const tenant of tenants) {
    const { label } = await prepare(app, tenant)
    load.loops.push(write(app, tenant, label, load, wrong), read(app, tenant, load, wrong))
  }
  const phase = async (what: string, done: (tenant: Tenant) => boolean): Promise<void> => {
    for (const tenant of tenants) tenant.seen = nothing()
    const end = Date.now() + PATIENCE_MILLIS
    while (!tenants.every(done)) {
      if (Date.now() > end) {
        throw new Error(`${what}: ${JSON.stringify(tenants.map(({ id, isLost, seen }) => ({ id, isLost, seen })))}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const works = ({ seen }: Tenant): boolean => seen.reads >= ENOUGH && seen.writes >= ENOUGH
  const isRefused = ({ seen }: Tenant): boolean => seen.refusedReads >= ENOUGH && seen.refusedWrites >= ENOUGH

  await phase('all work', works)
  for (let round = 0; round < ROUNDS; round++) {
    await worker.stop()
    await phase('tenants of the worker are refused', (tenant) => tenant.isLost ? isRefused(tenant) : works(tenant))
    if (round === 0) {
      for (let read = 0; read < 4; read++) await execute(url, 'select * from country')
      t.pass('each node has the rows of reference tables')
      await t.rejects(execute(url, "insert into country values ('at', 'Austria')"), { code: '08006' }, 'all nodes')
      await t.rejects(execute(url, 'select count(*) from task'), { code: '08006' }, 'all shards')
    }
    await worker.start()
    await phase('all work again', works)
  }
  load.ended = true
  await Promise.all(load.loops)
  t.strictSame(wrong.slice(0, 5), [], 'answers')
  for (const { id, isLost, refused } of tenants) if (!isLost) t.strictSame(refused, [], `tenant ${id} goes on`)

  await execute(url, RECOVER)
  const rows = await execute(url, 'select title, count(*)::int as count from task group by title')
  const counts = new Map<string, number>(rows.map(({ title, count }) => [title, count]))
  const acknowledged = tenants.flatMap((tenant) => tenant.acknowledged)
  const refused = tenants.flatMap((tenant) => tenant.refused)
  t.strictSame(acknowledged.filter((mark) => counts.get(mark) !== 1), [], 'acknowledged writes are there once')
  t.strictSame(refused.filter((mark) => (counts.get(mark) ?? 0) > 1), [], 'refused writes are not doubled')
  const done = refused.filter((mark) => counts.has(mark))
  t.comment(`${acknowledged.length} acknowledged, ${refused.length} refused, of which ${done.length} were done`)
})

await t.test('a commit that a worker does not confirm', { skip }, async (t) => {
  const { url, drop } = await createClusterDatabase()
  t.teardown(drop)
  await execute(
    url,
    'create table seat (tenant_id int, id int, number int, primary key (tenant_id, id), ' +
      'unique (tenant_id, number) deferrable initially deferred)',
    "select create_distributed_table('seat', 'tenant_id')"
  )
  const orm = await MikroORM.init({ clientUrl: url, entities })
  t.teardown(() => orm.close(true))
  let attempts = 0
  const twice = withTransaction(orm.em.fork(), async (em) => {
    attempts++
    await em.execute('insert into seat values (1, 1, 7), (1, 2, 7)')
  })
  await t.rejects(twice, { code: 'FST_CRUD_OUTCOME_UNKNOWN', cause: { code: 'XX000' } })
  t.equal(attempts, 1, 'it is not repeated')
})

/** Creates a label of a tenant, to which its tasks are linked. */
async function prepare (app: FastifyInstance, { id }: Tenant): Promise<{ readonly label: unknown }> {
  const response = await send(app, { method: 'POST', url: '/labels', payload: { name: `Label of ${id}` }, tenant: id })
  if (response.statusCode !== 201) throw new Error(response.body)
  return { label: { tenant_id: id, id: response.json().id } }
}

/** Creates tasks in all ways: as one statement, as a batch, and with a link in a transaction. */
async function write (
  app: FastifyInstance,
  tenant: Tenant,
  label: unknown,
  load: { readonly ended: boolean },
  wrong: string[]
): Promise<void> {
  for (let number = 0; !load.ended; number++) {
    const mark = `${tenant.id} ${number}`
    const marks = number % 3 === 1 ? [`${mark} a`, `${mark} b`] : [mark]
    const tasks = marks.map((title) => ({ title, ...number % 3 === 2 && { labels: [label] } }))
    const payload = tasks.length === 1 ? tasks[0] : tasks
    const { statusCode, body } = await send(app, { method: 'POST', url: '/tasks', payload, tenant: tenant.id })
    if (statusCode === 201) {
      tenant.acknowledged.push(...marks)
      tenant.seen.writes++
    } else {
      tenant.refused.push(...marks)
      tenant.seen.refusedWrites++
      if (!isRefusal(statusCode, body)) wrong.push(`POST ${mark}: ${statusCode} ${body}`)
    }
  }
}

/** Reads an acknowledged task, and a page of all tasks, in turn. */
async function read (
  app: FastifyInstance,
  tenant: Tenant,
  load: { readonly ended: boolean },
  wrong: string[]
): Promise<void> {
  for (let number = 0; !load.ended; number++) {
    const mark = tenant.acknowledged[number % Math.max(1, tenant.acknowledged.length)] ?? 'none'
    const url = number % 2 === 0
      ? `/tasks?filter[title]=${mark}&include=labels,project.country`
      : '/tasks?include=labels&per_page=20'
    const { statusCode, body } = await send(app, { url, tenant: tenant.id })
    if (statusCode !== 200) {
      tenant.seen.refusedReads++
      if (!isRefusal(statusCode, body)) wrong.push(`GET ${url}: ${statusCode} ${body}`)
      continue
    }
    tenant.seen.reads++
    const { items, total } = JSON.parse(body)
    const isOwn = items.every((item: any) =>
      item.tenant_id === tenant.id && item.title.startsWith(`${tenant.id} `) && item.labels.length <= 1
    )
    const isFound = total === 1 || (total === 0 && BATCH.test(mark))
    if (!isOwn || (number % 2 === 0 && mark !== 'none' && !isFound)) wrong.push(`GET ${url}: ${body}`)
  }
}

function isRefusal (statusCode: number, body: string): boolean {
  return statusCode === 503 && /"code":"FST_CRUD_(?:UNAVAILABLE|OUTCOME_UNKNOWN)"/.test(body)
}
