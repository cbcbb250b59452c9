/** Steps of docs/operating/scaling.md: they move an application with keys of one column, and its data, to a cluster. */
import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import t from 'tap'
import {
  AllowedFilters, AllowedInclude, crudKit, CrudBase, distributedBy, QueryBuilderConfig,
} from '../../src/index.ts'
import { readSection } from '../helpers/document.ts'
import { newServer } from '../helpers/server.ts'
import { createClusterDatabase, execute, skip } from './cluster.ts'

const EXISTING = [
  'create table project (id uuid primary key, tenant_id int not null, name text not null)',
  'create table label (id uuid primary key, tenant_id int not null, name text not null, ' +
  'constraint label_name_unique unique (name))',
  'create table task (id uuid primary key, title text not null, project_id uuid not null ' +
  'constraint task_project_id_foreign references project)',
  'create table task_labels (task_id uuid constraint task_labels_task_id_foreign references task on delete cascade, ' +
  'label_id uuid constraint task_labels_label_id_foreign references label, primary key (task_id, label_id))',
  "insert into project select md5(t || 'p' || n)::uuid, t, 'Project ' || n from generate_series(1, 3) t, " +
  'generate_series(1, 4) n',
  "insert into label select md5(t || 'l' || n)::uuid, t, 'Label ' || t || n from generate_series(1, 3) t, " +
  'generate_series(1, 5) n',
  "insert into task select md5(t || 't' || n)::uuid, 'Task ' || n, md5(t || 'p' || 1 + n % 4)::uuid " +
  'from generate_series(1, 3) t, generate_series(1, 20) n',
  "insert into task_labels select md5(t || 't' || n)::uuid, md5(t || 'l' || 1 + n % 5)::uuid " +
  'from generate_series(1, 3) t, generate_series(1, 20) n',
]

const { key, manyToOne, manyToMany } = distributedBy('tenant_id', { tenant_id: p.integer().primary() })
const Project = defineEntity({
  name: 'Project',
  properties: { ...key, name: p.string(), tasks: () => p.oneToMany(Task).mappedBy('project') },
})
const Label = defineEntity({
  name: 'Label', properties: { ...key, name: p.string() }, uniques: [{ properties: ['tenant_id', 'name'] }],
})
const Task = defineEntity({
  name: 'Task',
  properties: {
    ...key, title: p.string(), project: () => manyToOne(Project, 'project_id'),
    labels: () => manyToMany(Label, 'task_labels', 'task_id', 'label_id'),
  },
})

await t.test('moving an existing application over', { skip }, async (t) => {
  const { url, drop } = await createClusterDatabase()
  t.teardown(drop)
  await execute(url, ...EXISTING)
  const { block } = readSection('docs/operating/scaling.md', '### Moving an existing application over')
  const run = (step: string): Promise<any[]> => {
    const sql = block(`sql ${step}`)
    if (sql === '') throw new Error(`docs/operating/scaling.md has no block 'sql ${step}'`)
    return execute(url, ...sql.split(';\n').filter((one) => one.trim() !== ''))
  }
  await run('tenant')
  t.strictSame(await run('check'), [], 'no link to another tenant')
  for (const step of ['keys', 'distribute', 'references']) await run(step)

  const orm = await MikroORM.init({ clientUrl: url, entities: [Project, Label, Task] })
  t.teardown(() => orm.close(true))
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    resources: {
      '/tasks': {
        crud: new CrudBase({
          model: Task,
          writable: 'all',
          queryConfig: new QueryBuilderConfig<any>({
            allowedFilters: [AllowedFilters.exact('labels.name')],
            allowedIncludes: [new AllowedInclude('project'), new AllowedInclude('labels')],
          }),
        }),
        scope: () => ({ tenant_id: 2 }),
        operations: ['list', 'get', 'create', 'update', 'delete'],
      },
    } as never,
  })
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, status: number, payload?: object) => {
    const response = await app.inject({ method, url: path, ...payload && { payload } })
    t.equal(response.statusCode, status, `${method} ${path}: ${response.body}`)
    return response.json()
  }

  const { items, total } = await ask('GET', '/tasks?include=project,labels&per_page=50', 200)
  t.equal(total, 20, 'the tasks of the tenant')
  for (const { tenant_id: tenant, project, labels, title } of items) {
    const n = Number(title.slice(5))
    t.strictSame([tenant, project.name, labels.map(({ name }: any) => name)], [2, `Project ${1 + n % 4}`, [
      `Label 2${1 + n % 5}`,
    ]], title)
  }
  t.equal((await ask('GET', '/tasks?filter[labels.name]=Label 23', 200)).total, 4)
  const project = { tenant_id: 2, id: items[0].project.id }
  const { id } = await ask('POST', '/tasks', 201, { title: 'new', project, labels: [] })
  t.strictSame((await ask('GET', `/tasks/2/${id}`, 200)).project, project)
  await ask('DELETE', `/tasks/2/${items[0].id}`, 409)
  await ask('DELETE', `/tasks/2/${id}`, 200)
  const [{ count }] = await execute(url, 'select count(*)::int from task')
  t.equal(count, 60, 'the tasks of all tenants')
})
