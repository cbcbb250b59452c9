/** On a cluster, a role whose rows a relation limits reads and writes many records. */
import t from 'tap'
import { AllowedFilters, crudKit } from '../../src/index.ts'
import { resource } from '../helpers/resource.ts'
import { newServer } from '../helpers/server.ts'
import { createClusterDatabase, execute, openWithTables, skip } from './cluster.ts'
import { distribute, entities, Project, Task } from './colocated.ts'
import { rows } from './server.ts'

await t.test('rows that a condition on related records limits', { skip }, async (t) => {
  const database = await createClusterDatabase()
  t.teardown(database.drop)
  const orm = await openWithTables(database.url, entities, distribute)
  t.teardown(() => orm.close(true))
  await execute(database.url, ...rows)
  const app = newServer(t)
  const operations = ['list', 'updateMany', 'deleteMany'] as const
  const tenant = { tenant_id: 1 }
  await app.register(crudKit, {
    orm,
    indexAdvice: false,
    access: {
      role: () => 'member',
      roles: { member: { Project: { rows: tenant }, Task: { rows: { ...tenant, project: { stage: 'done' } } } } },
    },
    resources: {
      '/projects': { crud: resource(Project, { allowedFilters: ['tasks.title'] }), operations },
      '/tasks': {
        crud: resource(Task, { allowedFilters: ['priority', 'title', AllowedFilters.search('q', ['project.name'])] }),
        operations,
      },
    },
  })
  const ask = async (method: 'GET' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
    const response = await app.inject({ method, url, ...payload && { payload } })
    t.equal(response.statusCode, 200, `${method} ${url}: ${response.body}`)
    return response.json()
  }
  for (const [method, url, change] of [
    ['PATCH', '/tasks?filter[priority]=1', { weight: 2 }],
    ['PATCH', '/tasks?filter[q]=1', { done: true }],
    ['PATCH', '/projects?filter[tasks.title]=Task 7', { name: 'x' }],
    ['DELETE', '/projects?filter[tasks.title]=Task 4'],
  ] as const) {
    const { total } = await ask('GET', url)
    t.ok(total > 0, url)
    t.strictSame(await ask(method, url, change), { affected: total }, `${method} ${url}`)
  }
})
