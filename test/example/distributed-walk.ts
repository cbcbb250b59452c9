/** A walk through the distributed example, which has the same answers on every server. */
import type { Test } from 'tap'

export interface Answer {
  readonly status: number
  readonly body: any
}

export type Send = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  headers: Record<string, string>,
  payload?: object
) => Promise<Answer>

/** Asks for everything that the example shows. Its database must have been empty before it started. */
export async function walk (t: Test, send: Send): Promise<void> {
  const as =
    (headers: Record<string, string>) =>
      async (method: Parameters<Send>[0], url: string, status = 200, payload?: object) => {
        const answer = await send(method, url, headers, payload)
        t.equal(answer.status, status, `${method} ${url}: ${JSON.stringify(answer.body)}`)
        return answer.body
      }
  const first = as({ 'x-tenant': '1' })
  const second = as({ 'x-tenant': '2' })
  const operator = as({ 'x-role': 'operator' })
  const stranger = as({})

  await t.test('a member reads the rows of the tenant', async (t) => {
    const { items, total } = await first('GET', '/tasks?include=project,labels&filter[labels.name]=Label 2&per_page=50')
    t.equal(total, 8)
    t.strictSame(items.map(({ title }: any) => title), [1, 4, 7, 10, 13, 16, 19, 22].map((n) => `Task ${n}`))
    for (const { tenant, project, labels } of items) {
      t.equal(tenant, 1)
      t.equal(project.tenant, 1)
      t.ok(labels.some(({ name }: any) => name === 'Label 2'))
    }
    const projects = await first('GET', '/projects?include=tasks.labels,tasksCount&filter[tasks.labels.name]=Label 3')
    t.strictSame(projects.items.map(({ name }: any) => name), ['Project 1', 'Project 2', 'Project 3', 'Project 4'])
    for (const { tasks, tasksCount } of projects.items) t.equal(tasks.length, tasksCount)
    t.equal((await first('GET', '/tasks?filter[q]=project 3&sort=-project.name')).total, 6)
    t.match((await first('GET', '/labels?include=tasksCount')).items[0], { name: 'Label 1', tasksCount: 8 })
    t.match(await first('GET', '/tenants'), { items: [{ id: 1, name: 'Tenant 1' }], total: 1 })
  })

  await t.test('a member writes with the tenant of the request', async (t) => {
    const project = await first('POST', '/projects', 201, { name: 'Apollo' })
    t.match(project, { tenant: 1, name: 'Apollo' })
    const label = await first('POST', '/labels', 201, { name: 'urgent' })
    const reference = ({ tenant, id }: any) => ({ tenant, id })
    const task = await first('POST', '/tasks', 201, {
      title: 'Land', project: reference(project), labels: [reference(label)],
    })
    t.match(task, { tenant: 1, title: 'Land', version: 1, project: reference(project) })
    const url = `/tasks/1/${task.id}`
    t.match(await first('PATCH', url, 200, { done: true, labels: [] }), { done: true, version: 2 })
    t.strictSame((await first('GET', `${url}?include=labels`)).labels, [])
    const made = await first('POST', '/tasks', 201, [{ title: 'one' }, { title: 'two' }, { title: 'three' }])
    t.strictSame(made.map(({ title }: any) => title), ['one', 'two', 'three'])
    t.match(await first('POST', '/labels', 409, { name: 'urgent' }), { errors: [{ source: { pointer: '/name' } }] })
    t.equal((await second('POST', '/labels', 201, { name: 'urgent' })).tenant, 2, 'unique in its tenant')

    await second('GET', url, 404)
    await second('PATCH', url, 404, { done: false })
    await second('DELETE', url, 404)
    await second('POST', '/tasks', 403, { title: 'Eavesdrop', project: reference(project) })
    await second('POST', '/tasks', 409, { title: 'Eavesdrop', project: { tenant: 2, id: project.id } })
    t.equal((await second('GET', '/tasks?filter[title]=Land')).total, 0)
    t.equal((await first('DELETE', url)).title, 'Land')
    await first('GET', url, 404)
  })

  await t.test('the operator creates tenants and sees none of their data', async (t) => {
    const { id } = await operator('POST', '/tenants', 201, { name: 'Third' })
    t.equal((await operator('GET', '/tenants')).total, 3)
    await operator('GET', '/tasks', 403)
    await first('POST', '/tenants', 403, { name: 'Fourth' })
    const third = as({ 'x-tenant': String(id) })
    t.equal((await third('GET', '/tasks')).total, 0)
    t.match(await third('POST', '/tasks', 201, { title: 'Begin' }), { tenant: id, title: 'Begin' })
    await as({ 'x-tenant': '99' })('POST', '/projects', 409, { name: 'of a tenant that does not exist' })
  })

  await t.test('a request without a tenant is refused', async () => {
    for (const url of ['/tasks', '/tenants']) await stranger('GET', url, 403)
    for (const tenant of ['0', 'x', '1e1', '']) await as({ 'x-tenant': tenant })('GET', '/tasks', 403)
  })
}
