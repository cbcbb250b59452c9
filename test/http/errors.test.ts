import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { crudKit, crudRoutes, FilterValidationError } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { bodyOf, client, resource, serve } from './helper.ts'

const config = {
  allowedFilters: ['name', { price: ['gte', 'lte'] }], allowedSorts: ['name'], allowedFields: ['name', 'tags.name'],
  allowedIncludes: ['tags'],
}
const QUERY = 'filter[nmae]=x'
const DETAIL = "The filter 'nmae' is not allowed. Did you mean 'name'? Allowed: name, price."
const BODY = {
  statusCode: 400, code: 'FST_CRUD_FILTER_INVALID', error: 'Bad Request', message: DETAIL, detail: DETAIL,
  errors: [{
    source: { parameter: 'filter[nmae]' },
    code: 'FST_CRUD_FILTER_INVALID',
    detail: DETAIL,
    allowed: ['name', 'price'],
    suggestion: 'name',
  }],
}

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const plants = resource(Plant, config)
  const app = await serve(t, orm, { '/plants': plants })
  const { refused } = client(app, '/plants')
  const recorder = await recordStatements(orm, t)
  t.beforeEach(() => {
    recorder.take()
  })

  /** A server for tests that only need to choose its routes. */
  const serveRoutes = async (t: Test, routes: (app: FastifyInstance) => unknown) => {
    const app = Fastify()
    t.teardown(() => app.close())
    await app.register(crudKit, { orm })
    await routes(app)
    await app.ready()
    return app
  }

  t.test("Fastify's own error handler sends the complete error", async (t) => {
    const response = await app.inject(`/plants?${QUERY}`)
    t.equal(response.statusCode, 400)
    t.strictSame(bodyOf(response), BODY)
    t.strictSame(Object.keys(response.json()), ['statusCode', 'code', 'error', 'message', 'detail', 'errors'])
    t.strictSame(recorder.take(), [], 'and the database was not asked')
  })

  t.test("Fastify's own errors of a body have the same members", async (t) => {
    const app = await serve(t, orm, { '/plants': plants }, { bodyLimit: 100 })
    for (const [payload, statusCode, code, message] of [
      ['{"name":', 400, 'FST_ERR_CTP_INVALID_JSON_BODY', /not valid JSON/],
      ['', 400, 'FST_ERR_CTP_EMPTY_JSON_BODY', /cannot be empty/],
      [JSON.stringify('x'.repeat(100)), 413, 'FST_ERR_CTP_BODY_TOO_LARGE', /too large/],
    ] as const) {
      const headers = { 'content-type': 'application/json' }
      const response = await app.inject({ method: 'POST', url: '/plants', headers, payload })
      const body = bodyOf(response)
      t.match(body, { statusCode, code, error: /^(?:Bad Request|Payload Too Large)$/, message })
      t.equal(response.statusCode, statusCode)
      t.strictSame([body.detail, body.errors], [body.message, [{ code, detail: body.message }]])
    }
  })

  t.test("an application's own error keeps its list, also with a code that begins like Fastify's", async (t) => {
    const message = 'The shop is closed.'
    for (const [detail, errors, expected] of [
      [undefined, ['noon'], { detail: message, errors: ['noon'] }],
      ['Come back.', ['noon'], { detail: 'Come back.', errors: ['noon'] }],
      [undefined, undefined, { detail: message, errors: [{ code: 'FST_ERR_SHOP', detail: message }] }],
    ]) {
      const app = await serveRoutes(t, async (app) => {
        app.addHook('onRequest', async () => {
          throw Object.assign(new Error(message), { statusCode: 409, code: 'FST_ERR_SHOP', detail, errors })
        })
        await app.register(crudRoutes, { prefix: '/plants', crud: plants })
      })
      const body = bodyOf(await app.inject('/plants'))
      t.strictSame({ detail: body.detail, errors: body.errors }, expected)
    }
  })

  t.test('each kind of error has its code and names its parameter', async (t) => {
    for (const [query, kind, parameter] of [
      ['filter[x]=1', 'FILTER', 'filter[x]'],
      ['filter[name][x]=1', 'FILTER', 'filter[name][x]'],
      ['filter[price]=x', 'FILTER', 'filter[price]'],
      ['filter[a][b][c]=1', 'FILTER', 'filter[a][b][c]'],
      ['filter=1', 'FILTER', 'filter'],
      ['sort=x', 'SORT', 'sort'],
      ['fields=x', 'FIELD', 'fields'],
      ['fields[tags]=name', 'FIELD', 'fields[tags]'],
      ['include=x', 'INCLUDE', 'include'],
      ['page=0', 'PAGINATION', 'page'],
      ['page=1&limit=1', 'PAGINATION', 'limit'],
      ['cursor=x', 'PAGINATION', 'cursor'],
      ['filters[name]=x', 'QUERY', 'filters[name]'],
    ]) {
      const code = `FST_CRUD_${kind}_INVALID`
      t.match(await refused(query!), {
        statusCode: 400, code, error: 'Bad Request', errors: [{ source: { parameter }, code }],
      }, query!)
    }
    t.strictSame(recorder.take(), [])
  })

  t.test('errors of the whole query string have no source', async (t) => {
    for (const [query, detail] of [
      [`filter[name]=${'x'.repeat(8200)}`, /longer than 8192 bytes/],
      [`x=${'x'.repeat(8200)}`, /longer than 8192 bytes/],
      [Array.from({ length: 101 }, (_, i) => `filter[f${i}]=1`).join('&'), /more than 100 parameters/],
      ['%ff=1', /not valid percent-encoded UTF-8/],
    ] as const) {
      const body = await refused(query)
      t.match(body, {
        code: 'FST_CRUD_QUERY_INVALID', message: detail, errors: [{ code: 'FST_CRUD_QUERY_INVALID', detail }],
      })
      t.strictSame([body.errors.length, 'source' in body.errors[0]], [1, false])
    }
  })

  t.test('all errors are listed by kind, and the first kind gives the code', async (t) => {
    const body = await refused('filters=1&page=0&include=x&fields=y,z&sort=a&filter[price]=x&per_page=1000&filter[q]=1')
    t.equal(body.code, 'FST_CRUD_FILTER_INVALID')
    t.strictSame(body.errors.map(({ code }: { code: string }) => code.slice(9, -8)), [
      'FILTER', 'FILTER', 'SORT', 'FIELD', 'FIELD', 'INCLUDE', 'PAGINATION', 'PAGINATION', 'QUERY',
    ])
    t.equal((await refused('include=x&page=0&fields=y&sort=a')).code, 'FST_CRUD_SORT_INVALID')
    t.equal((await refused('include=x&page=0&fields=y')).code, 'FST_CRUD_FIELD_INVALID')
    t.equal((await refused('include=x&page=0')).code, 'FST_CRUD_INCLUDE_INVALID')
    t.equal((await refused('page=0&filters=1')).code, 'FST_CRUD_PAGINATION_INVALID')
  })

  t.test('the message alone describes every error', async (t) => {
    const body = await refused('filter[nmae]=x&filter[price][gt]=1&filter[price]=cheap&sort=nmae&page=0')
    t.equal(body.message, body.detail)
    t.equal(body.errors.length, 5)
    for (const { detail } of body.errors) t.ok(body.message.includes(detail), detail)
    t.match(await refused('filter[name]=%00'), { message: /filter\[name\]/ })
    t.match(await refused(Array.from({ length: 9 }, (_, i) => `filter[f${i}]=1`).join('&')), {
      message: /f0.*f4.*\(4 more\)$/,
      errors: { length: 9 },
    })
  })

  t.test('a hidden name and an unknown one get the same answer, byte for byte', async (t) => {
    // names of the same length, at the same distance from every allowed name
    for (const at of [
      (name: string) => `/plants?filter[${name}]=1`,
      (name: string) => `/plants?sort=${name}`,
      (name: string) => `/plants?fields=${name}`,
      (name: string) => `/plants?include=${name}`,
      (name: string) => `/plants/1?fields=${name}`,
    ]) {
      const [hidden, unknown] = await Promise.all(
        ['purchasePrice', 'purchaseQrice'].map((name) => app.inject(at(name)))
      )
      t.equal(hidden!.statusCode, 400)
      t.equal(hidden!.body.replaceAll('purchasePrice', 'purchaseQrice'), unknown!.body, at('purchasePrice'))
      t.strictSame({ ...hidden!.headers, date: '' }, { ...unknown!.headers, date: '' })
    }
  })

  t.test('long texts of a client are cut, and never become HTML or half a character', async (t) => {
    const long = 'x'.repeat(5000)
    for (const query of [
      `filter[${long}]=1`, `filter[name][${long}]=1`, `sort=${long}`, `fields=${long}`, `include=${long}`,
      `fields[${long}]=x`, `filter[price][in]=${long}`, `filter[price]=${long}`, `${long}[`, `filter[${long}`,
      `include=${'x.'.repeat(2000)}y`, `page=${long}`,
    ]) {
      const response = await app.inject(`/plants?${query}`)
      if (response.statusCode === 400) {
        t.ok(response.body.length < 2000, `${query.slice(0, 30)}: ${response.body.length}`)
      }
    }
    t.equal((await app.inject(`/plants?filter[${'🌹'.repeat(200)}]=1`)).body.isWellFormed(), true)
  })

  t.test("the application's error handler gets the error unchanged", async (t) => {
    const app = await serveRoutes(t, async (app) => {
      app.setErrorHandler((error: any, _request, reply) =>
        reply.code(418).send({
          mine: true, statusCode: error.statusCode, code: error.code, message: error.message, detail: error.detail,
          errors: error.errors, name: error.name, isError: error instanceof Error,
          isOurs: error instanceof FilterValidationError,
        })
      )
      await app.register(crudRoutes, { prefix: '/plants', crud: plants })
    })
    const response = await app.inject(`/plants?${QUERY}`)
    t.equal(response.statusCode, 418)
    const { error, ...rest } = BODY
    t.strictSame(response.json(), { mine: true, ...rest, name: 'FastifyError', isError: true, isOurs: true })
  })

  t.test("the answer of an application's error handler is not cut to our schema", async (t) => {
    const app = await serveRoutes(t, async (app) => {
      app.setErrorHandler((error: any, _request, reply) =>
        reply.code(error.statusCode).send({ problem: error.code, title: error.message })
      )
      await app.register(crudRoutes, { prefix: '/plants', crud: plants })
    })
    const response = await app.inject(`/plants?${QUERY}`)
    t.equal(response.statusCode, 400)
    t.strictSame(response.json(), { problem: 'FST_CRUD_FILTER_INVALID', title: DETAIL })
    t.strictSame((await app.inject('/plants/99')).json(), {
      problem: 'FST_CRUD_NOT_FOUND',
      title: 'The record was not found.',
    })
  })

  t.test('an error handler of an encapsulated context applies to its own routes', async (t) => {
    const app = await serveRoutes(t, async (app) => {
      await app.register(async (inner) => {
        inner.setErrorHandler((error: any, _request, reply) => reply.code(error.statusCode).send(`inner ${error.code}`))
        await inner.register(crudRoutes, { prefix: '/inner', crud: plants })
      })
      await app.register(crudRoutes, { prefix: '/outer', crud: plants })
    })
    const [inner, outer] = [await app.inject(`/inner?${QUERY}`), await app.inject(`/outer?${QUERY}`)]
    t.strictSame([inner.statusCode, inner.body], [400, 'inner FST_CRUD_FILTER_INVALID'])
    t.strictSame([outer.statusCode, outer.json()], [400, BODY])
  })

  t.test('a hand-written route sends the same answer with the shared schema, and a usable one without', async (t) => {
    const list = (request: any) => plants.list(request.em, request.queryParams)
    const app = await serveRoutes(t, async (app) => {
      app.get('/with', { schema: { response: { '4xx': { $ref: 'fastify-crud-kit/error#' } } } }, list)
      app.get('/without', list)
      app.get('/sync', (request, reply) => {
        plants.list(request.em, request.queryParams).then((page) => reply.send(page), (error) => reply.send(error))
      })
    })
    t.strictSame(bodyOf(await app.inject(`/with?${QUERY}`)), BODY)
    const short = { statusCode: 400, code: 'FST_CRUD_FILTER_INVALID', error: 'Bad Request', message: DETAIL }
    t.strictSame(bodyOf(await app.inject(`/without?${QUERY}`)), short)
    t.strictSame(bodyOf(await app.inject(`/sync?${QUERY}`)), short)
    t.equal(bodyOf(await app.inject('/with?per_page=2')).items.length, 2)
  })

  t.test("the shared schema lets the application's own errors pass", async (t) => {
    const schema = {
      response: { '4xx': { $ref: 'fastify-crud-kit/error#' }, '5xx': { $ref: 'fastify-crud-kit/error#' } },
    }
    const throwing = (properties: object) => async () => {
      throw Object.assign(new Error('You may not.'), properties)
    }
    const sending = (status: number, body: object) => async (_request: unknown, reply: any) =>
      await reply.code(status).send(body)
    const app = await serveRoutes(t, async (app) => {
      app.get('/thrown', { schema }, throwing({ statusCode: 403 }))
      app.get('/coded', { schema }, throwing({ statusCode: 403, code: 42, errors: { name: ['is missing'] } }))
      app.get('/failed', { schema }, throwing({}))
      app.get('/sent', { schema }, sending(404, { message: 'No such book.' }))
      app.get('/empty', { schema }, sending(404, { error: 'Gone' }))
      app.get('/listed', { schema }, sending(400, { message: 'Two.', errors: ['one', { field: 'two' }] }))
    })
    const answerOf = async (url: string) => {
      const response = await app.inject(url)
      return [response.statusCode, response.json()]
    }
    const forbidden = { statusCode: 403, error: 'Forbidden', message: 'You may not.' }
    t.strictSame(await answerOf('/thrown'), [403, forbidden])
    t.strictSame(await answerOf('/coded'), [403, { ...forbidden, code: '42', errors: { name: ['is missing'] } }])
    t.strictSame(await answerOf('/failed'), [500, {
      statusCode: 500, error: 'Internal Server Error', message: 'You may not.',
    }])
    t.strictSame(await answerOf('/sent'), [404, { message: 'No such book.' }])
    t.strictSame(await answerOf('/empty'), [404, { error: 'Gone' }])
    t.strictSame(await answerOf('/listed'), [400, { message: 'Two.', errors: ['one', { field: 'two' }] }])
  })

  t.test('hooks of the application answer generated routes, also those with schemas of the application', async (t) => {
    const own = { list: { response: { 200: { type: 'object', additionalProperties: true } } } }
    const app = await serveRoutes(t, async (app) => {
      app.addHook('onRequest', async ({ query }: any, reply) => {
        if (query.as === 'nobody') return await reply.code(401).send({ message: 'Who?' })
        if (query.as === 'guest') throw Object.assign(new Error('You may not.'), { statusCode: 403 })
      })
      await app.register(crudRoutes, { prefix: '/plain', crud: plants })
      await app.register(crudRoutes, { prefix: '/declared', crud: plants, schemas: own })
    })
    for (const prefix of ['/plain', '/declared']) {
      const [sent, thrown] = [await app.inject(`${prefix}?as=nobody`), await app.inject(`${prefix}?as=guest`)]
      t.strictSame([sent.statusCode, sent.json()], [401, { message: 'Who?' }], prefix)
      t.strictSame([thrown.statusCode, thrown.json()], [403, {
        statusCode: 403, error: 'Forbidden', message: 'You may not.',
      }], prefix)
    }
  })

  t.test("errors of the application's hooks and scopes are not changed", async (t) => {
    const app = await serveRoutes(t, async (app) => {
      await app.register(crudRoutes, {
        prefix: '/a',
        crud: plants,
        hooks: {
          all: {
            onRequest: async () => {
              throw Object.assign(new Error('No entry.'), { statusCode: 401 })
            },
          },
        },
      })
      await app.register(crudRoutes, {
        prefix: '/b',
        crud: plants,
        scope: () => {
          throw Object.assign(new Error('Which tenant?'), { statusCode: 403, code: 'NO_TENANT' })
        },
      })
      await app.register(crudRoutes, {
        prefix: '/c',
        crud: plants,
        scope: () => {
          throw new Error('bug')
        },
      })
    })
    t.strictSame(bodyOf(await app.inject('/a')), { statusCode: 401, error: 'Unauthorized', message: 'No entry.' })
    t.strictSame(bodyOf(await app.inject('/b')), {
      statusCode: 403, code: 'NO_TENANT', error: 'Forbidden', message: 'Which tenant?',
    })
    t.strictSame(bodyOf(await app.inject('/c/1')), { statusCode: 500, error: 'Internal Server Error', message: 'bug' })
  })

  t.test('ignoreInvalidErrors drops invalid parts and applies the rest', async (t) => {
    const app = await serve(t, orm, { '/plants': resource(Plant, { ...config, ignoreInvalidErrors: true }) })
    const { get, refused } = client(app, '/plants')
    const lavender = await get('filter[name]=Lavender')
    t.equal(lavender.total, 1)
    for (const query of [
      'filter[nmae]=x', 'filter[price][gt]=1', 'filter[price]=cheap', 'sort=x', 'fields=x', 'include=x',
      'fields[tags]=name', 'filter=x', 'filter[', 'sort=name,', 'fields=,',
      'filter[name]=Lavender&filter[price][lte]=%00',
    ]) {
      t.strictSame(await get(query.startsWith('filter[name]') ? query : `filter[name]=Lavender&${query}`), lavender,
        query)
    }
    t.strictSame(await get('filter[name]=Lavender&fields=x,name'), { ...lavender, items: [{ name: 'Lavender' }] })
    for (const query of [
      'page=0', 'per_page=101', 'page=1&limit=1', 'cursor=x', 'filters=1', 'filter[a][b][c]=1', 'filter[__proto__]=1',
      'sort=constructor', `filter[name]=${'x'.repeat(8200)}`, 'include=a.b.c.d',
    ]) {
      t.equal((await refused(`filter[name]=Lavender&${query}`)).statusCode, 400, query)
    }
  })
})
