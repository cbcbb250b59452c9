/** Bodies set only the properties that the resource names, in whichever way they are sent. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import {
  BaseModel, CrudBase, crudKit, crudSchemas, primaryKey, softDelete, type CrudOptions, type CrudRecord,
  type CrudRoutesOptions,
} from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { keptLog } from '../helpers/log.ts'
import { newServer } from '../helpers/server.ts'
import { serve, verdict, writes, type Json } from '../http/helper.ts'
import { entity } from '../helpers/entity.ts'

const Home = entity('Home', { street: p.string().nullable() }, { embeddable: true })
const Team = entity('Team', { ...primaryKey, name: p.string(), members: () => p.oneToMany(Member).mappedBy('team') })
const Member = entity('Member', {
  name: p.string(),
  nickName: p.string().serializedName('nick_name').nullable(),
  isAdmin: p.boolean().default(false),
  credit: p.integer().default(0),
  secret: p.string().hidden().nullable(),
  shout: p.string().formula((columns: any) => `upper(${columns.name})`).nullable(),
  revision: p.integer().version(),
  home: () => p.embedded(Home).nullable(),
  team: () => p.manyToOne(Team).nullable(),
  friends: () => p.manyToMany(Member).owner(),
}, { extends: BaseModel })
/** Requires a property that no client may write. */
const Account = entity('Account', {
  ...primaryKey, ...softDelete, name: p.string(), email: p.string().hidden(), plan: p.string(),
})

const NAMES = ['name', 'nickName', 'team', 'friends'] as const
/** Every property that the list leaves out, with a value that its column takes. */
const CLOSED: Readonly<Record<string, unknown>> = {
  isAdmin: true, credit: 1_000_000, id: 77, uuid: '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10',
  created_at: '2024-05-31T00:00:00Z', updated_at: '2024-05-31T00:00:00Z', deleted_at: '2024-05-31T00:00:00Z',
  revision: 9, shout: 'x',
}
const UNKNOWN: Readonly<Record<string, unknown>> = {
  secret: 's3cret', nickName: 'x', is_admin: true, nothing: 1, members: [], toString: 'x', hasOwnProperty: true,
}

await forOneDatabase(t, { entities: [Team, Member, Account] }, async (t, { orm }) => {
  const members = new CrudBase({ model: Member, writable: [...NAMES] })
  const app = await serve(t, orm, {
    '/members': { crud: members, operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] },
    '/scoped': { crud: members, operations: ['create', 'update'], scope: () => ({ credit: 7 }) },
    '/transacted': { crud: members, operations: ['create', 'update'], transaction: true },
    '/split': {
      crud: new CrudBase({ model: Member, writable: { create: ['name', 'isAdmin'], update: ['name', 'credit'] } }),
      operations: ['create', 'update'],
    },
    '/nothing': { crud: new CrudBase({ model: Member, writable: { create: ['name'], update: [] } }) },
    '/lenient': { crud: members, readonlyProperties: 'ignore' },
  })
  const { post, patch, put, created, updated, read } = writes(app)

  t.test('a name that is not listed is refused as not writable, in whichever way it is sent', async (t) => {
    const { id } = await created('/members', { name: 'Ada' })
    for (const [name, value] of Object.entries(CLOSED)) {
      const body = { name: 'x', [name]: value }
      const sent = {
        post: await post('/members', body), scoped: await post('/scoped', body),
        transacted: await post('/transacted', body),
      }
      for (const [way, response] of Object.entries(sent)) {
        t.equal(verdict(response), `400 FST_ERR_VALIDATION /${name}`, `${way} ${name}`)
      }
      t.equal(verdict(await post('/members', [{ name: 'ok' }, body])), `400 FST_ERR_VALIDATION /1/${name}`,
        `batch ${name}`)
      for (const [way, response] of Object.entries({
        patch: await patch(`/members/${id}`, body),
        put: await put(`/members/${id}`, body),
        transacted: await patch(`/transacted/${id}`, body),
      })) {
        t.equal(verdict(response), `400 FST_ERR_VALIDATION /${name}`, `${way} ${name}`)
      }
      const [error] = sent.post.json().errors
      t.match(error.detail, new RegExp(`^The property '${name}' cannot be written\\.`))
      t.strictSame(error.allowed, ['friends', 'name', 'nick_name', 'team'])
    }
    t.match(await read(`/members/${id}`), { name: 'Ada', isAdmin: false, credit: 0 })
  })

  t.test('hidden names, unknown names and names of the class get one answer', async (t) => {
    const { id } = await created('/members', { name: 'Ada' })
    const answers = new Set<string>()
    for (const [name, value] of Object.entries(UNKNOWN)) {
      for (const response of [
        await post('/members', { name: 'x', [name]: value }),
        await patch(`/members/${id}`, { [name]: value }),
      ]) {
        t.equal(verdict(response), `400 FST_ERR_VALIDATION /${name}`, name)
        const [{ detail, allowed }] = response.json().errors
        t.ok(detail.endsWith(`Allowed: ${allowed.join(', ')}.`), detail)
        answers.add(detail.replace(name, '?').replace(/ Did you mean '\w+'\?/, ''))
      }
    }
    t.strictSame([...answers], ["There is no property '?' to write. Allowed: friends, name, nick_name, team."])
    const response = await app.inject({
      method: 'POST', url: '/members', headers: { 'content-type': 'application/json' },
      payload: '{"name":"x","__proto__":{"isAdmin":true}}',
    })
    t.equal(response.statusCode, 400)
  })

  t.test('listed properties are written by their public names', async (t) => {
    const team = await orm.em.fork().insert(Team, { name: 'A' })
    const friend = await created('/members', { name: 'Bob' })
    const record = await created('/members', { name: 'Ada', nick_name: 'ad', team, friends: [friend.id] })
    t.match(record, { name: 'Ada', nick_name: 'ad', team, isAdmin: false })
    t.match(await updated(`/members/${record.id}`, { nick_name: null, team: null, friends: [] }), {
      nick_name: null,
      team: null,
    })
  })

  t.test('each operation has its own list', async (t) => {
    const { id, ...made } = await created('/split', { name: 'Ada', isAdmin: true })
    t.match(made, { isAdmin: true, credit: 0 })
    t.match(await updated(`/split/${id}`, { credit: 5 }), { isAdmin: true, credit: 5 })
    t.equal(verdict(await post('/split', { name: 'x', credit: 5 })), '400 FST_ERR_VALIDATION /credit')
    const refused = await patch(`/split/${id}`, { isAdmin: false })
    t.equal(verdict(refused), '400 FST_ERR_VALIDATION /isAdmin')
    t.strictSame(refused.json().errors[0].allowed, ['credit', 'name'])
  })

  t.test('an empty list accepts empty bodies, and the key of the path', async (t) => {
    const { id } = await created('/nothing', { name: 'Ada' })
    t.equal((await patch(`/nothing/${id}`, {})).statusCode, 200)
    t.equal((await patch(`/nothing/${id}`, { id })).statusCode, 200)
    t.equal(verdict(await patch(`/nothing/${id}`, { id: id + 1 })), '400 FST_ERR_VALIDATION /id')
    t.equal(verdict(await patch(`/nothing/${id}`, { name: 'x' })), '400 FST_ERR_VALIDATION /name')
  })

  t.test("readonlyProperties: 'ignore' ignores read-only properties and refuses unknown names", async (t) => {
    const { id } = await created('/members', { name: 'Ada' })
    const record = await read(`/lenient/${id}`)
    t.match(await updated(`/lenient/${id}`, { ...record, ...CLOSED, id, name: 'Eve' }), {
      name: 'Eve', isAdmin: false, credit: 0,
    })
    t.match(await created('/lenient', { ...CLOSED, name: 'Mal' }), { isAdmin: false, credit: 0 })
    t.equal(verdict(await patch(`/lenient/${id}`, { ...record, secret: 'x' })), '400 FST_ERR_VALIDATION /secret')
  })

  t.test('hooks may set properties that bodies may not', async (t) => {
    class Hooked extends CrudBase {
      override beforeCreate (data: Json) {
        return { ...data, isAdmin: true, secret: 'set' }
      }

      override beforeUpdate (_: unknown, data: Json) {
        return { ...data, credit: 1 }
      }
    }
    const app = await serve(t, orm, { '/hooked': new Hooked({ model: Member, writable: ['name'] }) })
    const { created, updated, post } = writes(app)
    const { id, isAdmin } = await created('/hooked', { name: 'Ada' })
    t.equal(isAdmin, true)
    t.equal((await updated(`/hooked/${id}`, { name: 'Bea' })).credit, 1)
    t.equal(verdict(await post('/hooked', { name: 'x', isAdmin: true })), '400 FST_ERR_VALIDATION /isAdmin')
    t.match(await orm.em.fork().findOneOrFail(Member, id), { secret: 'set', name: 'Bea' })
  })

  t.test('a required hidden property is never named to a client', async (t) => {
    class Filling extends CrudBase {
      override beforeCreate (data: Json) {
        return data.name === 'forget' ? data : { ...data, email: `${data.name}@example.org` }
      }
    }
    const log = keptLog()
    const app = newServer(t, { logger: { level: 'error', stream: log.stream } })
    await app.register(crudKit, {
      orm,
      resources: { '/accounts': new Filling({ model: Account, writable: ['name', 'plan'] }) },
    })
    const { created, post } = writes(app)
    const { id } = await created('/accounts', { name: 'ada', plan: 'free' })
    t.equal((await orm.em.fork().findOneOrFail(Account, id)).email, 'ada@example.org')
    t.equal(verdict(await post('/accounts', { name: 'ada' })), '400 FST_ERR_VALIDATION /plan')
    t.equal(verdict(await post('/accounts', { name: 'forget' })), '400 FST_ERR_VALIDATION /plan',
      'the errors of the client come first')
    const failed = await post('/accounts', { name: 'forget', plan: 'free' })
    t.equal(failed.statusCode, 500)
    t.notMatch(failed.body, /email|Account/)
    t.match(log.text, /Account\.email is required, no client may write it/)
    const unknown = await post('/accounts', { name: 'x', plan: 'x', email: 'x' })
    t.equal(verdict(unknown), '400 FST_ERR_VALIDATION /email')
    t.match(unknown.json().errors[0].detail, /^There is no property 'email' to write/)
  })

  t.test('schemas show the properties that each body may have', async (t) => {
    const names = (schema: Json) => Object.keys(schema.properties).sort()
    const { create, update } = crudSchemas(
      new CrudBase({ model: Member, writable: { create: ['name', 'team'], update: ['nickName'] } }),
      orm
    )
    t.strictSame([names(create), (create as Json).required, names(update), (update as Json).required], [
      ['name', 'team'], ['name'], ['nick_name'], undefined,
    ])
    const closed = crudSchemas(new CrudBase({ model: Member }), orm)
    t.strictSame([names(closed.create), (closed.create as Json).additionalProperties], [[], false])
  })

  t.test('methods without `writable` refuse all properties', async (t) => {
    const em = orm.em.fork()
    const closed = new CrudBase({ model: Member })
    const message =
      /^CrudBase: '(create|update)' needs "writable", which says what bodies may set of Member: name the properties, .* write writable: 'all' .*, or leave create, createMany, upsert, update and updateMany out of the operations\.$/
    await t.rejects(closed.create(em, { name: 'x' }), { code: 'FST_CRUD_CONFIG_INVALID', message })
    await t.rejects(closed.createMany(em, [{ name: 'x' }]), { code: 'FST_CRUD_CONFIG_INVALID', message })
    await t.rejects(closed.createMany(em, []), { code: 'FST_CRUD_CONFIG_INVALID', message })
    const { id } = await members.create(em, { name: 'Ada' })
    await t.rejects(closed.update(em, id, { name: 'x' }), { code: 'FST_CRUD_CONFIG_INVALID', message })
    t.match(await closed.delete(em, id), { name: 'Ada' })
    t.match(await closed.restore(em, id), { name: 'Ada' })
    await t.rejects(new CrudBase({ model: Member, writable: { create: ['name'] } }).update(em, id, { name: 'x' }), {
      message: /"writable" of Member has none for 'update'/,
    })
  })

  t.test('a server without `writable`, or with an invalid list, does not start', async (t) => {
    const start = async (
      options: Omit<CrudOptions<any>, 'model'> & { model?: any },
      routes: Partial<CrudRoutesOptions> = {},
      Crud: new(options: CrudOptions<any>) => CrudBase = CrudBase
    ) => {
      const app = newServer(t)
      try {
        await app.register(crudKit, {
          orm,
          resources: { '/x': { crud: new Crud({ model: Member, ...options }), ...routes } },
        })
        await app.ready()
        return app
      } catch (error) {
        return error as CrudRecord
      }
    }
    for (const [options, routes, message] of [
      [
        {},
        {},
        /^The resource \/x: 'create' needs "writable", which says what bodies may set of Member: name the properties, as in writable: \['name', 'price'\], write writable: 'all' .*, or leave create, createMany, upsert, update and updateMany out of the operations\.$/,
      ],
      [{}, { operations: ['update'] }, /'update' needs "writable"/],
      [{}, { operations: ['createMany'] }, /'createMany' needs "writable"/],
      [
        { writable: { create: ['name'] } },
        { operations: ['create', 'update'] },
        /'update' needs a list of what bodies may set, and "writable" of Member has none for 'update': add one, as in writable: \{ update: \['name'\] \}/,
      ],
      [
        { writable: ['nmae'] }, {},
        /"writable" of Member names 'nmae', which is not a property of it\. Did you mean 'name'\?/,
      ],
      [{ writable: ['nick_name'] }, {}, /names 'nick_name', which is not a property of it\. Did you mean 'nickName'\?/],
      [
        { writable: {} },
        {},
        /^The resource \/x: 'create' needs "writable", which says what bodies may set of Member: name the properties, .*, write writable: 'all' .*, or leave create, createMany, upsert, update and updateMany out of the operations\.$/,
      ],
      [
        { writable: ['*'] }, {},
        /"writable" of Member names '\*', which is not a property of it\. Did you mean writable: 'all'\?$/,
      ],
      [{ writable: { create: ['name'], update: ['all'] } }, {},
        /names 'all', which is not a property of it\. Did you mean writable: \{ update: 'all' \}\?$/],
      [{ writable: ['team.name'] }, {},
        /names 'team\.name', which is not a property of it: bodies set the relation 'team' by key\. Name 'team'\.$/],
      [
        { writable: ['home.street'] },
        {},
        /names 'home\.street', which is not a property of it: bodies set the object 'home' as a whole\. Name 'home'\.$/,
      ],
      [{ writable: ['credit.x'] }, {}, /names 'credit\.x', which is not a property of it\. Did you mean 'credit'\?$/],
      [{ writable: ['secret'] }, {}, /names 'secret', which clients never write: it is hidden/],
      [{ writable: ['id'] }, {}, /names 'id', which clients never write: it is a key that is generated/],
      [{ writable: ['uuid'] }, {}, /it is a key that is generated/],
      [{ writable: ['created_at'] }, {}, /it is a timestamp/],
      [{ writable: ['deleted_at'] }, {}, /deleting and restoring a record sets it/],
      [{ writable: ['revision'] }, {}, /it is the version/],
      [{ writable: ['shout'] }, {}, /its value is computed/],
      [{ model: Team, writable: ['name', 'members'] }, {},
        /names 'members', which clients never write: the other side of the relation has the key/],
      [
        { writable: ['nickName'] },
        {},
        /'create' can't fill Member\.name, which is required and which bodies may not set: add it to "writable", give it a default, fill it in beforeCreate, or leave 'create' out/,
      ],
      [{ model: Account, writable: 'all' }, {},
        /'create' can't fill Account\.email, which is required and which bodies may not set: give it a default/],
    ] as const) {
      t.match(await start(options as never, routes as never), { code: 'FST_CRUD_CONFIG_INVALID', message },
        String(message))
    }

    class Filling extends CrudBase {
      override beforeCreate (data: Json) {
        return data
      }
    }
    class Own extends CrudBase {
      override create (): any {}
    }
    for (const [what, options, routes, Crud] of [
      ['operations that take no body', {}, { operations: ['list', 'get', 'delete', 'restore'] }],
      ['a hook may fill what bodies may not set', { writable: ['nickName'] }, {}, Filling],
      ['so may a scope', { writable: ['nickName'] }, { scope: () => ({ name: 'x' }) }],
      ['and a method of the application', { writable: ['nickName'] }, {}, Own],
      ['records that are only changed', { model: Account, writable: { update: 'all' } }, {}],
    ] as const) t.type((await start(options as never, routes as never, Crud) as Json).inject, 'function', what)

    const app = await start({ writable: { update: ['name'] } }) as Json
    t.equal((await app.inject({ method: 'POST', url: '/x', payload: {} })).statusCode, 404,
      'of the default operations, one without a list is left out')
  })
})
