/** Rows that are limited by the columns of related rows: what the condition reads is shown as its own rule says. */
import t, { type Test } from 'tap'
import type { RoleRules } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { entities, memberWith, seed } from './fixtures.ts'

const titles = ({ body }: { readonly body: any }): string[] => body.items.map(({ title }: any) => title).sort()
const OF_APOLLO = ['Land', 'Land', 'Launch', 'Launch']

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const serve = (t: Test, rules: RoleRules) => memberWith(t, orm, rules)
  const rows = { project: { name: 'Apollo' } }

  t.test('a column that the condition reads can be filtered and sorted by', async (t) => {
    const send = await serve(t, { Task: { rows }, Project: true })
    t.strictSame(titles(await send('GET', '/tasks?filter[project.name]=Apollo&sort=project.name')), OF_APOLLO)
    t.strictSame(titles(await send('GET', '/tasks?filter[project.name]=Gemini&filter[trashed]=with')), [])
    t.match((await send('GET', '/tasks/1?include=project')).body, { project: { name: 'Apollo' } })
  })

  t.test('only the rule of the related entity hides it, and the condition holds all the same', async (t) => {
    const hiding: readonly RoleRules[] = [
      { Task: { rows }, Project: { hidden: ['name'], operations: ['list'] } },
      { Task: { rows } },
    ]
    for (const rules of hiding) {
      const send = await serve(t, rules)
      t.strictSame(titles(await send('GET', '/tasks')), OF_APOLLO)
      t.equal((await send('GET', '/tasks?filter[project.name]=Apollo')).status, 400)
      t.equal((await send('GET', '/tasks?sort=project.name')).status, 400)
      const record = (await send('GET', '/tasks/1')).body
      t.equal('project' in record, rules === hiding[0], 'a relation to an entity without a rule does not exist')
      t.notMatch(JSON.stringify(record), /Apollo/)
    }
  })

  t.test('the condition reads related rows that the role does not see, and filters do not', async (t) => {
    const send = await serve(t, { Task: { rows }, Project: { rows: { tenant: 2 } } })
    t.strictSame(titles(await send('GET', '/tasks')), OF_APOLLO)
    t.strictSame(titles(await send('GET', '/tasks?filter[project.name]=Apollo')), ['Land', 'Launch'])
    t.match((await send('GET', '/tasks/1?include=project')).body, { project: null })
  })

  t.test('a negation inside of a condition on related rows is about the related rows', async (t) => {
    const ids = ({ body }: { readonly body: any }): number[] => body.items.map(({ id }: any) => id).sort()
    const cases: ReadonlyArray<readonly [entity: 'Task' | 'Project', rows: object, ids: readonly number[]]> = [
      ['Task', { project: { $not: { id: 1 } } }, [4, 5]],
      ['Task', { project: { $not: { id: 1, name: 'Apollo' } } }, [4, 5]],
      ['Task', { $not: { project: { $not: { id: 1 } } } }, [1, 2]],
      ['Project', { tasks: { $every: { id: { $lt: 2 } } } }, [2, 4]],
      ['Project', { tasks: { $none: { $not: { id: 1 } } } }, [2, 4]],
      ['Project', { tasks: { $some: { project: { $not: { id: 3 } } } } }, [1]],
      ['Project', { labels: { $every: { id: { $gt: 2 } } } }, [2, 3, 4]],
      ['Project', { labels: { $every: { name: ['red', 'blue'] } } }, [1, 2, 3, 4]],
      ['Project', { labels: { $every: { $not: { id: 1 } } } }, [2, 3, 4]],
      ['Project', { labels: { $some: { $not: { name: 'red' } } } }, [1, 3]],
      ['Project', { labels: { $not: { id: [1, 2] } } }, [3]],
      ['Project', { labels: { $or: [{ id: 1 }, { $not: { tenant: 1 } }] } }, [1, 3]],
    ]
    for (const [entity, rows, expected] of cases) {
      const send = await serve(t, { [entity]: { rows, ...entity === 'Project' && { hidden: ['status'] } }, '*': true })
      t.strictSame(ids(await send('GET', entity === 'Task' ? '/tasks' : '/projects')), expected, JSON.stringify(rows))
    }
  })

  t.test('a row without a related row passes a condition that null fulfils, unless the key is compared', async (t) => {
    await orm.em.fork().execute('insert into task (tenant, title, note, effort) values (1, \'Alone\', \'\', 0)')
    t.teardown(() => orm.em.fork().execute('delete from task where title = \'Alone\''))
    const isFirst = { project: { parent: null } }
    const cases: ReadonlyArray<readonly [rows: object, titles: readonly string[]]> = [
      [isFirst, ['Alone', ...OF_APOLLO]],
      [{ $and: [{ project: { $ne: null } }, isFirst] }, OF_APOLLO],
    ]
    for (const [rows, expected] of cases) {
      const send = await serve(t, { Task: { rows }, Project: true })
      t.strictSame(titles(await send('GET', '/tasks')), expected)
    }
  })

  t.test('a role that may change the column decides which rows it sees', async (t) => {
    const send = await serve(t, { Task: { rows }, Project: true })
    const { body: { id } } = await send('POST', '/projects', { tenant: 1, name: 'Skylab' })
    t.equal((await send('POST', '/tasks', { tenant: 1, title: 'Dock', project: id })).status, 403)
    t.equal((await send('PATCH', `/projects/${id}`, { name: 'Apollo' })).status, 200)
    const { status, body } = await send('POST', '/tasks', { tenant: 1, title: 'Dock', project: id })
    t.equal(status, 201)
    t.equal((await send('PATCH', `/projects/${id}`, { name: 'Skylab' })).status, 200)
    t.equal((await send('GET', `/tasks/${body.id}`)).status, 404)
    await orm.em.fork().execute(`delete from task where id = ${body.id}`)
    await orm.em.fork().execute(`delete from project where id = ${id}`)
  })
})
