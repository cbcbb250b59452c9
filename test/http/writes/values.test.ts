/** `options.values`: properties that the server sets, whatever a body contains. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, crudKit, DatabaseFactory, primaryKey, withTransaction, type CrudRecord } from '../../../src/index.ts'
import { forEachDatabase, pgliteUrl } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { keptLog } from '../../helpers/log.ts'
import { newServer } from '../../helpers/server.ts'
import { column, select, verdict, writes, type Json } from '../helper.ts'

const User = defineEntity({ name: 'User', tableName: 'users', properties: { ...primaryKey, name: p.string() } })
const Meta = defineEntity({
  name: 'Meta', embeddable: true, properties: { source: p.string().nullable(), ip: p.string().hidden().nullable() },
})
const properties = {
  ...primaryKey, title: p.string(), createdBy: () => p.manyToOne(User).serializedName('created_by').nullable(),
  secret: p.string().hidden().nullable(), token: p.string().hidden(), seen: p.datetime(3).nullable(),
  big: p.bigint().nullable(), digest: p.blob().nullable(), state: p.enum(['open', 'done'] as const).default('open'),
  meta: () => p.embedded(Meta).object().nullable(), tenant: p.integer().default(0),
  shout: p.string().formula((columns: any) => `upper(${columns.title})`).nullable(), revision: p.integer().version(),
}
const Task = defineEntity({
  name: 'Task', tableName: 'task', properties: { ...properties, watchers: () => p.manyToMany(User).owner() },
})
/** Written by MikroORM's unit of work. */
const Chore = defineEntity({
  name: 'Chore', tableName: 'chore', hooks: { beforeCreate: [() => {}], beforeUpdate: [() => {}] }, properties,
})

const SEEN = new Date('2024-05-31T09:30:00.123Z')
const VALUES = {
  createdBy: 1, secret: 's', token: 't', seen: SEEN, big: 2n ** 60n, digest: Buffer.from('abc'), state: 'done',
  meta: { source: 'x', ip: '::1' },
} as const

await forEachDatabase(t, { entities: [User, Task, Chore] }, async (t, { orm }) => {
  await select(orm, "insert into users (name) values ('Ada'), ('Bob')")
  const writable = ['title', 'createdBy', 'state'] as const
  const stored = async (table: string, id: number): Promise<Json> =>
    (await select(orm, `select * from ${table} where id = ${id}`))[0]
  const fork = () => orm.em.fork()

  for (const [table, crud] of [['task', new CrudBase({ model: Task, writable })], [
    'chore',
    new CrudBase({ model: Chore, writable }),
  ]] as readonly [string, CrudBase<any>][]) {
    t.test(`${table}: values may set any column, hidden or closed, in JavaScript or JSON form`, async (t) => {
      const record = await crud.create(fork(), { title: 'a' }, { values: VALUES })
      t.match(record, {
        title: 'a', created_by: 1, seen: '2024-05-31T09:30:00.123Z', big: '1152921504606846976', digest: 'YWJj',
        state: 'done', meta: { source: 'x' },
      })
      t.notMatch(JSON.stringify(record), /::1|secret|token/)
      t.match(await stored(table, record['id']), { secret: 's', token: 't', meta: { ip: '::1' } })
      const wire = await crud.create(fork(), { title: 'b' }, {
        values: { token: 't', seen: '2024-05-31T09:30:00.123Z', big: '5', digest: 'YWJj', createdBy: '2' },
      })
      t.match(wire, { seen: '2024-05-31T09:30:00.123Z', big: '5', digest: 'YWJj', created_by: 2 })
    })

    t.test(`${table}: values replace those of the body, which is still checked`, async (t) => {
      const values = { token: 't', createdBy: 1 }
      const { id, ...record } = await crud.create(fork(), { title: 'a', created_by: 2 }, { values })
      t.match(record, { created_by: 1 })
      t.match(await crud.update(fork(), id, { title: 'b', created_by: 2 }, { values: { createdBy: 1, secret: 'new' } }),
        { title: 'b', created_by: 1 })
      t.match(await stored(table, id), { secret: 'new' })
      await t.rejects(crud.create(fork(), { title: 'a', created_by: 'x' }, { values }), { code: 'FST_ERR_VALIDATION' })
      await t.rejects(crud.create(fork(), { title: 'a', token: 'mine' }, { values }), {
        code: 'FST_ERR_VALIDATION',
        errors: [{ source: { pointer: '/token' } }],
      })
      await t.rejects(crud.update(fork(), id, { secret: 'mine' }, { values: { secret: 'x' } }), {
        code: 'FST_ERR_VALIDATION',
      })
    })

    t.test(`${table}: values apply to each record of a batch`, async (t) => {
      const made = await crud.createMany(fork(), [{ title: 'a' }, { title: 'b', created_by: 2 }], {
        values: { token: 't', createdBy: 1 },
      })
      t.strictSame(made.map(({ title, created_by: by }) => [title, by]), [['a', 1], ['b', 1]])
    })

    t.test(`${table}: values alone are a change`, async (t) => {
      const { id, revision } = await crud.create(fork(), { title: 'a' }, { values: { token: 't' } })
      t.match(await crud.update(fork(), id, {}, { values: { state: 'done' } }), {
        state: 'done',
        revision: revision + 1,
      })
      t.match(await crud.update(fork(), id, {}, { values: {} }), { revision: revision + 1 })
    })

    t.test(`${table}: values work in the caller's transaction`, async (t) => {
      const record = await withTransaction(fork(),
        async (em) => await crud.create(em, { title: 'a' }, { values: { token: 'in' } }))
      t.equal((await stored(table, record['id'])).token, 'in')
    })
  }

  t.test('hooks see values in the data, by the names of bodies, and may replace them', async (t) => {
    const seen: CrudRecord[] = []
    const crud = hooked({ model: Task, writable: ['title', 'createdBy', 'state'] }, {
      beforeCreate (data) {
        seen.push({ ...data })
        return { ...data, state: 'open' }
      },
      beforeUpdate (_, data) {
        seen.push({ ...data })
        return data
      },
    })
    const record = await crud.create(fork(), { title: 'a', created_by: 2 }, {
      values: { token: 't', createdBy: 1, state: 'done' },
    })
    t.match(record, { created_by: 1, state: 'open' })
    await crud.update(fork(), record['id'], { title: 'b' }, { values: { secret: 'x' } })
    t.strictSame(seen, [{ title: 'a', created_by: 1, token: 't', state: 'done' }, { title: 'b', secret: 'x' }])
  })

  t.test('values must match the scope', async (t) => {
    const crud = new CrudBase({ model: Task, writable: ['title', 'tenant'] })
    const options = { scope: { tenant: 7 } }
    t.match(await crud.create(fork(), { title: 'a' }, { ...options, values: { token: 't' } }), { tenant: 7 })
    t.match(await crud.create(fork(), { title: 'a', tenant: 8 }, { ...options, values: { token: 't', tenant: 7 } }), {
      tenant: 7,
    })
    await t.rejects(crud.create(fork(), { title: 'a' }, { ...options, values: { token: 't', tenant: 8 } }), {
      code: 'FST_CRUD_OUT_OF_SCOPE',
    })
    const { id } = await crud.create(fork(), { title: 'a' }, { ...options, values: { token: 't' } })
    await t.rejects(crud.update(fork(), id, {}, { ...options, values: { tenant: 8 } }), {
      code: 'FST_CRUD_OUT_OF_SCOPE',
    })
  })

  t.test('values may set links', async (t) => {
    const crud = new CrudBase({ model: Task, writable: ['title', 'watchers'] })
    const { id } = await crud.create(fork(), { title: 'a', watchers: [1] }, { values: { token: 't', watchers: [2] } })
    t.strictSame(await column(orm, `select user_id from task_watchers where task_id = ${id}`), [2])
  })

  t.test('mistakes in values are a 500 that names them only in the log', async (t) => {
    const log = keptLog()
    const app = newServer(t, { logger: { level: 'error', stream: log.stream } })
    const crud = new CrudBase({ model: Task, writable: ['title'] })
    await app.register(crudKit, { orm })
    let values: Json
    app.post('/tasks',
      async ({ em, body }, reply) => await reply.code(201).send(await crud.create(em, body as CrudRecord, { values })))
    app.patch<{ Params: { id: number } }>('/tasks/:id',
      async ({ em, body, params }) => await crud.update(em, Number(params.id), body as CrudRecord, { values }))
    const { post, patch } = writes(app)
    for (const [given, message] of [
      [{ secret: undefined, token: 't' }, /'secret' is undefined/],
      [{ tokn: 't' }, /Task has no property 'tokn'. Did you mean 'token'\?/],
      [{ created_by: 1 }, /Task has no property 'created_by'. Did you mean 'createdBy'\?/],
      [{ shout: 'x' }, /'shout'.*has no column/],
      [{ revision: 3 }, /'revision'.*version/],
      [{ token: 5 }, /'token' must be a string/],
      [{ token: null }, /'token' cannot be null/],
      [{ state: 'other' }, /'state' must be one of its members/],
      [[], /must be an object/],
      ['token', /must be an object/],
    ] as const) {
      values = given
      for (const response of [await post('/tasks', { title: 'x' }), await patch('/tasks/1', { title: 'x' })]) {
        t.equal(verdict(response), '500 FST_CRUD_CONFIG_INVALID', JSON.stringify(given))
        t.notMatch(response.body, /secret|tok|shout|revision|state|Task/)
      }
      t.match(log.text, message)
      log.clear()
    }
    values = { token: 't' }
    t.equal((await post('/tasks', { title: 'x' })).statusCode, 201)
  })

  t.test('a method of the application adds values to the writes of its routes', async (t) => {
    class Own extends CrudBase {
      override create (em: any, data: CrudRecord, options: object = {}): any {
        return super.create(em, data, { ...options, values: { token: 'own' } })
      }
    }
    const app = newServer(t)
    await app.register(crudKit, { orm, resources: { '/tasks': new Own({ model: Task, writable: ['title'] }) } })
    const { id } = await writes(app).created('/tasks', { title: 'x' })
    t.equal((await stored('task', id)).token, 'own')
  })
})

t.test('values work in synchronous sessions', async (t) => {
  const database = new DatabaseFactory({ databaseUrl: pgliteUrl(t), entities: [User, Task], useAsync: false })
  t.teardown(() => database.close())
  const engine = database.getEngine()
  const session = database.getSessionMaker(engine)()
  session.executeScript(await engine.orm.schema.getCreateSchemaSQL())
  const crud = new CrudBase({ model: Task, writable: ['title'] })
  const made = crud.create(session, { title: 'a' }, { values: { token: 't', state: 'done' } })
  t.match(made, { title: 'a', state: 'done' })
  t.match(crud.update(session, made['id'], {}, { values: { state: 'open' } }), { state: 'open' })
  t.match(crud.createMany(session, [{ title: 'b' }], { values: { token: 't' } }), [{ title: 'b' }])
})
