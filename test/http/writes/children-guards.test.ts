/** Owned children and the rows of a role or a scope, where the children decide about their parent or it about them. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, crudKit, CrudBase, type CrudRecord } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { hooked } from '../../helpers/hooked.ts'
import { newServer } from '../../helpers/server.ts'
import { select, verdict, writes, type Json } from '../helper.ts'

const Doc = defineEntity({
  name: 'Doc',
  properties: {
    id: p.integer().primary(),
    title: p.string().unique(),
    n: p.integer().nullable(),
    count: p.integer().formula((columns) => `(select count(*)::int from kid where doc_id = ${columns.id})`).nullable(),
    kids: () => p.oneToMany(Kid).mappedBy('doc'),
    places: () => p.oneToMany(Place).mappedBy('doc'),
  },
})

/** Nothing in it counts or changes by itself. */
const Kid = defineEntity({
  name: 'Kid',
  properties: {
    id: p.integer().primary(), doc: () => p.manyToOne(Doc), a: p.string().nullable(), pos: p.integer().nullable(),
  },
})

/** The parent is a part of its key. */
const Place = defineEntity({
  name: 'Place',
  properties: { doc: () => p.manyToOne(Doc).primary(), nr: p.integer().primary(), a: p.string().nullable() },
})

const Tenant = defineEntity({
  name: 'Tenant',
  properties: {
    region: p.integer().primary(), id: p.integer().primary(), name: p.string(),
    users: () => p.oneToMany(User).mappedBy('tenant'),
  },
})

/** The relation to the parent shares a column with a property. */
const User = defineEntity({
  name: 'TenantUser',
  properties: {
    region: p.integer().primary(), nr: p.integer().primary(),
    tenant: () => p.manyToOne(Tenant).joinColumns('region', 'tenant_id'), note: p.string().nullable(),
  },
})

const FORBIDDEN = '403 FST_CRUD_OUT_OF_SCOPE'
const roles = {
  admin: true,
  holder: { Doc: { rows: { kids: { a: 'x' } } }, Kid: true, Place: true },
  sibling: { Doc: true, Kid: { rows: { doc: { kids: { a: 'x' } } } } },
  one: { Doc: true, Kid: { rows: { doc: 102 } }, Place: { rows: { doc: 102 } } },
  open: { Doc: true, Kid: { rows: { doc: { n: null } } } },
  region: { Tenant: true, TenantUser: { rows: { region: 1 } } },
} as const

const writable = ['title', 'n', { kids: ['a', 'pos'], places: { create: ['nr', 'a'], update: ['a'] } }] as const
const operations = ['list', 'get', 'create', 'createMany', 'update'] as const

/** Requests of roles, each of which meets the same rows. */
const cases: ReadonlyArray<readonly [role: keyof typeof roles, request: string, body: Json, expected: string]> = [
  // the children decide whether the role sees the parent
  ['holder', 'PATCH /docs/101', { kids: { update: [{ id: 201, a: 'y' }] } }, FORBIDDEN],
  ['holder', 'PATCH /docs/101', { n: 4, kids: { remove: [201] } }, FORBIDDEN],
  ['holder', 'PATCH /docs/101', { kids: { remove: [201], add: [{ a: 'x' }] } }, '200'],
  ['holder', 'PATCH /docs/101', { kids: { update: [{ id: 202, a: 'y' }] } }, '200'],
  ['holder', 'PATCH /docs/101', { kids: {} }, '200'],
  ['holder', 'PATCH /docs/103', { kids: { add: [{ a: 'x' }] } }, '404 FST_CRUD_NOT_FOUND'],
  ['holder', 'POST /docs', { title: 'new', kids: [{ a: 'x' }] }, '201'],
  ['holder', 'POST /docs', { title: 'new', kids: [{ a: 'y' }] }, FORBIDDEN],
  ['holder', 'POST /docs', { title: 'new' }, FORBIDDEN],
  ['holder', 'POST /docs', [{ title: 'new', kids: [{ a: 'x' }] }, { title: 'newer', places: [{ nr: 1 }] }],
    `${FORBIDDEN} /1`],
  ['admin', 'PATCH /scoped/101', { kids: { update: [{ id: 201, a: 'y' }] } }, FORBIDDEN],
  ['admin', 'PATCH /scoped/101', { kids: { remove: [202] } }, '200'],
  ['admin', 'POST /scoped', { title: 'new', kids: [{ a: 'x' }] }, '201'],
  // children decide about each other
  ['sibling', 'PATCH /docs/101', { kids: { update: [{ id: 201, a: 'y' }, { id: 202, a: 'x' }] } }, '200'],
  ['sibling', 'PATCH /docs/101', { kids: { update: [{ id: 201, a: 'y' }], add: [{ a: 'x' }] } }, '200'],
  ['sibling', 'PATCH /docs/101', { kids: { update: [{ id: 201, a: 'y' }] } }, `${FORBIDDEN} /kids/update/0`],
  // the rows of the children name the parent
  ['one', 'PATCH /docs/102', { kids: { add: [{ pos: 5 }] } }, '200'],
  ['one', 'PATCH /docs/101', { kids: { add: [{ pos: 5 }] } }, `${FORBIDDEN} /kids/add/0`],
  ['one', 'PATCH /docs/102', { kids: { update: [{ id: 203, pos: 5 }] } }, '200'],
  ['one', 'PATCH /docs/101', { kids: { update: [{ id: 201, pos: 5 }] } }, '409 FST_CRUD_CONFLICT /kids/update/0/id'],
  ['one', 'PATCH /docs/102', { places: { add: [{ nr: 5 }] } }, '200'],
  ['one', 'PATCH /docs/101', { places: { add: [{ nr: 5 }] } }, `${FORBIDDEN} /places/add/0`],
  ['one', 'POST /docs', { title: 'new', kids: [{ pos: 5 }] }, `${FORBIDDEN} /kids/0`],
  ['one', 'POST /docs', { title: 'new', places: [{ nr: 5 }] }, `${FORBIDDEN} /places/0`],
  ['one', 'POST /docs', { title: 'new', kids: [] }, '201'],
  ['region', 'PATCH /tenants/1/7', { users: { add: [{ nr: 5 }] } }, '200'],
  ['region', 'PATCH /tenants/2/7', { users: { add: [{ nr: 5 }] } }, `${FORBIDDEN} /users/add/0`],
  ['region', 'POST /tenants', { region: 1, id: 8, name: 'new', users: [{ nr: 5 }] }, '201'],
  ['region', 'POST /tenants', { region: 2, id: 8, name: 'new', users: [{ nr: 5 }] }, `${FORBIDDEN} /users/0`],
  ['open', 'PATCH /docs/101', { n: 5, kids: { add: [{ pos: 50 }] } }, `${FORBIDDEN} /kids/add/0`],
  ['open', 'PATCH /docs/104', { n: null, kids: { add: [{ pos: 50 }] } }, '200'],
  // children of a list that says nothing new
  ['admin', 'PATCH /docs/101', { kids: { update: [{ id: 201 }] } }, '200'],
  [
    'admin', 'PATCH /docs/101', { kids: { update: [{ id: 201 }, { id: 203 }] } },
    '409 FST_CRUD_CONFLICT /kids/update/1/id',
  ],
  [
    'admin', 'PATCH /docs/101', { kids: { update: [{ id: 201, a: 'z' }, { id: 999 }] } },
    '409 FST_CRUD_CONFLICT /kids/update/1/id',
  ],
  ['open', 'PATCH /docs/104', { kids: { update: [{ id: 204 }] } }, '409 FST_CRUD_CONFLICT /kids/update/0/id'],
]

await forEachDatabase(t, { entities: [Doc, Kid, Place, Tenant, User] }, async (t, { orm }) => {
  const told: CrudRecord[] = []
  const docs = hooked({ model: Doc, writable }, { afterUpdate: (record) => told.push(record) })
  const app = newServer(t)
  const resources = {
    '/docs': { crud: docs, operations },
    '/scoped': {
      crud: new CrudBase({ model: Doc as any, writable: writable as any }), operations,
      scope: () => ({ kids: { a: 'x' } }),
    },
    '/many': {
      crud: new CrudBase({
        model: Doc as any, writable: writable as any, queryConfig: { allowedFilters: [AllowedFilters.exact('title')] },
      }),
      operations: ['update', 'updateMany'] as const,
    },
    '/tenants': {
      crud: new CrudBase({
        model: Tenant as any,
        writable: ['region', 'id', 'name', { users: ['nr', 'note'] }] as any,
      }),
      operations: ['create', 'update'] as const,
    },
  }
  const bodies: string[][] = []
  app.addHook('onRoute', ({ method, schema }) => {
    if (method === 'PATCH') bodies.push(Object.keys((schema?.body as Json)?.properties ?? {}))
  })
  const role = (request: Json): string => request.headers.role
  await app.register(crudKit, { orm, resources, indexAdvice: false, access: { role, roles: roles as Json } })
  await app.ready()
  const { patch, updated, check } = writes(app)
  const fill = async (): Promise<void> => {
    await select(orm, 'truncate doc, kid, place, tenant, tenant_user restart identity')
    await select(orm,
      "insert into doc (id, title, n) values (101, 'a', null), (102, 'b', null), (103, 'c', null), (104, 'd', 4)")
    await select(orm,
      "insert into kid (id, doc_id, a) values (201, 101, 'x'), (202, 101, 'z'), (203, 102, 'x'), (204, 104, null)")
    await select(orm, "insert into tenant (region, id, name) values (1, 7, 'p'), (2, 7, 'q')")
  }
  const rows = async (): Promise<Json> =>
    await select(
      orm,
      `
    select (select json_agg(doc order by id) from doc) as docs, (select json_agg(kid order by id) from kid) as kids,
      (select count(*)::int from place) as places, (select count(*)::int from tenant_user) as users,
      (select count(*)::int from tenant) as tenants`
    )

  t.test('what a write leaves must lie in the rows of the role, or nothing is written', async (t) => {
    for (const [role, request, body, expected] of cases) {
      await fill()
      const before = await rows()
      await check(t, [[request, body, expected, { role }]])
      if (Number(expected.slice(0, 3)) >= 300) {
        t.strictSame(await rows(), before, `${role} ${request} leaves all as it was`)
      }
    }
  })

  t.test('the schema of changes of many records has no children, which such a body may not contain', async (t) => {
    t.strictSame(bodies.filter((names) => !names.includes('region') && !names.includes('kids')), [['title', 'n']])
    const response = await patch('/many?filter[title]=a', { n: 1, kids: {} }, { role: 'admin' })
    t.equal(verdict(response), '400 FST_ERR_VALIDATION /kids')
  })

  t.test('an update that changes neither a record nor a child calls no hook', async (t) => {
    await fill()
    told.length = 0
    const role = { role: 'admin' }
    for (const kids of [{}, { update: [] }, { update: [{ id: 201 }] }]) await updated('/docs/101', { kids }, role)
    t.strictSame(told, [])
    t.match(await updated('/docs/101', { kids: { add: [{ pos: 4 }] } }, role), { count: 3 })
    t.match(told, [{ id: 101, count: 3 }])
  })
})
