/** Requests are validated in Fastify's own phase, by the schemas of their routes. */
import { setImmediate } from 'node:timers/promises'
import { p } from '@mikro-orm/core'
import type { FastifyError, FastifyInstance, InjectOptions, preParsingHookHandler, RouteOptions } from 'fastify'
import t from 'tap'
import { CrudBase } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { startResource } from '../helpers/start-resource.ts'
import { bodyOf, resource, select, writes, type Exchange, type Json } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Jar = entity('Jar', {
  id: p.integer().primary().autoincrement(), label: p.string(), grams: p.integer().nullable(),
  sealedOn: p.date().nullable(), price: p.decimal().precision(6).scale(2).nullable(),
  deleted_at: p.datetime(3).nullable(),
})

const ALL = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const

const jars = (): CrudBase => resource(Jar, { allowedFilters: ['label'] })

await forOneDatabase(t, { entities: [Jar] }, async (t, { orm }) => {
  const start = startResource(orm, '/jars', () => ({ crud: jars(), operations: ALL }))
  const count = async (): Promise<number> => Number((await select(orm, 'select count(*) as n from jar'))[0].n)

  /** Requests with a mistake, and the verdict about each. */
  const INVALID: readonly Exchange[] = [
    ['POST /jars', {}, '400 FST_ERR_VALIDATION /label'],
    ['POST /jars', { label: 'x', colour: 'red' }, '400 FST_ERR_VALIDATION /colour'],
    ['POST /jars', { label: 'x', sealedOn: '2024-02-30' }, '400 FST_ERR_VALIDATION /sealedOn'],
    ['POST /jars', { label: 'x', price: '1.234' }, '400 FST_ERR_VALIDATION /price'],
    ['POST /jars', { label: 'a\0' }, '400 FST_ERR_VALIDATION /label'],
    ['POST /jars', [{ label: 'x' }, { label: 'y', grams: '5' }], '400 FST_ERR_VALIDATION /1/grams'],
    // the pointer to the whole body is empty
    ['POST /jars', null, '400 FST_ERR_VALIDATION '],
    ['POST /jars', '400 FST_ERR_VALIDATION '],
    ['POST /jars?fields=label', { label: 'x' }, '400 FST_CRUD_QUERY_INVALID fields'],
    ['PATCH /jars/1', { grams: 1.5 }, '400 FST_ERR_VALIDATION /grams'],
    ['PATCH /jars/1', { id: 2 }, '400 FST_ERR_VALIDATION /id'],
    ['PUT /jars/x', {}, '400 FST_ERR_VALIDATION id'],
    ['GET /jars/x', '400 FST_ERR_VALIDATION id'],
    ['HEAD /jars/x', '400'],
    ['GET /jars/1?fields=label', '400 FST_CRUD_FIELD_INVALID fields'],
    ['GET /jars?filter[colour]=red', '400 FST_CRUD_FILTER_INVALID filter[colour]'],
    ['GET /jars?lable=x', '400 FST_CRUD_QUERY_INVALID lable'],
    ['GET /jars?page=0', '400 FST_CRUD_PAGINATION_INVALID page'],
    ['DELETE /jars/99999999999', '400 FST_ERR_VALIDATION id'],
    ['DELETE /jars/1?hard=true', '400 FST_CRUD_QUERY_INVALID hard'],
    ['POST /jars/x/restore', '400 FST_ERR_VALIDATION id'],
  ]
  /** Options of a resource with a hook of a phase, for one operation or for all. */
  const hook = (phase: string, hook: (request: Json) => unknown, operation = 'all') => ({
    hooks: {
      [operation]: {
        [phase]: async (request: Json) => {
          hook(request)
        },
      },
    },
  })

  t.test('an invalid request reaches neither preHandler nor scope', async (t) => {
    const reached: string[] = []
    const scope = () => {
      reached.push('scope')
      return {}
    }
    const app = await start(t, { ...hook('preHandler', () => reached.push('preHandler')), scope })
    // the scope may have the values that the body of the first one lacks
    await writes(app).check(t, INVALID.slice(1))
    t.strictSame(reached, [])
    await writes(app).check(t, [['POST /jars', { label: 'fig' }, { label: 'fig' }]])
    t.strictSame(reached, ['preHandler', 'scope'])
  })

  t.test('a request without a body is told to send one', async (t) => {
    const app = await start(t)
    for (const [method, url] of [['POST', '/jars'], ['PATCH', '/jars/1'], ['PUT', '/jars/1']] as const) {
      const { statusCode, body } = await app.inject({ method, url })
      t.equal(statusCode, 400)
      t.match(JSON.parse(body), {
        code: 'FST_ERR_VALIDATION',
        message: 'The request has no body. Send a record as JSON, with the content type application/json.',
        errors: [{ source: { pointer: '' } }],
      })
    }
  })

  t.test('an error that refuses nothing is a mistake of the server', async (t) => {
    const thrown: Error[] = []
    const body = Object.defineProperty({ grams: 5 }, 'label', {
      enumerable: true,
      get () {
        throw new TypeError('the label cannot be read')
      },
    })
    const app = await start(
      t,
      hook('preValidation', (request) => {
        request.body = Array.isArray(request.body) ? [{ label: 'x' }, body] : body
      }),
      (app) =>
        app.addHook('onError', async (request, reply, error) => {
          thrown.push(error)
        })
    )
    for (const [method, url, payload] of [
      ['POST', '/jars', {}], ['POST', '/jars', []], ['PATCH', '/jars/1', {}],
    ] as const) {
      const { statusCode, body: answer } = await app.inject({ method, url, payload })
      t.equal(statusCode, 500, answer)
      t.match(thrown.splice(0), [new TypeError('the label cannot be read')])
    }
  })

  t.test('a preHandler sees the body as the client sent it', async (t) => {
    const seen: unknown[] = []
    const app = await start(t, hook('preHandler', ({ body }) => seen.push(body), 'create'))
    const payload = { label: 'plum', grams: null, sealedOn: '2024-02-29', price: '0012.50' }
    t.match(await writes(app).created('/jars', payload), { price: '12.50' })
    t.strictSame(seen, [payload])
  })

  t.test('what a preHandler changes in the body is written, and checked again', async (t) => {
    type Body = Record<string, unknown>
    const sent = async (method: 'POST' | 'PATCH', payload: Body, change: (body: Body) => void): Promise<Json> => {
      const app = await start(
        t,
        hook('preHandler', ({ body }) => {
          for (const record of Array.isArray(body) ? body.slice(-1) : [body]) change(record)
        })
      )
      const url = method === 'POST' ? '/jars' : '/jars/1'
      const answers = [await app.inject({ method, url, payload })]
      if (method === 'POST') answers.push(await app.inject({ method, url, payload: [{ label: 'first' }, payload] }))
      const records = answers.map((answer) => {
        const body = bodyOf(answer)
        return Array.isArray(body) ? body[1] : body
      })
      const outcomes = records.map(({ code, label, grams }) => code ?? [label, grams])
      t.strictSame(outcomes, outcomes.map(() => outcomes[0]), 'the same as a record and in a list')
      return records[0]
    }
    for (const method of ['POST', 'PATCH'] as const) {
      const payload = { label: 'plum', grams: 5 }
      const refused = { code: 'FST_ERR_VALIDATION' }
      for (const [given, change, expected] of [
        [payload, {}, payload],
        [payload, { label: 'fig' }, { label: 'fig', grams: 5 }],
        [{ label: 'plum' }, { grams: 6 }, { grams: 6 }],
        [{ ...payload, price: '1' }, { price: undefined }, payload],
        [payload, { grams: '5' }, refused],
        [payload, { grams: undefined, gramms: 5 }, refused],
      ] as ReadonlyArray<readonly [given: Body, change: Body, expected: Body]>) {
        const record = await sent(method, given, (body) => {
          Object.assign(body, change)
          for (const [name, value] of Object.entries(change)) if (value === undefined) delete body[name]
        })
        t.match(record, expected, `${method} ${JSON.stringify(change)}`)
      }
    }
  })

  t.test('what a preHandler makes of the body is checked again, with the errors of the validation phase', async (t) => {
    const heard = async (request: InjectOptions, change: (request: Json) => void = () => {}): Promise<object> => {
      const seen: object[] = []
      const app = await start(
        t,
        hook('preHandler', change),
        (app) =>
          app.addHook('onError', async (request, reply, error: FastifyError) => {
            seen.push({ ...error, message: error.message })
          })
      )
      const { statusCode, body } = await app.inject(request)
      t.equal(seen.length, 1)
      return { statusCode, body, error: seen[0] }
    }
    const set = (values: object) => (request: Json): unknown => Object.assign(request, values)
    const cases: readonly [method: 'POST' | 'PATCH', url: string, valid: unknown, invalid: unknown][] = [
      ['POST', '/jars', { label: 'x' }, { label: 5, deleted_at: null }],
      ['POST', '/jars', { label: 'x' }, { lable: 'x' }],
      ['POST', '/jars', { label: 'x' }, {}],
      ['POST', '/jars', [{ label: 'x' }], [{ label: 'x' }, { label: 'x', price: '1.234' }]],
      ['POST', '/jars', [{ label: 'x' }], Array.from({ length: 1_001 }, () => ({ label: 'x' }))],
      ['PATCH', '/jars/1', {}, { grams: 1.5, id: 2 }],
      ['PATCH', '/jars/1', {}, { id: 2 }],
      ['PATCH', '/jars/1', {}, []],
      ['PATCH', '/jars/1', {}, 'text'],
      ['POST', '/jars', { label: 'x' }, 5],
      ['POST', '/jars', { label: 'x' }, null],
    ]
    const sent = (payload: unknown): InjectOptions => ({
      payload: JSON.stringify(payload),
      headers: { 'content-type': 'application/json' },
    })
    for (const [method, url, valid, invalid] of cases) {
      const before = await heard({ method, url, ...sent(invalid) })
      const after = await heard({ method, url, ...sent(valid) }, set({ body: invalid }))
      t.match(after, { statusCode: 400, error: { validationContext: 'body', validation: [{ keyword: String }] } })
      t.strictSame(after, before, JSON.stringify(invalid).slice(0, 80))
    }
    const key = { method: 'PATCH', payload: {} } as const
    t.strictSame(await heard({ ...key, url: '/jars/1' }, set({ params: { id: 'x' } })),
      await heard({ ...key, url: '/jars/x' }))
  })

  t.test('an error handler sees validation and validationContext', async (t) => {
    const seen: FastifyError[] = []
    const app = await start(t, {}, (app) =>
      app.setErrorHandler((error: FastifyError, request, reply) => {
        seen.push(error)
        reply.code(error.statusCode ?? 500).send({ own: true })
      }))
    await writes(app).check(t,
      INVALID.map(([request, ...rest]): Exchange => [request, rest.length > 1 ? rest[0] : undefined, '400']))
    t.equal(seen.length, INVALID.length)
    for (const { validation, validationContext } of seen) {
      t.ok(['body', 'params', 'querystring'].includes(validationContext!), String(validationContext))
      t.match(validation, [{ keyword: String, instancePath: String, schemaPath: String, message: String }])
    }
    t.match(seen[0], {
      code: 'FST_ERR_VALIDATION',
      validationContext: 'body',
      validation: [{
        keyword: 'required', instancePath: '', schemaPath: '#/required', params: { missingProperty: 'label' },
        message: "The property 'label' is required.",
      }],
    })
    t.match(seen[2]?.validation, [{ keyword: 'pattern', instancePath: '/sealedOn', message: /must be a date/ }])
    t.match(seen.map(({ validationContext }) => validationContext).slice(-8), [
      'params', 'querystring', 'querystring', 'querystring', 'querystring', 'params', 'querystring', 'params',
    ])
  })

  t.test('attachValidation leaves the decision to the route, and the handler stays safe', async (t) => {
    const attached: unknown[] = []
    const app = await start(
      t,
      hook('preHandler', ({ validationError }) => attached.push(validationError?.code)),
      (app) =>
        app.addHook('onRoute', (route) => {
          route.attachValidation = true
        })
    )
    const before = await count()
    await writes(app).check(t, INVALID)
    t.equal(attached.filter((code) => code !== undefined).length, INVALID.length)
    t.equal(await count(), before)
  })

  t.test('a body may be changed before it is validated', async (t) => {
    const app = await start(t,
      hook('preValidation', (request) => Object.assign(request, { body: { label: request.body.title } }), 'create'))
    t.match(await writes(app).created('/jars', { title: 'quince' }), { label: 'quince' })
  })

  t.test('requests at the same time are not mixed up by a slow hook that a plugin adds', async (t) => {
    const routes: RouteOptions[] = []
    const app = await start(t, {}, (app) =>
      app.addHook('onRoute', (route) => {
        routes.push(route)
      }))
    const slow = async (): Promise<void> => {
      await setImmediate()
      await setImmediate()
    }
    // behind those of the resource
    for (const { preValidation } of routes) (preValidation as unknown[]).push(slow)
    const before = await count()
    const valid: readonly Exchange[] = [['GET /jars?filter[label]=x', 200], ['GET /jars', 200]]
    const requests = [...INVALID, ...valid, ...INVALID]
    const { check } = writes(app)
    const alone = (await check(t, requests)).map(({ body }) => body)
    const together = await Promise.all(requests.map(async (request) => (await check(t, [request]))[0]!.body))
    t.strictSame(together, alone)
    t.equal(await count(), before)
  })

  t.test('a mistake of a hook of the application is not one of the client', async (t) => {
    for (const [part, operation, exchange] of [
      ['params', 'get', ['GET /jars/1', 500]],
      ['params', 'update', ['PATCH /jars/1', { label: 'x' }, 500]],
      ['query', 'create', ['POST /jars', { label: 'x' }, 500]],
    ] as const) {
      const breaks = hook('preValidation', (request) => Object.assign(request, { [part]: null }), operation)
      await writes(await start(t, breaks)).check(t, [exchange])
    }
  })

  t.test("the application's own schema can only refuse more", async (t) => {
    const body = {
      type: 'object',
      properties: { label: { $ref: 'word#' }, grams: { type: 'integer', default: 7 }, price: {} },
      additionalProperties: false,
    }
    const querystring = { type: 'object', properties: { lang: { type: 'string', enum: ['de', 'fr'] } } }
    const app = await start(t, {
      schemas: {
        create: { body },
        get: { params: { type: 'object', properties: { id: { type: 'integer', maximum: 100 } } } },
        list: { querystring, headers: { type: 'object', required: ['X-Tenant'] } },
      } as never,
    }, (app) => app.addSchema({ $id: 'word', type: 'string', maxLength: 4 }))
    const refused = (answer: object) => ({ statusCode: 400, code: 'FST_ERR_VALIDATION', ...answer })
    const { check } = writes(app)
    // a default adds nothing
    await check(t, [['POST /jars', { label: 'kiwi' }, { grams: null }]])
    const before = await count()
    const tenant = { 'x-tenant': '1' }
    await check(t, [
      ['POST /jars', { label: 'orange' }, refused({ message: /NOT have more than 4/i })],
      [
        'POST /jars', { label: 'fig', colour: 1 },
        refused({ errors: [{ source: { pointer: '/colour' }, allowed: Array }] }),
      ],
      ['POST /jars', { label: 'fig', sealedOn: '2024-01-01' }, '400 FST_ERR_VALIDATION /sealedOn'],
      [
        'POST /jars', { label: 5 },
        refused({ errors: [{ source: { pointer: '/label' }, detail: "'label' must be a string." }] }),
      ],
      ['GET /jars/101', 400],
      ['GET /jars/100', 404],
      ['GET /jars?lang=de', undefined, 200, tenant],
      ['GET /jars?lang=it', undefined, 400, tenant],
      ['GET /jars?lang=de', 400],
      ['GET /jars?filter[colour]=x', undefined, 400, tenant],
    ])
    t.equal(await count(), before)
  })

  t.test('onRoute hooks and the server see the same schemas', async (t) => {
    const bodies: Record<string, Json> = {}
    const app = await start(
      t,
      { operations: ['create', 'update', 'list', 'get'] },
      (app) =>
        app.addHook('onRoute', ({ method, schema }) => {
          if (schema?.body !== undefined) bodies[String(method)] = schema.body
        })
    )
    await app.ready()
    const shared = app.getSchemas() as Json
    t.strictSame(Object.keys(shared).sort(), ['Jar', 'JarChanges', 'JarPage', 'NewJar', 'fastify-crud-kit/error'])
    const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
    t.strictSame(json(bodies['POST']), json(shared.NewJar))
    t.strictSame(json(bodies['PATCH']), json(shared.JarChanges))
    t.match(shared.NewJar, {
      required: ['label'],
      additionalProperties: false,
      properties: { sealedOn: { anyOf: [{ type: 'string', pattern: /BC/ }, { type: 'null' }] } },
    })
    t.strictSame(shared.Jar.required, ['id', 'label', 'grams', 'sealedOn', 'price', 'deleted_at'])
  })

  t.test('names that the application has are left to it', async (t) => {
    const app = await start(t, {}, (app) => app.addSchema({ $id: 'NewJar', type: 'object' }))
    await app.ready()
    t.ok(['NewJar', 'NewJar_jar', 'Jar_jar'].every((id) => app.getSchema(id) !== undefined))
  })

  t.test('methods of CrudBase check data with the same schema', async (t) => {
    const refused = { code: 'FST_ERR_VALIDATION' }
    for (const data of [...INVALID.slice(0, 5).map(([, body]) => body), new Map([['label', 'x']])]) {
      await t.rejects(jars().create(orm.em.fork(), data as Json), refused)
    }
    await t.rejects(jars().update(orm.em.fork(), 1, { grams: NaN }), refused)
  })

  t.test('routes that take no body accept an empty one of any type, and refuse what is in others', async (t) => {
    const app = await start(t)
    const { created, check } = writes(app)
    const { id } = await created('/jars', { label: 'pear' })
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'image/png', 'garbage']
    const both = [`DELETE /jars/${id}`, `POST /jars/${id}/restore`]
    for (const type of ['application/json', ...types]) {
      await check(t, both.map((request): Exchange => [request, 200]), { 'content-type': type })
    }
    for (const type of types) {
      const refused = { statusCode: 415, detail: `Send the body as application/json, not as ${type}.` }
      const responses = await check(t, both.map((request): Exchange => [request, 'x', refused]), {
        'content-type': type,
      })
      for (const { headers } of responses) t.equal(headers.accept, 'application/json')
    }
    for (const nothing of [{}, null]) await check(t, both.map((request): Exchange => [request, nothing, 200]))
    const refused = { statusCode: 400, code: 'FST_ERR_VALIDATION', detail: /^This request takes no body\./ }
    for (const body of [{ hard: true }, [1], 'x', 0]) {
      await check(t, both.map((request): Exchange => [request, body, refused]))
    }
    const sent = (payload: string) =>
      app.inject({ method: 'DELETE', url: '/jars/99', payload, headers: { 'content-type': 'application/json' } })
    for (const empty of [' ', '\n{ \n } ', ' null ']) t.equal((await sent(empty)).statusCode, 404)
    const begin = process.hrtime.bigint()
    t.match(bodyOf(await sent(`${' '.repeat(100_000)}x`)), refused)
    t.ok(process.hrtime.bigint() - begin < 2e9, 'white space is read only once')
  })

  t.test('a body of another type than JSON is refused', async (t) => {
    /** A server with a parser of the application for more types. */
    const parsing = (type: string | RegExp) =>
      start(
        t,
        {},
        (app) =>
          app.addContentTypeParser(type, { parseAs: 'string' }, (_, body, done) => done(null, JSON.parse(String(body))))
      )
    const app = await parsing('application/vnd.api+json')
    for (const type of [
      'text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/merge-patch+json', 'nonsense',
    ]) {
      for (const request of ['POST /jars', 'PATCH /jars/1']) {
        const refused = { statusCode: 415, message: /application\/json/ }
        const [response] = await writes(app).check(t, [[request, 'label=x', refused, { 'content-type': type }]])
        t.equal(response!.headers.accept, 'application/json')
      }
    }
    for (const headers of [{}, { 'content-type': '' }, { 'content-type': ' ' }]) {
      const response = await app.inject({ method: 'POST', url: '/jars', payload: '{"label":"a"}', headers })
      t.match(bodyOf(response), {
        statusCode: 415,
        message: /application\/json\. The header Content-Type is missing or empty\.$/,
      })
    }
    for (const [server, type] of [
      [app, 'application/json; charset=utf-8'],
      [app, 'application/vnd.api+json'],
      [await parsing(/^application\/.*\+json/), 'application/hal+json'],
      [await parsing('*'), 'application/hal+json'],
    ] as const) await writes(server).check(t, [['POST /jars', { label: 'a' }, 201, { 'content-type': type }]])
  })

  t.test('media types are checked after all preParsing hooks, including those of onRoute hooks', async (t) => {
    /** A client of the application may send JSON as text, which a hook relabels. */
    const relabel: preParsingHookHandler = (request, reply, payload, done) => {
      if (request.headers['content-type'] === 'text/json') request.headers['content-type'] = 'application/json'
      done(null, payload)
    }
    const ways: Record<string, (app: FastifyInstance) => unknown> = {
      'a hook of the application': (app) => app.addHook('preParsing', relabel),
      'a hook that an onRoute hook adds': (app) =>
        app.addHook('onRoute', (route) => {
          route.preParsing = [...[route.preParsing ?? []].flat(), relabel]
        }),
      'a hook of the resource': () => {},
    }
    for (const [name, prepare] of Object.entries(ways)) {
      const own = name === 'a hook of the resource' ? { hooks: { all: { preParsing: relabel } } } : {}
      const { post } = writes(await start(t, own, prepare))
      for (const [type, status] of [['text/json', 201], ['text/plain', 415]] as const) {
        t.equal((await post('/jars', { label: 'a' }, { 'content-type': type })).statusCode, status, `${name}: ${type}`)
      }
    }
    const { check } = writes(
      await start(t, {}, (app) =>
        app.addHook('onRoute', (route) => {
          route.preParsing = [...[route.preParsing ?? []].flat(), async () => {
            throw Object.assign(new Error('who are you?'), { statusCode: 401 })
          }]
        }))
    )
    await check(t, [['POST /jars', 'x', 401], ['DELETE /jars/1', 'x', 401]], { 'content-type': 'text/plain' })
  })
})
