/** Limits of the cost of one request: related records and bytes of an answer, whatever is included. */
import { p, type MikroORM } from '@mikro-orm/postgresql'
import t from 'tap'
import { AllowedField, AllowedInclude, parseQueryParams, type CrudBase } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { client, resource, serve } from '../http/helper.ts'
import { entity } from '../helpers/entity.ts'

const Project = entity('Project', {
  id: p.integer().primary(), name: p.string(), notes: p.text().nullable(), settings: p.json<object>().nullable(),
  version: p.integer().version(), tasks: () => p.oneToMany(Task).mappedBy('project'),
  labels: () => p.manyToMany(Label).owner().pivotTable('project_label'),
}, { tableName: 'project' })
const Task = entity('Task', {
  id: p.integer().primary(), title: p.string(), body: p.text().nullable(), project: () => p.manyToOne(Project),
}, { tableName: 'task' })
const Label = entity('Label', {
  id: p.integer().primary(), name: p.string(), projects: () => p.manyToMany(Project).mappedBy('labels'),
}, { tableName: 'label' })
const entities = [Project, Task, Label]

/** 4 projects with 3 tasks each, all with 2 labels. */
const ROWS = `
  insert into project (id, name, notes, version) select i, 'p' || i, 'notes', 1 from generate_series(1, 4) as i;
  insert into task (id, title, body, project_id) select i, 't' || i, 'body', (i - 1) / 3 + 1
  from generate_series(1, 12) as i;
  insert into label (id, name) select i, 'l' || i from generate_series(1, 2) as i;
  insert into project_label (project_id, label_id) select i, j
  from generate_series(1, 4) as i, generate_series(1, 2) as j;`

const INCLUDES = ['tasks', 'labels', 'labels.projects', 'labels.projects.tasks'].map((path) => new AllowedInclude(path))
const FIELDS = [
  'id', 'name', 'notes', 'settings', 'tasks.id', 'tasks.body', 'labels.id', 'labels.projects.id',
  'labels.projects.tasks.id',
].map((name) => new AllowedField(name))

async function serverOf (t: any, orm: MikroORM, pagination: object, includes: AllowedInclude[] = INCLUDES) {
  const app = await serve(t, orm, {
    '/projects': resource(Project, { allowedIncludes: includes, allowedFields: FIELDS, pagination }),
  })
  return { app, projects: client(app, '/projects') }
}

const STYLES = { page: 'per_page=2', offset: 'limit=2', cursor: 'cursor=&per_page=2' }

await forEachDatabase(t, { entities }, async (t, { orm }) => {
  await orm.em.getConnection().executeDump(ROWS)

  t.test('a record counts each time it is included, at each level', async (t) => {
    // for each project: 2 labels, 4 projects of each label, 3 tasks of each project
    const cases: ReadonlyArray<readonly [include: string, each: number]> = [
      ['tasks', 3], ['labels', 2], ['labels.projects', 2 + 8], ['labels.projects.tasks', 2 + 8 + 24],
      ['tasks,labels', 5],
    ]
    for (const [include, each] of cases) {
      for (const style of ['page', 'offset', 'cursor'] as const) {
        const most = 2 * each
        const query = `include=${include}&${STYLES[style]}`
        t.equal((await (await serverOf(t, orm, { maxIncluded: most })).projects.get(query)).items.length, 2,
          `${query}: as many as allowed`)
        const refused = await (await serverOf(t, orm, { maxIncluded: most - 1 })).projects.refused(query)
        t.match(refused, {
          statusCode: 400, code: 'FST_CRUD_TOO_LARGE',
          errors: [{ source: { parameter: 'include' }, code: 'FST_CRUD_TOO_LARGE' }],
        }, query)
        t.match(
          refused.detail,
          `With the include '${include === 'tasks,labels' ? 'tasks' : include}' the answer would have more than ${
            most - 1
          } included records. Ask for fewer records at once (${style === 'offset' ? 'limit' : 'per_page'})`
        )
      }
      const { app } = await serverOf(t, orm, { maxIncluded: each })
      t.equal((await app.inject(`/projects/1?include=${include}`)).statusCode, 200)
      const one = await (await serverOf(t, orm, { maxIncluded: each - 1 })).app.inject(`/projects/1?include=${include}`)
      t.match(one.json(), { code: 'FST_CRUD_TOO_LARGE', errors: [{ source: { parameter: 'include' } }] },
        `one record with ${include}`)
      t.notMatch(one.body, 'per_page')
    }
  })

  t.test('the error says that a server may limit a relation to several records', async (t) => {
    const { projects } = await serverOf(t, orm, { maxIncluded: 1 })
    const hint = 'A server may limit the related records of each record (the option limit of AllowedInclude).'
    t.match((await projects.refused('include=labels.projects')).detail, hint)
    const tasks = resource(Task, { allowedIncludes: ['project'], pagination: { maxIncluded: 1 } })
    const { detail } = await client(await serve(t, orm, { '/tasks': tasks }), '/tasks').refused('include=project')
    t.match(detail, /^With the include 'project' the answer would have more than 1 included records\./)
    t.notMatch(detail, 'AllowedInclude')
  })

  t.test('small records are counted, too, if their length alone does not prove that the answer fits', async (t) => {
    const { projects } = await serverOf(t, orm, { maxIncluded: 6 })
    t.strictSame((await projects.get('fields=id&include=tasks&fields[tasks]=id&per_page=2')).items[1].tasks, [
      { id: 4 }, { id: 5 }, { id: 6 },
    ])
    await projects.refused('fields=id&include=tasks&fields[tasks]=id&per_page=3')
  })

  t.test('limits of an include bound the number of records', async (t) => {
    const { projects } = await serverOf(t, orm, { maxIncluded: 8, maxPerPage: 4 }, [
      new AllowedInclude('tasks', { limit: 2 }),
    ])
    t.equal((await projects.get('include=tasks')).items[3].tasks.length, 2)
    await (await serverOf(t, orm, { maxIncluded: 7, maxPerPage: 4 }, [new AllowedInclude('tasks', { limit: 2 })]))
      .projects.refused('include=tasks')
  })

  t.test('a limit of 0 allows no included records', async (t) => {
    const { projects } = await serverOf(t, orm, { maxIncluded: 0 })
    t.equal((await projects.get('per_page=2')).items.length, 2)
    await projects.refused('include=labels')
    t.strictSame((await projects.get('include=labels&page=9')).items, [], 'a page of nothing is a page')
    t.strictSame((await projects.get('include=labels.projects&page=9')).items, [])
  })

  t.test('the limit of bytes covers all records', async (t) => {
    const length =
      (await (await serverOf(t, orm, {})).app.inject('/projects?per_page=4&fields=id,name,notes')).body.match(
        /"items":\[(.*)\]/
      )![1]!.length
    const ask = async (maxBytes: number, query: string) =>
      (await (await serverOf(t, orm, { maxBytes, count: 'none' })).app.inject(`/projects?${query}`)).json()
    t.equal((await ask(length, 'per_page=4&fields=id,name,notes')).items.length, 4)
    t.match(await ask(length - 1, 'per_page=4&fields=id,name,notes'), {
      statusCode: 400, code: 'FST_CRUD_TOO_LARGE', errors: [{ source: { parameter: 'per_page' } }],
    })
    t.match(await ask(10, 'limit=4'), {
      detail:
        'The answer would have more than 10 bytes. Ask for fewer records at once (limit) or fewer fields (fields).',
      errors: [{ source: { parameter: 'limit' } }],
    })
    t.match(await ask(10, 'cursor=&per_page=4'), { errors: [{ source: { parameter: 'per_page' } }] })
    t.match((await (await serverOf(t, orm, { maxBytes: 10 })).app.inject('/projects/1')).json(), {
      errors: [{ source: { parameter: 'fields' } }],
    })
    t.match((await (await serverOf(t, orm, { maxBytes: 10 })).app.inject('/projects/1?include=tasks')).json(), {
      errors: [{ source: { parameter: 'include' } }],
    })
  })

  t.test('long values are not read if they exceed the limit, and complete if they do not', async (t) => {
    await orm.em.getConnection().execute("update project set notes = repeat('äöü\"', 20000) where id = 2")
    await orm.em.getConnection().execute(
      "update project set settings = json_build_object('text', (select string_agg(md5(i::text), '') " +
        'from generate_series(1, 3000) as i)) where id = 3'
    )
    await orm.em.getConnection().execute("update task set body = repeat('x', 90000) where id = 1")
    const [notes, settings] = ['äöü"'.repeat(20_000), 96_000]
    for (const style of ['page', 'offset', 'cursor'] as const) {
      const { projects } = await serverOf(t, orm, { maxBytes: 500_000, maxPerPage: 100 })
      const { items } = await projects.get(STYLES[style].replace('=2', '=4'))
      t.equal(items[1].notes, notes, 'longer than its share of a page')
      t.equal(items[2].settings.text.length, settings)
      t.equal((await projects.get(`include=tasks&${STYLES[style]}`)).items[0].tasks[0].body.length, 90_000)
      const { projects: narrow } = await serverOf(t, orm, { maxBytes: 100_000 })
      for (const query of [
        'fields=notes', 'fields=settings', 'fields=id&include=tasks', 'fields=id&include=tasks&fields[tasks]=body',
      ]) {
        const asked = `${query}&${STYLES[style].replace('=2', '=4')}`
        if (query === 'fields=notes' || query === 'fields=id&include=tasks') continue
        t.ok((await narrow.get(asked)).items, `${asked} is within`)
      }
      t.match(await narrow.refused(`fields=notes&${STYLES[style]}`), { code: 'FST_CRUD_TOO_LARGE' },
        'a text of 140 000 bytes')
    }
    const { app } = await serverOf(t, orm, { maxBytes: 200_000 })
    t.equal((await app.inject('/projects/2')).json().notes, notes)
    t.equal((await (await serverOf(t, orm, { maxBytes: 100_000 })).app.inject('/projects/2')).statusCode, 400)
  })

  t.test('a value that equals a mark is shown', async (t) => {
    await orm.em.getConnection().execute("update project set notes = 'say @fastify-crud-kit/too-long' where id = 1")
    const { projects, app } = await serverOf(t, orm, {})
    t.equal((await projects.get('per_page=1')).items[0].notes, 'say @fastify-crud-kit/too-long')
    t.equal((await projects.get('cursor=&per_page=1')).items[0].notes, 'say @fastify-crud-kit/too-long')
    t.equal((await app.inject('/projects/1?include=tasks')).json().notes, 'say @fastify-crud-kit/too-long')
  })

  t.test("the caller's transaction continues after an answer that is too large", async (t) => {
    const crud = resource(Project, { allowedIncludes: INCLUDES, pagination: { maxIncluded: 3 } }) as CrudBase<any>
    await orm.em.fork().transactional(async (em) => {
      await t.rejects(crud.list(em, parseQueryParams('include=labels.projects')), { code: 'FST_CRUD_TOO_LARGE' })
      await t.rejects(crud.get(em, 1, parseQueryParams('include=tasks,labels')), { code: 'FST_CRUD_TOO_LARGE' })
      t.equal((await crud.list(em, parseQueryParams(''))).items.length, 4)
    })
  })
})
