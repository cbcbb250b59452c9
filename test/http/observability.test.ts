/** Timings: Server-Timing on answers, and a message on a diagnostics channel for each statement. */
import { p, type MikroORM } from '@mikro-orm/core'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  AllowedFilters, CrudBase, crudKit, crudRoutes, parseQueryParams, primaryKey, softDelete, withTransaction,
  type CrudContext, type CrudKitOptions, type QueryMessage, type QueryOperation,
} from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { until } from '../helpers/until.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Maker = entity('Maker', { ...primaryKey, ...softDelete, name: p.string() })
const Lamp = entity('Lamp', {
  ...primaryKey, ...softDelete, version: p.integer().version(), name: p.string().unique(),
  secret: p.string().hidden().default('hush-hush'), maker: () => p.manyToOne(Maker).nullable(),
  rooms: () => p.manyToMany(Room),
})
const Room = entity('Room', { ...primaryKey, name: p.string() })
const entities = [Maker, Lamp, Room]

const options = {
  allowedFilters: [
    { name: ['eq', 'like'] },
    AllowedFilters.custom<any>('longer',
      (qb: any, value: unknown) => qb.andWhere('char_length(e0.name) > cast(? as int)', [Number(value)])),
  ],
  allowedSorts: ['name'],
  allowedIncludes: ['maker'],
}
const lamps = resource(Lamp, options)
const estimated = resource(Lamp, { ...options, pagination: { count: 'planned', defaultPerPage: 1 } }, {
  name: 'estimates',
})

const FORM = /^parse;dur=([\d.]+), plan;dur=([\d.]+), compile;dur=([\d.]+), run;dur=([\d.]+)$/

/** The milliseconds of each stage, by name, in the order of the header. */
function stagesOf (header: unknown) {
  const [, parse, plan, compile, run] = FORM.exec(String(header)) ?? []
  return { parse: Number(parse), plan: Number(plan), compile: Number(compile), run: Number(run) }
}

async function serve (
  t: Test,
  orm: MikroORM,
  settings: Partial<CrudKitOptions>,
  prepare: (app: FastifyInstance) => unknown = () => {}
): Promise<FastifyInstance> {
  const app = newServer(t)
  await app.register(crudKit, { orm: orm as never, indexAdvice: false, ...settings })
  await prepare(app)
  await app.ready()
  return app
}

/** The messages of the channel during a piece of work. */
async function heard (work: () => unknown): Promise<QueryMessage[]> {
  const messages: QueryMessage[] = []
  const listen = (message: unknown) => {
    messages.push(message as QueryMessage)
  }
  subscribe('fastify-crud-kit:query', listen)
  try {
    await work()
  } finally {
    unsubscribe('fastify-crud-kit:query', listen)
  }
  return messages
}

const failed = (statusCode: number) => ({ statusCode }) as never

const CONTROL = /^(begin|start|commit|rollback|savepoint|release|set|declare|close)\b/i

await forEachDatabase(t, { entities }, async (t, { orm, name }) => {
  const em = () => orm.em.fork()
  for (const fill of [
    "maker (name) values ('Acme')",
    "room (name) values ('hall')",
    "lamp (name, version) select 'lamp ' || i, 1 from generate_series(1, 1000) as i",
  ]) await orm.em.getConnection().execute(`insert into ${fill}`)

  await t.test('Server-Timing gives the duration of each stage, with any status', async (t) => {
    const resources = {
      '/lamps': {
        crud: lamps,
        operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const,
        stream: true,
      },
      '/estimates': estimated, '/together': { crud: lamps, transaction: true },
      '/silent': { crud: lamps, serverTiming: false },
    }
    const app = await serve(t, orm, { serverTiming: true, resources })
    const ask = async (request: InjectOptions, status: number) => {
      const started = performance.now()
      const answer = await app.inject(request)
      const total = performance.now() - started
      t.equal(answer.statusCode, status,
        `${request.method ?? 'GET'} ${String(request.url)}: ${answer.body.slice(0, 200)}`)
      const header = answer.headers['server-timing']
      t.match(header, FORM)
      const stages = stagesOf(header)
      t.ok(Object.values(stages).every((millis) => millis >= 0) && stages.run <= total + 0.01,
        `${String(header)} of ${total}`)
      return stages
    }
    const ndjson = { accept: 'application/x-ndjson' }
    const list = '/lamps?filter[name][like]=lamp%25&sort=-name&include=maker'
    for (const [request, status] of [
      [list, 200],
      ['/lamps?filter[longer]=7', 200],
      ['/lamps?cursor=&sort=name', 200],
      ['/estimates', 200],
      ['/together?sort=name', 200],
      ['/together/1', 200],
      ['/lamps/1?include=maker', 200],
      [{ method: 'POST', url: '/lamps', payload: { name: 'new', maker: 1 } }, 201],
      [{ method: 'POST', url: '/lamps', payload: [{ name: 'newer' }, { name: 'newest' }] }, 201],
      // through the unit of work
      [{ method: 'PATCH', url: '/lamps/1', payload: { rooms: [1] } }, 200],
      [{ method: 'PATCH', url: '/together/1', payload: { name: 'one' } }, 200],
      [{ method: 'DELETE', url: '/lamps/1' }, 200],
      [{ method: 'POST', url: '/lamps/1/restore' }, 200],
      // of a stream, up to its first records
      [{ url: '/lamps', headers: ndjson }, 200],
      ['/lamps/999999', 404],
      [{ method: 'POST', url: '/lamps', payload: { name: 'lamp 2' } }, 409],
    ] as const) {
      const { run } = await ask(typeof request === 'string' ? { url: request } : request, status)
      t.ok(run > 0, `${JSON.stringify(request)} has waited for the database`)
    }
    t.equal((await ask({ url: '/lamps?filter[colour]=red' }, 400)).run, 0, 'refused before the database was asked')
    t.equal((await ask({ method: 'POST', url: '/lamps', payload: { name: 1 } }, 400)).run, 0)

    t.equal((await app.inject('/silent')).headers['server-timing'], undefined, 'a resource that says otherwise')
    t.equal((await app.inject('/nowhere')).headers['server-timing'], undefined)
    const head = await app.inject({ method: 'HEAD', url: '/lamps' })
    t.match(head.headers['server-timing'], FORM)
  })

  await t.test('Server-Timing is off by default, and keeps entries of the application', async (t) => {
    const app = await serve(t, orm, { resources: { '/lamps': lamps } }, async (app) => {
      await app.register(crudRoutes, {
        prefix: '/measured', crud: lamps, serverTiming: true,
        hooks: {
          all: {
            onRequest: async (request, reply) => {
              reply.header('server-timing', 'auth;dur=3')
            },
            preHandler: async (request) => {
              request.queryParams.filters.at(0)
            },
          },
        },
      })
      await app.register(crudRoutes, {
        prefix: '/closed', crud: lamps, serverTiming: true,
        hooks: { all: { onRequest: async (request, reply) => await reply.code(401).send({}) } },
      })
    })
    t.equal((await app.inject('/lamps')).headers['server-timing'], undefined)
    const header = String((await app.inject('/measured?filter[name][like]=lamp%25&sort=name')).headers['server-timing'])
    t.match(header, /^auth;dur=3, parse;/)
    t.ok(stagesOf(header.slice('auth;dur=3, '.length)).run > 0)
    t.strictSame(stagesOf((await app.inject('/closed')).headers['server-timing']), {
      parse: 0, plan: 0, compile: 0, run: 0,
    }, 'nothing has been done')
    await t.rejects(serve(t, orm, { serverTiming: 'yes' as never }), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /serverTiming/,
    })
  })

  await t.test('scopes and filters are planned before anything is compiled', async (t) => {
    const wait = 25
    const cond = async () => {
      await setTimeout(wait)
      return { id: { $gt: 0 } }
    }
    const app = await serve(t, orm, {
      serverTiming: true,
      resources: {
        '/lamps': {
          crud: lamps,
          scope: () => ({ name: { $like: 'lamp%' } }),
          hooks: {
            all: {
              preHandler: async (request) => {
                request.em.addFilter({ name: 'slow', cond, entity: Lamp as never, default: true })
              },
            },
          },
        },
      },
    })
    const requests: readonly InjectOptions[] = [
      { url: '/lamps' },
      { url: '/lamps/5' },
      { method: 'POST', url: '/lamps', payload: { name: 'lamp that is planned' } },
      { method: 'PATCH', url: '/lamps/5', payload: { name: 'lamp 5' } },
    ]
    for (const request of requests) {
      // on a busy machine a stage without any waiting may take as long
      await until(async () => {
        const { statusCode, headers, body } = await app.inject(request)
        t.ok(statusCode < 300, body)
        const { plan, compile } = stagesOf(headers['server-timing'])
        t.ok(plan > wait - 2, `${plan} ms of ${wait}`)
        return compile < plan
      }, 'the wait is no part of compiling')
    }
  })

  await t.test("statements of an application's methods count as well", async (t) => {
    const counting = new (class extends CrudBase {
      override async beforeCreate (data: object, { em }: CrudContext) {
        await lamps.count(em)
        await em.getConnection().execute('select 1 /* not ours */')
        return data
      }
    })({ model: Lamp, writable: 'all' })
    const app = await serve(t, orm, { serverTiming: true, resources: { '/lamps': counting } })
    const messages = await heard(async () => {
      const answer = await app.inject({ method: 'POST', url: '/lamps', payload: { name: 'counted' } })
      t.equal(answer.statusCode, 201)
      t.ok(stagesOf(answer.headers['server-timing']).run > 0)
    })
    t.strictSame(messages.map(({ operation }) => operation), ['count', 'create'])
  })

  await t.test('each statement has a message', async (t) => {
    const recorder = await recordStatements(orm as never)
    t.teardown(() => recorder.stop())
    const check = async (work: () => unknown, expected: ReadonlyArray<Partial<QueryMessage>>) => {
      recorder.take()
      const messages = await heard(work)
      const statements = recorder.texts().filter((sql) => !CONTROL.test(sql))
      t.match(messages, expected)
      t.strictSame(messages.map(({ text }) => text), statements, 'of what the server was sent')
      for (const { shape, duration } of messages) {
        t.match(shape, /^[\w-]{43}$/)
        t.ok(duration > 0)
      }
      return messages
    }
    const params = parseQueryParams
    const of = (operation: QueryOperation, rows = 1) => [{ operation, resource: 'lamp', rows }]
    await check(() => lamps.list(em(), params('filter[name]=lamp 3')), of('list'))
    await check(() => lamps.list(em(), params('filter[longer]=4')), of('list'))
    await check(() => lamps.list(em(), params('cursor=&sort=name&per_page=5')), of('list', 6))
    await check(() => estimated.list(em(), params('sort=name')), [{ operation: 'list', resource: 'estimates' }, {
      operation: 'list',
      resource: 'estimates',
    }])
    await check(() => lamps.get(em(), 3), of('get'))
    await check(() => lamps.get(em(), 99_999), of('get', 0))
    await check(() => lamps.count(em()), of('count'))
    await check(() => lamps.exists(em(), 3), of('exists'))
    await check(() => lamps.create(em(), { name: 'a' }), of('create'))
    await check(() => lamps.create(em(), { name: 'b', maker: 1 }), of('create'))
    await check(() => lamps.createMany(em(), [{ name: 'c' }, { name: 'd', maker: 1 }]), [
      ...of('createMany'),
      ...of('createMany', 2),
    ])
    await check(() => lamps.update(em(), 3, { name: 'three' }), of('update'))
    await check(() => lamps.update(em(), 3, {}), of('update'))
    await check(() => lamps.delete(em(), 3), of('delete'))
    await check(() => lamps.restore(em(), 3), of('restore'))
    await check(() => lamps.restore(em(), 3), [...of('restore', 0), ...of('restore')])
    await check(() => lamps.delete(em(), 3, { hard: true }), of('delete'))
    await check(() => withTransaction(em(), async (em) => [await lamps.count(em), await lamps.get(em, 4)]), [
      ...of('count'),
      ...of('get'),
    ])
  })

  await t.test('each batch of a stream has a message', async (t) => {
    const shapes = await heard(() => lamps.list(em()))
    t.equal(shapes.length, 1)
    const run = () =>
      heard(async () => {
        for await (const batch of lamps.streamJson(em(), parseQueryParams('sort=name'))) t.ok(batch.length > 0)
      })
    const [first, again] = [await run(), await run()]
    const total = await lamps.count(em())
    t.ok(
      first.length >= 3 && first.every(({ operation, text }) => operation === 'stream' && /^(select|with)\b/.test(text))
    )
    if (name === 'postgres') {
      t.equal(first.reduce((sum, { rows }) => sum + rows, 0), total)
      t.equal(new Set(first.map(({ shape }) => shape)).size, 1, 'of one statement')
    }
    t.strictSame(again.map(({ shape }) => shape), first.map(({ shape }) => shape))
    const left = await heard(async () => {
      for await (const batch of lamps.streamJson(em())) if (batch.length > 0) break
    })
    t.equal(left.length, 1, 'also of a batch whose reader has left')
  })

  await t.test('subscribers run in the context of the caller, with many callers at once', async (t) => {
    const caller = new AsyncLocalStorage<number>()
    const callers: unknown[] = []
    const listen = () => {
      callers.push(caller.getStore())
    }
    subscribe('fastify-crud-kit:query', listen)
    await Promise.all(Array.from({ length: 30 }, (_, n) => caller.run(n, () => lamps.get(em(), n + 10))))
    unsubscribe('fastify-crud-kit:query', listen)
    t.strictSame(callers.sort((a, b) => Number(a) - Number(b)), Array.from({ length: 30 }, (_, n) => n))
  })

  await t.test('shapes identify statements, whatever the values', async (t) => {
    const shapeOf = async (query: string) => (await heard(() => lamps.list(em(), parseQueryParams(query))))[0]!.shape
    t.equal(await shapeOf('filter[name]=x&page=2'), await shapeOf('filter[name]=y&page=3'))
    t.not(await shapeOf('filter[name]=x'), await shapeOf('filter[name][like]=x'))
    t.equal(await shapeOf('filter[longer]=1'), await shapeOf('filter[longer]=2'),
      'those that are compiled for each request as well')
    if (name !== 'postgres') return
    const recorder = await recordStatements(orm as never)
    const messages = await heard(async () => {
      for (let run = 0; run < 7; run++) await lamps.get(em(), 10)
    })
    t.equal(recorder.take().at(-1)?.name, `crud_${messages.at(-1)!.shape}`, 'by which the server knows them')
    recorder.stop()
  })

  await t.test("a failed statement reports the client's error, and no message contains values", async (t) => {
    const failing = await heard(() => t.rejects(lamps.create(em(), { name: 'lamp 5' }), failed(409)))
    t.match(failing, [{
      operation: 'create', resource: 'lamp', rows: 0, error: { code: 'FST_CRUD_CONFLICT', message: /'name'/ },
    }])
    const outOfRange = await heard(() =>
      t.rejects(lamps.list(em(), parseQueryParams('filter[longer]=99999999999999')), failed(400))
    )
    t.match(outOfRange, [{ operation: 'list', rows: 0, error: { code: 'FST_CRUD_DATA_INVALID' } }])
    const others = await heard(async () => {
      await lamps.list(em(), parseQueryParams('filter[name]=lamp 5'))
      await lamps.list(em(), parseQueryParams('filter[name]=lamp 5'), { scope: { secret: 'hush-hush' } })
      await lamps.update(em(), 6, { name: 'renamed-lamp' })
    })
    t.ok(others.every((message) => !('error' in message)))
    t.notMatch(JSON.stringify([...failing, ...outOfRange, ...others]), /lamp 5|hush-hush|renamed-lamp|99999999999999/)
  })

  await t.test('statements outside CrudBase have no message', async (t) => {
    t.strictSame(
      await heard(async () => {
        const unit = em()
        const [lamp] = await unit.find<any>(Lamp as never, {}, { limit: 1 })
        lamp.name = 'by the unit of work'
        await unit.flush()
      }),
      []
    )
  })

  await t.test('the statements that write links have messages', async (t) => {
    const rooms = resource(Lamp)
    const linked = await heard(() => rooms.update(em(), 7, { rooms: [1] }))
    t.ok(linked.every(({ operation, resource }) => operation === 'update' && resource === 'lamp'))
    t.equal(linked.filter(({ text }) => text.startsWith('insert')).length, 1)
  })
})
