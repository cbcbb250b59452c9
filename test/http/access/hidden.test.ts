/** Properties that a role does not see: the answers are those for names that do not exist. */
import t from 'tap'
import { AllowedFilters, AllowedInclude, AllowedSort, CrudBase } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { select } from '../helper.ts'
import { entities, overview, Project, resources, seed, sender, serveWith, type Answer } from './fixtures.ts'

/** A name of the same length that no entity has. */
const UNKNOWN: Readonly<Record<string, string>> = { budget: 'xqzwvk', owner: 'xqzwv', note: 'xqzw', effort: 'xqzwvk' }

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serveWith(t, orm, { resources: { ...resources, '/overview': overview } })
  const send = sender(app)

  t.test('records do not have them, neither alone nor included nor written', async (t) => {
    const list = await send('GET', '/projects?include=tasks,parent&filter[status]=closed')
    t.equal(list.status, 200)
    t.strictSame(list.body.items, [{
      id: 2, tenant: 1, name: 'Gemini', status: 'closed', version: 2,
      parent: { id: 1, tenant: 1, name: 'Apollo', status: 'open', parent: null, version: 1 }, tasks: [],
    }])
    const task = await send('GET', '/tasks/1?include=project')
    t.strictSame(task.body, {
      id: 1, tenant: 1, title: 'Land', deleted_at: null,
      project: { id: 1, tenant: 1, name: 'Apollo', status: 'open', parent: null, version: 1 },
    })
    const created = await send('POST', '/projects', { name: 'Mercury' })
    t.equal(created.status, 201)
    t.notOk('budget' in created.body)
    t.equal((await send('DELETE', `/projects/${created.body.id}`)).status, 200)
  })

  t.test('the default of a hidden filter is gone with it, and the where of an include stays', async (t) => {
    const access = {
      role: () => 'member',
      roles: { member: { Project: { rows: { tenant: 1 }, hidden: ['status'] }, Task: { hidden: ['effort'] } } },
    }
    const defaults = new CrudBase<any>({
      model: Project,
      queryConfig: {
        allowedFilters: [AllowedFilters.exact('status').default('open')],
        allowedIncludes: [new AllowedInclude('tasks', { where: { effort: { $gt: 3 } } })],
      },
    })
    const operations = ['list'] as const
    const app = await serveWith(t, orm, { access, resources: { '/defaults': { crud: defaults, operations } } })
    const { body } = await sender(app)('GET', '/defaults?include=tasks')
    t.strictSame(body.items.map(({ name, tasks }: any) => [name, tasks.map(({ title }: any) => title)]), [
      ['Apollo', ['Launch']],
      ['Gemini', []],
    ])
  })

  t.test('a reference that rows fill in is not named if its record is absent', async (t) => {
    for (const User of [{ rows: { tenant: 1 } }, true] as const) {
      const roles = { member: { Project: { rows: { tenant: 1, owner: 999 }, hidden: ['owner'] }, User } }
      const app = await serveWith(t, orm, { access: { role: () => 'member', roles } })
      const detail = 'A record that does not exist cannot be referred to.'
      const errors = [{ code: 'FST_CRUD_CONFLICT', detail }]
      const { status, body } = await sender(app)('POST', '/projects', { name: 'Skylab' })
      t.equal(status, 409)
      t.strictSame(body.errors, errors)
      t.equal(body.message, detail)
    }
  })

  t.test('custom filters and sorts that are named after them are gone, also behind relations', async (t) => {
    const access = {
      role: () => 'member',
      roles: { member: { Project: { rows: { tenant: 1 }, hidden: ['budget'] }, User: { hidden: ['salary'] } } },
    }
    const names = ['budget', 'owner.salary', 'parent.budget', 'tasks.title', 'owner.name', 'anything']
    const custom = new CrudBase<any>({
      model: Project,
      queryConfig: {
        allowedFilters: names.map((name) => AllowedFilters.custom(name, (qb: any) => qb.andWhere({ id: 1 }))),
        allowedSorts: names.map((name) => AllowedSort.custom(name, (qb: any) => qb.orderBy({ id: 'desc' }))),
      },
    })
    const operations = ['list'] as const
    const app = await serveWith(t, orm, { access, resources: { '/custom': { crud: custom, operations } } })
    const send = sender(app)
    for (const name of ['budget', 'owner.salary', 'parent.budget', 'tasks.title']) {
      for (const query of [`filter[${name}]=1`, `sort=${name}`]) {
        const { status, body } = await send('GET', `/custom?${query}`)
        t.equal(status, 400, query)
        t.strictSame(body.errors[0].allowed, ['anything', 'owner.name'])
      }
    }
    for (const name of ['owner.name', 'anything']) {
      t.equal((await send('GET', `/custom?filter[${name}]=1&sort=${name}`)).status, 200, name)
    }
  })

  t.test('a stream does not have them', async (t) => {
    const { body } = await send('GET', '/tasks', undefined, { accept: 'text/csv' })
    t.equal(String(body).split('\r\n')[0], 'id,tenant,title,project,deleted_at')
    const lines = await send('GET', '/tasks', undefined, { accept: 'application/x-ndjson' })
    t.strictSame(Object.keys(JSON.parse(String(lines.body).split('\n')[0]!)), [
      'id', 'tenant', 'title', 'project', 'deleted_at',
    ])
  })

  for (const [method, url, body] of [
    ['GET', '/projects?filter[budget]=1'],
    ['GET', '/projects?filter[budget][gte]=x'],
    ['GET', '/projects?filter[budget][isnull]=true'],
    ['GET', '/projects?filter[parent.budget]=1'],
    ['GET', '/projects?sort=budget'],
    ['GET', '/projects?sort=-budget&per_page=1&cursor='],
    ['GET', '/projects?fields=budget'],
    ['GET', '/projects?fields=name,budget&include=tasks&fields[tasks]=effort'],
    ['GET', '/projects?budget=1'],
    ['GET', '/projects/1?fields=budget'],
    ['GET', '/projects?include=tasks.effort'],
    ['GET', '/projects?include=owner'],
    ['GET', '/projects?include=owner.name'],
    ['GET', '/projects?filter[owner]=1'],
    ['GET', '/projects?filter[owner.name]=Ann'],
    ['GET', '/projects?sort=owner.name'],
    ['GET', '/projects?fields=owner'],
    ['GET', '/tasks?include=project.owner'],
    ['GET', '/overview?filter[not][budget][gte]=1'],
    ['GET', '/overview?filter[or][0][name]=x&filter[or][1][budget][isnull]=x'],
    ['GET', '/overview?filter[not][owner.name]=Ann'],
    ['GET', '/overview?filter[and][0][not][budget]=1'],
    ['GET', '/overview?filter[or][0][budget][gte]=x&ignored=1'],
    ['POST', '/overview/query', { filter: { or: [{ name: 'x' }, { not: { budget: 'x' } }] } }],
    ['POST', '/overview/query', { filter: { budget: 'x' }, facets: ['budget'] }],
    ['GET', '/overview?facets=budget'],
    ['GET', '/overview?facets=status,owner.name'],
    ['GET', '/overview/aggregate?group=budget&aggregate=count'],
    ['GET', '/overview/aggregate?group=owner'],
    ['GET', '/overview/aggregate?group=status,owner.name'],
    ['GET', '/overview/aggregate?aggregate=budget.sum'],
    ['GET', '/overview/aggregate?aggregate=count,owner.salary.max'],
    ['GET', '/overview/aggregate?aggregate=count&sort=-budget.sum'],
    ['GET', '/overview/aggregate?aggregate=budget.median'],
    ['DELETE', '/overview?filter[not][budget][gte]=1&dry_run=true'],
    ['POST', '/projects', { name: 'x', budget: 1 }],
    ['POST', '/projects', { name: 'x', owner: 1 }],
    ['POST', '/projects', [{ name: 'x', budget: 'y' }]],
    ['PATCH', '/projects/1', { budget: 1 }],
    ['PATCH', '/projects/1', { budget: null, name: 3 }],
    ['PATCH', '/tasks/1', { note: 'x' }],
    ['POST', '/tasks', { titel: 'x', effort: 1 }],
  ] as const) {
    const written = `${url} ${JSON.stringify(body ?? '')}`
    t.test(`like an unknown name: ${method} ${written}`, async (t) => {
      const hidden = Object.keys(UNKNOWN).find((name) => new RegExp(`\\b${name}\\b`).test(written))!
      const renamed = (text: string): string => text.replaceAll(new RegExp(`\\b${hidden}\\b`, 'g'), UNKNOWN[hidden]!)
      const [real, unknown] = [
        await send(method, url, body),
        await send(method, renamed(url), body === undefined ? undefined : JSON.parse(renamed(JSON.stringify(body)))),
      ]
      t.equal(real.status, 400)
      const textOf = ({ body }: Answer): string => renamed(JSON.stringify(body))
      t.equal(textOf(real), textOf(unknown))
      const { body: { errors } } = real
      for (const { allowed, suggestion } of errors) {
        t.notOk(allowed?.some((name: string) => name.split('.').includes(hidden)), 'it is not among the allowed names')
        t.not(suggestion, hidden)
      }
    })
  }

  t.test('no error suggests them', async (t) => {
    for (const [method, url, body] of [
      ['GET', '/projects?filter[budgt]=1'],
      ['GET', '/projects?sort=budgt'],
      ['GET', '/projects?fields=budgt'],
      ['GET', '/projects?include=ownr'],
      ['GET', '/projects?budgt=1'],
      ['GET', '/overview?filter[not][budgt]=1&filter[or][0][tasksEfortSum]=1&facets=budgt'],
      ['GET', '/overview?facets=parent.budgt,ownr.name'],
      ['GET', '/overview?sort=tasksEfortSum&include=tasksEfortSum'],
      ['GET', '/overview/aggregate?group=ownr,budgt&aggregate=budgt.sum,ownr.salary.max'],
      ['POST', '/overview/query', { filter: { and: [{ budgt: 1 }, { not: { 'ownr.name': 'x' } }] } }],
      ['PATCH', '/projects/1', { budgt: 1 }],
    ] as const) {
      const answer = await send(method, url, body)
      t.equal(answer.status, 400, url)
      t.notMatch(JSON.stringify(answer.body), /budget|owner/, url)
    }
  })

  t.test('a search looks into the other properties only', async (t) => {
    t.equal((await send('GET', '/tasks?filter[q]=moon')).body.total, 0)
    t.equal((await send('GET', '/tasks?filter[q]=lan')).body.total, 1)
    t.equal((await sender(app, { role: 'admin' })('GET', '/tasks?filter[q]=moon')).body.total, 2)
    t.equal((await send('GET', '/projects?filter[q]=Ann')).body.total, 0, 'behind a relation to a hidden entity')
  })

  t.test('an OR group compares the other properties only', async (t) => {
    t.equal((await send('GET', '/projects?filter[any]=10')).body.total, 0)
    t.equal((await send('GET', '/projects?filter[any]=Apollo')).body.total, 1)
  })

  t.test('a sort by several properties uses the others, and so does the default sort', async (t) => {
    t.strictSame((await send('GET', '/projects?sort=state')).status, 200)
    t.strictSame((await send('GET', '/projects')).body.items.map(({ name }: any) => name), ['Apollo'])
  })

  t.test('cursors do not contain their values', async (t) => {
    const { body } = await send('GET', '/tasks?per_page=1&cursor=')
    t.equal(body.items.length, 1)
    t.notMatch(Buffer.from(String(body.next_cursor), 'base64url').toString(), /moon|sea/)
    const next = await send('GET', `/tasks?per_page=1&cursor=${encodeURIComponent(body.next_cursor)}`)
    t.equal(next.body.items[0].title, 'Launch')
  })

  t.test('related records are not ordered by them', async (t) => {
    const titles = (answer: Answer) => answer.body.tasks.map(({ title }: any) => title)
    t.strictSame(titles(await sender(app, { role: 'admin' })('GET', '/projects/1?include=tasks')), ['Launch', 'Land'])
    t.strictSame(titles(await send('GET', '/projects/1?include=tasks')), ['Land', 'Launch'], 'by their key')
  })

  t.test('a hidden version has no ETag and cannot be guessed', async (t) => {
    const app = await serveWith(t, orm, {
      access: {
        role: () => 'one',
        roles: { one: { Project: { hidden: ['version'] }, User: true, Task: true, Label: true } },
      },
    })
    const send = sender(app)
    const { headers, body } = await send('GET', '/projects/1')
    t.notOk('etag' in headers)
    t.notOk('version' in body)
    for (const tag of ['"1"', '"2"', '"x"']) {
      t.match(await send('PATCH', '/projects/1', { name: 'x' }, { 'if-match': tag }), {
        status: 412,
        body: { detail: 'These records have no version, so that only * matches in If-Match.' },
      }, tag)
    }
    t.equal((await send('PATCH', '/projects/1', { name: 'Apollo' }, { 'if-match': '*' })).status, 200)
    const [row] = await select(orm, 'select version from project where id = 1')
    t.equal(row.version, 2, 'it counts nevertheless')
  })

  t.test('a hidden deleted_at marks records as deleted nevertheless', async (t) => {
    const app = await serveWith(t, orm, {
      access: { role: () => 'one', roles: { one: { Task: { hidden: ['deleted_at'] } } } },
    })
    const send = sender(app)
    const { body } = await send('POST', '/tasks', { title: 'Splash', tenant: 1 })
    t.notOk('deleted_at' in body)
    t.equal((await send('DELETE', `/tasks/${body.id}`)).status, 200)
    t.equal((await send('GET', `/tasks/${body.id}`)).status, 404)
    t.equal((await send('GET', '/tasks?filter[trashed]=with')).status, 400, 'it cannot be asked for')
    t.equal((await send('POST', `/tasks/${body.id}/restore`)).status, 200)
    t.equal((await send('DELETE', `/tasks/${body.id}?hard=true`)).status, 200)
  })

  t.test('only: all other properties are hidden', async (t) => {
    const { body } = await sender(app, { role: 'guest' })('GET', '/countries')
    t.strictSame(body.items, [{ code: 'AT', name: 'Austria' }, { code: 'CH', name: 'Switzerland' }])
    t.equal((await sender(app, { role: 'guest' })('GET', '/countries?sort=population')).status, 400)
    t.equal((await send('GET', '/countries?sort=population')).status, 200)
  })
})
