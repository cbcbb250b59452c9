/** The application's own schemas of requests: what they are checked against, and the answers to what they refuse. */
import { p } from '@mikro-orm/core'
import type { FastifyError, FastifyInstance, InjectOptions } from 'fastify'
import t from 'tap'
import { CrudBase, crudKit, type CrudRoutesOptions } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { startResource } from '../helpers/start-resource.ts'
import { bodyOf, resource, type Json } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Tin = entity('Tin', {
  id: p.integer().primary().autoincrement(), name: p.string(), grams: p.integer().nullable(), lid: p.json().nullable(),
  status: p.enum(['full', 'empty']).nullable(),
})

const tins = (): CrudBase => resource(Tin, { allowedFilters: ['name'] })

const ALL = ['list', 'get', 'create', 'createMany', 'update', 'delete'] as const

/** Wraps own schemas, whose types would only get in the way. */
const own = (schemas: object): Partial<CrudRoutesOptions> => ({ schemas })

await forOneDatabase(t, { entities: [Tin] }, async (t, { orm }) => {
  const start = startResource(orm, '/tins', () => ({ crud: tins(), operations: ALL }))
  const sender = (app: FastifyInstance) => async (payload: unknown, more: InjectOptions = {}) => {
    const response = await app.inject({ method: 'POST', url: '/tins', payload: payload as object, ...more })
    return { status: response.statusCode, body: bodyOf(response) }
  }

  const short = { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } }
  const pair = { type: 'array', maxItems: 1 }

  t.test('a list is checked against the schema of createMany', async (t) => {
    for (const more of [{}, { create: { body: short } }]) {
      const send = sender(await start(t, own({ ...more, createMany: { body: pair } })))
      t.equal((await send([{ name: 'a' }, { name: 'b' }])).status, 400)
      t.equal((await send([{ name: 'rather long' }])).status, 201)
      t.equal((await send({ name: 'rather long' })).status, 'create' in more ? 400 : 201)
      t.equal((await send({ name: 'abc' })).status, 201)
      t.equal((await send([{ nmae: 'a' }])).status, 400, 'the generated schema holds, too')
    }
  })

  t.test('without a schema of createMany, each record of a list is checked against that of create', async (t) => {
    const bodies = [short, { content: { 'application/json': { schema: short } } }]
    for (const operations of [ALL, ['createMany'] as const]) {
      for (const body of bodies) {
        const send = sender(await start(t, { ...own({ create: { body } }), operations }))
        t.equal((await send([{ name: 'abc' }, { name: 'def' }])).status, 201)
        t.match(await send([{ name: 'abc' }, { name: 'too long' }, { name: 'longer' }]), {
          status: 400,
          body: {
            message: "'[1].name' must NOT have more than 3 characters.",
            errors: [{ source: { pointer: '/1/name' } }],
          },
        })
      }
    }
    const closed = { ...short, additionalProperties: false }
    const send = sender(await start(t, own({ create: { body: closed } })))
    t.match((await send([{ name: 'a' }, { name: 'b', grams: 1 }])).body.errors, [{ source: { pointer: '/1/grams' } }])
  })

  t.test('a validator that returns promises checks lists, too', async (t) => {
    const send = sender(await start(t, own({ create: { body: { $async: true, ...short } } })))
    t.equal((await send([{ name: 'a' }, { name: 'b' }])).status, 201)
    t.match((await send([{ name: 'a' }, { name: 'too long' }])).body.errors, [{ source: { pointer: '/1/name' } }])
    t.match((await send({ name: 'too long' })).body.errors, [{ source: { pointer: '/name' } }])
  })

  t.test('the schema of the route has both kinds of bodies', async (t) => {
    let body: Json | undefined
    const prepare = (app: FastifyInstance): unknown =>
      app.addHook('onRoute', ({ method, schema }) => {
        if (method === 'POST') body = schema?.body as Json
      })
    await (await start(t, own({ create: { body: short }, createMany: { body: pair } }), prepare)).ready()
    t.strictSame(body, { anyOf: [short, pair] })
    await (await start(t, own({ create: { body: short } }), prepare)).ready()
    t.match(body, { anyOf: [short, { type: 'array', maxItems: 1000, items: short }] })
  })

  t.test('errors of own schemas have the properties of all errors', async (t) => {
    const seen: FastifyError[] = []
    const lid = { type: 'object', properties: { 'a/b': { type: 'array', items: { type: 'integer' } } } }
    const app = await start(
      t,
      own({
        create: {
          body: {
            type: 'object', required: ['grams'],
            properties: { name: { type: 'string', maxLength: 3 }, grams: {}, lid, status: { enum: ['full'] } },
            additionalProperties: false,
          },
        },
        createMany: { body: { type: 'array', maxItems: 1 } },
        get: { params: { type: 'object', properties: { id: { type: 'integer', maximum: 100 } } } },
        list: {
          querystring: { type: 'object', required: ['lang'], properties: { lang: { enum: ['de', 'fr'] } } },
          headers: { type: 'object', properties: { 'X-Tenant': { type: 'integer' } } },
        },
      }),
      (app) =>
        app.addHook('onError', async (request, reply, error) => {
          seen.push(error)
        })
    )
    const post = (payload: object): InjectOptions => ({ method: 'POST', url: '/tins', payload })
    const list = (query: string, tenant = '1'): InjectOptions => ({
      url: `/tins${query}`,
      headers: { 'x-tenant': tenant },
    })
    const cases: readonly [InjectOptions, object, string, string][] = [
      [post({ name: 'long', grams: 1 }), { pointer: '/name' }, "'name' must NOT have more than 3 characters.", 'body'],
      [post({ name: 'a' }), { pointer: '/grams' }, "The property 'grams' is required.", 'body'],
      [
        post({ name: 'a', grams: 1, lid: { 'a/b': [1, 'x'] } }), { pointer: '/lid/a~1b/1' },
        "'lid.a/b[1]' must be integer.", 'body',
      ],
      [
        post({ name: 'a', grams: 1, status: 'empty' }), { pointer: '/status' },
        "'status' must be one of the allowed values. Allowed: full.", 'body',
      ],
      [post([{ name: 'a' }, { name: 'b' }]), { pointer: '' }, 'The body must NOT have more than 1 items.', 'body'],
      [{ url: '/tins/101' }, { parameter: 'id' }, "The path's id must be <= 100.", 'params'],
      [list(''), { parameter: 'lang' }, "The parameter 'lang' is required.", 'querystring'],
      [
        list('?lang=it'), { parameter: 'lang' },
        "The parameter 'lang' must be one of the allowed values. Allowed: de, fr.", 'querystring',
      ],
      [list('?lang=de', 'x'), { parameter: 'x-tenant' }, "The header 'x-tenant' must be integer.", 'headers'],
    ]
    for (const [request, source, detail, context] of cases) {
      const response = await app.inject(request)
      t.equal(response.statusCode, 400)
      t.match(bodyOf(response), {
        statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message: detail, detail,
        errors: [{ source, code: 'FST_ERR_VALIDATION', detail }],
      })
      t.equal(seen.at(-1)?.validationContext, context)
      t.match(seen.at(-1)?.validation, [{ keyword: String, schemaPath: String, params: Object }])
    }
    t.equal(seen.length, cases.length)
  })

  t.test('errors have these properties whatever the validator returns', async (t) => {
    const validators = {
      'a list of Ajv': () => ({ error: [{ instancePath: '/name', message: 'is too long' }] }),
      'an error': () => ({ error: new Error('is too long') }),
      'a rejection': () => Promise.reject(new Error('is too long')),
      'a rejection with a list': () =>
        Promise.reject(Object.assign(new Error(), { errors: [{ instancePath: '/name', message: 'is too long' }] })),
    }
    for (const [name, validator] of Object.entries(validators)) {
      const app = await start(t, own({ create: { body: short } }),
        (app) => app.setValidatorCompiler(() => validator as never))
      const { status, body } = await sender(app)({ name: 'a' })
      t.equal(status, 400, name)
      t.match(body, { code: 'FST_ERR_VALIDATION', detail: /is too long/, errors: [{ detail: /is too long/ }] }, name)
    }
  })

  t.test('an error that a keyword or a format of the validator throws is a mistake of the server', async (t) => {
    const app = await start(t, own({ create: { body: short } }), (app) =>
      app.setValidatorCompiler(() => () => {
        throw new TypeError('the keyword has a mistake')
      }))
    const send = sender(app)
    for (const payload of [{ name: 'a' }, [{ name: 'a' }]]) t.equal((await send(payload)).status, 500)
  })

  t.test("the application's setSchemaErrorFormatter decides about the errors of its own schemas", async (t) => {
    const send = sender(
      await start(t, own({ create: { body: short } }),
        (app) => app.setSchemaErrorFormatter(([error], part) => new Error(`${part}: ${error?.keyword}`)))
    )
    t.match(await send({ name: 'too long' }), { status: 400, body: { message: 'body: maxLength' } })
    t.match((await send({ name: 5 })).body, { errors: [{ source: { pointer: '/name' } }] })
  })

  t.test('parts of own schemas that would have no effect are refused at start-up', async (t) => {
    const refused: readonly [object, RegExp | string][] = [
      [
        { delete: { body: { required: ['reason'] } } },
        "The resource /tins: schemas.delete.body has no effect, because the operation 'delete' takes no body. " +
        'Remove it.',
      ],
      [{ restore: { body: {} } }, /schemas\.restore\.body has no effect/],
      [{ list: { body: {} } }, /schemas\.list\.body has no effect/],
      [{ create: { bdy: {} } }, "The resource /tins: schemas.create has no part 'bdy'. Did you mean 'body'?"],
      [{ create: { frobnicate: {} } }, /has no part 'frobnicate'\. It may have: body, querystring, .*start with x-\.$/],
      [{ create: { body: null } }, 'The resource /tins: schemas.create.body must be a schema, got null.'],
      [{ list: { querystring: 'text' } }, /schemas\.list\.querystring must be a schema, got 'text'\.$/],
      [{ list: { response: null } }, /schemas\.list\.response must be a schema, got null\.$/],
      [{ list: { query: {}, querystring: {} } }, /both 'query' and 'querystring'/],
      [{ createMany: { headers: {} } }, /schemas\.createMany\.headers has no effect.*Use schemas\.create\.headers\.$/],
    ]
    for (const [schemas, message] of refused) {
      await t.rejects(start(t, own(schemas)), { code: 'FST_CRUD_CONFIG_INVALID', message }, JSON.stringify(schemas))
    }
    const accepted = {
      create: { body: undefined, summary: 'Add', description: 'Adds', tags: ['a'], hide: true, 'x-own': 1 },
      list: { query: {}, deprecated: true, operationId: 'tins', security: [], externalDocs: { url: '/' } },
      delete: { consumes: ['a'], produces: ['b'], headers: true },
    }
    await (await start(t, own(accepted))).ready()
  })

  t.test('an own schema that declares parameters of the query language does not list them twice', async (t) => {
    const properties = { page: { type: 'integer' }, 'filter[name]': { type: 'string' }, lang: { type: 'string' } }
    const app = await start(t, own({ list: { querystring: { type: 'object', properties } } }))
    const [{ allowed, detail }] = bodyOf(await app.inject('/tins?colour=red')).errors
    t.strictSame(allowed, [...new Set(allowed)])
    t.ok(allowed.includes('page') && allowed.includes('filter[<name>]') && allowed.includes('lang'), detail)
    t.notOk(allowed.includes('filter[name]'), detail)
    t.equal((await app.inject('/tins?page=1&filter[name]=a&lang=de')).statusCode, 200)
  })

  t.test('messages about bodies name what is allowed', async (t) => {
    const send = sender(await start(t))
    const message = async (payload: object): Promise<unknown> => (await send(payload)).body.message
    t.equal(await message({ name: 'a', status: 'ful' }), "'status' must be one of its members. Allowed: empty, full.")
    t.equal(await message({ name: 'a', nmae: 'a' }),
      "There is no property 'nmae' to write. Did you mean 'name'? Allowed: grams, lid, name, status.")
  })

  t.test('a mistake in the rows of a role ends with one full stop', async (t) => {
    const app = newServer(t)
    const access = { role: () => 'guest', roles: { guest: { Tin: { rows: { nope: 1 } } } } }
    await t.rejects(
      async () =>
        await app.register(crudKit, { orm, indexAdvice: false, access, resources: { '/tins': { crud: tins() } } }),
      { code: 'FST_CRUD_CONFIG_INVALID', message: /Tin has no property 'nope'\.$/ }
    )
  })
})
