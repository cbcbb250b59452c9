/** Less common cases of writes: versions behind relations, links and hooks. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import crudKit, {
  AllowedInclude, BaseModel, CrudBase, primaryKey, QueryBuilderConfig, type CrudRecord,
} from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { newServer } from '../../helpers/server.ts'

const Badge = defineEntity({ name: 'Badge', properties: { ...primaryKey, name: p.string() } })
const Board = defineEntity({
  name: 'Board',
  properties: { ...primaryKey, name: p.string(), cards: () => p.oneToMany(Card).mappedBy('board') },
})
const Card = defineEntity({
  name: 'Card',
  extends: BaseModel,
  properties: {
    title: p.string(), at: p.datetime().nullable(), meta: p.json().nullable(), revision: p.integer().version(),
    board: () => p.manyToOne(Board).nullable(), badges: () => p.manyToMany(Badge).owner(),
  },
})

/** Its hook returns more than it was given. */
const generous = hooked({ model: Card, writable: ['title'], name: 'generous' }, {
  beforeUpdate: (_, data) => ({ ...data, ...JSON.parse(data.title) }),
})

const forget = (data: CrudRecord): unknown => data['name'] === 'forget' ? undefined : data
/** Hooks without a return statement. */
const forgetful = hooked({ model: Badge, writable: 'all' }, {
  beforeCreate: forget,
  beforeUpdate: (_, data) => forget(data),
  afterRead: (record) => record.name === 'lost' ? undefined : record,
})

/** Returns from its hooks what the title of the record says. */
const odd = hooked({ model: Card, writable: 'all' }, {
  beforeCreate: (data) => data.title === 'version' ? { ...data, revision: 7 } : data,
  afterRead (record) {
    const circular: Record<string, unknown> = { ...record }
    circular['self'] = circular
    return ({
      list: [record], date: new Date(0), map: new Map(), text: 'secret', circular, bigint: { ...record, id: 1n },
    } as Record<string, unknown>)[record.title] ?? record
  },
})

const RETURNED = [
  ['list', 'afterRead must return the record as an object, got an array.'],
  ['date', 'afterRead must return the record as an object, got an instance of Date.'],
  ['map', 'afterRead must return the record as an object, got an instance of Map.'],
  ['text', 'afterRead must return the record as an object, got a string.'],
  ['circular', 'afterRead must return a record that can be written as JSON.'],
  ['bigint', 'afterRead must return a record that can be written as JSON.'],
] as const

await forEachDatabase(t, { entities: [Badge, Board, Card] }, async (t, { orm }) => {
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    resources: {
      '/odd': { crud: odd, stream: true },
      // the board comes first, so that its related entity is known before it is a resource itself
      '/boards': new CrudBase({
        model: Board,
        writable: 'all',
        queryConfig: new QueryBuilderConfig({ allowedIncludes: [new AllowedInclude('cards')] }),
      }),
      '/cards': new CrudBase({ model: Card, writable: 'all' }), '/generous': generous,
      '/badges': new CrudBase({ model: Badge, writable: 'all' }), '/forgetful': forgetful,
    },
  })
  const send = (method: 'POST' | 'PATCH' | 'DELETE', url: string, body?: object, headers = {}) =>
    app.inject({ method, url, headers, ...(body && { body }) })

  t.test('versions count, whichever resource uses the entity first', async (t) => {
    const created = await send('POST', '/cards', { title: 'a' })
    t.equal(created.headers.etag, '"1"')
    t.equal((await send('PATCH', '/cards/1', { title: 'b' }, { 'if-match': '"1"' })).headers.etag, '"2"')
  })

  t.test('changed links change the version and updated_at of the record', async (t) => {
    await send('POST', '/badges', { name: 'one' })
    const before = (await app.inject('/cards/1')).json()
    const first = await send('PATCH', '/cards/1', { badges: [1] }, { 'if-match': '"2"' })
    t.equal(first.headers.etag, '"3"', first.body)
    t.ok(first.json().updated_at >= before.updated_at)
    t.equal((await send('PATCH', '/cards/1', { badges: [] }, { 'if-match': '"2"' })).statusCode, 412)
  })

  t.test('deleting a record that a one-sided many-to-many relation refers to succeeds, or is a conflict', async (t) => {
    const { id } = (await send('POST', '/badges', { name: 'two' })).json()
    t.equal((await send('DELETE', `/badges/${id}`)).statusCode, 200)
  })

  t.test('an invalid return value of beforeUpdate is a mistake of the program', async (t) => {
    const { id, revision } = (await send('POST', '/cards', { title: 'generous' })).json()
    for (const more of [{ id: 999 }, { revision }, { revision: 99 }, { zzz: 1 }, { title: 5 }]) {
      const answer = await send('PATCH', `/generous/${id}`, { title: JSON.stringify(more) })
      t.match([answer.statusCode, answer.json().code], [500, 'FST_CRUD_CONFIG_INVALID'], JSON.stringify(more))
      t.notMatch(answer.body, /revision|zzz|title|999|Card/)
    }
    t.equal((await send('PATCH', `/generous/${id}`, { title: JSON.stringify({ id, title: 'same key' }) })).statusCode,
      200)
  })

  t.test('a hook that returns nothing is a mistake of the program, and nothing is written', async (t) => {
    t.equal((await send('POST', '/forgetful', { name: 'forget' })).statusCode, 500)
    t.equal((await send('PATCH', '/forgetful/1', { name: 'forget' })).statusCode, 500)
    t.strictSame((await app.inject('/badges')).json().items, [{ id: 1, name: 'one' }])
    await send('PATCH', '/badges/1', { name: 'lost' })
    t.equal((await app.inject('/forgetful/1')).statusCode, 500)
  })

  t.test('a hook that sets the version, or does not return a record, is named', async (t) => {
    const before = (await app.inject('/cards')).json().total
    const created = await send('POST', '/odd', { title: 'version' })
    t.match([created.statusCode, created.json().code], [500, 'FST_CRUD_CONFIG_INVALID'], created.body)
    t.notMatch(created.body, /revision|version|Card/)
    t.equal((await app.inject('/cards')).json().total, before)
    await t.rejects(odd.create(orm.em.fork(), { title: 'version' }), {
      code: 'FST_CRUD_CONFIG_INVALID',
      cause: { message: "beforeCreate: 'revision' of Card is the version, which counts by itself." },
    })
    const { id } = (await send('POST', '/cards', { title: 'fine' })).json()
    for (const [title, message] of RETURNED) {
      await send('PATCH', `/cards/${id}`, { title })
      for (const url of [`/odd/${id}`, '/odd?per_page=100']) {
        const answer = await app.inject(url)
        t.match([answer.statusCode, answer.json().code], [500, 'FST_CRUD_CONFIG_INVALID'], `${title} ${url}`)
        t.equal(answer.json().message, message)
        t.notMatch(answer.body, /secret/)
      }
      await t.rejects(odd.list(orm.em.fork()), { code: 'FST_CRUD_CONFIG_INVALID', message })
      await t.rejects(odd.stream(orm.em.fork()).next(), { code: 'FST_CRUD_CONFIG_INVALID', message })
    }
  })

  t.test('a value that would be stored as another is refused', async (t) => {
    for (const body of [
      '{"title":"x","meta":1e400}',
      '{"title":"x","meta":{"a":[1e999]}}',
      '{"title":"x","at":"4714-11-24T00:00:00+14:00 BC"}',
      '{"title":"x","at":"294276-12-31T23:59:59-14:00"}',
    ]) {
      const answer = await app.inject({
        method: 'POST', url: '/cards', body, headers: { 'content-type': 'application/json' },
      })
      t.equal(answer.statusCode, 400, body)
    }
  })
})
