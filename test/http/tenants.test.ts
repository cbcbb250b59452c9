/** Many tenants at once, separated by scopes and by filters, with shared statements. */
import { p } from '@mikro-orm/core'
import type { FastifyRequest } from 'fastify'
import assert from 'node:assert/strict'
import t from 'tap'
import { AllowedFilters, AllowedInclude, CrudBase, parseQueryParams, type CrudRoutesOptions } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { bodyOf, resource, select, serve, whitelist } from './helper.ts'
import { entity } from '../helpers/entity.ts'

interface Args {
  tenant?: number | null
  tenants?: number[]
  all?: boolean
}

/** A filter whose structure changes with its arguments. */
const filters = {
  tenant: {
    name: 'tenant',
    default: true,
    cond: ({ tenant, tenants, all }: Args) =>
      all ? {} : tenants !== undefined ? { tenant: { $in: tenants } } : { tenant },
  },
}
const Team = entity('Team', {
  id: p.integer().primary().autoincrement(), tenant: p.integer().nullable(), name: p.string(),
  tasks: () => p.oneToMany(Task).mappedBy('team'),
}, { filters })
const Task = entity('Task', {
  id: p.integer().primary().autoincrement(), tenant: p.integer().nullable(), title: p.string(),
  team: () => p.manyToOne(Team), deleted_at: p.datetime(3).nullable(),
}, { filters })
/** An entity without a filter: only the scope separates its rows. */
const Note = entity('Note', {
  id: p.integer().primary().autoincrement(), tenant: p.integer().nullable(), text: p.string(),
  deleted_at: p.datetime(3).nullable(),
})

const TENANTS = 6
/** Rows of each tenant, and rows without one. */
const ROWS = 4

const queryConfig = whitelist({
  allowedFilters: [
    'title', 'team.name', AllowedFilters.custom('own', (qb: any, value) => qb.andWhere({ title: value })),
  ],
  allowedSorts: ['id', 'team.name'],
  allowedIncludes: ['team', 'team.tasks'],
})
const tasks = new CrudBase<any>({ model: Task, writable: 'all', queryConfig })
const teams = resource(Team, { allowedIncludes: ['tasks', AllowedInclude.count('tasks')] })
const notes = resource(Note, { allowedFilters: ['text'] })

/** Tasks are in teams of every tenant, and the filter of the team decides what is visible of it. */
const seed = async (em: any) => {
  const owners = [...Array.from({ length: TENANTS }, (_, i) => i + 1), null]
  const all: any[] = []
  for (const tenant of owners) {
    all.push(em.create(Team, { tenant, name: `team ${tenant}` }))
    await em.flush()
  }
  for (let i = 0; i < owners.length * ROWS; i++) {
    const tenant = owners[i % owners.length]
    em.create(Task, { tenant, title: `task ${i % 3}`, team: all[(i * 3) % all.length] })
    em.create(Note, { tenant, text: `note ${i % 2}` })
    await em.flush()
  }
}

await forEachDatabase(t, { entities: [Team, Task, Note], seed }, async (t, { orm }) => {
  const argsOf = (request: FastifyRequest): Args => JSON.parse(String(request.headers['x-args'] ?? '{}')) as Args
  const hooks: CrudRoutesOptions['hooks'] = {
    all: {
      preHandler: async (request: FastifyRequest) => {
        request.em.setFilterParams('tenant', argsOf(request))
      },
    },
  }
  const app = await serve(t, orm, {
    '/tasks': { crud: tasks, hooks },
    '/teams': { crud: teams, hooks },
    '/notes': {
      crud: notes,
      scope: (request) => {
        const { tenant, tenants, all } = argsOf(request)
        return all ? {} : tenants !== undefined ? { $or: tenants.map((tenant) => ({ tenant })) } : { tenant } as any
      },
    },
  })
  const send = async (args: Args, url: string, method: 'GET' | 'PATCH' | 'DELETE' | 'POST' = 'GET', payload?: object) =>
    await app.inject({ method, url, headers: { 'x-args': JSON.stringify(args) }, ...(payload && { payload }) })
  const everything = await select<{ id: number, tenant: number | null, title: string, team: number }>(orm,
    'select id, tenant, title, team_id as team from task order by id')
  const allTeams = await select<{ id: number, tenant: number | null, name: string }>(orm,
    'select id, tenant, name from team order by id')
  const allNotes = await select<{ id: number, tenant: number | null, text: string }>(orm,
    'select id, tenant, text from note order by id')

  const sees = ({ tenant, tenants, all }: Args, row: { tenant: number | null }): boolean =>
    all === true ||
    (tenants !== undefined ? row.tenant !== null && tenants.includes(row.tenant) : row.tenant === tenant)

  /** The expected answer for the client, computed from the rows. */
  const expected: ReadonlyArray<readonly [url: string, (args: Args) => unknown]> = [
    ['/tasks?sort=id&per_page=100', (args) => everything.filter((task) => sees(args, task)).map(({ id }) => id)],
    ['/tasks?sort=id&filter[title]=task%201',
      (args) => everything.filter((task) => sees(args, task) && task.title === 'task 1').map(({ id }) => id)],
    ['/tasks?sort=id&filter[own]=task%201',
      (args) => everything.filter((task) => sees(args, task) && task.title === 'task 1').map(({ id }) => id)],
    [
      '/tasks?sort=id&filter[team.name]=team%202',
      (args) =>
        everything.filter((task) => sees(args, task) && task.team === 2 && sees(args, allTeams[1]!)).map(({ id }) =>
          id
        ),
    ],
    [
      '/tasks?sort=id&per_page=100&include=team',
      (args) =>
        everything.filter((task) => sees(args, task)).map((
          task
        ) => [task.id, sees(args, allTeams[task.team - 1]!) ? task.team : null]),
    ],
    ['/teams?include=tasks,tasksCount', (args) =>
      allTeams.filter((team) => sees(args, team)).map((team) => {
        const own = everything.filter((task) => task.team === team.id && sees(args, task)).map(({ id }) => id)
        return [team.id, own, own.length]
      })],
    ['/notes?per_page=100', (args) => allNotes.filter((note) => sees(args, note)).map(({ id }) => id)],
    ['/notes?filter[text]=note%201',
      (args) => allNotes.filter((note) => sees(args, note) && note.text === 'note 1').map(({ id }) => id)],
    ['/notes/9', (args) => sees(args, allNotes[8]!) ? 9 : 404],
    ['/tasks/9', (args) => sees(args, everything[8]!) ? 9 : 404],
  ]
  const shown = (url: string, response: any): unknown => {
    const body = bodyOf(response)
    if (body.items === undefined) return body.id ?? body.statusCode
    return body.items.map((item: any) =>
      url.includes('include=tasks')
        ? [item.id, item.tasks.map(({ id }: any) => id), item.tasksCount]
        : url.includes('include=team')
          ? [item.id, item.team?.id ?? null]
          : item.id
    )
  }
  const everybody: readonly Args[] = [
    ...Array.from({ length: TENANTS + 1 }, (_, i) => ({ tenant: i + 1 })), { tenant: null }, { all: true },
    { tenants: [1, 2] }, { tenants: [3] }, { tenants: [4, 5, 6] }, { tenants: [9] },
  ]

  t.test('requests of all tenants at once see only their own rows', async (t) => {
    let state = 7
    const next = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const all = everybody.flatMap((args) => expected.map(([url, rows]) => ({ args, url, rows })))
    // twice, in different orders, so that each statement was kept by another tenant's request
    const requests = [...all, ...all].map((request) => ({ request, at: next(1_000_000) })).sort((a, b) => a.at - b.at)
      .map(({ request }) => request)
    for (let start = 0; start < requests.length; start += 40) {
      await Promise.all(
        requests.slice(start, start + 40).map(async ({ args, url, rows }) => {
          assert.deepStrictEqual(shown(url, await send(args, url)), rows(args), `${JSON.stringify(args)} ${url}`)
        })
      )
    }
    t.pass(`${requests.length} answers`)
  })

  t.test('a filter without its arguments is an error, even after requests that had them', async (t) => {
    await send({ tenant: 1 }, '/tasks')
    t.ok(bodyOf(await app.inject('/tasks')).items.every(({ tenant }: any) => tenant === null),
      'an argument that is not there is null, as MikroORM reads it')
    await t.rejects(tasks.list(orm.em.fork()), {
      code: 'FST_CRUD_DATABASE_ERROR',
      cause: { message: /No arguments provided for filter 'tenant'/ },
    })
    const forgetful = await serve(t, orm, { '/tasks': tasks, '/teams': { crud: teams, transaction: true } })
    for (const [method, url, payload] of [
      ['GET', '/tasks'], ['GET', '/tasks?include=team'], ['GET', '/tasks/1'], ['GET', '/teams'],
      ['POST', '/tasks', { title: 'x', team: 1 }], ['PATCH', '/tasks/1', { title: 'x' }], ['DELETE', '/teams/1'],
    ] as const) {
      const response = await forgetful.inject({ method, url, ...(payload && { payload }) })
      t.match(bodyOf(response), {
        statusCode: 500,
        code: 'FST_CRUD_DATABASE_ERROR',
        message: 'A filter that holds for the records of this request has no arguments.',
      }, `${method} ${url}`)
      t.notMatch(response.body, /tenant/)
    }
  })

  t.test('writes through shared statements reach only rows of their own tenant', async (t) => {
    const owned = (tenant: number) => allNotes.find((note) => note.tenant === tenant)!
    const answers = await Promise.all(
      Array.from({ length: TENANTS }, (_, i) => i + 1).flatMap((tenant) =>
        Array.from({ length: TENANTS }, async (_, i) => {
          const { statusCode } = await send({ tenant }, `/notes/${owned(i + 1).id}`, 'PATCH', { text: `by ${tenant}` })
          return [tenant, i + 1, statusCode]
        })
      )
    )
    for (const [tenant, owner, status] of answers) {
      t.equal(status, tenant === owner ? 200 : 404, `${tenant} changes what is ${owner}'s`)
    }
    for (const { tenant, text } of await select(orm, "select tenant, text from note where text like 'by %'")) {
      t.equal(text, `by ${tenant}`)
    }
    t.equal((await send({ tenant: 2 }, `/notes/${owned(1).id}`, 'DELETE')).statusCode, 404)
    t.equal((await send({ tenant: 1 }, `/notes/${owned(1).id}`, 'DELETE')).statusCode, 200)
    t.equal((await send({ tenant: 2 }, `/notes/${owned(1).id}/restore`, 'POST')).statusCode, 404)
    t.equal((await send({ tenant: 1 }, `/notes/${owned(1).id}/restore`, 'POST')).statusCode, 200)
    const task = everything.find(({ tenant }) => tenant === 3)!
    t.equal((await send({ tenant: 4 }, `/tasks/${task.id}`, 'PATCH', { title: 'Never' })).statusCode, 404)
    t.equal((await send({ tenant: 3 }, `/tasks/${task.id}`, 'PATCH', { title: task.title })).statusCode, 200)
    t.equal((await send({ tenant: 3 }, `/tasks/${task.id}`, 'PATCH', { team: 4 })).statusCode, 409,
      'a team that its filter hides')
    t.equal((await send({ tenant: 4 }, '/tasks', 'POST', { title: 'Never', team: 3, tenant: 4 })).statusCode, 409)
    t.equal((await send({ tenant: 3 }, '/tasks', 'POST', { title: 'task', team: 3, tenant: 3 })).statusCode, 201)
  })

  /** An EntityManager that cannot compile a condition. */
  const withoutBuilder = (args: Args) => {
    const em = Object.assign(orm.em.fork(), {
      createQueryBuilder () {
        throw new Error('compiled')
      },
    })
    em.setFilterParams('tenant', args)
    return em
  }

  t.test('statements of tenants are kept and not compiled again', async (t) => {
    for (const args of everybody) {
      for (const query of ['', 'filter[title]=x&sort=team.name', 'include=team.tasks', 'filter[team.name]=x']) {
        await tasks.list(withoutBuilder(args), parseQueryParams(query))
      }
      await notes.update(withoutBuilder(args), allNotes.at(-1)!.id, { text: 'again' }, {
        scope: { tenant: null } as any,
      })
      await tasks.update(withoutBuilder({ tenant: 3 }), everything.find(({ tenant }) => tenant === 3)!.id, {
        title: 'again',
        team: 3,
      })
    }
    for (const [what, read] of Object.entries({
      'a custom filter': () => tasks.list(withoutBuilder({ tenant: 1 }), parseQueryParams('filter[own]=x')),
      'a condition that leads through a relation': () =>
        tasks.list(withoutBuilder({ tenant: 1 }), undefined, { scope: { team: { name: 'x' } } } as any),
      'a pattern': () =>
        tasks.list(withoutBuilder({ tenant: 1 }), undefined, { scope: { title: { $like: 'x' } } } as any),
    })) await t.rejects(read(), { cause: { cause: { message: 'compiled' } } }, what)
  })

  t.test('a filter added at run time applies, on one EntityManager or on all', async (t) => {
    const titles = async (em: any) => [...new Set((await notes.list(em)).items.map(({ text }: any) => text))]
    const before = await titles(orm.em.fork())
    t.ok(before.length > 1)
    const em = orm.em.fork()
    em.addFilter({ name: 'texts', entity: Note as never, cond: { text: 'note 1' } as never })
    t.strictSame(await titles(em), ['note 1'])
    t.strictSame(await titles(orm.em.fork()), before)
    orm.em.addFilter({ name: 'global', entity: Note as never, cond: { text: 'note 0' } as never })
    t.strictSame(await titles(orm.em.fork()), ['note 0'])
    t.strictSame((await notes.list(em.fork())).items.length, (await notes.list(em)).items.length)
    orm.em.addFilter({ name: 'global', entity: Note as never, cond: {} as never, default: false })
    t.strictSame(await titles(orm.em.fork()), before)
  })

  t.test('a filter added at run time applies to the next request, however many found none before', async (t) => {
    const texts = async () => [
      ...new Set((await send({ all: true }, '/notes?per_page=100')).json().items.map(({ text }: any) => text)),
    ]
    const patch = async () => (await send({ all: true }, '/notes/1', 'PATCH', { text: 'note 0' })).statusCode
    t.equal(await patch(), 200)
    const before = await texts()
    for (let repeat = 0; repeat < 3; repeat++) t.strictSame(await texts(), before)
    t.equal(await patch(), 200)
    orm.em.addFilter({ name: 'late', entity: Note as never, cond: { text: 'note 1' } as never })
    t.strictSame(await texts(), ['note 1'])
    t.equal(await patch(), 404)
    orm.em.addFilter({ name: 'late', entity: Note as never, cond: {} as never, default: false })
    for (let repeat = 0; repeat < 3; repeat++) t.strictSame(await texts(), before)
    const filters = orm.config.get('filters') as Record<string, object>
    filters['declared'] = { name: 'declared', entity: [Note], cond: { text: 'note 0' }, default: true }
    t.strictSame(await texts(), ['note 0'])
    delete filters['declared']
    t.strictSame(await texts(), before)
  })

  t.test('the number of kept statements is bounded, however many scopes there are', async (t) => {
    const crud = resource(Team, { allowedIncludes: [AllowedInclude.count('tasks', { where: { title: 'x' } })] })
    let compiled = 0
    const counting = () => {
      const em = orm.em.fork()
      em.setFilterParams('tenant', { all: true })
      const create = em.createQueryBuilder
      return Object.assign(em, {
        createQueryBuilder (...args: any[]) {
          compiled++
          return (create as any).apply(em, args)
        },
      })
    }
    const read = (em: any, scope?: object) => crud.list(em, parseQueryParams('include=tasksCount'), { scope } as any)
    const structure = { id: { $lt: 0 } }
    await read(counting(), structure)
    const each = compiled
    for (let i = 0; i < 3; i++) await read(counting(), { id: { $in: [i] } })
    t.equal(compiled, each + 1, 'one for a new structure, none for new values')
    await read(counting(), { id: { $lt: 5 } })
    t.equal(compiled, each + 1, 'kept')
    // as many structures as subsets of ten columns: more than are kept
    for (let i = 1; i < 512 + 40; i++) {
      await read(counting(), { $or: Array.from({ length: 10 }, (_, bit) => i >> bit & 1 ? { id: 1 } : { name: 'x' }) })
    }
    const flooded = compiled
    await read(counting(), structure)
    t.equal(compiled, flooded + 1, 'not kept any more')
  })
})
