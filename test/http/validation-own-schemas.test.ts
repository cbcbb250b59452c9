/** The application's own schemas of requests: what they are checked against, and the answers to what they refuse. */
import { defineEntity, p } from '@mikro-orm/core'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { AllowedFilters, CrudBase, crudKit, type CrudRoutesOptions } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { bodyOf, type Json } from './helper.ts'

const Tin = defineEntity({
  name: 'Tin',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.string(),
    grams: p.integer().nullable(),
    lid: p.json().nullable(),
    status: p.enum(['full', 'empty']).nullable(),
  },
})

const tins = (): CrudBase =>
  new CrudBase({ model: Tin as never, writable: 'all', queryConfig: { allowedFilters: [new AllowedFilters('name')] } })

const ALL = ['list', 'get', 'create', 'createMany', 'update', 'delete'] as const

/** Wraps own schemas, whose types would only get in the way. */
const own = (schemas: object): Partial<CrudRoutesOptions> => ({ schemas })

await forEachDatabase(t, { entities: [Tin] }, async (t, { orm }) => {
  const start = async (
    t: Test,
    options: Partial<CrudRoutesOptions> = {},
    prepare: (app: FastifyInstance) => unknown = () => {}
  ): Promise<FastifyInstance> => {
    const app = Fastify()
    t.teardown(() => app.close())
    await prepare(app)
    await app.register(crudKit, {
      orm,
      indexAdvice: false,
      resources: { '/tins': { crud: tins(), operations: ALL, ...options } },
    })
    return app
  }
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
          body: { message: /NOT have more than 3/ },
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
    t.equal((await send([{ name: 'a' }, { name: 'too long' }])).status, 400)
    t.equal((await send({ name: 'too long' })).status, 400)
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
})
