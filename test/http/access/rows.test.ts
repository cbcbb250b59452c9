/** The rows of a role, wherever they are used in reads and writes. */
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { parseQueryParams, type AccessOptions } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { select } from '../helper.ts'
import {
  entities, memberWith, overview, ownRows, Project, roleOf, seed, sender, serveWith, Task, tasks, tenantOf, type Answer,
} from './fixtures.ts'
import { resource } from '../../helpers/resource.ts'

const NOT_FOUND = 'FST_CRUD_NOT_FOUND'
const codesOf = ({ status, body }: Answer) => [status, body.code]

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serveWith(t, orm)
  const [one, two] = [sender(app, { tenant: 1 }), sender(app, { tenant: 2 })]
  const admin = sender(app, { role: 'admin' })
  const rowsOf = async (sql: string): Promise<any> => await select(orm, sql)
  const [{ id: theirs }] = await rowsOf("select id from project where tenant = 2 and name = 'Apollo'")
  const [{ id: theirTask }] = await rowsOf("select id from task where tenant = 2 and title = 'Land'")
  const [{ id: theirLabel }] = await rowsOf("select id from label where tenant = 2 and name = 'red'")

  t.test('lists, totals, searches and streams have them only', async (t) => {
    for (const [send, tenant] of [[one, 1], [two, 2]] as const) {
      const { body } = await send('GET', '/tasks')
      t.equal(body.total, 2)
      t.ok(body.items.every((item: any) => item.tenant === tenant))
      t.equal((await send('GET', '/tasks?filter[q]=lan')).body.total, 1)
      const { body: lines } = await send('GET', '/tasks', undefined, { accept: 'application/x-ndjson' })
      t.strictSame(String(lines).trim().split('\n').map((line) => JSON.parse(line).tenant), [tenant, tenant])
    }
  })

  t.test('cursors lead to them only', async (t) => {
    const titles: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body }: Answer = await two('GET',
        `/tasks?per_page=1&sort=project.name,title&cursor=${encodeURIComponent(cursor)}`)
      titles.push(...body.items.map((item: any) => `${item.title} ${item.tenant}`))
      cursor = body.next_cursor
    }
    t.strictSame(titles, ['Land 2', 'Launch 2'])
  })

  t.test('groups of filters, facets and aggregates find them only', async (t) => {
    // a project of tenant 1 below one of tenant 2, and a task of tenant 2 in a project of tenant 1
    const em = orm.em.fork()
    await em.execute(
      `insert into project (tenant, name, status, parent_id, version) values (1, 'Odd', 'odd', ${theirs}, 1)`
    )
    await em.execute("insert into task (tenant, title, note, effort, project_id) values (2, 'Foreign', '', 9, 1)")
    const limited = { Project: ownRows, Task: ownRows, User: ownRows }
    const app = await serveWith(t, orm, {
      resources: { '/overview': overview },
      access: {
        role: roleOf,
        roles: { member: limited, reader: { ...limited, Project: { ...ownRows, operations: ['list'] } } },
      },
    })
    const send = sender(app)
    const [apollo, gemini, odd] = ['Apollo', 'Gemini', 'Odd']
    const lists: ReadonlyArray<readonly [query: string, tree: object, names: readonly unknown[]]> = [
      ['[not][name]=x', { not: { name: 'x' } }, [apollo, gemini, odd]],
      ['[not][not][name]=Apollo', { not: { not: { name: apollo } } }, [apollo]],
      ['[or][0][name]=Apollo&filter[or][1][not][name]=Apollo', { or: [{ name: apollo }, { not: { name: apollo } }] }, [
        apollo, gemini, odd,
      ]],
      ['[not][tasks.title]=Land', { not: { 'tasks.title': 'Land' } }, [gemini, odd]],
      ['[not][tasks.title]=Foreign', { not: { 'tasks.title': 'Foreign' } }, [apollo, gemini, odd]],
      ['[not][tasksCount]=3', { not: { tasksCount: 3 } }, [apollo, gemini, odd]],
      ['[not][parent.name]=Apollo', { not: { 'parent.name': apollo } }, [apollo, odd]],
      ['[or][0][parent.name]=Apollo&filter[or][1][tasks.title]=Foreign', {
        or: [{ 'parent.name': apollo }, { 'tasks.title': 'Foreign' }],
      }, [gemini]],
    ]
    for (const [query, filter, names] of lists) {
      const answers = [
        await send('GET', `/overview?sort=id&filter${query}`),
        await send('POST', '/overview/query', { filter, sort: ['id'] }),
      ]
      const { body: numbers } = await send('GET', `/overview/aggregate?aggregate=count&filter${query}`)
      const { body: bulk } = await send('DELETE', `/overview?dry_run=true&filter${query}`)
      for (const { body } of answers) t.strictSame(body.items?.map(({ name }: any) => name), names, query)
      t.strictSame([numbers.items, bulk], [[{ count: names.length }], { affected: names.length }], query)
    }
    const { body: { facets } } = await send('GET', '/overview?facets=status,parent.name,owner.name')
    const value = (value: unknown, count: number) => ({ value, count })
    t.strictSame(facets, {
      status: [value('closed', 1), value('odd', 1), value('open', 1)],
      'parent.name': [value(null, 2), value(apollo, 1)],
      'owner.name': [value(null, 2), value('Ann', 1)],
    })
    const numbers = 'aggregate=count,parent.name.countDistinct,parent.name.min,owner.salary.max'
    const { body: groups } = await send('GET', `/overview/aggregate?group=status&${numbers}`)
    const item = (status: string, parents: number, parent: unknown, salary: unknown) => ({
      status, count: 1, parent_name_countDistinct: parents, parent_name_min: parent, owner_salary_max: salary,
    })
    t.equal(groups.total, 3)
    t.strictSame(groups.items, [
      item('closed', 1, apollo, null), item('odd', 0, null, null), item('open', 0, null, 100),
    ])
    const { body: parents } = await send('GET', '/overview/aggregate?group=parent.name&aggregate=count')
    t.strictSame(parents.items, [{ parent_name: apollo, count: 1 }, { parent_name: null, count: 2 }])
    const forbidden = await sender(app, { role: 'reader' })('GET', '/overview/aggregate?aggregate=count')
    t.strictSame(codesOf(forbidden), [403, 'FST_CRUD_FORBIDDEN'], 'aggregates are an operation')
    await em.execute("delete from task where title = 'Foreign'")
    await em.execute("delete from project where name = 'Odd'")
  })

  t.test('another record does not exist, whatever is done with it', async (t) => {
    for (const [method, url, body] of [
      ['GET', `/projects/${theirs}`],
      ['PATCH', `/projects/${theirs}`, { name: 'Mine' }],
      ['PATCH', `/projects/${theirs}`, {}],
      ['DELETE', `/projects/${theirs}`],
      ['DELETE', `/tasks/${theirTask}`],
      ['DELETE', `/tasks/${theirTask}?hard=true`],
      ['POST', `/tasks/${theirTask}/restore`],
    ] as const) {
      const [hidden, absent] = [await one(method, url, body), await one(method, url.replace(/\d+/, '987654'), body)]
      t.strictSame(codesOf(hidden), [404, NOT_FOUND], `${method} ${url}`)
      t.strictSame(hidden.body, absent.body)
    }
    t.equal((await one('PATCH', `/projects/${theirs}`, { name: 'Mine' }, { 'if-match': '"1"' })).status, 404)
  })

  t.test('a version of another record cannot be asked for', async (t) => {
    for (const tag of ['"1"', '"2"', '*']) {
      t.equal((await one('PATCH', `/projects/${theirs}`, { name: 'Mine' }, { 'if-match': tag })).status, 404, tag)
    }
  })

  t.test('related records are visible only if they are among them', async (t) => {
    // a task of tenant 1 in a project of tenant 2, and one of tenant 2 in a project of tenant 1
    const em = orm.em.fork()
    const [{ id }] = await rowsOf(
      `insert into task (tenant, title, note, effort, project_id) values (1, 'Spy', '', 0, ${theirs}) returning id`
    )
    await em.execute("insert into task (tenant, title, note, effort, project_id) values (2, 'Foreign', '', 9, 1)")
    const { body: spy } = await one('GET', `/tasks/${id}`)
    t.equal(spy.project, theirs, 'the key is a column of the task')
    t.equal((await one('GET', `/tasks/${id}?include=project`)).body.project, null)
    t.equal((await one('GET', '/tasks?filter[project.name]=Apollo')).body.total, 2, 'behind a filter')
    t.equal((await one('GET', `/tasks?filter[project]=${theirs}`)).body.total, 1, 'by its own key')
    const sorted = await one('GET', '/tasks?sort=project.name,id')
    t.equal(sorted.body.items.at(-1).title, 'Spy', 'it sorts as null')
    const { body: apollo } = await one('GET', '/projects/1?include=tasks,tasksCount')
    t.equal(apollo.tasksCount, 2)
    t.strictSame(apollo.tasks.map(({ title }: any) => title).sort(), ['Land', 'Launch'])
    t.equal((await one('GET', '/projects?filter[tasks.title]=Foreign')).body.total, 0)
    t.equal((await admin('GET', '/projects?filter[tasks.title]=Foreign')).body.total, 1)
    await em.execute("delete from task where title in ('Spy', 'Foreign')")
  })

  t.test('new records get the values of their equalities', async (t) => {
    for (const [send, tenant] of [[one, 1], [two, 2]] as const) {
      const { status, body } = await send('POST', '/tasks', { title: 'New' })
      t.equal(status, 201)
      t.equal(body.tenant, tenant)
      const batch = await send('POST', '/tasks', [{ title: 'A' }, { title: 'B', tenant }])
      t.strictSame(batch.body.map((task: any) => task.tenant), [tenant, tenant])
      for (const { id } of [body, ...batch.body]) {
        t.equal((await send('DELETE', `/tasks/${id}?hard=true`)).status, 200)
      }
    }
  })

  t.test('a record is not created or moved outside of them', async (t) => {
    const before = await orm.em.fork().execute('select * from task order by id')
    for (const [method, url, body] of [
      ['POST', '/tasks', { title: 'Foreign', tenant: 2 }],
      ['POST', '/tasks', [{ title: 'Own' }, { title: 'Foreign', tenant: 2 }]],
      ['PATCH', '/tasks/1', { tenant: 2 }],
    ] as const) {
      t.strictSame(codesOf(await one(method, url, body)), [403, 'FST_CRUD_OUT_OF_SCOPE'], `${method} ${url}`)
    }
    t.strictSame(await orm.em.fork().execute('select * from task order by id'), before)
  })

  t.test('an id in a body that is not among them counts as absent', async (t) => {
    for (const [method, url, body] of [
      ['POST', '/tasks', { title: 'x', project: theirs }],
      ['POST', '/tasks', [{ title: 'x' }, { title: 'x', project: theirs }]],
      ['PATCH', '/tasks/1', { project: theirs }],
      ['POST', '/projects', { name: 'x', labels: [theirLabel] }],
      ['PATCH', '/projects/1', { labels: [1, theirLabel] }],
    ] as const) {
      const absent = JSON.parse(JSON.stringify(body),
        (key, value) => value === theirs || value === theirLabel ? 987_654 : value)
      const [hidden, unknown] = [await one(method, url, body), await one(method, url, absent)]
      t.strictSame(codesOf(hidden), [409, 'FST_CRUD_CONFLICT'], `${method} ${url}`)
      t.strictSame(hidden.body, unknown.body)
    }
  })

  t.test('a list of links replaces those that the role sees, and no others', async (t) => {
    const em = orm.em.fork()
    const [pivot] = await rowsOf("select table_name from information_schema.columns where column_name = 'label_id'")
    const linksOf = async () =>
      (await em.execute(`select label_id from "${pivot.table_name}" where project_id = 1 order by 1`)).map((row: any) =>
        row.label_id
      )
    const before = await linksOf()
    await em.execute(`insert into "${pivot.table_name}" (project_id, label_id) values (1, ${theirLabel})`)
    t.equal((await one('PATCH', '/projects/1', { labels: [1] })).status, 200)
    t.strictSame(await linksOf(), [1, theirLabel])
    t.strictSame((await one('GET', '/projects/1?include=labels')).body.labels.map(({ id }: any) => id), [1])
    t.equal((await one('PATCH', '/projects/1', { labels: before })).status, 200)
    await em.execute(`delete from "${pivot.table_name}" where label_id = ${theirLabel} and project_id = 1`)
  })

  t.test('deletes and restores work inside of them', async (t) => {
    const { body: { id } } = await one('POST', '/tasks', { title: 'Splash' })
    t.equal((await one('DELETE', `/tasks/${id}`)).status, 200)
    t.equal((await two('POST', `/tasks/${id}/restore`)).status, 404)
    t.equal((await one('POST', `/tasks/${id}/restore`)).status, 200)
    t.equal((await two('DELETE', `/tasks/${id}?hard=true`)).status, 404)
    t.equal((await one('DELETE', `/tasks/${id}?hard=true`)).status, 200)
  })

  t.test('deleted rows of others stay hidden with filter[trashed]', async (t) => {
    const { body } = await one('GET', '/tasks?filter[trashed]=with')
    t.ok(body.items.some(({ deleted_at: deleted }: any) => deleted !== null))
    t.ok(body.items.every(({ tenant }: any) => tenant === 1))
  })

  t.test('a custom filter cannot show more', async (t) => {
    t.equal((await one('GET', '/projects?filter[named]=Apollo')).body.total, 1)
  })

  t.test('the function of an entity is called at most once for a request', async (t) => {
    const calls: string[] = []
    const counting = (name: string, wait: boolean) => (request: Parameters<typeof tenantOf>[0]) => {
      calls.push(name)
      const where = { tenant: tenantOf(request) }
      return wait ? Promise.resolve(where) : where
    }
    const app = await serveWith(t, orm, {
      access: {
        role: roleOf,
        roles: {
          member: {
            Project: { rows: counting('Project', true) }, Task: { rows: counting('Task', false) }, User: true,
            Label: true,
          },
        },
      },
    })
    const send = sender(app)
    t.equal((await send('GET', '/projects?include=tasks.project,parent&filter[tasks.title]=Land&cursor=')).status, 200)
    t.strictSame(calls.sort(), ['Project', 'Task'])
    calls.length = 0
    t.equal((await send('GET', '/tasks')).status, 200)
    t.strictSame(calls, ['Task'], 'and not for an entity that is not used')
  })

  t.test('what is not certainly a condition is an error, and nothing is read', async (t) => {
    for (const rows of [
      () => undefined, () => ({ tenant: undefined }), () => ({ $or: [{ tenant: 1 }, { tenant: undefined }] }),
      () => ({ tenant: {} }), () => null, async () => undefined, () => ({ tenent: 1 }),
    ]) {
      const send = await memberWith(t, orm, { Task: { rows: rows as never } })
      for (const [method, url, body] of [
        ['GET', '/tasks'], ['GET', '/tasks/1'], ['POST', '/tasks', { title: 'x', tenant: 1 }], ['DELETE', '/tasks/1'],
      ] as const) {
        const answer = await send(method, url, body)
        t.strictSame(codesOf(answer), [500, 'FST_CRUD_SCOPE_INVALID'], `${method} ${String(rows)}`)
        t.notMatch(JSON.stringify(answer.body), /tenant|tenent/)
      }
    }
  })

  t.test('the cause of such an error, which is logged, names the option and the mistake', async (t) => {
    const access: AccessOptions = { role: roleOf, roles: { member: { Task: { rows: () => ({ tenent: 1 }) } } } }
    const view = tasks.forRole('member', { access, request: {} as FastifyRequest })
    await t.rejects(view.list(orm.em.fork(), parseQueryParams('')), {
      code: 'FST_CRUD_SCOPE_INVALID',
      cause: { message: /^access: 'rows' of Task is not certainly a condition: tenent: Task has no property 'tenent'/ },
    })
  })

  t.test('what the function throws is answered with its own status', async (t) => {
    const rows = (): never => {
      throw Object.assign(new Error('Pay first.'), { statusCode: 402 })
    }
    const app = await serveWith(t, orm, { access: { role: roleOf, roles: { member: { Task: { rows } } } } })
    t.equal((await sender(app)('GET', '/tasks')).status, 402)
    t.equal((await sender(app)('PATCH', '/tasks/1', { title: 'x' })).status, 402)
  })

  t.test('a condition may be the same for all requests, and {} means all rows', async (t) => {
    const app = await serveWith(t, orm, {
      access: { role: roleOf, roles: { member: { Task: { rows: { tenant: 2 } }, Project: { rows: {} } } } },
    })
    t.equal((await sender(app)('GET', '/tasks')).body.total, 2)
    t.equal((await sender(app)('POST', '/tasks', { title: 'Two' })).body.tenant, 2)
    t.equal((await sender(app)('GET', '/projects')).body.total, 2)
    await orm.em.fork().execute("delete from task where title = 'Two'")
  })

  t.test('a condition may have other parts than equalities', async (t) => {
    const rows = (request: Parameters<typeof tenantOf>[0]) => ({
      tenant: tenantOf(request),
      $or: [{ effort: { $lt: 5 } }, { title: 'Big' }],
    })
    const app = await serveWith(t, orm, {
      access: { role: roleOf, roles: { member: { Task: { rows }, Project: true } } },
    })
    const send = sender(app)
    t.strictSame((await send('GET', '/tasks')).body.items.map(({ title }: any) => title), ['Land'])
    t.strictSame(codesOf(await send('POST', '/tasks', { title: 'x', effort: 7 })), [403, 'FST_CRUD_OUT_OF_SCOPE'])
    t.strictSame(codesOf(await send('PATCH', '/tasks/1', { effort: 7 })), [403, 'FST_CRUD_OUT_OF_SCOPE'])
    t.strictSame(codesOf(await send('POST', '/tasks', [{ title: 'Big', effort: 7 }, { title: 'x', effort: 7 }])), [
      403,
      'FST_CRUD_OUT_OF_SCOPE',
    ])
    const { body } = await send('POST', '/tasks', { title: 'Big', effort: 7 })
    t.match(body, { tenant: 1, effort: 7 })
    t.equal((await send('DELETE', `/tasks/${body.id}?hard=true`)).status, 200)
    t.equal((await admin('GET', '/tasks?filter[title]=x')).body.total, 0)
  })

  t.test('a condition may lead over relations, and is not limited by other rules', async (t) => {
    const app = await serveWith(t, orm, {
      access: {
        role: roleOf,
        roles: {
          // the role does not see users, and no projects at all
          member: {
            Task: { rows: (request) => ({ project: { owner: { name: 'Ann', tenant: tenantOf(request) } } }) },
            Project: { rows: { name: 'nothing' } },
          },
        },
      },
    })
    const send = sender(app)
    t.strictSame((await send('GET', '/tasks?include=project')).body.items, [
      { id: 1, tenant: 1, title: 'Land', note: 'moon', effort: 1, project: null, deleted_at: null },
      { id: 2, tenant: 1, title: 'Launch', note: 'sea', effort: 5, project: null, deleted_at: null },
    ])
    t.equal((await send('GET', '/projects')).body.total, 0)
    t.strictSame(codesOf(await send('POST', '/tasks', { title: 'x', tenant: 1 })), [403, 'FST_CRUD_OUT_OF_SCOPE'])
    t.equal((await send('PATCH', '/tasks/1', { title: 'Land' })).status, 200)
  })

  t.test('deleted rows that a condition leads to do not count', async (t) => {
    const app = await serveWith(t, orm, {
      access: { role: roleOf, roles: { member: { Project: { rows: { tasks: { title: 'Dock' } } }, Task: true } } },
    })
    t.equal((await sender(app)('GET', '/projects?filter[status]=closed')).body.total, 0)
    const every = await serveWith(t, orm, {
      access: {
        role: roleOf,
        roles: { member: { Project: { rows: { tasks: { $every: { title: 'none' } } } }, Task: true } },
      },
    })
    t.equal((await sender(every)('GET', '/projects?filter[status]=closed')).body.total, 2, 'all of none')
  })

  t.test('a scope and rows hold together', async (t) => {
    const app = await serveWith(t, orm, {
      resources: {
        '/tasks': {
          crud: resource(Task, { allowedFilters: ['title'] }),
          scope: (request) => ({ tenant: tenantOf(request), title: { $ne: 'Launch' } }),
        },
      },
      access: { role: roleOf, roles: { member: { Task: { rows: { tenant: 1 } } } } },
    })
    t.strictSame((await sender(app)('GET', '/tasks')).body.items.map(({ title }: any) => title), ['Land'])
    t.equal((await sender(app, { tenant: 2 })('GET', '/tasks')).body.total, 0)
    t.strictSame(codesOf(await sender(app, { tenant: 2 })('POST', '/tasks', { title: 'x' })), [
      403,
      'FST_CRUD_OUT_OF_SCOPE',
    ])
    const { status, body } = await sender(app)('POST', '/tasks', { title: 'Both' })
    t.equal(status, 201)
    await orm.em.fork().execute(`delete from task where id = ${body.id}`)
  })

  t.test('an estimated total is refused at start-up unless it may cover all rows', async (t) => {
    const planned = (estimateAllRows: boolean) => ({
      '/projects': resource(Project, { pagination: { count: 'planned', estimateAllRows } }),
    })
    const rules = { role: roleOf, roles: { member: { Project: ownRows } } }
    await t.rejects(serveWith(t, orm, { resources: planned(false), access: rules }), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /the rows of the role 'member' cannot be combined/,
    })
    const all = { role: roleOf, roles: { member: { Project: { rows: {} } } } }
    for (const [estimateAllRows, access] of [[true, rules], [false, all]] as const) {
      const app = await serveWith(t, orm, { resources: planned(estimateAllRows), access })
      t.equal((await sender(app)('GET', '/projects?per_page=1')).status, 200)
    }
  })
})
