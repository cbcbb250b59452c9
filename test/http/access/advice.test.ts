/** Warnings at start-up about entities of which a role may use all rows. */
import Fastify from 'fastify'
import type { MikroORM } from '@mikro-orm/postgresql'
import t, { type Test } from 'tap'
import { crudKit, type AccessOptions, type CrudKitOptions, type CrudRoutesOptions } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { entities, ownRows, roleOf, seed, tasks } from './fixtures.ts'

async function warningsOf (
  t: Test,
  orm: MikroORM,
  roles: AccessOptions['roles'],
  options: Partial<CrudKitOptions> = {},
  route: Partial<CrudRoutesOptions> = {}
): Promise<string[]> {
  const lines: string[] = []
  const app = Fastify({
    logger: { level: 'warn', stream: { write: (line: string) => lines.push(JSON.parse(line).msg) } },
  })
  t.teardown(() => app.close())
  await app.register(crudKit, {
    orm, indexAdvice: false, resources: { '/tasks': { crud: tasks, ...route } }, access: { role: roleOf, roles },
    ...options,
  })
  await app.ready()
  return lines
}

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('name the entities, with the ways to their rows', async (t) => {
    const [warning, ...more] = await warningsOf(t, orm, { member: { Task: ownRows, Project: { hidden: ['owner'] } } })
    t.match(warning, /^The role 'member' may use only some rows of \/tasks, but all rows of other entities/)
    t.match(warning, /Project \(include=project, .*'project' in bodies\)/)
    t.match(warning, /Give them 'rows' in access.roles.member: Project\..*write rows: \{\}.*shared: \['Project'\]/)
    t.strictSame(more, [])
    t.notMatch(warning, /User/, 'a relation that the role does not see leads nowhere')
  })

  t.test('a scope limits rows, too', async (t) => {
    const [warning] = await warningsOf(t, orm, { member: { Task: {}, Project: {} } }, {}, {
      scope: () => ({ tenant: 1 }),
    })
    t.match(warning, /^The role 'member'/)
  })

  t.test('a rule without rows for an entity that no other resource leads to', async (t) => {
    const [warning, ...more] = await warningsOf(t, orm, {
      member: { Task: ownRows, Project: ownRows, Label: { operations: ['list'] }, Country: { operations: ['list'] } },
    })
    t.equal(
      warning,
      "The role 'member' may use all rows of Label, which has 'tenant' like the entities whose rows its rules limit: " +
        "Task, Project. Give access.roles.member.Label 'rows'. If the role may use all rows, write rows: {}. " +
        "If all clients may, set crudKit's option shared: ['Label']."
    )
    t.strictSame(more, [])
  })

  t.test("a rule without rows for '*'", async (t) => {
    const warnings = await warningsOf(t, orm, {
      member: { Task: ownRows, Project: ownRows, User: ownRows, '*': { operations: ['list'] } },
    })
    t.strictSame(warnings.map((warning) => /all rows of (\w+)/.exec(warning)![1]), ['Label'])
  })

  t.test('the entity that the property refers to does not need it', async (t) => {
    const roles = { User: { rows: { id: 1 } }, Project: {}, Task: true }
    const [warning] = await warningsOf(t, orm, { member: roles })
    t.match(warning, "all rows of Project, which has 'tenant' and 'owner' like the entities")
    const others = { ...roles, Country: { rows: { population: 9 } } }
    t.strictSame(await warningsOf(t, orm, { member: others }), [], 'Country has neither')
  })

  for (const [what, roles, options] of [
    ['rows: {} of an entity', { member: { Task: ownRows, Project: ownRows, Label: { rows: {} } } }],
    ['rows: {} of all entities with rows', { member: { Task: { rows: {} }, Label: { operations: ['list'] } } }],
    ['true', { member: { Task: ownRows, Project: ownRows, Label: true } }],
    ['false', { member: { Task: ownRows, Project: ownRows, Label: false, '*': true } }],
    ['a shared entity', { member: { Task: ownRows, Project: ownRows, Label: {} } }, { shared: ['Label'] }],
    ['a resource with a scope', { member: { Project: ownRows, Task: {} } }, {
      resources: { '/tasks': { crud: tasks, scope: () => ({ tenant: 1 }) } },
    }],
    ['rows of the other entity', { member: { Task: ownRows, Project: ownRows } }],
    ['rows: {} of the other entity', { member: { Task: ownRows, Project: { hidden: ['budget', 'owner'], rows: {} } } }],
    ['true for the other entity', { member: { Task: ownRows, Project: { ...ownRows }, User: true } }],
    ['an entity that the role may not use', { member: { Task: ownRows } }],
    ['all rows of the resource', { member: { Task: {}, Project: {} } }],
    ['rows: {} of the resource', { member: { Task: { rows: {} }, Project: {} } }],
    ['a role without limits', { admin: true }],
    ['shared', { member: { Task: ownRows, Project: { hidden: ['owner'] } } }, { shared: ['Project'] }],
  ] as const) {
    t.test(`no warning: ${what}`, async (t) => {
      t.strictSame(await warningsOf(t, orm, roles as never, options), [])
    })
  }
})
