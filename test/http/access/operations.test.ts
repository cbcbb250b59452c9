/** The operations that a role may use, and the properties that it may not write. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, type AccessOptions, type CrudRoutesOptions, type RoleRules } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { entities, memberWith, Project, roleOf, seed, sender, serveWith, Task, tasks } from './fixtures.ts'

const ALL = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const

/** A request of each operation, with a body that no operation takes. */
const REQUESTS: Readonly<Record<typeof ALL[number], readonly [method: string, url: string, body?: unknown]>> = {
  list: ['GET', '/tasks?filter[nothing]=1'],
  get: ['GET', '/tasks/x'],
  create: ['POST', '/tasks?hard=1', { unknown: true }],
  createMany: ['POST', '/tasks', [{ unknown: true }, 7]],
  update: ['PATCH', '/tasks/x?hard=1', { unknown: true }],
  delete: ['DELETE', '/tasks/x?hard=maybe'],
  restore: ['POST', '/tasks/x/restore?x=1'],
}

/** An entity with a required relation that shows on both sides. */
const Author = defineEntity({
  name: 'Author',
  properties: { id: p.integer().primary().autoincrement(), books: () => p.oneToMany(Book).mappedBy('author') },
})
const Book = defineEntity({
  name: 'Book',
  properties: { id: p.integer().primary().autoincrement(), author: () => p.manyToOne(Author) },
})

/** An entity with keys for upserts. */
const Gadget = defineEntity({
  name: 'Gadget',
  properties: {
    id: p.integer().primary().autoincrement(), tenant: p.integer().default(0), code: p.string().nullable(),
    sku: p.string().unique().nullable(), name: p.string().nullable(),
  },
  uniques: [{ properties: ['tenant', 'code'] }],
})

await forOneDatabase(t, { entities: [...entities, Author, Book, Gadget], seed }, async (t, { orm }) => {
  const resources = { '/tasks': { crud: tasks, operations: ALL } satisfies CrudRoutesOptions }
  const serve = (rule: object) => memberWith(t, orm, { Task: rule, Project: true }, { resources })

  for (const operation of ALL) {
    t.test(`without ${operation} its route answers 403, whatever the request contains`, async (t) => {
      const rest = ALL.filter((other) => other !== operation)
      const send = await serve({ operations: rest })
      for (const name of ALL) {
        const { status, body } = await send(...REQUESTS[name])
        if (name === operation) t.strictSame([status, body.code], [403, 'FST_CRUD_FORBIDDEN'])
        else t.equal(status, 400, `${name} is answered as before`)
      }
    })
  }

  t.test('PUT is update, HEAD is list or get', async (t) => {
    const send = await serve({ operations: ['create'] })
    t.equal((await send('PUT', '/tasks/1', {})).status, 403)
    t.equal((await send('HEAD', '/tasks')).status, 403)
    t.equal((await send('HEAD', '/tasks/1')).status, 403)
  })

  t.test('an operation that the resource does not offer is answered as before', async (t) => {
    const send = await memberWith(t, orm, { Task: { operations: ['create'] } }, {
      resources: { '/tasks': { crud: tasks, operations: ['create', 'list'] } },
    })
    t.match((await send('POST', '/tasks', [{}])).body, { statusCode: 400, message: /one record at a time/ })
    t.equal((await send('PATCH', '/tasks/1', {})).status, 404)
    t.equal((await send('GET', '/tasks')).status, 403)
  })

  t.test('readonly properties are shown, and bodies cannot set them', async (t) => {
    const send = await serve({ readonly: ['note', 'project'] })
    const { body } = await send('GET', '/tasks/1')
    t.match(body, { note: 'moon', project: 1 })
    for (const data of [{ note: 'x' }, { project: null }]) {
      const [name] = Object.keys(data)
      const answer = await send('PATCH', '/tasks/1', data)
      t.equal(answer.status, 400)
      t.equal(answer.body.errors[0].detail, `The property '${name}' cannot be written. Allowed: effort, tenant, title.`)
      t.strictSame(answer.body.errors[0].allowed, ['effort', 'tenant', 'title'])
    }
    t.equal((await send('PATCH', '/tasks/1', { title: 'Land' })).status, 200)
    const ignoring = await memberWith(t, orm, { Task: { readonly: ['note'] }, Project: true }, {
      resources: { '/tasks': { crud: tasks, readonlyProperties: 'ignore' } },
    })
    const whole = await ignoring('PUT', '/tasks/1', { ...body, note: 'changed' })
    t.match(whole, { status: 200, body: { note: 'moon' } })
  })

  t.test('readonly: true leaves list and get, or the operations that are named', async (t) => {
    const send = await serve({ readonly: true })
    t.equal((await send('GET', '/tasks')).status, 200)
    t.equal((await send('POST', '/tasks', { title: 'x' })).status, 403)
    t.equal((await send('PATCH', '/tasks/1', {})).status, 403)
    t.equal((await send('DELETE', '/tasks/1')).status, 403)
    const deleting = await serve({ readonly: true, operations: ['get', 'delete', 'restore'] })
    t.equal((await deleting('DELETE', '/tasks/2')).status, 200)
    t.equal((await deleting('POST', '/tasks/2/restore')).status, 200)
    t.equal((await deleting('GET', '/tasks')).status, 403)
  })

  t.test('the server does not start if a role may create records but cannot give a required property', async (t) => {
    const start = (
      rules: RoleRules,
      crud: CrudBase = new CrudBase<any>({ model: Task, writable: 'all' })
    ) => memberWith(t, orm, rules, { resources: { '/tasks': crud } })
    const refused = {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /The resource \/tasks: access: the role 'member': 'create' can't fill Task.title, which is required/,
    }
    await t.rejects(start({ Task: { hidden: ['title'] } }), refused)
    await t.rejects(start({ Task: { readonly: ['title'] } }), refused)
    await t.rejects(start({ '*': { readonly: ['title'] } }), refused)
    await t.rejects(start({ Task: { hidden: ['title'], rows: { note: 'x' } } }), refused)
    await t.rejects(start(true, new CrudBase<any>({ model: Task, writable: ['note'] })), {
      message: /can't fill Task.tenant/,
    })
    const ways = "give it a default, fill it in beforeCreate, or leave 'create' out of the role's operations."
    const byRows = (name: string): string => `fill it with an equality in 'rows', as in rows: { ${name}: ... }`
    const title = ['id', 'tenant', 'note', 'effort', 'project']
    for (const [rules, way, crud] of [
      [{ Task: { hidden: ['title'] } }, "take it out of 'hidden'"],
      [{ Task: { only: title } }, "add it to 'only'"],
      [{ Task: { readonly: ['title'] } }, "take it out of 'readonly'"],
      [{ Task: {} }, 'add it to "writable"', new CrudBase<any>({ model: Task, writable: ['tenant'] })],
      [{ Task: { hidden: ['title'], operations: ['create'] } }, 'add it to "writable" and take it out of \'hidden\'',
        new CrudBase<any>({ model: Task, writable: ['tenant'] })],
    ] as const) {
      await t.rejects(start(rules as never, crud), {
        message: `which bodies may not set: ${way}, ${byRows('title')}, ${ways}`,
      }, way)
    }
    const books = new CrudBase<any>({ model: Book, writable: 'all' })
    for (const [rules, way] of [
      [{ Book: {} }, 'give the role a rule for Author'],
      [{ Book: {}, Author: { hidden: ['books'] } }, 'show the role the other side of the relation'],
      [{ Book: {}, Author: { readonly: ['books'] } }, 'let the role set the other side of the relation'],
    ] as const) {
      await t.rejects(
        memberWith(t, orm, rules as never, { resources: { '/books': books } }),
        {
          message: `'create' can't fill Book.author, which is required and which bodies may not set: ${way}, ${
            byRows('author')
          }, ${ways}`,
        },
        way
      )
    }
    for (const [rules, crud] of [
      [{ Task: { hidden: ['title'], operations: ['list'] } }],
      [{ Task: { hidden: ['title'], rows: { title: 'Land' } } }],
      [{ Task: { hidden: ['title'], rows: () => ({ title: 'Land' }) } }],
      [{ Task: { hidden: ['title'] } },
        hooked({ model: Task, writable: 'all' }, { beforeCreate: (data) => ({ title: 'filled', ...data }) })],
      [{ Task: { hidden: ['note'] } }],
    ] as const) await t.resolves(start(rules as never, crud))
    const send = await start({ Task: { hidden: ['title'], rows: { title: 'Land' } } })
    const { status, body } = await send('POST', '/tasks', { tenant: 1 })
    t.equal(status, 201)
    const row = await tasks.get(orm.em.fork(), body.id)
    t.equal(row?.['title'], 'Land')
  })

  t.test('the server does not start if no role can give a key of upserts', async (t) => {
    const crudOf = (writable: any = 'all', upsertKeys: any = [['tenant', 'code']]) =>
      new CrudBase<any>({ model: Gadget, writable, upsertKeys } as never)
    const start = (roles: Readonly<Record<string, unknown>>, crud = crudOf(), more: object = {}) =>
      serveWith(t, orm, {
        access: { role: roleOf, roles: roles as AccessOptions['roles'] },
        resources: { '/gadgets': { crud, operations: ['list', 'create', 'upsert'], ...more } } as never,
      })
    const take = 'take the key out of "upsertKeys", or leave \'upsert\' out of the operations.'
    const rows = (name: string) => `fill it with an equality in 'rows', as in rows: { ${name}: ... }, ${take}`
    for (const [roles, end, crud] of [
      [{ member: { Gadget: { readonly: ['tenant'] } } },
        `The role 'member' may not set Gadget.tenant: take it out of 'readonly', ${rows('tenant')}`],
      [{ member: { Gadget: { readonly: ['code'], rows: { tenant: 1 } } } },
        `The role 'member' may not set Gadget.code: take it out of 'readonly', ${rows('code')}`],
      [{ member: { Gadget: { hidden: ['tenant'], rows: { tenant: 1 } } } },
        `The role 'member' does not see Gadget.tenant: take it out of 'hidden', ${take}`],
      [{ member: { Gadget: { only: ['id', 'tenant'] } }, clerk: { Gadget: { readonly: ['code'] } } },
        `The role 'member' does not see Gadget.code: add it to 'only', ${take}`],
      [{ reader: { Gadget: { operations: ['list'] } }, member: { Gadget: {} } },
        `The role 'member' may not set Gadget.sku: add it to "writable", ${rows('sku')}`, crudOf(['name'], ['sku'])],
      [{ admin: true }, `The role 'admin' may not set Gadget.id: ${take}`, crudOf('all', ['sku', 'id'])],
      // the key finds the record before the hook runs
      [{ member: { Gadget: { readonly: ['tenant'] } } },
        `The role 'member' may not set Gadget.tenant: take it out of 'readonly', ${rows('tenant')}`,
        hooked({ model: Gadget, writable: 'all', upsertKeys: [['tenant', 'code']] } as never, {
          beforeCreate: (data: object) => ({ tenant: 1, ...data }),
        })],
      // an update may set the key, but an upsert may be a new record
      [{ admin: true }, `The role 'admin' may not set Gadget.sku: add it to "writable", ${rows('sku')}`,
        crudOf({ create: ['name'], update: ['name', 'sku'] }, ['sku'])],
    ] as const) {
      const [, names] = /Gadget\.(sku|id):/.exec(end) ?? []
      await t.rejects(start(roles, crud), {
        code: 'FST_CRUD_CONFIG_INVALID',
        message: `The resource /gadgets: access: "upsertKeys" names ${
          names === undefined ? "'tenant', 'code'" : `'${names}'`
        }, which no role can give, so that no upsert by this key could create a record. ${end}`,
      }, end)
    }
    class Filling extends CrudBase<any> {
      override async upsert (em: any, data: any, options: any): Promise<any> {
        return await super.upsert(em, data, { ...options, values: { tenant: 1 } })
      }
    }
    const frozen = { Gadget: { readonly: ['tenant'] } }
    for (const [what, roles, crud, more] of [
      ['another role can', { member: frozen, admin: true }],
      ['its rows fill it in', { member: { Gadget: { readonly: ['tenant'], rows: { tenant: 1 } } } }],
      ['rows of the request may', { member: { Gadget: { readonly: ['tenant'], rows: () => ({ tenant: 1 }) } } }],
      ['a scope may', { member: frozen }, crudOf(), { scope: () => ({ tenant: 1 }) }],
      ['a method may', { member: frozen },
        new Filling({ model: Gadget, writable: 'all', upsertKeys: [['tenant', 'code']] } as never)],
      ['no role upserts', { member: { Gadget: { readonly: ['tenant'], operations: ['list'] } } }],
    ] as const) await t.resolves(start(roles, crud, more), what)
    const app = await start({ member: { Gadget: { readonly: ['tenant'], rows: { tenant: 1 } } } })
    const { status, body } = await sender(app)('PUT', '/gadgets?on=tenant,code', { code: 'a' })
    t.match({ status, body }, { status: 201, body: { tenant: 1, code: 'a' } })
  })

  t.test('a required property that the whitelist closes may be filled in by the rows of each role', async (t) => {
    const crud = new CrudBase<any>({ model: Project, writable: ['name'] })
    const send = await memberWith(t, orm, { Project: { rows: () => ({ tenant: 2 }) } }, {
      resources: { '/projects': crud },
    })
    const { status, body } = await send('POST', '/projects', { name: 'Skylab' })
    t.equal(status, 201)
    t.equal(body.tenant, 2)
  })
})
