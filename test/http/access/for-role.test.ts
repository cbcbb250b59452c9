/** `forRole`: tests and scripts see what a role sees. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { CrudBase, DatabaseFactory, parseQueryParams, type AccessOptions } from '../../../src/index.ts'
import { forEachDatabase, pgliteUrl } from '../../helpers/databases.ts'
import { access, entities, Project, seed, sender, serveWith, Task, tasks, users } from './fixtures.ts'
import { resource } from '../../helpers/resource.ts'
import { collect } from '../../helpers/collect.ts'

const ALL = parseQueryParams('')
const request = { headers: { 'x-tenant': '2' } } as unknown as FastifyRequest

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serveWith(t, orm)

  t.test('has the records that the routes have', async (t) => {
    const view = tasks.forRole('member', { request })
    const { body } = await sender(app, { tenant: 2 })('GET', '/tasks')
    t.strictSame(await view.list(orm.em.fork(), ALL), body)
    t.equal(await view.listJson(orm.em.fork(), ALL), JSON.stringify(body))
    t.strictSame(await view.get(orm.em.fork(), 4), body.items[0])
    t.equal(await view.get(orm.em.fork(), 1), null)
    t.equal(await view.count(orm.em.fork()), 2)
    t.equal(await view.exists(orm.em.fork(), 1), false)
    t.strictSame(await collect(view.stream(orm.em.fork() as EntityManager)), body.items)
    t.equal(await tasks.forRole('admin').count(orm.em.fork()), 4)
    await t.rejects(view.list(orm.em.fork(), parseQueryParams('sort=note')), { code: 'FST_CRUD_SORT_INVALID' })
  })

  t.test('a query selects the properties that the role sees', async (t) => {
    const view = tasks.forRole('member', { request })
    const found: any[] = await (await view.query(orm.em.fork() as EntityManager, ALL)).getResultList()
    t.strictSame(found.map(({ id, title, project }) => [id, title, project.id]), [[4, 'Land', 3], [5, 'Launch', 3]])
    for (const { note, effort } of found) t.strictSame([note, effort], [undefined, undefined])
    const qb = await view.query(orm.em.fork() as EntityManager, parseQueryParams('sort=-project.name&filter[q]=la'))
    t.notMatch(qb.getQuery(), /note|effort/)
    t.equal(await (await view.query(orm.em.fork() as EntityManager, ALL)).getCount(), 2)
  })

  t.test('writes in the transaction of its EntityManager, which acts for the server afterwards', async (t) => {
    const em = orm.em.fork()
    await em.begin()
    const view = tasks.forRole('member', { request })
    const created = await view.create(em, { title: 'Script' })
    t.equal(created['tenant'], 2)
    t.equal(await view.count(em), 3)
    t.equal(await tasks.count(em), 5)
    await t.rejects(view.update(em, created['id'], { tenant: 1 }), { code: 'FST_CRUD_OUT_OF_SCOPE' })
    await em.rollback()
    t.equal(await view.count(orm.em.fork()), 2)
  })

  t.test('refuses what the role may not use', async (t) => {
    await t.rejects(users.forRole('member').list(orm.em.fork(), ALL), { code: 'FST_CRUD_FORBIDDEN' })
    await t.rejects(tasks.forRole('member').list({} as never, ALL), { message: /takes an EntityManager first/ })
  })

  t.test('refuses roles that do not exist, and resources without rules', async (t) => {
    t.throws(() => tasks.forRole('membr'), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: "CrudBase.forRole: the name is 'membr', which is not a role. Did you mean 'member'?",
    })
    const unknown = new CrudBase<any>({ model: Task })
    t.throws(() => unknown.forRole('member'), { message: /there are no rules for roles/ })
    t.throws(() => tasks.forRole('member', request as never), { message: /there is no option 'headers'/ })
    t.equal(await unknown.forRole('member', { access, request }).count(orm.em.fork()), 2, 'a script passes them')
    await t.rejects(
      unknown.forRole('one', { access: { role: () => '', roles: { one: { Tsk: true } } } }).count(orm.em.fork()),
      { message: /names 'Tsk', which is not an entity of the ORM. Did you mean 'Task'\?/ }
    )
  })

  t.test('a function that reads the request needs one', async (t) => {
    await t.rejects(tasks.forRole('member').list(orm.em.fork(), ALL), {
      message: /'rows' of Task reads 'headers' of the request/,
    })
  })
})

t.test('a synchronous session', async (t) => {
  const database = new DatabaseFactory({ databaseUrl: pgliteUrl(t), entities, useAsync: false })
  t.teardown(() => database.close())
  const engine = database.getEngine()
  const session = database.getSessionMaker(engine)()
  session.executeScript(await engine.orm.schema.getCreateSchemaSQL())
  const crud = resource(Task)
  const projects = resource(Project)
  for (const tenant of [1, 2]) crud.create(session, { title: 'Land', tenant, note: 'moon' })

  t.test('sees what a role sees', async (t) => {
    const view = crud.forRole('member', { access, request })
    t.strictSame(view.list(session, ALL).items, [{ id: 2, tenant: 2, title: 'Land', project: null, deleted_at: null }])
    t.equal(view.get(session, 1), null)
    const created = view.create(session, { title: 'Sync' })
    t.equal(created['tenant'], 2)
    t.throws(() => view.update(session, 1, { title: 'x' }), { code: 'FST_CRUD_NOT_FOUND' })
    t.throws(() => view.update(session, 2, { tenant: 1 }), { code: 'FST_CRUD_OUT_OF_SCOPE' })
    t.throws(() => view.create(session, [] as never), { code: 'FST_ERR_VALIDATION' })
    view.delete(session, created['id'], { hard: true })
    const theirs = projects.create(session, { name: 'Theirs', tenant: 1 })
    t.throws(() => view.create(session, { title: 'x', project: theirs['id'] }), { code: 'FST_CRUD_CONFLICT' })
    t.equal(crud.count(session), 2, 'the session itself acts for the server')
  })

  t.test('cannot wait for rows', async (t) => {
    const waiting: AccessOptions = {
      role: () => 'one',
      roles: { one: { Task: { rows: async () => ({ tenant: 1 }) } } },
    }
    const view = crud.forRole('one', { access: waiting, request })
    for (const call of [() => view.list(session, ALL), () => view.create(session, { title: 'x' })]) {
      t.throws(call, { code: 'FST_CRUD_CONFIG_INVALID', message: /'rows' of Task returns a promise/ })
    }
  })
})
