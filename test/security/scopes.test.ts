/**
 * Attacks of one tenant on another, in every way that routes offer. Scopes guard the resources' own rows, and MikroORM
 * filters guard related rows. An answer about another tenant's row equals the answer about a row that does not exist.
 */
import { p } from '@mikro-orm/core'
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import t from 'tap'
import { AllowedFilters, AllowedInclude, BaseModel, CrudBase } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { bodyOf, select, serve, whitelist } from '../http/helper.ts'
import { entity } from '../helpers/entity.ts'

const filters = { own: { name: 'own', cond: ({ tenant }: { tenant: number }) => ({ tenant }), default: true } }

const Label = entity('Label', {
  tenant: p.integer(), text: p.string(), tasks: () => p.manyToMany(Task).mappedBy('labels'),
}, { extends: BaseModel, filters })
const Project = entity('Project', {
  tenant: p.integer(), name: p.string(), secret: p.string().hidden(),
  tasks: () => p.oneToMany(Task).mappedBy('project'), budget: p.integer(),
}, { extends: BaseModel, filters })
const Task = entity('Task', {
  tenant: p.integer(), title: p.string(), version: p.integer().version(), project: () => p.manyToOne(Project),
  parent: () => p.manyToOne(Task).nullable(), labels: () => p.manyToMany(Label),
  slots: () => p.oneToMany(Slot).mappedBy('task'),
}, { extends: BaseModel, filters })
/** A composite key with a relation in it. */
const Slot = entity('Slot', {
  task: () => p.manyToOne(Task).primary(), day: p.date().primary(), tenant: p.integer(), note: p.string(),
}, { filters })

const crud = <Model>(model: Model, queryConfig: object, writable: unknown = 'all'): CrudBase =>
  new CrudBase<any>({ model: model as never, writable: writable as never, queryConfig: whitelist(queryConfig) })

/** Words that only rows of tenant 1 contain. */
const OTHERS = /apollo|land on|moon|crater|classified|7777/i
const ABSENT = 4_000

await forEachDatabase(t, {
  entities: [Label, Project, Task, Slot],
  async seed (em) {
    for (const [tenant, [project, task, label, note]] of [[1, ['Apollo', 'Land on it', 'moon', 'crater']], [2, [
      'Shop', 'Sell', 'goods', 'window',
    ]]] as const) {
      for (const deleted of [false, true]) {
        const marked = deleted ? { deleted_at: new Date(0) } : {}
        const one = em.create(Project,
          { tenant, name: project, secret: 'classified', budget: tenant === 1 ? 7777 : 10, ...marked } as never)
        const work = em.create(Task, { tenant, title: task, project: one, ...marked } as never)
        work.labels.add(em.create(Label, { tenant, text: label, ...marked } as never))
        em.create(Slot, { task: work, day: '2024-02-29', tenant, note })
        await em.flush()
      }
    }
  },
}, async (t, { orm }) => {
  const tenantOf = (request: FastifyRequest): number => Number(request.headers['x-tenant'])
  const scope = (request: FastifyRequest): object => ({ tenant: tenantOf(request) })
  const hooks = {
    all: {
      onRequest: async (request: FastifyRequest) => {
        request.em.setFilterParams('own', { tenant: tenantOf(request) })
      },
    },
  }
  const routes = {
    scope, hooks, operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'],
    allowHardDelete: true, stream: true,
  } as const
  const every = { pagination: { maxPerPage: 100 } }
  const app: FastifyInstance = await serve(t, orm, {
    '/projects': {
      ...routes,
      crud: crud(Project, {
        ...every,
        allowedFilters: [
          { id: ['eq', 'ne', 'in', 'nin', 'gt', 'isnull'] },
          AllowedFilters.search('q', ['name', 'tasks.title', 'tasks.labels.text']),
          AllowedFilters.trashed(),
          { 'tasks.labels.text': ['contains', 'eq', 'ne', 'isnull'] },
        ],
        allowedIncludes: ['tasks.labels.tasks', AllowedInclude.count('tasks'), AllowedInclude.exists('tasks')],
        allowedSorts: ['id', 'name'],
      }),
    },
    '/tasks': {
      ...routes,
      crud: crud(Task, {
        ...every,
        allowedFilters: [
          'title',
          {
            'project.name': ['eq', 'ne', 'contains', 'isnull', 'gt'], 'project.budget': ['gt', 'lt'],
            project: ['eq', 'in', 'ne'], 'labels.id': ['eq', 'in'],
          },
          AllowedFilters.trashed(),
        ],
        allowedIncludes: ['project.tasks.labels', 'parent', 'labels', 'slots', AllowedInclude.count('labels')],
        allowedSorts: ['id', 'project.name', 'title'],
      }),
    },
    '/labels': {
      ...routes,
      crud: crud(Label, {
        ...every,
        allowedIncludes: ['tasks.project', AllowedInclude.max('tasks.title'), AllowedInclude.count('tasks')],
        allowedFilters: [{ 'tasks.project.name': ['contains'] }],
      }),
    },
    '/slots': {
      ...routes,
      operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'],
      crud: crud(Slot, {
        ...every, allowedIncludes: ['task.project'], allowedFilters: [{ 'task.title': ['contains'] }],
      }),
    },
  })
  const as = (
    tenant: number,
    method: InjectOptions['method'],
    url: string,
    payload?: unknown,
    headers: Record<string, string> = {}
  ) =>
    app.inject({
      method: method!, url, headers: { 'x-tenant': String(tenant), ...headers },
      ...(payload !== undefined && { payload: payload as object }),
    })
  /** Everything by which a client can tell answers apart. */
  const seen = (
    { statusCode, body, headers }: { statusCode: number, body: string, headers: Record<string, unknown> }
  ): unknown => ({ statusCode, body, headers: { ...headers, date: '' } })
  const everything = async (): Promise<unknown> =>
    await Promise.all(
      ['project', 'task', 'label', 'task_labels', 'slot'].map((table) =>
        select(orm, `select * from ${table} order by 1, 2`)
      )
    )
  const [apollo, gone] = await select(orm, 'select id, uuid from project where tenant = 1 order by id')
  const [land] = await select(orm, 'select id, uuid from task where tenant = 1 order by id')
  const [moon] = await select(orm, 'select id, uuid from label where tenant = 1 order by id')
  const [shop] = await select(orm, 'select id, uuid from project where tenant = 2 order by id')
  const [sell] = await select(orm, 'select id, uuid from task where tenant = 2 order by id')
  const [goods] = await select(orm, 'select id, uuid from label where tenant = 2 order by id')
  const noUuid = '00000000-0000-4000-8000-000000000000'

  t.test('the tenant finds and changes its own rows', async (t) => {
    t.match((await as(1, 'GET', '/projects?include=tasks.labels.tasks&filter[q]=moon')).body,
      /Apollo.*Land on it.*moon/)
    t.equal((await as(1, 'PATCH', `/tasks/${land.id}`, { title: 'Land on it', labels: [moon.id] })).statusCode, 200)
    t.equal((await as(1, 'GET', `/slots/${land.id}/2024-02-29`)).statusCode, 200)
  })

  t.test('reads of another tenant show nothing', async (t) => {
    const before = await everything()
    const reads = [
      '/projects', '/tasks', '/labels', '/slots', '/projects?filter[trashed]=with', '/tasks?filter[trashed]=only',
      `/projects?filter[id]=${apollo.id}`, `/projects?filter[id][in]=${apollo.id},${shop.id}`,
      '/projects?filter[id][nin]=', `/projects?filter[id][ne]=${shop.id}`,
      '/projects?include=tasks.labels.tasks,tasksCount,tasksExists',
      '/tasks?include=project.tasks.labels,parent,labels,slots,labelsCount',
      '/labels?include=tasks.project,tasksTitleMax,tasksCount', '/slots?include=task.project',
      '/projects?filter[q]=moon', '/projects?filter[q]=Apollo', '/projects?filter[tasks.labels.text]=moon',
      '/projects?filter[tasks.labels.text][ne]=goods', '/tasks?filter[project.name]=Apollo',
      '/tasks?filter[project.name][ne]=Shop', '/tasks?filter[project.budget][gt]=5000',
      `/tasks?filter[project]=${apollo.id}`, `/tasks?filter[labels.id]=${moon.id}`,
      '/labels?filter[tasks.project.name]=Apollo', '/slots?filter[task.title]=Land', '/tasks?sort=project.name',
      '/tasks?sort=-project.name,title', '/projects?cursor=&per_page=1', '/tasks?cursor=&per_page=1&sort=project.name',
      '/projects?page=2&per_page=1', '/projects?limit=100&offset=0',
    ]
    for (const url of reads) {
      for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
        const response = await as(2, 'GET', url, undefined, { accept })
        t.ok(response.statusCode === 200 || (accept !== 'application/json' && response.statusCode === 400),
          `${url}: ${response.statusCode}`)
        t.notMatch(response.body, OTHERS, url)
        t.notMatch(response.body, new RegExp(apollo.uuid), url)
      }
    }
    for (const url of [
      '/projects?filter[q]=moon', '/tasks?filter[project.name]=Apollo', '/tasks?filter[project.budget][gt]=5000',
      `/tasks?filter[project]=${apollo.id}`, `/tasks?filter[labels.id]=${moon.id}`,
      '/labels?filter[tasks.project.name]=Apollo', '/slots?filter[task.title]=Land',
    ]) t.equal(bodyOf(await as(2, 'GET', url)).total, 0, url)
    t.strictSame(await everything(), before)
  })

  t.test('a row of another tenant gets the answer of an absent row, from every operation', async (t) => {
    const before = await everything()
    const day = '/2024-02-29'
    const versions = [{}, { 'if-match': '*' }, { 'if-match': '"1"' }, { 'if-match': '"9"' }]
    for (const [path, id, absent, body] of [
      ['/projects/', apollo.id, ABSENT, { name: 'Mine' }],
      ['/projects/', apollo.uuid, noUuid, { name: 'Mine' }],
      ['/projects/', gone.id, ABSENT, { name: 'Mine' }],
      ['/projects/', gone.uuid, noUuid, { name: 'Mine' }],
      ['/tasks/', land.id, ABSENT, { title: 'Mine' }],
      ['/tasks/', land.uuid, noUuid, { project: shop.id }],
      ['/tasks/', land.id, ABSENT, { labels: [] }],
      ['/tasks/', land.id, ABSENT, { labels: [goods.id] }],
      ['/tasks/', land.id, ABSENT, { tenant: 2 }],
      ['/tasks/', land.id, ABSENT, {}],
      ['/labels/', moon.id, ABSENT, { tasks: [sell.id] }],
      ['/slots/', `${land.id}${day}`, `${ABSENT}${day}`, { note: 'Mine' }],
      ['/slots/', `${land.id}${day}`, `${ABSENT}${day}`, {}],
    ] as const) {
      for (const [method, suffix, payload] of [
        ['GET', ''], ['GET', '?include='], ['HEAD', ''], ['PUT', '', body], ['PATCH', '', body], ['DELETE', ''],
        ['DELETE', '?hard=true'], ['POST', '/restore'],
      ] as const) {
        if (suffix === '/restore' && path === '/slots/') continue
        for (const headers of versions) {
          const attempt = seen(
            await as(2, method, `${path}${id}${suffix}`, payload, headers as Record<string, string>)
          ) as { statusCode: number, body: string }
          const nothing = seen(
            await as(2, method, `${path}${absent}${suffix}`, payload, headers as Record<string, string>)
          ) as { statusCode: number, body: string }
          t.strictSame(attempt, nothing,
            `${method} ${path}${id}${suffix} ${JSON.stringify(payload)} ${JSON.stringify(headers)}`)
          t.ok(attempt.statusCode >= 400 && attempt.statusCode < 500, String(attempt.statusCode))
        }
      }
    }
    t.strictSame(await everything(), before)
  })

  t.test('an id of another tenant in a body gets the answer of an absent id', async (t) => {
    const before = await everything()
    const bodies: ReadonlyArray<
      readonly [
        method: InjectOptions['method'], url: string, make: (project: number, task: number, label: number) => unknown
      ]
    > = [
      ['POST', '/tasks', (project) => ({ title: 'Spy', project })],
      ['POST', '/tasks', (_, task) => ({ title: 'Spy', project: shop.id, parent: task })],
      ['POST', '/tasks', (_, __, label) => ({ title: 'Spy', project: shop.id, labels: [label] })],
      ['POST', '/tasks', (_, __, label) => ({ title: 'Spy', project: shop.id, labels: [goods.id, label] })],
      ['POST', '/tasks', (project) => [{ title: 'One', project: shop.id }, { title: 'Spy', project }]],
      [
        'POST',
        '/tasks',
        (
          _,
          __,
          label
        ) => [{ title: 'One', project: shop.id, labels: [goods.id] }, {
          title: 'Spy', project: shop.id, labels: [label],
        }],
      ],
      ['PATCH', `/tasks/${sell.id}`, (project) => ({ project })],
      ['PUT', `/tasks/${sell.id}`, (_, task) => ({ parent: task })],
      ['PATCH', `/tasks/${sell.uuid}`, (_, __, label) => ({ labels: [label] })],
      ['PATCH', `/tasks/${sell.id}`, (_, __, label) => ({ labels: [goods.id, label] })],
      ['POST', '/projects', (_, task) => ({ name: 'Spy', secret: 'x', budget: 1, tasks: [task] })],
      ['POST', '/labels', (_, task) => ({ text: 'spy', tasks: [task] })],
      ['PATCH', `/labels/${goods.id}`, (_, task) => ({ tasks: [task] })],
      ['POST', '/slots', (_, task) => ({ task, day: '2024-03-01', note: 'Spy' })],
      [
        'POST', '/slots',
        (_, task) => [{ task: sell.id, day: '2024-03-02', note: 'x' }, { task, day: '2024-03-01', note: 'Spy' }],
      ],
      ['PUT', `/slots/${sell.id}/2024-02-29`, (_, task) => ({ task, note: 'Spy' })],
      ['PATCH', `/slots/${sell.id}/2024-02-29`, (_, task) => ({ task, day: '2024-02-29' })],
    ]
    for (const [method, url, make] of bodies) {
      const attempt = await as(2, method, url, make(apollo.id, land.id, moon.id))
      const absent = await as(2, method, url, make(ABSENT, ABSENT, ABSENT))
      t.strictSame(seen(attempt), seen(absent), `${method} ${url} ${attempt.body}`)
      t.ok(attempt.statusCode >= 400 && attempt.statusCode < 500, `${method} ${url}: ${attempt.statusCode}`)
    }
    t.strictSame(await everything(), before)
  })

  t.test('no row is created for another tenant, moved to it or taken from it', async (t) => {
    const before = await everything()
    for (const payload of [{ title: 'Theirs', project: shop.id, tenant: 1 }, [{ title: 'Mine', project: shop.id }, {
      title: 'Theirs', project: shop.id, tenant: 1,
    }]]) t.equal(bodyOf(await as(2, 'POST', '/tasks', payload)).code, 'FST_CRUD_OUT_OF_SCOPE')
    for (const method of ['PUT', 'PATCH'] as const) {
      t.equal(bodyOf(await as(2, method, `/tasks/${sell.id}`, { tenant: 1 })).code, 'FST_CRUD_OUT_OF_SCOPE')
    }
    for (const [url, payload] of [
      [`/projects/${shop.id}`, { id: apollo.id, name: 'x' }],
      [`/projects/${shop.id}`, { uuid: apollo.uuid }],
      [`/tasks/${sell.id}`, { id: land.id }],
      [`/slots/${sell.id}/2024-02-29`, { task: land.id, day: '2024-02-29', note: 'x' }],
    ] as const) {
      t.match((await as(2, 'PUT', url, payload)).statusCode, 400, url)
    }
    t.strictSame(await everything(), before)
  })

  t.test("a cursor of another tenant leads only to the tenant's own rows", async (t) => {
    for (const sort of ['', '&sort=id', '&sort=project.name', '&sort=-title']) {
      await orm.em.getConnection().execute(
        'insert into task (tenant, title, version, project_id, uuid, created_at, updated_at) ' +
          "select 1, 'Land on it ' || n, 1, (select min(id) from project where tenant = 1), " +
          'gen_random_uuid(), now(), now() from generate_series(1, 3) n'
      )
      const theirs = bodyOf(await as(1, 'GET', `/tasks?cursor=&per_page=2${sort}`))
      t.type(theirs.next_cursor, 'string')
      const response = await as(2, 'GET', `/tasks?cursor=${encodeURIComponent(theirs.next_cursor)}&per_page=2${sort}`)
      t.equal(response.statusCode, 200)
      t.ok(bodyOf(response).items.every(({ tenant }: any) => tenant === 2), sort)
      // the answer may repeat values of the cursor, and nothing else of the other tenant
      const textOf = (cursor: string): string => Buffer.from(cursor, 'base64url').toString()
      const words = [bodyOf(response).next_cursor, bodyOf(response).prev_cursor].filter(Boolean).flatMap((cursor) =>
        textOf(cursor).match(/"[^"]*"/g) ?? []
      )
      for (const word of words) t.ok(!OTHERS.test(word) || textOf(theirs.next_cursor).includes(word), word)
    }
  })

  t.test("links to another tenant's rows that were made outside the server stay hidden", async (t) => {
    await orm.em.getConnection().execute(`insert into task_labels (task_id, label_id) values (${sell.id}, ${moon.id})`)
    await orm.em.getConnection().execute(`update task set parent_id = ${land.id} where id = ${sell.id}`)
    const body = bodyOf(await as(2, 'GET', `/tasks/${sell.id}?include=labels,labelsCount,parent,project.tasks.labels`))
    t.strictSame([body.labels.map(({ text }: any) => text), body.labelsCount, body.parent], [['goods'], 1, null])
    t.notMatch(JSON.stringify(body), OTHERS)
    t.equal(bodyOf(await as(2, 'GET', `/tasks?filter[labels.id]=${moon.id}`)).total, 0)
  })
})
