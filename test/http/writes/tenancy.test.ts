import { p } from '@mikro-orm/core'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import {
  AllowedFilters, AllowedInclude, AllowedSort, CrudBase, QueryBuilderConfig, type CrudRoutesOptions,
} from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { bodyOf, select, serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

/** People of a tenant. A MikroORM filter separates them in every relation. */
const Member = entity('Member', {
  id: p.integer().primary().autoincrement(), tenant: p.integer(), name: p.string(),
  tickets: () => p.oneToMany(Ticket).mappedBy('assignee'),
}, { filters: { tenant: { name: 'tenant', cond: ({ tenant }: { tenant?: number }) => ({ tenant }), default: true } } })

const Ticket = entity('Ticket', {
  id: p.integer().primary().autoincrement(), uuid: p.uuid().unique().defaultRaw('gen_random_uuid()'),
  version: p.integer().version(), tenant: p.integer(), title: p.string(), priority: p.integer().default(1),
  region: p.string().nullable(), deleted_at: p.datetime(3).nullable(), assignee: () => p.manyToOne(Member).nullable(),
  watchers: () => p.manyToMany(Member).owner(),
})

/** Belongs to no tenant at first. */
const Note = entity('Note', {
  id: p.integer().primary().autoincrement(), tenant: p.integer().hidden().nullable(), text: p.string(),
})

declare module 'fastify' {
  interface FastifyRequest {
    claims?: { tenant: number }
  }
}

const queryConfig = new QueryBuilderConfig<any>({
  allowedFilters: [
    AllowedFilters.exact('title'), AllowedFilters.exact('tenant'), AllowedFilters.partial('title', { alias: 'q' }),
    AllowedFilters.exact('assignee.name'),
  ],
  allowedSorts: [new AllowedSort('title'), new AllowedSort('assignee.name')],
  allowedIncludes: [new AllowedInclude('assignee'), new AllowedInclude('watchers')],
})

const all = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const
const NOT_FOUND = '404 FST_CRUD_NOT_FOUND'
const OUTSIDE = '403 FST_CRUD_OUT_OF_SCOPE'

/** Tenant 1 has tickets 1 to 3 (the third deleted) and Ann. Tenant 2 has tickets 4 and 5, and Ben. */
const seed = async (em: any) => {
  const [ann, ben] = [em.create(Member, { tenant: 1, name: 'Ann' }), em.create(Member, { tenant: 2, name: 'Ben' })]
  await em.flush()
  for (const [tenant, title, more] of [
    [1, 'one', { assignee: ann }],
    [1, 'two', { priority: 5, region: 'north' }],
    [1, 'three', { deleted_at: new Date() }],
    [2, 'four', { assignee: ben, region: 'south' }],
    [2, 'five', {}],
  ] as const) {
    em.create(Ticket, { tenant, title, ...more })
    await em.flush()
  }
  em.create(Note, { tenant: 1, text: 'first' })
}

await forEachDatabase(t, { entities: [Member, Ticket, Note], seed }, async (t, { orm }) => {
  const tickets = new CrudBase({ model: Ticket, writable: 'all', queryConfig })
  const hooks: CrudRoutesOptions['hooks'] = {
    all: {
      onRequest: async (request: FastifyRequest) => {
        request.claims = { tenant: Number(request.headers['x-tenant']) }
      },
      preHandler: async (request: FastifyRequest) => {
        request.em.setFilterParams('tenant', { tenant: request.claims!.tenant })
      },
    },
  }
  const routes = (scope: CrudRoutesOptions['scope'], crud: CrudBase<any> = tickets): CrudRoutesOptions => ({
    crud, operations: crud === tickets ? all : ['list', 'get', 'create', 'update', 'delete'], scope, hooks,
    ...(crud === tickets && { allowHardDelete: true }),
  })
  const app = await serve(t, orm, {
    '/header': routes((request) => ({ tenant: request.headers['x-tenant'] })),
    '/claim': routes(async (request) => ({ tenant: { $eq: request.claims!.tenant } })),
    '/and': routes((request) => ({ $and: [{ tenant: request.claims!.tenant }, { deleted_at: null }] })),
    '/operators': routes((request) => ({ tenant: request.claims!.tenant, priority: { $lte: 5 } })),
    '/either': routes((request) => ({ $or: [{ tenant: request.claims!.tenant }, { region: 'everywhere' }] })),
    '/related': routes((request) => ({ assignee: { tenant: request.claims!.tenant } })),
    '/regions': routes((request) => ({ tenant: request.claims!.tenant, region: { $in: ['north', 'south'] } })),
    '/assignee': routes(() => ({ assignee: 1 })),
    '/notes': routes((request) => ({ tenant: request.headers['x-tenant'] }),
      new CrudBase({ model: Note, writable: 'all' })),
    '/everything': routes(undefined),
  })
  const { get, post, patch, remove, restore, created, updated, read, check } = writes(app)
  const as = (tenant: number | string) => ({ 'x-tenant': String(tenant) })
  const rows = async (): Promise<any[]> =>
    await select(orm, 'select id, tenant, title, priority, version, deleted_at, assignee_id from ticket order by id')

  for (const path of ['/header', '/claim', '/and']) {
    t.test(`${path}: a tenant has its own rows`, async (t) => {
      t.strictSame((await read(path, as(1))).items.map(({ id }: any) => id).filter((id: number) => id <= 5), [1, 2])
      t.strictSame((await read(`${path}?filter[tenant]=2`, as(1))).items, [])
      t.strictSame((await read(`${path}?filter[q]=o`, as(2))).items.map(({ title }: any) => title), ['four'])
      t.equal((await read(path, as(2))).total, 2)
      t.strictSame((await read(path, as(7))).items, [])
      t.match(await read(`${path}/1`, as(1)), { title: 'one' })
    })

    t.test(`${path}: a created row belongs to the tenant`, async (t) => {
      const me = as(1)
      t.match(await created(path, { title: 'mine' }, me), { tenant: 1, title: 'mine' })
      t.match(await created(path, { title: 'mine', tenant: 1 }, me), { tenant: 1 })
      const before = await rows()
      t.equal(verdict(await post(path, { title: 'Never', tenant: 2 }, me)), OUTSIDE)
      t.equal(verdict(await post(path, [{ title: 'Never' }, { title: 'Never', tenant: 2 }], me)), `${OUTSIDE} /1`)
      t.equal(verdict(await post(path, { title: 'Never', tenant: null }, me)), '400 FST_ERR_VALIDATION /tenant')
      t.equal(verdict(await post(path, { title: 'Never', tenant: '1' }, me)), '400 FST_ERR_VALIDATION /tenant')
      t.strictSame(await rows(), before)
      const response = await post(path, [{ title: 'a' }, { title: 'b', tenant: 1 }], me)
      t.strictSame(bodyOf(response).map(({ tenant }: any) => tenant), [1, 1])
    })
  }

  t.test('a filter on request.em hides related records of other tenants', async (t) => {
    const theirs = await post('/claim', { title: 'Never', assignee: 2 }, as(1))
    const absent = await post('/claim', { title: 'Never', assignee: 99 }, as(1))
    t.equal(verdict(theirs), '409 FST_CRUD_CONFLICT /assignee')
    t.equal(theirs.body, absent.body)
    for (const watchers of [[2], [1, 2]]) {
      t.equal(verdict(await post('/claim', { title: 'Never', watchers }, as(1))), '409 FST_CRUD_CONFLICT /watchers')
    }
    t.equal(verdict(await patch('/claim/1', { assignee: 2 }, as(1))), '409 FST_CRUD_CONFLICT /assignee')
    const { id } = await created('/claim', { title: 'watched', assignee: 1, watchers: [1] }, as(1))
    t.match(await read(`/claim/${id}?include=assignee,watchers`, as(1)), {
      assignee: { name: 'Ann' },
      watchers: [{ name: 'Ann' }],
    })
    await orm.em.fork().execute(`insert into ticket_watchers (ticket_id, member_id) values (${id}, 2)`)
    t.match(await read(`/claim/${id}?include=watchers`, as(1)), { watchers: { length: 1 } })
    t.strictSame((await read('/claim?filter[assignee.name]=Ben', as(1))).items, [])
  })

  t.test('a write outside a scope with operators is rolled back', async (t) => {
    const before = await rows()
    await check(t, [
      ['POST /operators', { title: 'Never', priority: 6 }, OUTSIDE, as(1)],
      ['POST /operators', [{ title: 'Never', priority: 1 }, { title: 'Never', priority: 6 }], `${OUTSIDE} /1`, as(1)],
      ['POST /operators', { title: 'Never', priority: 1, tenant: 2 }, OUTSIDE, as(1)],
      ['PATCH /operators/1', { priority: 6 }, OUTSIDE, as(1)],
      ['PATCH /operators/1', { priority: 6, watchers: [1] }, OUTSIDE, as(1)],
      ['PATCH /operators/4', { priority: 2 }, NOT_FOUND, as(1)],
    ])
    t.strictSame(await rows(), before)
    t.match(await created('/operators', { title: 'inside', priority: 5 }, as(1)), { tenant: 1, priority: 5 })
    t.match(await updated('/operators/1', { priority: 4 }, as(1)), { priority: 4 })
  })

  t.test('a scope with alternatives sets no property, and is still checked', async (t) => {
    const before = await rows()
    t.equal(verdict(await post('/either', { title: 'Never', tenant: 2 }, as(1))), OUTSIDE)
    t.equal(verdict(await post('/either', { title: 'Never' }, as(1))), '400 FST_ERR_VALIDATION /tenant')
    t.equal(verdict(await patch('/either/1', { tenant: 2 }, as(1))), OUTSIDE)
    t.strictSame(await rows(), before)
    t.match(await created('/either', { title: 'x', tenant: 2, region: 'everywhere' }, as(1)), { tenant: 2 })
    t.match(await created('/either', { title: 'x', tenant: 1 }, as(1)), { tenant: 1 })
  })

  t.test('a scope may be a condition on a relation', async (t) => {
    t.strictSame((await read('/related', as(1))).items.map(({ assignee }: any) => assignee),
      (await rows()).filter(({ assignee_id: id, deleted_at: deleted }) => id === 1 && deleted === null).map(() => 1))
    const before = await rows()
    t.equal(verdict(await post('/related', { title: 'Never', tenant: 1 }, as(1))), OUTSIDE, "nobody's")
    t.equal(verdict(await patch('/related/1', { assignee: null }, as(1))), OUTSIDE)
    t.equal(verdict(await patch('/related/4', { title: 'Never' }, as(1))), NOT_FOUND)
    t.equal(verdict(await remove('/related/4', as(1))), NOT_FOUND)
    t.equal(verdict(await remove('/related/2', as(1))), NOT_FOUND)
    t.strictSame(await rows(), before)
    t.match(await updated('/related/1', { title: 'one', assignee: 1 }, as(1)), { assignee: 1 })
    t.match(await created('/related', { title: 'x', tenant: 1, assignee: 1 }, as(1)), { assignee: 1 })
  })

  t.test('a scope on the key of a relation is an equality, and sets the relation', async (t) => {
    t.match(await created('/assignee', { title: 'x', tenant: 1 }, as(1)), { assignee: 1 })
    t.equal(verdict(await post('/assignee', { title: 'x', tenant: 1, assignee: null }, as(1))), OUTSIDE)
    t.equal(verdict(await patch('/assignee/1', { assignee: null }, as(1))), OUTSIDE)
  })

  t.test('a hidden property in a scope is never shown, and always set', async (t) => {
    const note = await created('/notes', { text: 'x' }, as(2))
    t.strictSame(Object.keys(note), ['id', 'text'])
    t.match(await select(orm, `select tenant from note where id = ${note.id}`), [{ tenant: 2 }])
    t.equal(verdict(await post('/notes', { text: 'x', tenant: 1 }, as(2))), '400 FST_ERR_VALIDATION /tenant')
    t.equal(verdict(await patch('/notes/1', { text: 'Never' }, as(2))), NOT_FOUND)
  })

  t.test('a missing or invalid header gives no access', async (t) => {
    const before = await rows()
    // undefined is neither a tenant nor null
    const missing = [
      await get('/header'), await patch('/header/1', { title: 'Never' }), await remove('/header/1'),
      await get('/notes'), await post('/notes', { text: 'Never' }),
    ]
    for (const body of [{ title: 'Never' }, { title: 'Never', tenant: 1 }, [{ title: 'Never', tenant: 2 }]]) {
      missing.push(await post('/header', body))
    }
    for (const response of missing) t.equal(verdict(response), '500 FST_CRUD_SCOPE_INVALID')
    for (const garbage of ['x', '1 or 1=1', '1;2', '2147483648', '1.5', 'NaN', '[]', '{}', "1' --", 'null']) {
      for (const response of [
        await get('/header', as(garbage)),
        await get('/header/1', as(garbage)),
        await post('/header', { title: 'Never' }, as(garbage)),
        await post('/header', { title: 'Never', tenant: 1 }, as(garbage)),
        await patch('/header/1', { title: 'Never' }, as(garbage)),
        await remove('/header/1', as(garbage)),
        await restore('/header/3', as(garbage)),
      ]) {
        t.equal(verdict(response), '403 FST_CRUD_OUT_OF_SCOPE', garbage)
      }
    }
    t.strictSame(await rows(), before)
    t.strictSame((await read('/notes', as(1))).items.map(({ text }: any) => text), ['first'])
  })

  t.test('a scope function that returns nothing gives no access', async (t) => {
    const app = await serve(t, orm, { '/forgot': { crud: tickets, scope: (() => {}) as never } })
    const before = await rows()
    for (const response of [
      await app.inject('/forgot'),
      await app.inject('/forgot/1'),
      await app.inject({ method: 'DELETE', url: '/forgot/1' }),
      await app.inject({ method: 'POST', url: '/forgot', payload: { title: 'Never' } }),
    ]) {
      t.equal(response.statusCode, 500)
      t.match(bodyOf(response), { code: 'FST_CRUD_SCOPE_INVALID' })
    }
    t.strictSame(await rows(), before)
  })

  t.test('count, exists and stream are also scoped', async (t) => {
    const em = orm.em.fork()
    em.setFilterParams('tenant', { tenant: 1 })
    t.equal(await tickets.exists(em, 4, { scope: { tenant: 1 } as any }), false)
    t.equal(await tickets.exists(em, 1, { scope: { tenant: 1 } as any }), true)
    t.equal(await tickets.count(em, undefined, { scope: { tenant: 2 } as any }),
      Number((await select(orm, 'select count(*) from ticket where tenant = 2 and deleted_at is null'))[0].count))
  })

  t.test('values set by a hook must match the scope', async (t) => {
    const crud = hooked({ model: Ticket, writable: 'all' }, {
      beforeCreate: (data) => ({ ...data, tenant: 2 }),
      beforeUpdate: (_, data) => ({ ...data, tenant: 2 }),
    })
    const options = { scope: { tenant: 1 } }
    await t.rejects(crud.create(orm.em.fork(), { title: 'Never' }, options), { code: 'FST_CRUD_OUT_OF_SCOPE' })
    await t.rejects(crud.update(orm.em.fork(), 1, { title: 'Never' }, options), { code: 'FST_CRUD_OUT_OF_SCOPE' })
  })
})
