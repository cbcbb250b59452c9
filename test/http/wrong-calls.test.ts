/**
 * Wrong arguments of CrudBase's methods: the error says what was given and what to pass. Nothing is read or written.
 */
import { p } from '@mikro-orm/core'
import Fastify from 'fastify'
import t from 'tap'
import crudKit, { BaseModel, CrudBase, parseQueryParams } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'

const Lamp = entity('Lamp', { name: p.string(), tenant: p.integer() }, { extends: BaseModel })

class LampCrud extends CrudBase<any> {}
const lamps = new LampCrud({
  model: Lamp, writable: 'all', queryConfig: { defaultSort: ['id'] },
}) as CrudBase<any> & Record<string, any>

const none = parseQueryParams('')

/** A correct call of each method, with options. */
const METHODS: Readonly<Record<string, (em: any, options?: any) => unknown>> = {
  list: (em, options) => lamps.list(em, none, options),
  listJson: (em, options) => lamps.listJson(em, none, options),
  get: (em, options) => lamps.get(em, 1, none, options),
  getJson: (em, options) => lamps.getJson(em, 1, none, options),
  count: (em, options) => lamps.count(em, none, options),
  exists: (em, options) => lamps.exists(em, 1, options),
  query: (em, options) => lamps.query(em, none, options),
  stream: (em, options) => drained(lamps.stream(em, none, options)),
  streamJson: (em, options) => drained(lamps.streamJson(em, none, options)),
  create: (em, options) => lamps.create(em, { name: 'new', tenant: 1 }, options),
  createMany: (em, options) => lamps.createMany(em, [{ name: 'new', tenant: 1 }], options),
  update: (em, options) => lamps.update(em, 1, { name: 'changed' }, options),
  delete: (em, options) => lamps.delete(em, 1, options),
  restore: (em, options) => lamps.restore(em, 1, options),
}

const ALL = Object.entries(METHODS)

async function drained (items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) await item
}

const refused = (message: string) => ({ code: 'FST_CRUD_CONFIG_INVALID', statusCode: 500, message })

const Bulb = entity('Bulb', {
  lamp: () => p.manyToOne(Lamp).primary(), place: p.integer().primary(), on: p.boolean().default(false),
})
const bulbs = new CrudBase<any>({ model: Bulb, writable: 'all' })

await forOneDatabase(t, { entities: [Lamp, Bulb] }, async (t, { orm }) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(crudKit, { orm })
  const wrong: Array<readonly [given: unknown, name: string]> = []
  app.get('/capture', async (request, reply) => {
    wrong.push([request, 'a Fastify request'], [reply, 'a Fastify reply'])
    return {}
  })
  await app.inject('/capture')
  wrong.push(
    [undefined, 'undefined'], [null, 'null'], [orm, 'a MikroORM instance'], [app.orm, 'a MikroORM instance'],
    [app, 'the Fastify instance'], [{}, 'an object'], [{ em: orm.em.fork() }, 'a MikroORM instance'],
    [none, 'query parameters'], [Promise.resolve(orm.em.fork()), 'an instance of Promise'], ['em', "'em'"]
  )

  await lamps.create(orm.em.fork(), { name: 'one', tenant: 1 })
  const isUntouched = async (name: string) => {
    const rows = await orm.em.getConnection().execute('select name, deleted_at from lamp order by id')
    t.strictSame(rows, [{ name: 'one', deleted_at: null }], name)
  }

  t.test('a wrong first argument is refused by every method', async (t) => {
    for (const [method, call] of ALL) {
      for (const [given, name] of wrong) {
        const message =
          `LampCrud.${method} takes an EntityManager first: request.em in a route, orm.em.fork() elsewhere; ` +
          `it got ${name}.`
        let result: unknown
        t.doesNotThrow(() => {
          result = call(given)
        }, `${method} returns a promise`)
        await t.rejects(result as Promise<unknown>, refused(message), `${method}: ${name}`)
      }
    }
    await isUntouched('nothing was written')
  })

  t.test('the EntityManager of a request, a fork and that of a transaction are accepted', async (t) => {
    t.equal(await lamps.count(orm.em.fork()), 1)
    t.equal(await lamps.count(orm.em.fork(), none, undefined), 1)
    t.equal(await orm.em.fork().transactional((em) => lamps.count(em as any, undefined, {})), 1)
    t.match(await lamps.list(orm.em.fork(), { ...parseQueryParams('per_page=5'), page: 2 }), { page: 2, per_page: 5 })
  })

  t.test('every method with query parameters refuses wrong ones', async (t) => {
    const calls: Readonly<Record<string, (params: any) => unknown>> = {
      list: (params) => lamps.list(orm.em.fork(), params),
      listJson: (params) => lamps.listJson(orm.em.fork(), params),
      get: (params) => lamps.get(orm.em.fork(), 1, params),
      getJson: (params) => lamps.getJson(orm.em.fork(), 1, params),
      count: (params) => lamps.count(orm.em.fork(), params),
      query: (params) => lamps.query(orm.em.fork(), params),
      stream: (params) => drained(lamps.stream(orm.em.fork(), params)),
      streamJson: (params) => drained(lamps.streamJson(orm.em.fork(), params)),
    }
    for (const [method, call] of Object.entries(calls)) {
      for (const [given, name, hint = ''] of [
        [null, 'null'],
        ['filter[name]=one', 'a text'],
        [new URLSearchParams('page=1'), 'an instance of URLSearchParams'],
        [{ 'filter[name]': 'one' }, 'an object'],
        [{ filter: { name: 'one' }, filters: [] }, 'an object', " Did you mean 'filter'? Its members are 'filter', "],
        [7, '7'],
      ] as ReadonlyArray<[given: any, name: string, hint?: string]>) {
        const message = `LampCrud.${method} takes query parameters as 'params': ` +
          "pass parseQueryParams(...), request.queryParams or an object such as { filter: { name: 'x' } }; " +
          `it got ${name}.${hint}`
        const error: Error = await (call(given) as Promise<never>).catch((error) => error)
        t.match(error, hint === '' ? refused(message) : { code: 'FST_CRUD_CONFIG_INVALID' }, `${method}: ${name}`)
        t.ok(error.message.startsWith(message), error.message)
      }
    }
    t.equal((await lamps.list(orm.em.fork(), {})).total, await lamps.count(orm.em.fork(), {}), 'no parameters')
    await t.rejects(lamps.get(orm.em.fork(), 1, { scope: { tenant: 1 } } as any), {
      message: /it got an object\. Options come after 'params', which may be undefined\.$/,
    })
  })

  t.test('every method refuses a misspelt option, since a missing scope opens all rows', async (t) => {
    for (const [method, call] of ALL) {
      const em = orm.em.fork()
      await t.rejects(call(em, { scop: { tenant: 2 } }) as Promise<unknown>,
        refused(`LampCrud.${method}: there is no option 'scop'. Did you mean 'scope'?`), method)
      for (const [given, name] of [
        [null, 'null'],
        ['scope', "'scope'"],
        [[], 'an empty array'],
        [() => ({ scope: { tenant: 2 } }), 'a function'],
        [Promise.resolve({ scope: { tenant: 2 } }), 'an instance of Promise'],
        [new Map([['scope', { tenant: 2 }]]), 'an instance of Map'],
        [Object.create({ scope: { tenant: 2 } }), 'an object'],
      ] as const) {
        await t.rejects(call(em, given) as Promise<unknown>,
          refused(`LampCrud.${method}: options must be a plain object, got ${name}.`), `${method}: ${name}`)
      }
    }
    await isUntouched('nothing was written')
  })

  t.test('an option that a method does not use is refused', async (t) => {
    const looksAt: Readonly<Record<string, readonly string[]>> = {
      includeDeleted: [
        'list',
        'listJson',
        'get',
        'getJson',
        'count',
        'exists',
        'query',
        'stream',
        'streamJson',
        'update',
      ],
      signal: ['stream', 'streamJson'], values: ['create', 'createMany', 'update'],
      ifMatch: ['update', 'delete', 'restore'], hard: ['delete'],
    }
    for (const [option, methods] of Object.entries(looksAt)) {
      for (const [method, call] of ALL) {
        if (methods.includes(method)) continue
        for (const value of [undefined, true]) {
          await t.rejects(
            call(orm.em.fork(), { [option]: value }) as Promise<unknown>,
            {
              code: 'FST_CRUD_CONFIG_INVALID',
              message: new RegExp(`^LampCrud\\.${method}: there is no option '${option}'`),
            },
            `${option} of ${method}`
          )
        }
      }
    }
    await isUntouched('nothing was written')
  })

  t.test('an option with a value of another type is refused', async (t) => {
    const cases: ReadonlyArray<readonly [option: string, value: unknown, methods: readonly string[], what: string]> = [
      ['includeDeleted', 'no', ['list', 'get', 'count', 'exists', 'query', 'stream', 'update'], "a boolean, got 'no'"],
      ['includeDeleted', 1, ['listJson', 'getJson', 'streamJson'], 'a boolean, got 1'],
      ['hard', 'yes', ['delete'], "a boolean, got 'yes'"],
      ['hard', null, ['delete'], 'a boolean, got null'],
      ['ifMatch', 1, ['update', 'delete', 'restore'], 'the text of a header If-Match, such as \'"1"\', got 1'],
      ['ifMatch', ['"1"'], ['update'], 'the text of a header If-Match, such as \'"1"\', got an array'],
      ['signal', 'x', ['stream', 'streamJson'], "an AbortSignal, got 'x'"],
      ['signal', new AbortController(), ['stream'], 'an AbortSignal, got an instance of AbortController'],
      ['context', 'me', ['list', 'create', 'restore'], "an object, got 'me'"],
    ]
    for (const [option, value, methods, what] of cases) {
      for (const method of methods) {
        await t.rejects(METHODS[method]!(orm.em.fork(), { [option]: value }) as Promise<unknown>,
          refused(`LampCrud.${method}: '${option}' must be ${what}.`), `${option} of ${method}`)
        await t.resolves(async () => {
          if (method === 'list') await METHODS[method]!(orm.em.fork(), { [option]: undefined })
        }, 'undefined is the same as no option')
      }
    }
    await isUntouched('nothing was written')
  })

  t.test('the options of a method are accepted in all of its forms', async (t) => {
    const em = orm.em.fork()
    const read = { scope: { tenant: 1 }, includeDeleted: true, context: { who: 'me' } }
    for (const method of ['list', 'listJson', 'get', 'getJson', 'count', 'exists', 'query'] as const) {
      t.ok(await METHODS[method]!(em, read), method)
    }
    await METHODS['stream']!(em, { ...read, signal: new AbortController().signal })
    const write = { scope: { tenant: 1 }, context: {}, ifMatch: '*' }
    t.match(await METHODS['update']!(em, { ...write, values: { name: 'one' }, includeDeleted: true }), { name: 'one' })
    t.ok(await METHODS['delete']!(em, { ...write, hard: false }))
    t.ok(await METHODS['restore']!(em, write))
    t.match(await METHODS['create']!(em, { scope: { tenant: 1 }, values: { name: 'two' }, context: {} }), {
      name: 'two',
    })
  })

  t.test('data that is no record, or no list of records, is not written', async (t) => {
    const em = orm.em.fork() as any
    const count = await lamps.count(em)
    for (const data of [{}, undefined, 'text', new Map()]) {
      await t.rejects(lamps.createMany(em, data as any), {
        code: 'FST_CRUD_CONFIG_INVALID',
        message: /^LampCrud\.createMany takes a list of records, got /,
      })
    }
    for (const data of [new Map([['name', 'new']]), new Set(['name']), [], 'text', null]) {
      const error = { code: 'FST_ERR_VALIDATION', errors: [{ detail: 'A record must be an object.' }] }
      await t.rejects(lamps.create(em, data as any), error)
      await t.rejects(lamps.update(em, 1, data as any), { code: /^FST_/ })
    }
    t.equal(await lamps.count(em), count)
  })

  t.test('a value that cannot be a key is refused, and a key that no record has finds none', async (t) => {
    const em = orm.em.fork()
    const byKey = {
      get: (crud, id) => crud.get(em, id), getJson: (crud, id) => crud.getJson(em, id),
      exists: (crud, id) => crud.exists(em, id), update: (crud, id) => crud.update(em, id, {}),
      delete: (crud, id) => crud.delete(em, id), restore: (crud, id) => crud.restore(em, id),
    } satisfies Record<string, (crud: any, id: any) => Promise<unknown>>
    const wrongKeys: ReadonlyArray<readonly [crud: CrudBase<any>, id: unknown, got: string]> = [
      [lamps, undefined, 'undefined'], [lamps, null, 'null'], [lamps, true, 'true'], [lamps, [1], 'an array'],
      [lamps, {}, "an object without 'id'"], [lamps, { id: undefined }, "an object without 'id'"],
      [lamps, { id: 1, name: 'x' }, 'an object with other members'], [lamps, new Map(), 'an instance of Map'],
      [lamps, () => 1, 'a function'], [bulbs, 1, '1'], [bulbs, '1', 'a text'],
      [bulbs, { lamp: 1 }, "an object without 'place'"],
      [bulbs, { lamp: 1, place: null }, "an object whose 'place' is null"],
      [bulbs, { lamp: 1, place: ['1', '2'] }, "an object whose 'place' is an array"],
      [bulbs, { lamp: { id: 1 }, place: 1 }, "an object whose 'lamp' is an object"],
    ]
    for (const [method, call] of Object.entries(byKey)) {
      for (const [crud, id, got] of wrongKeys) {
        const form = crud === lamps ? 'a text or a number' : "an object with 'lamp', 'place'"
        const name = `${crud.constructor.name}.${method.replace('Json', '')}`
        await t.rejects(call(crud, id), refused(`${name} takes the key of a record as 'id': ${form}; it got ${got}.`))
      }
      for (const id of [99, '99', 99n, 'x', '', 1.5, NaN, new Date(), { id: 99 }]) {
        const found = call(lamps, id)
        if (method.startsWith('get') || method === 'exists') t.notOk(await found, `${method} ${String(id)}`)
        else await t.rejects(found, { code: 'FST_CRUD_NOT_FOUND' }, `${method} ${String(id)}`)
      }
    }
    t.match(await lamps.get(em, { id: 1 }), { id: 1 })
    t.equal(await bulbs.get(em, { place: 1, lamp: '1' }), null)
  })
})
