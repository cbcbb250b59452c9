/** Routes of the application: `request.em` acts for the role of its request. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import t from 'tap'
import { CrudBase, parseQueryParams, withTransaction, type CrudContext } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import {
  countries, entities, projects, roleOf, seed, sender, serveWith, Task, tasks, tenantOf, users,
} from './fixtures.ts'
import { collect } from '../../helpers/collect.ts'

const ALL = parseQueryParams('')

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  /** A server with one route that calls a function. */
  const serve = (call: (request: FastifyRequest) => unknown, options = {}): Promise<FastifyInstance> =>
    serveWith(t, orm, options, (app) => {
      app.get('/own', async (request) => ({ result: await call(request) }))
    })

  t.test('reads', async (t) => {
    const app = await serve(async ({ em }) => ({
      list: (await tasks.list(em, ALL)).items,
      get: await tasks.get(em, 1),
      others: await tasks.get(em, 4),
      count: await tasks.count(em, ALL),
      exists: [await tasks.exists(em, 1), await tasks.exists(em, 4)],
      rows: await (await tasks.query(em, ALL)).getCount(),
      streamed: await collect(tasks.stream(em, ALL)),
    }))
    const { status, body: { result } } = await sender(app)('GET', '/own')
    t.equal(status, 200)
    t.strictSame(Object.keys(result.list[0]), ['id', 'tenant', 'title', 'project', 'deleted_at'])
    t.strictSame(result.list.map(({ tenant }: any) => tenant), [1, 1])
    t.strictSame(result.get, result.list[0])
    t.equal(result.others, null)
    t.equal(result.count, 2)
    t.strictSame(result.exists, [true, false])
    t.equal(result.rows, 2)
    t.strictSame(result.streamed, result.list)
    const admin = await sender(app, { role: 'admin' })('GET', '/own')
    t.equal(admin.body.result.count, 4)
    t.equal(admin.body.result.rows, 4)
    t.equal(admin.body.result.get.note, 'moon')
  })

  t.test('writes', async (t) => {
    const app = await serve(async ({ em }) => {
      const created = await tasks.create(em, { title: 'Own' })
      const updated = await tasks.update(em, created['id'], { title: 'Changed' })
      await tasks.delete(em, created['id'], { hard: true })
      return { created, updated }
    })
    const { body: { result } } = await sender(app, { tenant: 2 })('GET', '/own')
    t.match(result, { created: { tenant: 2, title: 'Own' }, updated: { tenant: 2, title: 'Changed' } })
    t.notOk('note' in result.created)
    for (const call of [
      ({ em }: FastifyRequest) => tasks.create(em, { title: 'x', note: 'hidden' }),
      ({ em }: FastifyRequest) => tasks.list(em, parseQueryParams('sort=note')),
    ]) {
      t.equal((await sender(await serve(call))('GET', '/own')).status, 400)
    }
    const moved = await serve(({ em }) => tasks.update(em, 1, { tenant: 2 }))
    t.equal((await sender(moved)('GET', '/own')).status, 403)
  })

  t.test('the server may set what the role does not see', async (t) => {
    const app = await serve(async ({ em }) => {
      const created = await tasks.create(em, { title: 'Own' }, { values: { note: 'set by the server' } })
      await tasks.delete(em, created['id'])
      return created
    })
    const { body: { result } } = await sender(app)('GET', '/own')
    t.notOk('note' in result)
    t.equal((await tasks.get(orm.em.fork(), result.id, undefined, { includeDeleted: true }))?.['note'],
      'set by the server')
    await tasks.delete(orm.em.fork(), result.id, { hard: true })
  })

  t.test('transactions, forks, and transactions inside of them', async (t) => {
    const countIn = (em: EntityManager) => tasks.count(em, ALL)
    for (const call of [
      ({ em }: FastifyRequest) => em.transactional(countIn as never),
      ({ em }: FastifyRequest) => em.transactional(async (em) => await em.transactional(countIn as never)),
      ({ em }: FastifyRequest) => withTransaction(em, countIn),
      ({ em }: FastifyRequest) => withTransaction(em, async (em) => await withTransaction(em, countIn)),
      ({ em }: FastifyRequest) => countIn(em.fork()),
      ({ em }: FastifyRequest) => countIn(em.fork().fork({ clear: false })),
      async ({ em }: FastifyRequest) => {
        await em.begin()
        const count = await countIn(em)
        await em.rollback()
        return count
      },
    ]) {
      t.equal((await sender(await serve(call as never))('GET', '/own')).body.result, 2, String(call))
    }
  })

  t.test("an EntityManager of the application's own acts for the server", async (t) => {
    const app = await serve(async ({ em, server: { orm } }) => [
      await tasks.count(orm.em.fork(), ALL),
      await em.transactional(async () => await tasks.count(orm.em.fork({ keepTransactionContext: true }), ALL)),
    ])
    t.strictSame((await sender(app, { role: 'guest' })('GET', '/own')).body.result, [4, 4])
  })

  t.test('an entity or an operation that the role may not use is refused', async (t) => {
    for (const call of [
      ({ em }: FastifyRequest) => users.list(em, ALL),
      ({ em }: FastifyRequest) => users.get(em, 1),
      ({ em }: FastifyRequest) => users.create(em, { name: 1 as never }),
      ({ em }: FastifyRequest) => users.query(em, ALL),
      ({ em }: FastifyRequest) => collect(users.stream(em, ALL)),
      ({ em }: FastifyRequest) => countries.create(em, {}),
      ({ em }: FastifyRequest) => countries.update(em, 'AT', { name: 'x' }),
      ({ em }: FastifyRequest) => countries.delete(em, 'AT'),
      ({ em }: FastifyRequest) => countries.createMany(em, []),
    ]) {
      const { status, body } = await sender(await serve(call))('GET', '/own')
      t.strictSame([status, body.code], [403, 'FST_CRUD_FORBIDDEN'], String(call))
    }
    const unknown = await sender(await serve(({ em }) => tasks.count(em, ALL)), { role: 'stranger' })('GET', '/own')
    t.equal(unknown.status, 403)
  })

  t.test('the role is asked for when it is first needed, once', async (t) => {
    let calls = 0
    const access = {
      role: async (request: FastifyRequest) => {
        calls++
        return await Promise.resolve(roleOf(request))
      },
      roles: {
        member: { Task: { rows: (request: FastifyRequest) => ({ tenant: tenantOf(request) }) }, Project: true },
      },
    }
    const app = await serve(
      async ({ em, query }) =>
        'none' in (query as object) ? 0 : (await Promise.all([tasks.count(em, ALL), tasks.count(em, ALL)])).length,
      { access }
    )
    const send = sender(app)
    t.equal((await send('GET', '/own')).body.result, 2)
    t.equal(calls, 1)
    t.equal((await send('GET', '/own?none')).body.result, 0)
    t.equal(calls, 1)
  })

  t.test('a generated route asks again after all hooks of the application', async (t) => {
    const who = new WeakMap<FastifyRequest, string>()
    const findUser = async (request: FastifyRequest): Promise<void> => {
      const found = await users.list(request.em, parseQueryParams('filter[name]=Ann'))
      t.strictSame(Object.keys(found.items[0]!), ['id', 'name'])
      who.set(request, 'member')
    }
    const app = await serveWith(t, orm, {
      access: {
        role: (request) => who.get(request) ?? 'nobody',
        roles: { nobody: { User: { only: ['id', 'name'] } }, member: { Task: { rows: { tenant: 1 } } } },
      },
      resources: { '/tasks': { crud: tasks, hooks: { list: { preValidation: findUser } } } },
    })
    const { status, body } = await sender(app)('GET', '/tasks')
    t.equal(status, 200)
    t.strictSame(body.items.map(({ tenant }: any) => tenant), [1, 1])
    t.equal((await sender(app)('GET', '/tasks/1')).status, 403, 'without the hook it is nobody')
  })

  t.test('hooks of a CRUD class act for the role, too', async (t) => {
    const seen: unknown[] = []
    class Tasks extends CrudBase<any> {
      override async beforeUpdate (id: unknown, data: Record<string, any>, { em }: CrudContext) {
        seen.push(await projects.get(em, 1), await projects.get(em, 3))
        return { ...data, note: 'by the hook' }
      }
    }
    const app = await serveWith(t, orm, { resources: { '/tasks': new Tasks({ model: Task, writable: 'all' }) } })
    const { status, body } = await sender(app)('PATCH', '/tasks/1', { title: 'Land' })
    t.equal(status, 200)
    t.notOk('note' in body)
    t.notOk('budget' in (seen[0] as object))
    t.equal(seen[1], null)
    await orm.em.fork().execute("update task set note = 'moon' where id = 1")
  })

  t.test('overridden methods of a CRUD class act for the role, too', async (t) => {
    class Tasks extends CrudBase<any> {
      override list (em: any, params: any, options: any): any {
        return this.#marked(em, params, options)
      }

      async #marked (em: any, params: any, options: any): Promise<any> {
        const page = await super.list(em, params, options)
        return { ...page, mine: true }
      }
    }
    const app = await serveWith(t, orm, { resources: { '/tasks': new Tasks({ model: Task, writable: 'all' }) } })
    const { body } = await sender(app)('GET', '/tasks')
    t.equal(body.mine, true)
    t.equal(body.total, 2)
    t.notOk('note' in body.items[0])
  })
})
