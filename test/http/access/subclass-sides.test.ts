/** Relations to a class and to its subclass by the same key: which of them a rule hides. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedInclude, CrudBase, type CrudKitOptions, type RoleRules } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { roleOf, sender, serveWith } from './fixtures.ts'
import { entity } from '../../helpers/entity.ts'

const id = { id: p.integer().primary().autoincrement() }
const Project = entity('Project', {
  ...id, tasks: () => p.oneToMany(Task).mappedBy('project'), bugs: () => p.oneToMany(Bug).mappedBy('project'),
})
const Task = entity('Task', { ...id, project: () => p.manyToOne(Project).nullable() }, {
  discriminatorColumn: 'kind',
  discriminatorValue: 'task',
})
const Bug = entity('Bug', {}, { extends: Task, discriminatorValue: 'bug' })

const resource = (model: unknown, includes: readonly string[]): CrudBase =>
  new CrudBase<any>({
    model: model as never, writable: 'all',
    queryConfig: { allowedIncludes: includes.map((name) => new AllowedInclude(name)) },
  })
const resources: CrudKitOptions['resources'] = {
  '/projects': resource(Project, ['tasks', 'bugs']),
  '/tasks': resource(Task, ['project']),
  '/bugs': resource(Bug, ['project']),
}

await forOneDatabase(t, {
  entities: [Project, Task, Bug],
  seed: async (em) => {
    const project = em.create(Project, {})
    em.create(Task, { project })
    await em.flush()
    em.create(Bug, { project })
  },
}, async (t, { orm }) => {
  /** For each resource, the properties of a record that show links, and includes that are refused. */
  const shown = async (t: Parameters<typeof serveWith>[0], rules: RoleRules): Promise<object> => {
    const shared = ['Project', 'Task', 'Bug']
    const access = { role: roleOf, roles: { member: rules } }
    const send = sender(await serveWith(t, orm, { access, resources, shared }))
    const includes = async (url: string, names: readonly string[]): Promise<string[]> => {
      const found: string[] = []
      for (const name of names) {
        const { status, body } = await send('GET', `${url}?include=${name}`)
        if (status !== 400) found.push(`${name}: ${JSON.stringify([body[name]].flat().map(({ id }: any) => id))}`)
        if (name === 'project' && status === 400) t.notOk('project' in (await send('GET', url)).body, url)
      }
      return found
    }
    return {
      project: await includes('/projects/1', ['tasks', 'bugs']),
      task: await includes('/tasks/1', ['project']),
      bugAsTask: await includes('/tasks/2', ['project']),
      bug: await includes('/bugs/2', ['project']),
    }
  }
  const all = {
    project: ['tasks: [1,2]', 'bugs: [2]'], task: ['project: [1]'], bugAsTask: ['project: [1]'], bug: ['project: [1]'],
  }
  const none = { project: [], task: [], bugAsTask: [], bug: [] }

  t.test('without such a rule, all sides show the links', async (t) => {
    t.strictSame(await shown(t, { Project: true, Task: true }), all)
  })

  for (const rules of [
    { Project: { hidden: ['tasks'] }, Task: true },
    { Project: true, Task: { hidden: ['project'] } },
  ] as const satisfies readonly RoleRules[]) {
    t.test(`a hidden relation to the base hides that to the subclass: ${JSON.stringify(rules)}`, async (t) => {
      t.strictSame(await shown(t, rules), none)
    })
  }

  t.test('a hidden relation to the subclass leaves that to the base, which shows the same records', async (t) => {
    t.strictSame(await shown(t, { Project: { hidden: ['bugs'] }, Task: true }), {
      ...all, project: ['tasks: [1,2]'], bug: [],
    })
    t.strictSame(await shown(t, { Project: { only: ['id', 'tasks'] }, Task: true }), {
      ...all,
      project: ['tasks: [1,2]'],
    })
  })
})
