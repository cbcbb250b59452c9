/** Which properties clients may write, in tables whose values the entity sets, the database sets, or nothing does. */
import { p } from '@mikro-orm/core'
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { CrudBase, primaryKey, timestamps, uuid } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { bodyOf, resource, serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

/** Nothing sets its timestamps or its uuid. */
const Bare = entity('Bare', {
  id: p.integer().primary().autoincrement(), uuid: p.uuid(), created_at: p.datetime(),
  updatedAt: p.datetime().nullable(), deletedAt: p.datetime().fieldName('gone').nullable(),
})

const Folder = entity('Folder', { path: p.text().primary().default('/'), name: p.text().nullable() })

const Level = entity('Level', {
  code: p.string().primary().defaultRaw("'none'::character varying"),
  name: p.text().nullable(),
})

const Kept = entity('Kept', {
  id: p.uuid().primary().defaultRaw('gen_random_uuid()'), ...uuid, ...timestamps, deleted_at: p.datetime().nullable(),
  name: p.text().nullable(),
})

const Defaulted = entity('Defaulted', {
  id: p.integer().primary().autoincrement(),
  created_at: p.datetime().defaultRaw('now()'),
  orderedAt: p.datetime().defaultRaw('now()'),
})

const Note = entity('Note', { ...primaryKey, text: p.string().default('empty'), stars: p.integer().nullable() })

await forEachDatabase(t, { entities: [Bare, Folder, Level, Kept, Defaulted, Note] }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/bare': resource(Bare),
    '/folders': resource(Folder),
    '/levels': resource(Level),
    '/kept': resource(Kept),
    '/defaulted': resource(Defaulted),
    '/notes': { crud: new CrudBase<any>({ model: Note, writable: 'all' }), operations: ['create', 'createMany'] },
  })
  const { post, created, updated, read } = writes(app)

  t.test('timestamps and a uuid that nothing sets are written by clients', async (t) => {
    const given = {
      uuid: randomUUID(), created_at: '2024-05-31T09:30:00.000Z', updatedAt: '2024-06-01T00:00:00.000Z',
      deletedAt: '2024-06-02T00:00:00.000Z',
    }
    const { id, ...record } = await created('/bare', given)
    t.strictSame(record, given)
    const changed = { created_at: '2020-01-01T00:00:00.000Z', updatedAt: null, deletedAt: null }
    t.strictSame(await updated(`/bare/${id}`, changed), { id, ...given, ...changed })
    t.equal(verdict(await post('/bare', { uuid: given.uuid })), '400 FST_ERR_VALIDATION /created_at')
  })

  t.test('a key with a constant default may be given or left out', async (t) => {
    for (const [path, name, value] of [['/folders', 'path', '/'], ['/levels', 'code', 'none']] as const) {
      t.match(await created(path, { [name]: 'mine', name: 'a' }), { [name]: 'mine', name: 'a' })
      t.match(await read(`${path}/mine`), { name: 'a' })
      t.match(await created(path, { name: 'b' }), { [name]: value, name: 'b' })
    }
  })

  t.test('what the entity or the database sets is not written by clients', async (t) => {
    for (const name of ['id', 'uuid', 'created_at', 'updated_at', 'deleted_at']) {
      const value = name.endsWith('id') ? randomUUID() : '2024-05-31T09:30:00.000Z'
      t.equal(verdict(await post('/kept', { [name]: value })), `400 FST_ERR_VALIDATION /${name}`)
      const crud = new CrudBase({ model: Kept as never, writable: [name] as never, queryConfig: {} })
      t.throws(() => crud.bind(orm.em), { code: 'FST_CRUD_CONFIG_INVALID', message: /which clients never write/ }, name)
    }
    t.equal(verdict(await post('/defaulted', { created_at: '2024-05-31T09:30:00.000Z' })),
      '400 FST_ERR_VALIDATION /created_at')
    const orderedAt = '2024-05-31T09:30:00.000Z'
    t.match(await created('/defaulted', { orderedAt }), { orderedAt })
  })

  t.test('a primary key that is a UUID finds records, and the property uuid beside it does not', async (t) => {
    const { id, uuid } = await created('/kept', { name: 'a' })
    t.match(await read(`/kept/${String(id)}`), { id, name: 'a' })
    t.equal((await app.inject(`/kept/${String(uuid)}`)).statusCode, 404)
    t.match((await app.inject('/kept/x')).json(), { detail: "The path's id must be a UUID." })
  })

  for (const number of [1, 2, 100]) {
    t.test(`a batch of ${number} records without values gets the defaults`, async (t) => {
      const response = await post('/notes', Array.from({ length: number }, () => ({})))
      t.equal(response.statusCode, 201)
      const records = bodyOf(response).map(({ text, stars }: any) => ({ text, stars }))
      t.strictSame(records, Array(number).fill({ text: 'empty', stars: null }))
    })
  }

  t.test('records without values stand beside others in a batch', async (t) => {
    const response = await post('/notes', [{}, { stars: 3 }, {}])
    t.strictSame(bodyOf(response).map(({ stars }: any) => stars), [null, 3, null])
  })
})
