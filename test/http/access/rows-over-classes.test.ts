/** Rows that are limited by related rows of single-table inheritance: those of subclasses count, too. */
import { BaseEntity, defineEntity, p } from '@mikro-orm/core'
import t, { type Test } from 'tap'
import { AllowedInclude, CrudBase, type CrudKitOptions, type RoleRules } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { memberWith } from './fixtures.ts'

const id = { id: p.integer().primary().autoincrement() }
// its name begins with the letter of the aliases in statements, and the class that it extends is no entity
const Employee = defineEntity({
  name: 'Employee', extends: BaseEntity as never, discriminatorColumn: 'kind', discriminatorValue: 'employee',
  properties: {
    ...id, barred: p.boolean().nullable(), tasks: () => p.oneToMany(Task).mappedBy('owner'),
    teams: () => p.manyToMany(Team).mappedBy('members'),
  },
})
const Chief = defineEntity({ name: 'Chief', extends: Employee, discriminatorValue: 'chief', properties: {} })
const Owner = defineEntity({ name: 'Owner', extends: Chief, discriminatorValue: 'owner', properties: {} })
const Team = defineEntity({
  name: 'Team',
  properties: {
    ...id,
    members: () => p.manyToMany(Employee).owner(),
    chief: () => p.manyToOne(Chief).nullable(),
    tasks: () => p.oneToMany(Task).mappedBy('team'),
  },
})
const Task = defineEntity({
  name: 'Task',
  properties: { ...id, owner: () => p.manyToOne(Employee).nullable(), team: () => p.manyToOne(Team).nullable() },
})

const resource = (model: unknown, ...includes: string[]) => ({
  crud: new CrudBase<any>({
    model: model as never,
    writable: 'all',
    queryConfig: { allowedIncludes: includes.map((path) => new AllowedInclude(path)) },
  }),
  operations: ['list', 'get', 'create'] as const,
})
const resources: CrudKitOptions['resources'] = {
  '/tasks': resource(Task), '/teams': resource(Team, 'tasks', 'members'), '/employees': resource(Employee, 'tasks'),
}

await forEachDatabase(t, {
  entities: [Employee, Chief, Owner, Team, Task],
  seed: async (em) => {
    for (const [index, model] of [Employee, Employee, Chief, Chief, Owner, Owner].entries()) {
      const owner = em.create(model as typeof Employee, { barred: index % 2 === 0 } as never)
      const team = em.create(Team, { chief: index < 2 ? null : owner } as never)
      em.create(Task, { owner, team } as never)
      await em.flush()
    }
    em.create(Task, {} as never)
    await em.execute('insert into team_members select id, id from team')
  },
}, async (t, { orm }) => {
  const serve = (t: Test, rules: RoleRules) => memberWith(t, orm, rules, { resources, shared: ['Task', 'Team'] })
  const ids = ({ body }: { readonly body: any }): number[] => body.items.map(({ id }: any) => id).sort()

  // the people, their tasks and their teams have the same numbers, and those with an odd one are barred
  for (const [entity, rows, expected] of [
    ['Task', { owner: { barred: false } }, [2, 4, 6]],
    ['Task', { owner: { barred: { $ne: true } } }, [2, 4, 6]],
    ['Task', { $not: { owner: { barred: true } } }, [2, 4, 6]],
    // a row without a related row passes a condition that null fulfils
    ['Task', { owner: { barred: null } }, [7]],
    ['Task', { $or: [{ owner: { barred: false } }, { owner: null }] }, [2, 4, 6, 7]],
    ['Task', { team: { members: { barred: false } } }, [2, 4, 6]],
    ['Task', { team: { chief: { barred: false } } }, [4, 6]],
    ['Team', { members: { $none: { barred: true } } }, [2, 4, 6]],
    ['Team', { members: { $every: { barred: false } } }, [2, 4, 6]],
    ['Team', { members: { $some: { barred: true } } }, [1, 3, 5]],
    ['Team', { members: { barred: false } }, [2, 4, 6]],
    ['Team', { chief: { barred: true } }, [3, 5]],
    ['Team', { tasks: { $some: { owner: { barred: true } } } }, [1, 3, 5]],
    ['Employee', { teams: { members: { $none: { barred: true } } } }, [2, 4, 6]],
  ] as const) {
    t.test(`${entity}: ${JSON.stringify(rows)}`, async (t) => {
      const send = await serve(t, { [entity]: { rows }, '*': true })
      t.strictSame(ids(await send('GET', `/${entity.toLowerCase()}s`)), expected)
    })
  }

  t.test('they limit included rows and new ones', async (t) => {
    const send = await serve(t, { Task: { rows: { owner: { barred: false } } }, '*': true })
    for (const path of ['/teams', '/employees']) {
      const { status, body } = await send('GET', `${path}?include=tasks`)
      t.equal(status, 200, path)
      t.strictSame(body.items.map(({ tasks }: any) => tasks.map(({ id }: any) => id)), [[], [2], [], [4], [], [6]])
    }
    for (const [owner, status] of [[3, 403], [4, 201], [5, 403]]) {
      t.equal((await send('POST', '/tasks', { owner })).status, status, `the task of ${owner}`)
    }
  })
})
