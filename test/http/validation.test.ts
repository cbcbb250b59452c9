/** Requests are validated in Fastify's own phase, by the schemas of their routes. */
import { setImmediate } from 'node:timers/promises'
import { p } from '@mikro-orm/core'
import type {
  FastifyError, FastifyInstance, FastifyRequest, InjectOptions, preParsingHookHandler, RouteOptions,
} from 'fastify'
import t from 'tap'
import { CrudBase } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { startResource } from '../helpers/start-resource.ts'
import { bodyOf, resource, select, type Json } from './helper.ts'
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

  const INVALID: readonly InjectOptions[] = [
    { method: 'POST', url: '/jars', payload: {} },
    { method: 'POST', url: '/jars', payload: { label: 'x', colour: 'red' } },
    { method: 'POST', url: '/jars', payload: { label: 'x', sealedOn: '2024-02-30' } },
    { method: 'POST', url: '/jars', payload: { label: 'x', price: '1.234' } },
    { method: 'POST', url: '/jars', payload: { label: 'a\0' } },
    { method: 'POST', url: '/jars', payload: [{ label: 'x' }, { grams: '5' }] },
    { method: 'POST', url: '/jars', payload: 'null', headers: { 'content-type': 'application/json' } },
    { method: 'POST', url: '/jars' },
    { method: 'POST', url: '/jars?fields=label', payload: { label: 'x' } },
    { method: 'PATCH', url: '/jars/1', payload: { grams: 1.5 } },
    { method: 'PATCH', url: '/jars/1', payload: { id: 2 } },
    { method: 'PUT', url: '/jars/x', payload: {} },
    { method: 'GET', url: '/jars/x' },
    { method: 'HEAD', url: '/jars/x' },
    { method: 'GET', url: '/jars/1?fields=label' },
    { method: 'GET', url: '/jars?filter[colour]=red' },
    { method: 'GET', url: '/jars?lable=x' },
    { method: 'GET', url: '/jars?page=0' },
    { method: 'DELETE', url: '/jars/99999999999' },
    { method: 'DELETE', url: '/jars/1?hard=true' },
    { method: 'POST', url: '/jars/x/restore' },
  ]

  t.test('an invalid request reaches neither preHandler nor scope', async (t) => {
    const reached: string[] = []
    const app = await start(t, {
      hooks: {
        all: {
          preHandler: async () => {
            reached.push('preHandler')
          },
        },
      },
      scope: () => {
        reached.push('scope')
        return {}
      },
    })
    for (const request of INVALID.filter(({ payload }) => JSON.stringify(payload) !== '{}')) {
      const response = await app.inject(request)
      t.equal(response.statusCode, 400, `${request.method} ${String(request.url)} ${JSON.stringify(request.payload)}`)
    }
    t.strictSame(reached, [])
    t.equal((await app.inject({ method: 'POST', url: '/jars', payload: { label: 'fig' } })).statusCode, 201)
    t.strictSame(reached, ['preHandler', 'scope'])
  })

  t.test('a preHandler sees the body as the client sent it', async (t) => {
    const seen: unknown[] = []
    const app = await start(t, {
      hooks: {
        create: {
          preHandler: async ({ body }) => {
            seen.push(body)
          },
        },
      },
    })
    const payload = { label: 'plum', grams: null, sealedOn: '2024-02-29', price: '0012.50' }
    t.match(bodyOf(await app.inject({ method: 'POST', url: '/jars', payload })), { price: '12.50' })
    t.strictSame(seen, [payload])
  })

  t.test('what a preHandler changes in the body is written, and checked again', async (t) => {
    type Body = Record<string, unknown>
    const sent = async (method: 'POST' | 'PATCH', payload: Body, change: (body: Body) => void): Promise<Json> => {
      const app = await start(t, {
        hooks: {
          all: {
            preHandler: async ({ body }) => {
              for (const record of Array.isArray(body) ? body.slice(-1) : [body]) change(record)
            },
          },
        },
      })
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
      t.match(await sent(method, payload, () => {}), payload)
      t.match(await sent(method, payload, (body) => Object.assign(body, { label: 'fig' })), { label: 'fig', grams: 5 })
      t.match(await sent(method, { label: 'plum' }, (body) => Object.assign(body, { grams: 6 })), { grams: 6 })
      t.match(await sent(method, { ...payload, price: '1' }, (body) => delete body['price']), payload)
      t.match(await sent(method, payload, (body) => Object.assign(body, { grams: '5' })), {
        code: 'FST_ERR_VALIDATION',
      })
      t.match(
        await sent(method, payload, (body) => {
          delete body['grams']
          body['gramms'] = 5
        }),
        { code: 'FST_ERR_VALIDATION' }
      )
    }
  })

  t.test('what a preHandler makes of the body is checked again, with the errors of the validation phase', async (t) => {
    const heard = async (change: (request: FastifyRequest) => void, request: InjectOptions): Promise<object> => {
      const seen: object[] = []
      const app = await start(t, {
        hooks: {
          all: {
            preHandler: async (request) => {
              change(request)
            },
          },
        },
      }, (app) =>
        app.addHook('onError', async (request, reply, error: FastifyError) => {
          seen.push({ ...error, message: error.message })
        }))
      const { statusCode, body } = await app.inject(request)
      t.equal(seen.length, 1)
      return { statusCode, body, error: seen[0] }
    }
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
      const before = await heard(() => {}, { method, url, ...sent(invalid) })
      const after = await heard((request) => {
        request.body = invalid
      }, { method, url, ...sent(valid) })
      t.match(after, { statusCode: 400, error: { validationContext: 'body', validation: [{ keyword: String }] } })
      t.strictSame(after, before, JSON.stringify(invalid).slice(0, 80))
    }
    const key = { method: 'PATCH', payload: {} } as const
    t.strictSame(
      await heard((request) => {
        ;(request.params as { id: string }).id = 'x'
      }, { ...key, url: '/jars/1' }),
      await heard(() => {}, { ...key, url: '/jars/x' })
    )
  })

  t.test('an error handler sees validation and validationContext', async (t) => {
    const seen: FastifyError[] = []
    const app = await start(t, {}, (app) =>
      app.setErrorHandler((error: FastifyError, request, reply) => {
        seen.push(error)
        reply.code(error.statusCode ?? 500).send({ own: true })
      }))
    for (const request of INVALID) t.equal((await app.inject(request)).statusCode, 400)
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
    const app = await start(t, {
      hooks: {
        all: {
          preHandler: async ({ validationError }) => {
            attached.push((validationError as { code?: string } | undefined)?.code)
          },
        },
      },
    }, (app) =>
      app.addHook('onRoute', (route) => {
        route.attachValidation = true
      }))
    const before = await count()
    for (const request of INVALID) t.equal((await app.inject(request)).statusCode, 400)
    t.equal(attached.filter((code) => code !== undefined).length, INVALID.length)
    t.equal(await count(), before)
  })

  t.test('a body may be changed before it is validated', async (t) => {
    const app = await start(t, {
      hooks: {
        create: {
          preValidation: async (request) => {
            request.body = { label: (request.body as Json).title }
          },
        },
      },
    })
    const response = await app.inject({ method: 'POST', url: '/jars', payload: { title: 'quince' } })
    t.match(bodyOf(response), { label: 'quince' })
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
    const valid: readonly InjectOptions[] = [{ method: 'GET', url: '/jars?filter[label]=x' }, {
      method: 'GET',
      url: '/jars',
    }]
    const requests = [...INVALID, ...valid, ...INVALID]
    const answerOf = async (request: InjectOptions): Promise<unknown> => {
      const { statusCode, body } = await app.inject(request)
      return { request, statusCode, body }
    }
    const alone: unknown[] = []
    for (const request of requests) alone.push(await answerOf(request))
    t.strictSame(await Promise.all(requests.map(answerOf)), alone)
    const refused = INVALID.map(() => 400)
    t.strictSame(alone.map((answer: Json) => answer.statusCode), [...refused, 200, 200, ...refused])
    t.equal(await count(), before)
  })

  t.test('a mistake of a hook of the application is not one of the client', async (t) => {
    const breaks = (part: 'params' | 'query', operation: string) =>
      start(t, {
        hooks: {
          [operation]: {
            preValidation: async (request: Json) => {
              request[part] = null
            },
          },
        },
      })
    for (const [part, operation, request] of [
      ['params', 'get', { method: 'GET', url: '/jars/1' }],
      ['params', 'update', { method: 'PATCH', url: '/jars/1', payload: { label: 'x' } }],
      ['query', 'create', { method: 'POST', url: '/jars', payload: { label: 'x' } }],
    ] as const) {
      const response = await (await breaks(part, operation)).inject(request)
      t.equal(response.statusCode, 500, `${operation}: ${response.body}`)
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
    const create = async (payload: object) => await app.inject({ method: 'POST', url: '/jars', payload })
    t.match(bodyOf(await create({ label: 'kiwi' })), { grams: null }, 'a default adds nothing')
    const refusals: readonly [object, unknown][] = [
      [{ label: 'orange' }, { message: /NOT have more than 4/i }],
      [{ label: 'fig', colour: 1 }, { errors: [{ source: { pointer: '/colour' }, allowed: Array }] }],
      [{ label: 'fig', sealedOn: '2024-01-01' }, { errors: [{ source: { pointer: '/sealedOn' } }] }],
      [{ label: 5 }, { errors: [{ source: { pointer: '/label' }, detail: "'label' must be a string." }] }],
    ]
    const before = await count()
    for (const [payload, answer] of refusals) {
      const response = await create(payload)
      t.equal(response.statusCode, 400)
      t.match(bodyOf(response), { code: 'FST_ERR_VALIDATION', ...answer as object })
    }
    t.equal(await count(), before)
    t.equal((await app.inject('/jars/101')).statusCode, 400)
    t.equal((await app.inject('/jars/100')).statusCode, 404)
    const list = async (url: string, headers: Record<string, string>) => (await app.inject({ url, headers })).statusCode
    t.equal(await list('/jars?lang=de', { 'x-tenant': '1' }), 200)
    t.equal(await list('/jars?lang=it', { 'x-tenant': '1' }), 400)
    t.equal(await list('/jars?lang=de', {}), 400)
    t.equal(await list('/jars?filter[colour]=x', { 'x-tenant': '1' }), 400)
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
    for (const { payload } of INVALID.slice(0, 5)) {
      await t.rejects(jars().create(orm.em.fork(), payload as Json), { code: 'FST_ERR_VALIDATION' })
    }
    await t.rejects(jars().create(orm.em.fork(), new Map([['label', 'x']]) as Json), { code: 'FST_ERR_VALIDATION' })
    await t.rejects(jars().update(orm.em.fork(), 1, { grams: NaN }), { code: 'FST_ERR_VALIDATION' })
  })

  t.test('routes that take no body accept an empty one of any type', async (t) => {
    const app = await start(t)
    const id = bodyOf(await app.inject({ method: 'POST', url: '/jars', payload: { label: 'pear' } })).id
    for (
      const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'image/png', 'garbage']
    ) {
      for (const [method, url] of [['DELETE', `/jars/${id}`], ['POST', `/jars/${id}/restore`]] as const) {
        const response = await app.inject({ method, url, headers: { 'content-type': type } })
        t.equal(response.statusCode, 200, `${method} ${type}`)
      }
    }
    t.equal((await app.inject({ method: 'DELETE', url: `/jars/${id}`, payload: {} })).statusCode, 200)
    const garbage = { method: 'DELETE', url: `/jars/${id}`, headers: { 'content-type': 'garbage' } } as const
    const refused = await app.inject({ ...garbage, payload: 'x' })
    t.equal(refused.statusCode, 415)
    t.match(bodyOf(refused).message, /application\/json/)
  })

  t.test('routes that take no body refuse one of another type than JSON', async (t) => {
    const app = await start(t)
    const id = bodyOf(await app.inject({ method: 'POST', url: '/jars', payload: { label: 'pear' } })).id
    for (const [method, url] of [['DELETE', `/jars/${id}`], ['POST', `/jars/${id}/restore`]] as const) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'image/png']) {
        const response = await app.inject({ method, url, headers: { 'content-type': type }, payload: 'x' })
        t.match([response.statusCode, response.headers.accept, bodyOf(response)], [
          415, 'application/json', { detail: `Send the body as application/json, not as ${type}.` },
        ])
      }
      t.equal((await app.inject({ method, url, payload: { any: 'thing' } })).statusCode, 200)
    }
  })

  t.test('a body of another type than JSON is refused', async (t) => {
    const app = await start(
      t,
      {},
      (app) =>
        app.addContentTypeParser('application/vnd.api+json', { parseAs: 'string' }, (_, body, done) => {
          done(null, JSON.parse(String(body)))
        })
    )
    const send = async (type: string | undefined, payload: string, method: 'POST' | 'PATCH' = 'POST') =>
      await app.inject({
        method, url: method === 'POST' ? '/jars' : '/jars/1', payload,
        headers: type === undefined ? {} : { 'content-type': type },
      })
    for (const type of [
      'text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/merge-patch+json', 'nonsense',
    ]) {
      for (const method of ['POST', 'PATCH'] as const) {
        const response = await send(type, 'label=x', method)
        t.equal(response.statusCode, 415, type)
        t.equal(response.headers.accept, 'application/json')
        t.match(bodyOf(response).message, /application\/json/)
      }
    }
    for (const type of [undefined, '', ' ']) {
      const response = await send(type, '{"label":"a"}')
      t.equal(response.statusCode, 415)
      t.match(bodyOf(response).message, /application\/json\. The header Content-Type is missing or empty\.$/)
    }
    t.equal((await send('application/json; charset=utf-8', '{"label":"a"}')).statusCode, 201)
    t.equal((await send('application/vnd.api+json', '{"label":"a"}')).statusCode, 201)
    for (const type of [/^application\/.*\+json/, '*']) {
      const app = await start(
        t,
        {},
        (app) =>
          app.addContentTypeParser(type, { parseAs: 'string' }, (_, body, done) => done(null, JSON.parse(String(body))))
      )
      const headers = { 'content-type': 'application/hal+json' }
      const response = await app.inject({ method: 'POST', url: '/jars', headers, payload: '{"label":"a"}' })
      t.equal(response.statusCode, 201, String(type))
    }
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
      const app = await start(t, own, prepare)
      const send = async (type: string) =>
        await app.inject({ method: 'POST', url: '/jars', payload: '{"label":"a"}', headers: { 'content-type': type } })
      t.equal((await send('text/json')).statusCode, 201, name)
      t.equal((await send('text/plain')).statusCode, 415, name)
    }
    const app = await start(t, {}, (app) =>
      app.addHook('onRoute', (route) => {
        route.preParsing = [...[route.preParsing ?? []].flat(), async () => {
          throw Object.assign(new Error('who are you?'), { statusCode: 401 })
        }]
      }))
    const headers = { 'content-type': 'text/plain' }
    t.equal((await app.inject({ method: 'POST', url: '/jars', payload: 'x', headers })).statusCode, 401)
    t.equal((await app.inject({ method: 'DELETE', url: '/jars/1', payload: 'x', headers })).statusCode, 401)
  })
})
