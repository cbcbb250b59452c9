import Fastify from 'fastify'
import t, { type Test } from 'tap'
import root, {
  crudAdvice, crudDatabase, crudErrors, crudHealth, crudKit, crudRoutes, DatabaseFactory, requestEm, requestQueryParams,
  serverTiming,
} from '../../src/index.ts'
import { entities, Plant, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { createDatabase, forEachDatabase, pgliteUrl } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { client, resource, serve } from './helper.ts'

const refused = (message: RegExp) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

await forEachDatabase(t, { entities, seed }, async (t, { orm, name }) => {
  const plants = resource(Plant, { allowedFilters: ['name'], allowedSorts: ['name'] })

  t.test('the plugin is the default export, and has a name', async (t) => {
    t.equal(root, crudKit)
    const app = await serve(t, orm)
    t.ok(app.hasPlugin('fastify-crud-kit'))
    t.ok(app.hasRequestDecorator('em') && app.hasRequestDecorator('queryParams') && app.hasDecorator('orm'))
    t.ok(app.getSchema('fastify-crud-kit/error'))
  })

  t.test('each resource has its prefix, level and serializers of the log, and its answers by status', async (t) => {
    const lines: Array<{ readonly msg: string, readonly req?: unknown }> = []
    const app = newServer(t, {
      logger: { level: 'info', stream: { write: (line: string) => lines.push(JSON.parse(line)) } },
    })
    const prefixes: unknown[] = []
    app.addHook('onRegister', (instance, { prefix }: { readonly prefix?: string }) => {
      prefixes.push(prefix)
    })
    const answers = new Map<string, string[]>()
    app.addHook('onRoute', ({ method, url, schema }) => {
      answers.set(`${String(method)} ${url}`, Object.keys(schema?.response ?? {}))
    })
    const upper = (request: { readonly url: string }): string => request.url.toUpperCase()
    await app.register(async (api) => {
      await api.register(crudKit, {
        orm,
        resources: {
          '/plants': plants,
          '/quiet': { crud: plants, logLevel: 'error' },
          '/short': { crud: plants, logSerializers: { req: upper } },
        },
      })
    }, { prefix: '/api' })
    const requestOf = async (url: string): Promise<unknown> => {
      lines.length = 0
      t.equal((await app.inject(url)).statusCode, 200, url)
      return lines.find(({ msg }) => msg === 'incoming request')?.req
    }
    t.match(await requestOf('/api/plants?per_page=1'), { method: 'GET', url: '/api/plants?per_page=1' })
    t.equal(await requestOf('/api/quiet'), undefined)
    t.equal(await requestOf('/api/short/'), '/API/SHORT/')
    t.strictSame(prefixes.filter((prefix) => prefix !== undefined), ['/api', '/plants', '/quiet', '/short'])
    // hooks see the schemas of answers on servers without OpenAPI, too
    t.ok(answers.get('GET /api/plants/:id')?.includes('200'))
    t.ok(answers.get('POST /api/plants')?.includes('201'))
  })

  t.test('an orm that is passed in is closed by its owner', async (t) => {
    const app = Fastify()
    await app.register(crudKit, { orm, resources: { '/plants': plants } })
    t.equal(app.orm, orm)
    t.equal((await app.inject('/plants')).statusCode, 200)
    await app.close()
    t.equal(await orm.isConnected(), true)
    t.equal(await orm.em.fork().count(Tag), 5)
  })

  /** The options of the test's own database. */
  const databaseOf = async (t: Test) => {
    if (name === 'pglite') return { databaseUrl: pgliteUrl(t), entities, schema: 'create' as const }
    const { url, drop } = await createDatabase()
    t.teardown(drop)
    return { databaseUrl: url, entities, schema: 'create' as const }
  }

  t.test('a database that the plugin opens is opened and closed with the server', async (t) => {
    const app = Fastify()
    await app.register(crudKit, { database: await databaseOf(t), resources: { '/plants': plants } })
    t.equal((await app.inject('/plants')).json().total, 0)
    const { orm } = app
    t.equal(await orm.isConnected(), true)
    await app.close()
    t.equal(await orm.isConnected(), false)
  })

  t.test('a DatabaseFactory is opened and closed with the server', async (t) => {
    const factory = new DatabaseFactory(await databaseOf(t))
    const app = Fastify()
    await app.register(crudKit, { database: factory, resources: { '/plants': plants } })
    const engine = await factory.getEngine()
    t.equal(app.orm, engine)
    t.equal((await app.inject('/plants')).json().total, 0)
    await app.close()
    t.equal(await engine.isConnected(), false)
  })

  t.test('the database is closed if a resource keeps the server from starting', async (t) => {
    const factory = new DatabaseFactory(await databaseOf(t))
    const engine = await factory.getEngine()
    const app = Fastify()
    app.register(crudKit, { database: factory, resources: { '/plants': resource(Plant, { allowedSorts: ['nmae'] }) } })
    await t.rejects(async () => await app.ready(), refused(/Did you mean 'name'/))
    t.equal(await engine.isConnected(), false)
    await app.close()
  })

  t.test('invalid options stop start-up', async (t) => {
    for (const [options, message] of [
      [{ orm, database: { entities } }, /crudKit: give either 'orm' or 'database', not both/],
      [{ orm, resorces: {} }, /crudKit: there is no option 'resorces'\. Did you mean 'resources'\?/],
      [{ orm, resources: { '/plants': { crud: plants, hook: {} } } },
        /The resource \/plants: there is no option 'hook'\. Did you mean 'hooks'\?/],
      [
        { orm, resources: { '/plants': { crud: plants, operations: ['read'] } } },
        /The resource \/plants: operations\[0\]: expected one of 'list', .*, got 'read'\. Did you mean 'list', 'get'\?$/,
      ],
      [{ orm, resources: { '/plants': { crud: plants, operations: ['lits'] } } },
        /The resource \/plants: operations\[0\]: expected one of 'list', .*\. Did you mean 'list'\?$/],
      [
        { orm, resources: { '/plants': { crud: plants, stream: { stalTimeoutMillis: 1 } } } },
        /The resource \/plants: there is no option 'stalTimeoutMillis' in 'stream'\. Did you mean 'stallTimeoutMillis'\?/,
      ],
      [{ orm, resources: { '/plants': { crud: plants, stream: { stallTimeoutMillis: 0 } } } },
        /stream\.stallTimeoutMillis: expected integer to be greater or equal to 1, got 0/],
      [{ orm, resources: { '/plants': { crud: plants, stream: { timeoutMillis: -1 } } } },
        /stream\.timeoutMillis: expected integer to be greater or equal to 0, got -1/],
      [{ orm, resources: { '/plants': { crud: plants, stream: { csv: { escapeFormula: false } } } } },
        /there is no option 'escapeFormula' in 'stream\.csv'\. Did you mean 'escapeFormulas'\?/],
      [{ orm, resources: { '/plants': { crud: plants, stream: 'yes' } } }, /stream: expected .*, got 'yes'/],
      [{ orm, resources: { '/plants': { crud: plants, readonlyProperties: 'ingore' } } },
        /readonlyProperties: expected one of 'refuse', 'ignore', got 'ingore'\. Did you mean 'ignore'\?$/],
      [{ orm, resources: { '/plants': { crud: plants, transaction: { isolationLevel: 'serialisable' } } } },
        /Did you mean 'serializable'\?/],
      [{ database: { entities, schema: 'craete' } },
        /schema: expected one of 'create', 'update', got 'craete'\. Did you mean 'create'\?/],
      [{ orm, resources: { '/plants': { crud: plants, operations: [] } } }, /The resource \/plants: operations: /],
      [{ orm, resources: { '/plants': { crud: plants, scope: { id: 1 } } } }, /The resource \/plants: scope: /],
      [{ orm, resources: { '/plants': { crud: plants, hooks: { lst: {} } } } },
        /The resource \/plants: there is no option 'lst' in 'hooks'\. Did you mean 'list'\?/],
      [{ orm, resources: { '/plants': { crud: plants, hooks: { all: { onRequset: () => {} } } } } },
        /The resource \/plants: there is no option 'onRequset' in 'hooks\.all'\. Did you mean 'onRequest'\?/],
      [{ orm, resources: { '/plants': { crud: plants, schemas: { gte: {} } } } },
        /The resource \/plants: there is no option 'gte' in 'schemas'\. Did you mean 'get'\?/],
      [{ database: { entities, databaseURL: 'x' } }, /there is no option 'databaseURL'. Did you mean 'databaseUrl'\?/],
    ] as const) {
      const app = newServer(t)
      app.register(crudKit, options as never)
      await t.rejects(async () => await app.ready(), refused(message), String(message))
    }
  })

  t.test('a part of the plugin that is registered a second time is named', async (t) => {
    for (const [plugin, options, message] of [
      [requestEm, {}, /^fastify-crud-kit\/request-em: request\.em exists already\. Register the plugin once, or /],
      [requestQueryParams, {}, /^fastify-crud-kit\/query-params: request\.queryParams exists already\. Register/],
      [serverTiming, {}, /^fastify-crud-kit\/server-timing: the default of serverTiming exists already\. Register/],
      [crudHealth, {}, /^fastify-crud-kit\/health: fastify\.crudHealth exists already\. Register the plugin once/],
      [crudErrors, {}, /^fastify-crud-kit\/errors: the schema fastify-crud-kit\/error exists already\. Register/],
      [crudAdvice, {}, /^fastify-crud-kit\/advice: the advice exists already\. Register the plugin once/],
    ] as const) {
      const app = newServer(t)
      await app.register(crudKit, { orm })
      await t.rejects(async () => await app.register(plugin as never, options), refused(message), String(message))
    }
    const own = newServer(t)
    own.decorateRequest('em')
    await t.rejects(async () => await own.register(crudKit, { orm }), refused(/request\.em exists already/))
  })

  t.test('a part of the plugin names its own options only', async (t) => {
    for (const [plugin, options, message] of [
      [requestQueryParams, { a: 1 }, /^fastify-crud-kit\/query-params: there is no option 'a'\. It has no options\.$/],
      [requestEm, { a: 1 }, /^fastify-crud-kit\/request-em: there is no option 'a'\. It has no options\.$/],
      [serverTiming, { a: 1 }, /^fastify-crud-kit\/server-timing: .* It has: serverTiming\.$/],
      [serverTiming, { serverTimin: 1 }, /there is no option 'serverTimin'\. Did you mean 'serverTiming'\?$/],
      [crudAdvice, { a: 1 }, /It has: shared, indexAdvice\.$/],
      [crudDatabase, { a: 1 }, /It has: orm, database, statementTimeoutMillis\.$/],
    ] as const) {
      const app = newServer(t)
      if (plugin !== crudDatabase) await app.register(crudDatabase, { orm })
      await t.rejects(async () => await app.register(plugin as never, options), refused(message), String(message))
    }
    // @fastify/autoload passes the options of all plugins to each of them
    const app = newServer(t)
    await app.register(requestQueryParams, { serverTiming: true, indexAdvice: false } as object)
  })

  t.test('the default of serverTiming is refused after the routes that it is for', async (t) => {
    const [app, fine, off] = [newServer(t), newServer(t), newServer(t)]
    for (const server of [app, fine, off]) {
      await server.register(crudDatabase, { orm })
      await server.register(requestEm)
      await server.register(requestQueryParams)
    }
    await app.register(crudRoutes, { prefix: '/plants', crud: plants })
    await t.rejects(
      async () => await app.register(serverTiming, { serverTiming: true }),
      refused(
        /^fastify-crud-kit\/server-timing: routes of \/plants are registered already, .* Register the plugin before crudRoutes/
      )
    )
    await fine.register(crudRoutes, { prefix: '/own', crud: plants, serverTiming: false })
    await fine.register(async (child) => {
      await child.register(crudRoutes, { prefix: '/elsewhere', crud: plants })
    })
    await fine.register(async (child) => {
      await child.register(serverTiming, { serverTiming: true })
      await child.register(crudRoutes, { prefix: '/timed', crud: plants })
    })
    await fine.ready()
    t.ok((await fine.inject('/timed')).headers['server-timing'])
    t.notOk((await fine.inject('/elsewhere')).headers['server-timing'])
    await off.register(crudRoutes, { prefix: '/plants', crud: plants })
    await off.register(serverTiming, { serverTiming: false })
  })

  t.test('request.em is a separate EntityManager for each request, created on first use', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, { orm })
    app.get('/twice', async ({ em }, reply) => {
      const same = (reply.request as any).em === em
      return { id: (em as any)._id, same, isFork: em !== orm.em, count: await em.count(Tag) }
    })
    app.get('/never', async () => 'ok')
    const first = (await app.inject('/twice')).json()
    const second = (await app.inject('/twice')).json()
    t.match(first, { same: true, isFork: true, count: 5 })
    t.not(first.id, second.id)
    const forks = t.capture(orm.em, 'fork', orm.em.fork)
    t.equal((await app.inject('/never')).body, 'ok')
    t.equal(forks().length, 0, 'who does not ask, gets none')
    await app.inject('/twice')
    t.equal(forks().length, 1)
  })

  t.test('request.queryParams is parsed once, on first use, and frozen', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, { orm })
    app.get('/', {
      preValidation: async (request) => {
        if (request.headers['x-early'] !== undefined) t.ok(request.queryParams)
        request.query = { 'filter[name]': 'changed' }
      },
    }, async (request) => {
      const params = request.queryParams
      const isDeep = (value: object): boolean =>
        Object.isFrozen(value) && Object.values(value).every((item) => typeof item !== 'object' || isDeep(item))
      return { value: params.filters[0]?.value, same: request.queryParams === params, frozen: isDeep(params) }
    })
    t.strictSame((await app.inject('/?filter[name]=sent')).json(), { value: 'changed', same: true, frozen: true })
    t.strictSame((await app.inject({ url: '/?filter[name]=sent', headers: { 'x-early': '1' } })).json(), {
      value: 'sent', same: true, frozen: true,
    })
    t.equal((await app.inject('/?filter[')).statusCode, 200, 'it never throws')
  })

  t.test('request.queryParams reads what a hook has put into request.query, of any form', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, { orm })
    const queries = [
      ['/object', { page: '2' }], ['/search-params', new URLSearchParams('page=2')], ['/text', 'page=2'],
      ['/undefined', undefined],
    ] as const
    for (const [url, query] of queries) {
      app.get(url, {
        preValidation: async (request) => {
          request.query = query
        },
      }, async ({ queryParams }) => ({ page: queryParams.page }))
    }
    for (const [url, query] of queries) {
      t.strictSame((await app.inject(url)).json(), query === undefined ? {} : { page: 2 }, url)
    }
  })

  t.test("a resource reads with the request's em", async (t) => {
    const app = newServer(t)
    await app.register(crudKit, {
      orm,
      resources: {
        '/plants': {
          crud: plants,
          hooks: {
            list: {
              preHandler: async ({ em }) => {
                await em.begin()
                await em.execute("update plant set name = 'Changed' where id = 1")
              },
              onResponse: async ({ em }) => em.rollback(),
            },
          },
        },
      },
    })
    t.equal((await app.inject('/plants?filter[name]=Changed')).json().total, 1, 'in its transaction')
    t.equal((await app.inject('/plants/1')).json().name, 'Lavender')
  })

  t.test('crudRoutes serves one resource, under the prefixes around it', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, { orm })
    await app.register(async (api) => {
      await api.register(crudRoutes, { prefix: '/plants', crud: plants })
      await api.register(crudRoutes, { prefix: '/shop/:shop/plants', crud: plants, operations: ['list'] })
    }, { prefix: '/v1' })
    t.equal((await app.inject('/v1/plants')).json().total, 13)
    t.equal((await app.inject('/v1/plants/')).json().total, 13)
    t.equal((await app.inject('/v1/plants/1')).json().id, 1)
    t.equal((await app.inject('/v1/shop/7/plants')).json().total, 13)
    t.equal((await app.inject('/plants')).statusCode, 404)
  })

  t.test('crudRoutes serves several resources behind the hooks of their instance', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, { orm })
    app.get('/login', async () => 'open')
    await app.register(async (api) => {
      api.addHook('onRequest', async ({ headers }, reply) => {
        if (headers.authorization === undefined) return await reply.code(401).send()
      })
      await api.register(crudRoutes, {
        prefix: '/v1',
        resources: {
          '/': plants, '/plants': plants, '/herbs': { crud: plants, operations: ['list'], scope: () => ({ id: 1 }) },
        },
      })
    }, { prefix: '/api' })
    const status = async (url: string, headers = {}) => (await app.inject({ url, headers })).statusCode
    const total = async (url: string) => (await app.inject({ url, headers: { authorization: 'x' } })).json().total
    t.equal(await status('/login'), 200)
    t.equal(await status('/api/v1/plants'), 401)
    t.equal(await total('/api/v1/plants'), 13)
    t.equal(await total('/api/v1'), 13)
    t.equal(await total('/api/v1/herbs'), 1)
    t.equal(await status('/api/v1/plants/1', { authorization: 'x' }), 200)
    t.equal(await status('/api/v1/herbs/1', { authorization: 'x' }), 404)
  })

  t.test('a resource may be mounted at the root', async (t) => {
    const app = newServer(t)
    await app.register(crudKit, { orm })
    await app.register(crudRoutes, { prefix: '/', crud: plants })
    t.equal((await app.inject('/')).json().total, 13)
    t.equal((await app.inject('/1')).json().id, 1)
  })

  t.test('one class may serve several resources and several servers', async (t) => {
    const [one, two] = [
      await serve(t, orm, { '/a': plants, '/b': plants }),
      await serve(t, orm, { '/a': { crud: plants, scope: () => ({ id: 1 }) } }),
    ]
    for (let round = 0; round < 2; round++) {
      t.strictSame(
        [await client(one, '/a').get(), await client(one, '/b').get(), await client(two, '/a').get()].map(({ total }) =>
          total
        ),
        [13, 13, 1]
      )
    }
  })

  t.test('hooks and decorators of one resource do not apply to another', async (t) => {
    const calls: string[] = []
    const app = newServer(t)
    await app.register(crudKit, {
      orm,
      resources: {
        '/a': {
          crud: plants,
          hooks: {
            all: {
              onRequest: async () => {
                calls.push('a')
              },
            },
          },
        },
        '/b': plants,
      },
    })
    await app.inject('/b')
    t.strictSame(calls, [])
    await app.inject('/a')
    t.strictSame(calls, ['a'])
  })

  t.test('query strings nested by qs mean the same', async (t) => {
    const qs = await import('qs')
    const config = {
      allowedFilters: [{ name: ['eq', 'in', 'contains'], id: ['in', 'gt', 'lt'] }],
      allowedSorts: ['name', 'id'],
    }
    const nested = newServer(t, { routerOptions: { querystringParser: (text: string) => qs.default.parse(text) } })
    await nested.register(crudKit, { orm, resources: { '/plants': resource(Plant, config) } })
    const flat = await serve(t, orm, { '/plants': resource(Plant, config) })
    for (const query of [
      '', 'filter[name]=Oak', 'filter[name][in]=Oak,Moss&sort=-name', 'filter[name][in][]=Oak&filter[name][in][]=Moss',
      'filter[id][gt]=3&filter[id][lt]=6', 'filter[id]=1&filter[id]=3', 'filter[name][contains]=a&page=2&per_page=3',
      'sort=name,-id&limit=2', 'sort[]=name', 'filter[nmae]=x', 'filter[name][x]=1', 'filter[name][eq][x]=1',
      'filter=x', 'page=0', 'sort[name]=1', 'filters[name]=x', 'filter[name]=a%00',
    ]) {
      const [a, b] = [await nested.inject(`/plants?${query}`), await flat.inject(`/plants?${query}`)]
      t.strictSame([a.statusCode, a.json()], [b.statusCode, b.json()], query)
    }
  })
})
