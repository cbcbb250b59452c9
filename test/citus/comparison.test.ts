/**
 * Random requests to the same rows on a Citus cluster and on plain PostgreSQL. The answers are compared byte by byte.
 * FUZZ_SEED draws other requests, FUZZ_RUNS_FACTOR more.
 */
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { createDatabase } from '../helpers/databases.ts'
import { draw } from '../helpers/property.ts'
import { createClusterDatabase, execute, openWithTables, skip } from './cluster.ts'
import { distribute, entities } from './colocated.ts'
import { rows, send, serveColocated, type Call } from './server.ts'

const READS = 500
const WRITES = 200

const reason = skip || (process.env.DATABASE_URL ? false : 'no DATABASE_URL: npm run test:citus starts a server')

const tenant = fc.integer({ min: 1, max: 3 })
const some = (values: readonly string[]) => fc.subarray([...values]).map((chosen) => chosen.join(','))
const maybe = (arbitrary: fc.Arbitrary<string>) => fc.option(arbitrary, { nil: '' })

const pages = fc.record({ page: fc.integer({ min: 1, max: 4 }), size: fc.integer({ min: 1, max: 30 }) })
  .map(({ page, size }) => `page=${page}&per_page=${size}`)
const urlOf = (path: string, parts: readonly string[]): string =>
  `${path}?${parts.filter((part) => part !== '').join('&')}`

interface Reads {
  readonly path: string
  readonly includes: readonly string[]
  readonly sorts: readonly string[]
  readonly filters: readonly fc.Arbitrary<string>[]
  readonly streams: boolean
  readonly facets?: readonly string[]
  readonly groups?: readonly string[]
  readonly numbers?: readonly string[]
}

const numbered = (parameter: string, before: string, max: number) =>
  fc.integer({ min: 0, max }).map((number) => `filter[${parameter}]=${encodeURIComponent(before + number)}`)

const READABLE: readonly Reads[] = [
  {
    path: '/projects',
    includes: ['country', 'tasks.labels', 'tasks.comments', 'tasksCount', 'tasksExists', 'tasksPriorityMax'],
    sorts: ['name', '-name', 'country.name', 'stage', '-stage', 'tasksCount', '-tasksCount', '-tasksPriorityMax'],
    filters: [
      numbered('name', 'Project ', 7),
      numbered('name][contains', '', 7),
      fc.constantFrom('draft', 'running', 'done').map((stage) => `filter[stage]=${stage}`),
      fc.constantFrom('Germany', 'France').map((name) => `filter[country.name]=${name}`),
      numbered('tasks.title', 'Task ', 31),
      numbered('tasks.labels.name', 'Label ', 9),
      numbered('q', 'Task ', 31),
      fc.constantFrom('with', 'only').map((value) => `filter[trashed]=${value}`),
      numbered('tasksCount][lt', '', 7),
      numbered('tasksCount', '', 7),
      numbered('tasksPriorityMax', '', 5),
      fc.constant('filter[tasksPriorityMax][isnull]=true'),
      fc.constant('filter[or][0][tasksCount]=0&filter[or][1][tasks.labels.name]=Label 3'),
      fc.constant('filter[not][country.name]=Germany&filter[not][tasks.title]=Task 3'),
    ],
    streams: true,
    facets: ['stage', 'country.name', 'country'],
    groups: ['stage', 'country.name', 'country'],
    numbers: ['count', 'budget.sum', 'budget.avg', 'budget.min', 'budget.countDistinct', 'country.name.max'],
  },
  {
    path: '/tasks',
    includes: ['project.country', 'labels', 'comments', 'labelsCount', 'commentsCount', 'commentsAtMin'],
    sorts: ['title', '-title', 'priority', '-priority', 'due', 'project.name', 'labelsCount', '-commentsAtMin'],
    filters: [
      numbered('title', 'Task ', 31), numbered('title][contains', '', 9), numbered('priority][gte', '', 5),
      numbered('project.name][contains', '', 7), numbered('labels.name', 'Label ', 9), numbered('q', '', 9),
      fc.constant('filter[done]=true'), numbered('labelsCount', '', 4),
      fc.constant('filter[commentsAtMin][isnull]=true'),
      fc.constant('filter[or][0][labels.name]=Label 3&filter[or][1][not][project.name][contains]=1'),
    ],
    streams: true,
    facets: ['priority', 'done', 'project.stage'],
    groups: ['priority', 'done', 'project.stage', 'due.day', 'due.week', 'due.month', 'due.year'],
    numbers: ['count', 'priority.sum', 'priority.avg', 'weight.max', 'project.name.countDistinct'],
  },
  {
    path: '/labels', includes: ['tasks', 'tasksCount'], sorts: ['name', '-name'],
    filters: [numbered('name', 'Label ', 9), numbered('tasks.title', 'Task ', 31)], streams: false,
  },
  {
    path: '/comments', includes: ['task.project'], sorts: ['id', '-id', 'body'],
    filters: [numbered('body', 'Comment ', 13), numbered('task.title', 'Task ', 31)], streams: false,
  },
]

const filtersOf = (filters: Reads['filters']): fc.Arbitrary<readonly string[]> =>
  fc.subarray([...filters], { maxLength: 2 }).chain((chosen) => fc.tuple(...chosen))

const lists = ({ path, includes, sorts, filters, streams, facets = [] }: Reads): fc.Arbitrary<Call> =>
  fc.record({
    tenant,
    include: maybe(some(includes).map((names) => names && `include=${names}`)),
    sort: maybe(fc.constantFrom(...sorts).map((name) => `sort=${name}`)),
    filters: filtersOf(filters),
    facets: maybe(some(facets).map((names) => names && `facets=${names}`)),
    count: facets.length === 0 ? fc.constant('') : maybe(fc.constant('count=none')),
    window: fc.oneof(pages, fc.integer({ min: 1, max: 30 }).map((size) => `cursor=&per_page=${size}`)),
    stream: streams ? fc.nat(5).map((number) => number === 0) : fc.constant(false),
  }).map(({ tenant, include, sort, filters, facets, count, window, stream }) => ({
    tenant,
    url: urlOf(path, [
      include, sort, ...filters, ...stream ? [] : [facets, window, window.startsWith('page') ? count : ''],
    ]),
    ...(stream && { headers: { accept: 'application/x-ndjson' } }),
  }))

const aggregates = ({ path, filters, groups = [], numbers = [] }: Reads): fc.Arbitrary<Call> =>
  fc.record({
    tenant, filters: filtersOf(filters), group: fc.subarray([...groups], { maxLength: 2 }),
    numbers: fc.subarray([...numbers], { minLength: 1 }), descending: fc.boolean(), window: pages,
  }).map(({ tenant, filters, group, numbers, descending, window }) => ({
    tenant,
    url: urlOf(`${path}/aggregate`, [
      group.length === 0 ? '' : `group=${group.join()}`, `aggregate=${numbers.join()}`,
      `sort=${descending ? '-' : ''}${numbers[0]}`, ...filters, window,
    ]),
  }))

const reads: fc.Arbitrary<Call> = fc.constantFrom(...READABLE).chain((of) =>
  of.groups === undefined
    ? lists(of)
    : fc.oneof({ weight: 3, arbitrary: lists(of) }, { weight: 1, arbitrary: aggregates(of) })
)

/** Keys of the rows that both databases have, and keys that none has. */
const keyOf = (kind: string, tenant: number, max: number) =>
  fc.integer({ min: 1, max }).map((number) => ({ tenant, row: `${tenant}${kind}${number}` }))

/** A write, in which `$<row>` stands for the key of a row. */
const writes: fc.Arbitrary<Call> = tenant.chain((tenant) => {
  const ref = (kind: string, max: number) =>
    keyOf(kind, tenant, max).map(({ row }) => ({ tenant_id: tenant, id: uuidOf(row) }))
  const id = fc.uuid({ version: 4 })
  const title = fc.string({ maxLength: 40 }).filter((text) => !text.includes('\0'))
  const due = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString())
  const priority = fc.integer()
  const data = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('\\u0000'))
  const task = fc.record({ title, due, priority, data, done: fc.boolean(), project: fc.option(ref('p', 22)) }, {
    requiredKeys: ['title'],
  })
  const project = fc.record(
    { name: title, stage: fc.constantFrom('draft', 'done'), country: fc.constantFrom('de', 'xx', null) },
    { requiredKeys: ['name'] }
  )
  const path = (resource: string, kind: string, max: number) =>
    keyOf(kind, tenant, max).map(({ row }) => `/${resource}/${tenant}/${uuidOf(row)}`)
  const call = (method: NonNullable<Call['method']>, url: fc.Arbitrary<string>, payload: fc.Arbitrary<any>) =>
    fc.record({ method: fc.constant(method), url, payload, tenant: fc.constant(tenant) })
  const none = fc.constant(undefined)
  return fc.oneof(
    call('POST', fc.constant('/tasks'), task),
    call('POST', fc.constant('/tasks'), fc.array(task, { minLength: 1, maxLength: 6 })),
    call('POST', fc.constant('/projects'), fc.array(project, { minLength: 1, maxLength: 6 })),
    call('POST', fc.constant('/labels'), fc.record({ name: fc.oneof(title, fc.constant('Label 3')) })),
    call('POST', fc.constant('/comments'),
      fc.array(fc.record({ body: title, task: ref('t', 125) }), { minLength: 1, maxLength: 4 })),
    call('PATCH', path('tasks', 't', 125), fc.oneof(task, fc.record({ labels: fc.uniqueArray(ref('l', 9)) }))),
    call('PATCH', path('projects', 'p', 22), project),
    call('DELETE', path('tasks', 't', 125), none),
    call('DELETE', path('projects', 'p', 22), none),
    call('POST', path('projects', 'p', 22).map((url) => `${url}/restore`), none),
    call('PATCH',
      fc.record({ other: fc.integer({ min: 1, max: 3 }), id }).map(({ other, id }) => `/projects/${other}/${id}`),
      project)
  )
})

const uuids = new Map<string, string>()
/** The key of a row, as `md5(row)::uuid` makes it. */
const uuidOf = (row: string): string => uuids.get(row) ?? '00000000-0000-4000-8000-000000000000'

/** An answer without the parts that differ each time: keys of new records, and the moments of writes. */
function stable (body: string, made: Map<string, number>): string {
  return body
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, (id) => {
      if (!made.has(id)) made.set(id, made.size)
      return `key ${made.get(id)}`
    })
    .replace(/"id":"\d+"/g, '"id":"counted"')
    .replace(/"(changed|deleted_at)":"[^"]+"/g, '"$1":"now"')
}

/** The source of an error that points to a record of a batch, and its place in messages. */
const OF_RECORD = /"source":\{"pointer":"\/\d+[^"]*"\},|(?<="(?:message|detail)":")\/\d+: /g

/** A cluster writes included records with blanks between names and values. */
const compact = (body: string): string => body.replaceAll('" : ', '":').replaceAll(', "', ',"')

await t.test('a cluster answers as one server does', { skip: reason }, async (t: Test) => {
  const cluster = await createClusterDatabase()
  t.teardown(cluster.drop)
  const plain = await createDatabase()
  t.teardown(plain.drop)
  const apps: FastifyInstance[] = []
  for (const [url, distributing] of [[cluster.url, distribute], [plain.url, []]] as const) {
    const orm = await openWithTables(url, entities, distributing)
    t.teardown(() => orm.close(true))
    await execute(url, ...rows, 'analyze')
    apps.push(await serveColocated(t, orm))
  }
  for (const kind of ['p', 't', 'l']) {
    const made = await execute(
      plain.url,
      `select t || '${kind}' || n as row, md5(t || '${kind}' || n)::uuid as id ` +
        'from generate_series(1, 3) t, generate_series(1, 130) n'
    )
    for (const { row, id } of made) uuids.set(row, id)
  }

  const compare = async (t: Test, calls: readonly Call[]): Promise<void> => {
    const seen: Record<number, number> = {}
    const made = [new Map<string, number>(), new Map<string, number>()]
    for (const call of calls) {
      const [ours, theirs] = await Promise.all(apps.map((app) => send(app, call)))
      const what = `${call.method ?? 'GET'} ${call.url} ${JSON.stringify(call.payload) ?? ''}`
      seen[ours!.statusCode] = (seen[ours!.statusCode] ?? 0) + 1
      if (ours!.statusCode >= 500 || ours!.statusCode !== theirs!.statusCode) {
        t.fail(`${what}: ${ours!.statusCode} ${ours!.body}, and on one server ${theirs!.statusCode} ${theirs!.body}`)
      } else if (call.method === undefined) {
        const [one, other] = [compact(ours!.body), compact(theirs!.body)]
        if (one !== other) t.equal(one, other, what)
        if (ours!.headers['link'] !== theirs!.headers['link']) {
          t.equal(ours!.headers['link'], theirs!.headers['link'], what)
        }
        const tag = ours!.headers['etag']
        if (typeof tag === 'string') {
          const again = await send(apps[0]!, { ...call, headers: { ...call.headers, 'if-none-match': tag } })
          if (again.statusCode !== 304) t.equal(again.statusCode, 304, what)
        }
      } else {
        const [one, other] = [stable(compact(ours!.body), made[0]!), stable(compact(theirs!.body), made[1]!)]
        // a cluster does not say which record of a batch refers to an absent one
        const allowed = ours!.statusCode === 409 ? [other, other.replace(OF_RECORD, '')] : [other]
        if (!allowed.includes(one)) t.equal(one, other, what)
      }
    }
    t.comment(JSON.stringify(seen))
    t.pass(`${calls.length} answers are compared`)
  }
  await t.test('reads', async (t) => await compare(t, draw(reads, { numRuns: READS })))
  await t.test('writes', async (t) => {
    await compare(t, draw(writes, { numRuns: WRITES }))
    const rowsOf = async (url: string) =>
      (await execute(
        url,
        'select tenant_id, title, priority, done, due, data, project_id from task'
      )).map((row) => JSON.stringify(row)).sort()
    t.strictSame(await rowsOf(cluster.url), await rowsOf(plain.url), 'the same rows')
  })
})
