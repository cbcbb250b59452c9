import type { FastifyInstance, FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { CrudBase, crudKit, crudRoutes, type CrudRoutesOptions } from '../../src/index.ts'
import { entities, Group, Offer, Plant } from '../fixtures/entities.ts'
import { plantUuid, seed } from '../fixtures/seed.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, serve, type Json } from './helper.ts'

const cors = await import('@fastify/cors' as string).catch(() => undefined)

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const crud = resource(Plant, {
    allowedFilters: [{ name: ['eq', 'contains'] }, 'status', 'offers.title'],
    allowedIncludes: ['supplier', 'supplier.plants', 'offers'],
  })
  /** A server with a resource of plants. */
  const plants = (t: Test, options: Partial<CrudRoutesOptions> = {}) =>
    serve(t, orm, { '/plants': { crud, ...options } })
  const ids = (body: Json): number[] => body.items.map(({ id }: Json) => id)

  t.test('hooks run for all operations first, then for one, each in order', async (t) => {
    const calls: string[] = []
    const note = (name: string) => async () => {
      calls.push(name)
    }
    const app = await plants(t, {
      hooks: {
        all: {
          onRequest: [note('all 1'), note('all 2')], preHandler: note('all handler'), onResponse: note('all done'),
        },
        list: {
          onRequest: note('list'),
          preHandler: [note('list handler')],
          onSend: async (_request: FastifyRequest, _reply: unknown, payload: unknown) => {
            calls.push(typeof payload)
            return payload
          },
        },
        get: { preValidation: note('get') },
      },
    })
    await app.inject('/plants')
    t.strictSame(calls.splice(0), ['all 1', 'all 2', 'list', 'all handler', 'list handler', 'string', 'all done'])
    await app.inject('/plants/1')
    t.strictSame(calls.splice(0), ['all 1', 'all 2', 'get', 'all handler', 'all done'])
  })

  t.test('a hook that refuses a request keeps it from the database', async (t) => {
    const authenticate = async ({ headers }: FastifyRequest) => {
      if (headers.authorization !== 'Bearer me') throw Object.assign(new Error('Who are you?'), { statusCode: 401 })
    }
    const app = await plants(t, {
      hooks: {
        all: { onRequest: authenticate },
        get: { preHandler: async (_request: FastifyRequest, reply: any) => reply.code(403).send({ no: true }) },
      },
    })
    const recorder = await recordStatements(orm, t)
    const [anonymous, known, forbidden] = [
      await app.inject('/plants?filter[x]=1'),
      await app.inject({ url: '/plants', headers: { authorization: 'Bearer me' } }),
      await app.inject({ url: '/plants/1', headers: { authorization: 'Bearer me' } }),
    ]
    t.strictSame([anonymous.statusCode, anonymous.json()], [401, {
      statusCode: 401, error: 'Unauthorized', message: 'Who are you?',
    }], 'before anything is said of the query')
    t.equal(known.json().total, 13)
    t.strictSame([forbidden.statusCode, forbidden.json()], [403, { no: true }])
    t.equal(recorder.take().length, 1)
  })

  t.test('config reaches the route, with the operation and the resource', async (t) => {
    const configs: any[] = []
    const app = await plants(t, {
      config: { rateLimit: { max: 5 } },
      hooks: {
        all: {
          onRequest: async ({ routeOptions }: FastifyRequest) => {
            configs.push(routeOptions.config)
          },
        },
      },
    })
    await app.inject('/plants')
    await app.inject('/plants/1')
    t.match(configs, [{ rateLimit: { max: 5 }, crud: { operation: 'list', resource: 'plant' }, url: '/plants' }, {
      rateLimit: { max: 5 },
      crud: { operation: 'get', resource: 'plant' },
    }])
    const named = await plants(t, {
      name: 'herbs',
      config: { crud: { operation: 'mine' } },
      hooks: {
        all: {
          onRequest: async ({ routeOptions }: FastifyRequest) => {
            configs.push(routeOptions.config)
          },
        },
      },
    })
    await named.inject('/plants')
    t.match(configs.at(-1), { crud: { operation: 'list', resource: 'herbs' } })
  })

  t.test('only the chosen operations have routes', async (t) => {
    const [list, get] = [await plants(t, { operations: ['list'] }), await plants(t, { operations: ['get'] })]
    t.strictSame(await Promise.all(['/plants', '/plants/1'].map(async (url) => (await list.inject(url)).statusCode)), [
      200,
      404,
    ])
    t.strictSame(await Promise.all(['/plants', '/plants/1'].map(async (url) => (await get.inject(url)).statusCode)), [
      404,
      200,
    ])
  })

  t.test('a scope by header applies to lists, totals and single records', async (t) => {
    const bySupplier = ({ headers }: FastifyRequest) => ({ supplier: Number(headers['x-supplier']) })
    for (const scope of [bySupplier, async (request: FastifyRequest) => bySupplier(request)]) {
      const app = await plants(t, { scope })
      const ask = (url: string, supplier: number) => app.inject({ url, headers: { 'x-supplier': String(supplier) } })
      t.match((await ask('/plants?per_page=2', 2)).json(), { items: [{ id: 2 }, { id: 4 }], total: 6, total_pages: 3 })
      t.strictSame(ids((await ask('/plants', 1)).json()), [1, 3, 6, 7, 9, 10])
      t.strictSame(ids((await ask('/plants?filter[status]=active', 2)).json()), [4, 14])
      t.strictSame(ids((await ask('/plants', 99)).json()), [])
      t.equal((await ask('/plants/1', 1)).statusCode, 200)
      t.equal((await ask('/plants/4', 2)).statusCode, 200)
      const absent = await ask('/plants/99', 2)
      for (const url of ['/plants/1', `/plants/${plantUuid(1)}`, '/plants/11']) {
        const response = await ask(url, 2)
        t.strictSame([response.statusCode, response.body], [404, absent.body], 'out of scope is as good as absent')
      }
      t.equal((await ask('/plants/1?include=supplier.plants', 1)).json().supplier.plants.length, 6)
    }
  })

  t.test('a scope may be any condition that MikroORM takes', async (t) => {
    for (const [scope, expected] of [
      [() => ({}), 13],
      [async () => ({}), 13],
      [() => ({ $or: [{ status: 'draft' }, { price: { $gt: 50 } }] }), 6],
      [() => ({ supplier: { country: 'fr' } }), 6],
      [() => ({ tags: { name: 'sun' } }), 3],
      [() => ({ name: { $in: ['Oak', "it's", 'a?b', 'x"y'] } }), 1],
      [() => ({ deleted_at: { $ne: null } }), 0],
      [() => ({ created_at: { $gte: new Date('2024-04-01T00:00:00Z') } }), 4],
    ] as const) {
      t.equal((await client(await plants(t, { scope: scope as never }), '/plants').get()).total, expected,
        String(scope))
    }
  })

  t.test('requests with different scopes do not share a condition', async (t) => {
    let supplier = 0
    const { get } = client(await plants(t, { scope: () => ({ supplier }) }), '/plants')
    for (const [id, total] of [[1, 6], [2, 6], [3, 1], [1, 6], [9, 0]] as const) {
      supplier = id
      t.equal((await get()).total, total)
    }
  })

  t.test('MikroORM filters that a hook adds to the request apply everywhere', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, { orm })
    app.addHook('onRequest', async ({ em, headers }) => {
      const branch = headers['x-branch']
      if (branch !== undefined) em.addFilter({ name: 'ofBranch', cond: { branch }, entity: Offer, default: true })
    })
    await app.register(crudRoutes, { prefix: '/offers', crud: resource(Offer) })
    await app.register(crudRoutes, { prefix: '/plants', crud })
    const ask = async (url: string, branch?: string) =>
      (await app.inject({ url, headers: branch === undefined ? {} : { 'x-branch': branch } })).json()
    for (let round = 0; round < 2; round++) {
      t.strictSame(ids(await ask('/offers')), [1, 3, 5])
      t.strictSame(ids(await ask('/offers', 'north')), [3])
      t.strictSame(ids(await ask('/offers', 'south')), [])
      t.equal((await ask('/offers/1', 'north')).statusCode, 404)
      t.equal((await ask('/offers/3', 'north')).id, 3)
      t.strictSame(ids({ items: (await ask('/plants/1?include=offers', 'north')).offers }), [3])
      t.strictSame(ids({ items: (await ask('/plants/1?include=offers')).offers }), [1, 3])
      t.strictSame(ids(await ask('/plants?filter[offers.title]=Spring sale', 'north')), [])
      t.strictSame(ids(await ask('/plants?filter[offers.title]=Spring sale')), [1])
    }
  })

  t.test('HEAD answers as GET does, without a body', async (t) => {
    const app = await plants(t)
    for (const url of ['/plants', '/plants/1', '/plants/99', '/plants?sort=x']) {
      const [get, head] = [await app.inject(url), await app.inject({ method: 'HEAD', url })]
      t.equal(head.statusCode, get.statusCode, url)
      t.equal(head.body, '')
      t.strictSame([head.headers['content-type'], head.headers['content-length']], [
        get.headers['content-type'],
        get.headers['content-length'],
      ])
    }
  })

  t.test(
    'OPTIONS is answered by @fastify/cors',
    { skip: cors === undefined && '@fastify/cors is not installed' },
    async (t) => {
      const app = newServer(t)
      await app.register(cors!.default)
      await app.register(crudKit, { orm, resources: { '/plants': crud } })
      for (const url of ['/plants', '/plants/1']) {
        const response = await app.inject({
          method: 'OPTIONS', url, headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
        })
        t.match([response.statusCode, response.headers['access-control-allow-methods']], [204, /GET/])
      }
    }
  )

  t.test('answers have their content type', async (t) => {
    const { headers, rawPayload } = await (await plants(t)).inject('/plants')
    t.equal(headers['content-type'], 'application/json; charset=utf-8')
    t.equal(Number(headers['content-length']), rawPayload.length)
    t.match(rawPayload.toString('utf8'), 'Ångström 玫瑰 🌹')
  })

  t.test('afterRead changes every record, whole pages and single ones', async (t) => {
    const contexts: any[] = []
    class Priced extends CrudBase {
      constructor () {
        super({ model: Plant, writable: 'all', queryConfig: crud.queryConfig })
      }

      override afterRead (record: Json, context: any) {
        contexts.push(context)
        return {
          id: record.id, gross: record.price === null ? null : Math.round(record.price * 119) / 100,
          supplier: record.supplier,
        }
      }
    }
    const app: FastifyInstance = await serve(t, orm, { '/plants': new Priced() })
    t.strictSame((await app.inject('/plants?filter[name]=Lavender')).json().items, [{
      id: 1, gross: 11.78, supplier: 1,
    }])
    t.match((await app.inject('/plants/1?include=supplier')).json(), {
      gross: 11.78,
      supplier: { name: 'Vert & Fils', country: 'FR' },
    })
    t.ok(contexts.every(({ em, request }) => em === request.em))
    t.equal(contexts.length, 2)
  })

  t.test('a self-referencing resource and others work side by side', async (t) => {
    const app = await serve(t, orm, { '/groups': resource(Group), '/plants': crud, '/groups/special': resource(Group) })
    t.strictSame((await app.inject('/groups')).json().items.length, 4)
    t.strictSame((await app.inject('/groups/special')).json().items.length, 4)
    t.equal((await app.inject('/groups/1')).json().name, 'Perennials')
  })
})
