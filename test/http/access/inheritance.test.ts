/** Single-table inheritance: a rule for a class is a rule for the rows of its subclasses. */
import { defineEntity, p } from '@mikro-orm/core'
import t, { type Test } from 'tap'
import { AllowedFilters, CrudBase, type CrudKitOptions, type RoleRules } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { memberWith, tenantOf } from './fixtures.ts'

const Task = defineEntity({
  name: 'Task', discriminatorColumn: 'kind', discriminatorValue: 'task',
  properties: {
    id: p.integer().primary().autoincrement(),
    tenant: p.integer(),
    kind: p.string().default('task'),
    note: p.string().default(''),
  },
})
const Bug = defineEntity({
  name: 'Bug', extends: Task, discriminatorValue: 'bug', properties: { severity: p.integer().default(1) },
})
const Crash = defineEntity({ name: 'Crash', extends: Bug, discriminatorValue: 'crash', properties: {} })

const resource = (model: unknown) => ({
  crud: new CrudBase<any>({
    model: model as never, writable: 'all', queryConfig: { allowedFilters: [AllowedFilters.exact('note')] },
  }),
  operations: ['list', 'get', 'create', 'update'] as const,
})
const resources: CrudKitOptions['resources'] = {
  '/tasks': resource(Task), '/bugs': resource(Bug), '/crashes': resource(Crash),
}
const rows = { rows: (request: Parameters<typeof tenantOf>[0]) => ({ tenant: tenantOf(request) }) }
const limited = { ...rows, hidden: ['note'] }

await forOneDatabase(t, {
  entities: [Task, Bug, Crash],
  seed: async (em) => {
    for (const tenant of [1, 2]) {
      em.create(Task, { tenant, note: 'a' })
      em.create(Bug, { tenant, note: 'b', severity: 3 })
      em.create(Crash, { tenant, note: 'c', severity: 4 })
      await em.flush()
    }
  },
}, async (t, { orm }) => {
  const serve = (t: Test, rules: RoleRules) =>
    memberWith(t, orm, rules, { resources, shared: ['Task', 'Bug', 'Crash'] })

  t.test('a subclass without a rule has the rule of its base, before that of *', async (t) => {
    const send = await serve(t, { Task: { ...rows, hidden: ['note', 'severity'] }, '*': true })
    for (const [url, ids] of [['/tasks', [1, 2, 3]], ['/bugs', [2, 3]], ['/crashes', [3]]] as const) {
      const { status, body } = await send('GET', url)
      t.equal(status, 200, url)
      t.strictSame(body.items.map(({ id }: { id: number }) => id).sort(), ids, url)
      for (const item of body.items) t.strictSame(Object.keys(item), ['id', 'tenant', 'kind'], url)
      t.equal((await send('GET', `${url}?filter[note]=c`)).status, 400, url)
      t.equal((await send('PATCH', `${url}/6`, {})).status, 404, url)
    }
    t.equal((await send('POST', '/bugs', { tenant: 2 })).status, 403)
    t.equal((await send('POST', '/bugs', { severity: 2 })).status, 400)
  })

  t.test('a subclass of an entity that the role may not use is refused, too', async (t) => {
    const send = await serve(t, { Task: false, Bug: limited, '*': true })
    t.equal((await send('GET', '/tasks')).status, 403)
    const { body } = await send('GET', '/crashes')
    t.match(body.items, [{ id: 3 }])
    t.equal(body.items.length, 1)
    t.notOk('note' in body.items[0])
    const closed = await serve(t, { Task: false, '*': true })
    for (const url of ['/tasks', '/bugs', '/crashes']) t.equal((await closed('GET', url)).status, 403, url)
  })

  t.test('a subclass alone needs no rule for its base', async (t) => {
    const send = await serve(t, { Bug: limited })
    t.equal((await send('GET', '/tasks')).status, 403)
    t.equal((await send('GET', '/bugs')).body.items.length, 2)
  })

  t.test('a new row has the class of its resource, whatever class the rows of the role have', async (t) => {
    const paths = ['/tasks', '/bugs', '/crashes']
    for (const [kinds, statuses] of [
      [{ kind: 'task' }, [201, 403, 403]],
      [{ kind: 'bug' }, [403, 201, 403]],
      [{ tenant: 3, kind: { $eq: 'crash' } }, [403, 403, 201]],
      [{ kind: { $in: ['bug', 'crash'] } }, [403, 201, 201]],
    ] as const) {
      const send = await serve(t, { '*': { rows: () => kinds } })
      for (const [index, path] of paths.entries()) {
        const { status, body } = await send('POST', path, { tenant: 3 })
        t.equal(status, statuses[index], `${JSON.stringify(kinds)} ${path}`)
        if (status === 201) t.equal((await send('PATCH', `${path}/${body.id}`, { note: 'n' })).status, 200)
      }
    }
  })

  t.test('a hook that names another class changes nothing about that', async (t) => {
    class Named extends CrudBase<any> {
      override beforeCreate = (data: object) => ({ ...data, kind: 'bug' })
    }
    const crud = new Named({ model: Task, writable: 'all' })
    for (const kind of ['task', 'bug']) {
      const scoped = { '/tasks': { crud, operations: ['create', 'createMany'] as const, scope: () => ({ kind }) } }
      const send = await memberWith(t, orm, true, { resources: scoped, shared: [] })
      for (const body of [{ tenant: 3 }, [{ tenant: 3 }, { tenant: 3 }]]) {
        const { status, body: answer } = await send('POST', '/tasks', body)
        t.equal(status, kind === 'task' ? 201 : 403, JSON.stringify(answer))
        if (kind === 'task') t.match(answer, Array.isArray(body) ? [{ kind }, { kind }] : { kind })
      }
    }
  })

  for (const [what, rules, message] of [
    ['true and false', { Task: true, Bug: false }, /names Bug and Task, with different rules/],
    ['true and rows', { Task: true, Bug: limited }, /names Bug and Task/],
    ['rows and true', { Task: limited, Bug: true }, /names Bug and Task/],
    ['rules of grandparents', { Task: true, Crash: limited }, /names Crash and Task/],
    ['a limit that * lifts', { Bug: limited, '*': true },
      /names Bug, and '\*' stands for Task, .* their rows share a table\. .* only the subclasses beside Task: false/],
  ] as const) {
    t.test(`different rules for the same rows are refused: ${what}`, async (t) => {
      await t.rejects(serve(t, rules), { code: 'FST_CRUD_CONFIG_INVALID', message })
    })
  }

  t.test('equal rules may stand side by side', async (t) => {
    const send = await serve(t, { Task: limited, Bug: { ...limited }, '*': false })
    t.equal((await send('GET', '/bugs')).body.items.length, 2)
    await serve(t, { Task: true, Bug: true })
    await serve(t, { Bug: true, '*': limited })
  })
})
