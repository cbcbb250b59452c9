/** The distributed example on a cluster: as a process, and the tasks of its statements with the rules of `access`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import t, { type Test } from 'tap'
import { buildApp } from '../../example/distributed/app.ts'
import { distributedDatabase } from '../../example/distributed/database.ts'
import { walk } from '../example/distributed-walk.ts'
import { freePort } from '../../scripts/free-port.ts'
import { createClusterDatabase, skip } from './cluster.ts'
import { onOneNode, tasksOf } from './tasks.ts'

await t.test('npm run distributed migrates an empty database of a cluster and serves it', { skip }, async (t) => {
  const { url, drop } = await createClusterDatabase()
  t.teardown(drop)
  const { address, output } = await start(t, url)
  t.match(output(), /^Citus 1\d\.\S+ +"labels", "projects", "task_labels", "tasks", "tenants"$/m)
  await walk(t, async (method, path, headers, payload) => {
    const response = await fetch(address + path, {
      method,
      headers: { ...headers, ...(payload && { 'content-type': 'application/json' }) },
      ...(payload && { body: JSON.stringify(payload) }),
    })
    return { status: response.status, body: await response.json() }
  })
})

async function start (t: Test, databaseUrl: string) {
  const port = await freePort()
  const child = spawn(process.execPath, [path.resolve(import.meta.dirname, '../../example/distributed/app.ts')], {
    env: { ...process.env, PORT: String(port), DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exit
  })
  let output = ''
  const listens = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      if (/^(?:Citus|One server) .*\n/m.test(output)) listens.resolve()
    })
  }
  await Promise.race([
    listens.promise,
    exit.then(() => {
      throw new Error(output)
    }),
  ])
  return { address: `http://127.0.0.1:${port}`, output: () => output }
}

await t.test('with the rules of access, each statement of a member is one task', { skip }, async (t) => {
  const cluster = await createClusterDatabase()
  t.teardown(cluster.drop)
  const app = await buildApp(distributedDatabase(cluster.url))
  t.teardown(() => app.close())

  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object, accept?: string) =>
    app.inject({ method, url, headers: { 'x-tenant': '1', ...(accept && { accept }) }, ...(payload && { payload }) })
  const firstOf = async (url: string) => (await send('GET', `${url}?per_page=1`)).json().items[0]
  const reference = ({ tenant, id }: any) => ({ tenant, id })
  const [project, label, task] = [await firstOf('/projects'), await firstOf('/labels'), await firstOf('/tasks')]

  await t.test('reads', async (t) => {
    for (const url of [
      '/tasks', '/tasks?page=2&per_page=5&sort=-priority', '/tasks?include=project,labels',
      '/tasks?cursor=&sort=-due&include=project,labels', '/tasks?sort=project.name&filter[project.name][contains]=1',
      '/tasks?filter[labels.name]=Label 2&filter[done]=false', '/tasks?filter[q]=1',
      `/tasks/1/${task.id}?include=project,labels`, '/projects?include=tasks.labels,tasksCount',
      '/projects?filter[tasks.labels.name]=Label 3&filter[tasks.done]=true',
      `/projects/1/${project.id}?include=tasks.labels`, '/labels?include=tasksCount', '/tenants', '/tenants/1',
    ]) {
      const found = await tasksOf(app.orm, () => send('GET', url))
      t.equal(found.status, 200, url)
      t.ok(onOneNode(found) && found.subplans === 0, `${url}: ${JSON.stringify(found)}`)
    }
  })

  await t.test('writes', async (t) => {
    const url = `/tasks/1/${task.id}`
    const links = { project: reference(project), labels: [reference(label)] }
    for (const [method, path, payload] of [
      ['POST', '/labels', { name: 'new' }],
      ['POST', '/tasks', { title: 'new', ...links }],
      ['POST', '/tasks', [{ title: 'one' }, { title: 'two', project: reference(project) }]],
      ['PATCH', url, { title: 'changed', project: reference(project) }],
      ['PATCH', url, links],
      ['PATCH', url, { labels: [] }],
      ['DELETE', url],
    ] as const) {
      const found = await tasksOf(app.orm, () => send(method, path, payload))
      t.ok(found.status === 200 || found.status === 201, `${method} ${path}: ${found.status}`)
      t.ok(onOneNode(found), `${method} ${path}: ${JSON.stringify(found)}`)
    }
  })
})
