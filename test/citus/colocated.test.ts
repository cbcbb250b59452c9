/** The co-located layout on a Citus cluster: what requests answer, and how many nodes their statements need. */
import t from 'tap'
import { CrudBase, type AfterContext } from '../../src/index.ts'
import { createClusterDatabase, execute, openWithTables, skip } from './cluster.ts'
import { distribute, entities, Task } from './colocated.ts'
import { rows, send, serveColocated, type Call } from './server.ts'
import { onOneNode, tasksOf } from './tasks.ts'

await t.test('the co-located layout', { skip }, async (t) => {
  const database = await createClusterDatabase()
  t.teardown(database.drop)
  const orm = await openWithTables(database.url, entities, distribute)
  t.teardown(() => orm.close(true))
  await execute(database.url, ...rows)
  const app = await serveColocated(t, orm)

  const ask = async (call: Call, status: number): Promise<any> => {
    const response = await send(app, call)
    if (response.statusCode !== status) throw new Error(`${call.url}: ${response.statusCode} ${response.body}`)
    return JSON.parse(response.body)
  }
  const get = (url: string) => ask({ url }, 200)
  const post = (url: string, payload: any, status = 201) => ask({ method: 'POST', url, payload }, status)
  const patch = (url: string, payload: any, status = 200, headers = {}) =>
    ask({ method: 'PATCH', url, payload, headers }, status)
  const ofTenant = (id: string) => ({ tenant_id: 1, id })

  const tasksOfCall = (call: Call) => tasksOf(orm, () => send(app, call))

  const [project] = (await get('/projects?per_page=1')).items
  const [task] = (await get('/tasks?per_page=1')).items
  const [label] = (await get('/labels?per_page=1')).items

  await t.test('each statement of a read is one task', async (t) => {
    const reads = [
      '/projects',
      '/projects?page=3&per_page=5&sort=-name',
      '/projects?include=country,tasks.labels,tasks.comments',
      '/projects?include=tasksCount,tasksExists,tasksPriorityMax',
      '/projects?filter[name][contains]=1&filter[stage]=done',
      '/projects?filter[tasks.title]=Task 3',
      '/projects?filter[tasks.labels.name]=Label 3',
      '/projects?filter[country.name]=France&sort=country.name',
      '/projects?filter[q]=1',
      '/projects?filter[trashed]=only',
      `/projects/1/${project.id}`,
      `/projects/1/${project.id}?include=country,tasks.labels,tasks.comments`,
      '/tasks?include=project.country,labels,comments',
      '/tasks?include=labelsCount,commentsCount,commentsAtMin&sort=project.name',
      '/tasks?filter[labels.name]=Label 3',
      '/tasks?filter[project.name][contains]=1',
      '/tasks?filter[q]=Label 1',
      '/tasks?cursor=&sort=-priority&include=labels',
      `/tasks/1/${task.id}?include=project.country,labels,comments`,
      '/labels?include=tasks,tasksCount',
      '/labels?filter[tasks.title]=Task 3',
      '/comments?include=task.project&filter[task.title]=Task 3',
      '/projects?filter[tasksCount][gte]=3&sort=-tasksCount,tasksPriorityMax&count=none',
      '/projects?filter[or][0][tasksCount]=0&filter[or][1][tasks.labels.name]=Label 3',
      '/projects?filter[not][country.name]=France&filter[not][tasksPriorityMax][isnull]=true',
      '/projects?facets=stage,country.name,country&filter[stage]=done&filter[tasks.title]=Task 3',
      '/projects?facets=stage&cursor=&sort=-tasksCount',
      '/projects/aggregate?group=stage,country.name&aggregate=count,budget.sum,budget.avg&sort=-budget.sum',
      '/tasks?sort=-labelsCount,commentsAtMin&filter[commentsAtMin][isnull]=false',
      '/tasks/aggregate?group=due.week,project.stage&aggregate=count,project.name.countDistinct&filter[labelsCount]=3',
    ]
    for (const url of reads) {
      const { status, tasks, subplans } = await tasksOfCall({ url })
      t.equal(status, 200, url)
      t.ok(tasks.length > 0 && tasks.every((count) => count === 1), `${url}: ${tasks}`)
      t.equal(subplans, 0, url)
    }
  })

  await t.test('each statement of a stream is one task', async (t) => {
    for (const url of ['/projects?sort=-name', '/tasks?sort=title', '/tasks?include=labels,project.country']) {
      const { status, tasks, subplans } = await tasksOfCall({ url, headers: { accept: 'application/x-ndjson' } })
      t.equal(status, 200, url)
      t.ok(tasks.length > 0 && tasks.every((count) => count === 1), `${url}: ${tasks}`)
      t.equal(subplans, 0, url)
    }
  })

  await t.test('each statement of a write concerns one node', async (t) => {
    const id = `/tasks/1/${task.id}`
    const writes: [Call['method'], string, any?][] = [
      ['POST', '/tasks', { title: 'new', project: ofTenant(project.id) }],
      ['POST', '/tasks', [{ title: 'one' }, { title: 'two' }]],
      ['POST', '/comments', [{ body: 'one', task: ofTenant(task.id) }, { body: 'two', task: ofTenant(task.id) }]],
      ['PATCH', id, { title: 'changed', project: ofTenant(project.id) }],
      ['PATCH', id, { labels: [ofTenant(label.id)] }],
      ['DELETE', `/projects/1/${project.id}`],
      ['POST', `/projects/1/${project.id}/restore`],
    ]
    for (const [method = 'GET', url, payload] of writes) {
      const { status, tasks } = await tasksOfCall({ method, url, payload })
      t.ok(status === 200 || status === 201, `${method} ${url}: ${status}`)
      t.ok(tasks.length > 0 && tasks.every((count) => count === 1), `${method} ${url}: ${tasks}`)
    }
  })

  await t.test('bulk changes write the records of one tenant, on one node', async (t) => {
    const others = () =>
      execute(database.url, "select md5(string_agg(t::text, '' order by id)) as d from task t where tenant_id <> 1")
    const before = await others()
    const changes: [Call['method'], string, any?][] = [
      ['PATCH', '/tasks?filter[title]=Task 3&dry_run=true', { title: 'x' }],
      ['PATCH', '/tasks?filter[title]=Task 3', { priority: 4, project: ofTenant(project.id) }],
      ['PATCH', '/tasks?filter[labels.name]=Label 3&filter[priority][gte]=4', { weight: 2 }],
      ['PATCH', '/tasks?filter[project.name]=Project 3&filter[done]=true', { done: false }],
      ['PATCH', '/tasks?filter[title]=Task 4', { labels: [ofTenant(label.id)] }],
      ['PATCH', '/projects?filter[stage]=draft', { budget: '7.00' }],
      ['DELETE', '/comments?filter[body]=Comment 3'],
      ['DELETE', '/projects?filter[name]=Project 5'],
    ]
    for (const [method = 'GET', url, payload] of changes) {
      const { total } = await get(url.replace(/&dry_run=true/, ''))
      let affected = 0
      const { tasks } = await tasksOf(orm, async () => {
        const response = await send(app, { method, url, payload })
        affected = response.json().affected
        return response
      })
      t.ok(total > 0 && affected === total, `${method} ${url}: ${affected} of ${total}`)
      t.ok(tasks.length > 0 && tasks.every((count) => count === 1), `${method} ${url}: ${tasks}`)
    }
    t.strictSame(await others(), before)
    const [first, second] = (await get('/tasks?filter[title]=Task 3')).items
    t.ok(Date.parse(first.changed) > Date.parse('2026-01-02') && first.priority === 4 && second.priority === 4)
    t.equal((await patch('/tasks?filter[title]=Task 3', { project: ofTenant(label.id) }, 409)).code,
      'FST_CRUD_CONFLICT')
    t.equal((await patch('/tasks?filter[title]=Task 3', { tenant_id: 2 }, 400)).code, 'FST_ERR_VALIDATION')
    t.equal((await ask({ method: 'DELETE', url: '/labels?filter[tasks.title]=Task 7' }, 400)).code, 'FST_CRUD_TOO_MANY')
  })

  await t.test('upserts change or create the records of one tenant, on one node', async (t) => {
    const url = '/labels?on=tenant_id,name'
    const put = (payload: any, tenant = 1) => send(app, { method: 'PUT', url, payload, tenant })
    const made = await put({ name: 'by upsert' })
    t.match([made.statusCode, made.json()], [201, { tenant_id: 1, name: 'by upsert' }])
    const [own, other] = [made.json(), (await put({ name: 'by upsert' }, 2)).json()]
    t.not(own.id, other.id, 'another tenant has a label of its own')
    const tasks = [ofTenant(task.id)]
    t.match((await put({ name: 'by upsert', tasks })).json(), { id: own.id })
    const many = await put([{ name: 'second' }, { name: 'by upsert' }])
    t.strictSame(many.json().map(({ created, record }: any) => [created, record.name]), [
      [true, 'second'],
      [false, 'by upsert'],
    ])
    const same = await Promise.all(Array.from({ length: 8 }, () => put({ name: 'at once' })))
    t.strictSame(same.map(({ statusCode }) => statusCode).sort(), [200, 200, 200, 200, 200, 200, 200, 201])
    t.ok(onOneNode(await tasksOfCall({ method: 'PUT', url, payload: { name: 'new again' } })))
  })

  await t.test('createMany answers in the order of the body', async (t) => {
    const names = Array.from({ length: 40 }, (_, index) => `Order ${index}`)
    const made = await post('/projects', names.map((name) => ({ name })))
    t.strictSame(made.map((one: any) => one.name), names, 'keys of the application')
    const bodies = await post('/comments', names.map((body) => ({ body, task: ofTenant(task.id) })))
    t.strictSame(bodies.map((one: any) => one.body), names, 'keys of the database')
    t.equal(new Set(bodies.map((one: any) => one.id)).size, 40)
    const linked = await post('/tasks', names.map((title) => ({ title, labels: [ofTenant(label.id)] })))
    t.strictSame(linked.map((one: any) => one.title), names, 'through the unit of work')
  })

  await t.test('a write answers the record, and its version', async (t) => {
    const due = '2026-03-04T05:06:07.089Z'
    const { id, changed, ...made } = await post('/tasks', { title: 'Version', due, project: ofTenant(project.id) })
    t.match(made, { tenant_id: 1, title: 'Version', priority: 1, done: false, due, project: ofTenant(project.id) })
    const path = `/tasks/1/${id}`
    t.strictSame(await get(path), { id, changed, ...made })
    const next = await patch(path, { title: 'Next' }, 200, { 'if-match': `"${changed}"` })
    t.equal(next.title, 'Next')
    t.not(next.changed, changed)
    await patch(path, { title: 'Stale' }, 412, { 'if-match': `"${changed}"` })
    await patch(path, { title: 'Unreadable' }, 412, { 'if-match': '"2026", "x", "2026-99-99T00:00:00.000Z"' })
    await patch(path, { title: 'Any' }, 200, { 'if-match': '*' })
    await ask({ method: 'DELETE', url: path, headers: { 'if-match': '"x"' } }, 412)
    t.equal((await ask({ method: 'DELETE', url: path }, 200)).title, 'Any')
    await ask({ url: path }, 404)
  })

  await t.test('an entity without versions has none that If-Match could name', async (t) => {
    await patch(`/projects/1/${project.id}`, { name: 'x' }, 412, { 'if-match': '"1"' })
    t.not((await get(`/projects/1/${project.id}`)).name, 'x')
  })

  await t.test('records of other tenants are absent', async (t) => {
    const [other] = JSON.parse((await send(app, { url: '/projects?per_page=1', tenant: 2 })).body).items
    const path = `/projects/2/${other.id}`
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const payload = method === 'PATCH' ? { name: 'stolen' } : undefined
      t.equal((await ask({ method, url: path, payload }, 404)).code, 'FST_CRUD_NOT_FOUND', method)
    }
    await post('/tasks', { title: 'x', project: { tenant_id: 2, id: other.id } }, 403)
    await post('/tasks', { title: 'x', project: ofTenant(other.id) }, 409)
    t.equal(JSON.parse((await send(app, { url: path, tenant: 2 })).body).name, other.name)
  })

  await t.test('constraints are conflicts that name properties', async (t) => {
    const conflict = await post('/labels', { name: label.name }, 409)
    t.strictSame(conflict.errors.map((error: any) => error.source.pointer), ['/tenant_id', '/name'])
    const missing = await post('/comments', { body: 'x', task: ofTenant(project.id) }, 409)
    t.strictSame(missing.errors.map((error: any) => error.source.pointer), ['/task'])
    const { items: [commented] } = await get('/tasks?filter[title]=Task 3')
    const referred = await ask({ method: 'DELETE', url: `/tasks/1/${commented.id}` }, 409)
    t.match(referred.detail, /^A record that others refer to cannot be removed/)
  })

  await t.test('after hooks get what a write has replaced, by one statement on one node', async (t) => {
    const told: any[] = []
    class Telling extends CrudBase<any> {
      override afterUpdate ({ title }: any, { previous }: AfterContext): void {
        told.push([title, previous])
      }

      override afterDelete ({ title }: any, { previous }: AfterContext): void {
        told.push([title, previous])
      }
    }
    const telling = new Telling({
      model: Task, writable: ['title', 'priority'], previous: ['title', 'done', 'project'],
    })
    const em = orm.em.fork()
    const scope = { tenant_id: 1 }
    const { id } = await post('/tasks', { title: 'a', project: ofTenant(project.id) })
    const update = async (title: string) => ({
      statusCode: (await telling.update(em, ofTenant(id), { title }, { scope })).title === title ? 200 : 500,
    })
    t.ok(onOneNode(await tasksOf(orm, () => update('b'))))
    const before = { title: 'a', done: false, project: ofTenant(project.id) }
    t.strictSame(told.splice(0), [['b', before]])
    await Promise.all(Array.from({ length: 10 }, (_, index) => update(`c${index}`)))
    t.equal(new Set(told.splice(0).map(([, { title }]) => title)).size, 10)
    const { title } = await telling.delete(em, ofTenant(id), { scope })
    t.match(told, [[title, { title, done: false }]])
  })
})
