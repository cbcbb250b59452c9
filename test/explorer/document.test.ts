/** The document of the explorer says what the caller may do, and it is refused like the resources themselves. */
import { p } from '@mikro-orm/core'
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import { crudExplorer } from '../../plugins/explorer.ts'
import { AllowedFilters, crudKit, crudRoutes } from '../../src/index.ts'
import { entities, Plant, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { ormOf } from '../helpers/models.ts'
import { newServer } from '../helpers/server.ts'
import { access, entities as accessEntities, overview, resources as accessResources } from '../http/access/fixtures.ts'
import { resource } from '../http/helper.ts'
import { describedBy, explored, resources } from './nursery.ts'
import { entity } from '../helpers/entity.ts'

const DOCUMENT = '/explorer/resources.json'
const orm = ormOf()
const plants = resource(Plant)

/** Refuses requests without the header, as an application's authentication does. */
async function authenticate (request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.headers.authorization === undefined) {
    reply.code(401).header('www-authenticate', 'Bearer').send({ message: 'Who are you?' })
    return reply as never
  }
}
const TOKEN = { authorization: 'Bearer token' }

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('the document is asked for without a statement, and may not be kept', async (t) => {
    const app = await explored(t, orm, { resources: { '/plants': plants } })
    const response = await app.inject(DOCUMENT)
    t.equal(response.statusCode, 200)
    t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    t.equal(response.headers['cache-control'], 'no-store')
    t.equal(response.headers['x-content-type-options'], 'nosniff')
    const head = await app.inject({ method: 'HEAD', url: DOCUMENT })
    t.equal(head.statusCode, 200)
    t.equal(head.body, '')
  })
})

t.test('it shows resources that are registered before the explorer, after it, and in other instances', async (t) => {
  const app = newServer(t)
  await app.register(crudKit, { orm, resources: { '/before': { crud: plants, name: 'before' } } })
  await app.register(crudExplorer, { prefix: '/explorer', enabled: true })
  await app.register(crudRoutes, { prefix: '/after', crud: plants, name: 'after' })
  await app.register(async (inner) => {
    await inner.register(crudRoutes, { prefix: '/plants', crud: plants, name: 'inner' })
  }, { prefix: '/v2' })
  await app.register(crudRoutes, { prefix: '/tenants/:tenant/plants', crud: plants, name: 'of a tenant' })
  const { resources } = await describedBy(app)
  t.strictSame(resources.map(({ path, name }) => [path, name]), [
    ['/before', 'before'], ['/after', 'after'], ['/v2/plants', 'inner'],
  ], 'a prefix with a parameter is left out')
})

t.test('an API without resources has an empty document', async (t) => {
  const document = await describedBy(await explored(t, orm, {}))
  t.match(document, { format: 1, title: 'API', root: '../', docs: null, resources: [], role: null, roles: [] })
})

t.test('the title and the credentials come from the options, or from the OpenAPI document', async (t) => {
  const securitySchemes = {
    token: { type: 'http', scheme: 'bearer', description: 'A token of the login.' },
    login: { type: 'http', scheme: 'Basic' },
    key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    session: { type: 'apiKey', in: 'cookie', name: 'session' },
    mutual: { type: 'mutualTLS' },
  }
  const prepare = async (app: FastifyInstance): Promise<void> => {
    await app.register(swagger, {
      openapi: { openapi: '3.1.0', info: { title: 'Nursery', version: '1' }, components: { securitySchemes } as never },
    })
  }
  const { title, headers } = await describedBy(
    await explored(t, orm, { resources: { '/plants': plants } }, { prepare })
  )
  t.equal(title, 'Nursery')
  t.strictSame(headers, [
    { name: 'authorization', prefix: 'Bearer ', description: 'A token of the login.', values: [] },
    { name: 'authorization', prefix: 'Basic ', description: null, values: [] },
    { name: 'x-api-key', prefix: '', description: null, values: [] },
  ])

  const explorer = { title: 'Mine', docs: '/docs', headers: [{ name: 'X-Role', values: ['guest', 'admin'] }] }
  const own = await describedBy(await explored(t, orm, {}, { prepare, explorer }))
  t.match(own, { title: 'Mine', docs: 'docs' })
  t.strictSame(own.headers, [{ name: 'x-role', prefix: '', description: null, values: ['guest', 'admin'] }])
})

t.test('hooks of the server, of an instance and of routes refuse the document as they refuse lists', async (t) => {
  const PHASES = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const
  for (const phase of PHASES) {
    const hook = phase === 'preParsing'
      ? async (request: FastifyRequest, reply: FastifyReply, payload: unknown) =>
        await authenticate(request, reply) ?? payload
      : authenticate
    const app = await explored(t, orm, {
      resources: { '/plants': { crud: plants, hooks: { all: { [phase]: hook } } } },
    })
    const refused = await app.inject(DOCUMENT)
    t.equal(refused.statusCode, 401, phase)
    t.equal(refused.headers['www-authenticate'], 'Bearer')
    t.equal(refused.body, (await app.inject('/plants')).body)
    t.equal((await describedBy(app, TOKEN)).resources.length, 1)
  }
  const inner = newServer(t)
  await inner.register(crudExplorer, { prefix: '/explorer', enabled: true })
  await inner.register(async (instance) => {
    instance.addHook('onRequest', authenticate)
    await instance.register(crudKit, { orm, resources: { '/plants': plants } })
  })
  t.equal((await inner.inject(DOCUMENT)).statusCode, 401)
  t.equal((await inner.inject('/explorer')).statusCode, 200, 'the page has no secrets')
  t.equal((await describedBy(inner, TOKEN)).resources.length, 1)
})

t.test('a resource that is refused is left out, if there are others', async (t) => {
  const forbidden = Object.assign(new Error('No.'), { statusCode: 403 })
  const app = await explored(t, orm, {
    resources: {
      '/open': plants,
      '/closed': { crud: plants, name: 'closed', hooks: { all: { onRequest: authenticate } } },
      '/outside': { crud: plants, name: 'outside', scope: () => Promise.reject(forbidden) },
      '/records': {
        crud: plants, name: 'records', hooks: { list: { onRequest: async () => await Promise.reject(forbidden) } },
      },
      '/written': { crud: plants, name: 'written', operations: ['create', 'update', 'delete'] },
    },
  })
  const paths = async (headers = {}) => (await describedBy(app, headers)).resources.map(({ path }) => path)
  t.strictSame(await paths(), ['/open', '/records'])
  t.strictSame(await paths(TOKEN), ['/open', '/closed', '/records'])
})

t.test('the hooks see a request of the client to the route, and nothing is read', async (t) => {
  const seen: object[] = []
  const app = await explored(t, orm, {
    resources: {
      '/plants': {
        crud: plants,
        hooks: {
          all: {
            preHandler: async ({ headers, ip, method, url, routeOptions }) => {
              const { operation } = routeOptions.config.crud!
              seen.push({ cookie: headers['cookie'], accept: headers.accept, ip, method, url, operation })
            },
          },
        },
      },
    },
  }, { server: { trustProxy: true } })
  await describedBy(app, { cookie: 'session=1', accept: '*/*', 'x-forwarded-for': '192.0.2.7', 'if-none-match': '*' })
  t.strictSame(seen, [{
    cookie: 'session=1', accept: 'application/json', ip: '192.0.2.7', method: 'GET', url: '/plants', operation: 'list',
  }])
})

t.test('a client cannot end a request as the explorer does', async (t) => {
  const headers = { 'x-fastify-crud-kit-probe': '00000000-0000-0000-0000-000000000000' }
  let listed = 0
  class Counted extends Object.getPrototypeOf(plants).constructor {
    async list () {
      listed++
      return { items: [] }
    }
  }
  const app = await explored(t, orm, {
    resources: { '/plants': new (Counted as any)({ model: Plant, writable: 'all' }) },
  })
  t.equal((await app.inject({ url: '/plants', headers })).statusCode, 200)
  t.equal(listed, 1)
  await describedBy(app)
  t.equal(listed, 1, 'the explorer reads nothing')
})

t.test('each role gets its own document', async (t) => {
  const app = await explored(t, ormOf(accessEntities), {
    resources: accessResources, access, shared: accessEntities.map(({ name }) => name),
  })
  const of = async (role: string) => await describedBy(app, { 'x-role': role, 'x-tenant': '1' })

  const admin = await of('admin')
  t.equal(admin.role, 'admin')
  t.strictSame(admin.roles, ['admin', 'member', 'guest'])
  t.strictSame(admin.resources.map(({ path }) => path), ['/projects', '/tasks', '/users', '/labels', '/countries'])

  const member = await of('member')
  t.equal(member.role, 'member')
  t.strictSame(member.resources.map(({ path }) => path), ['/projects', '/tasks', '/labels', '/countries'])
  const project = member.resources[0]!
  t.notOk(JSON.stringify(member).includes('budget'), 'a hidden property')
  t.notOk(/owner|User/.test(JSON.stringify(member.resources)), 'a relation to an entity that the role may not use')
  t.strictSame(project.includes.map(({ path }) => path), ['parent', 'tasks', 'labels', 'tasksCount'])
  t.strictSame(Object.keys(project.bodies.create!.properties!), ['tenant', 'name', 'status', 'parent', 'labels'])
  t.notOk(project.bodies.create!.required?.includes('tenant'), 'rows fill in the tenant')
  const countries = member.resources.at(-1)!
  t.match(countries.operations, { list: true, get: true, create: false, update: false, delete: false })
  t.strictSame(countries.bodies, { create: null, update: null, upsert: null })

  const guest = await of('guest')
  t.strictSame(guest.resources.map(({ path }) => path), ['/countries'])
  t.strictSame(guest.resources[0]!.fields.map(({ name }) => name), ['code', 'name'])
  t.strictSame(guest.resources[0]!.sorts, [])

  const stranger = await app.inject({ url: DOCUMENT, headers: { 'x-role': 'stranger' } })
  t.equal(stranger.statusCode, 403)
  t.equal(stranger.body, (await app.inject({ url: '/projects', headers: { 'x-role': 'stranger' } })).body)
})

t.test('facets, groups and numbers, as the role of the caller may ask for them', async (t) => {
  const app = await explored(t, ormOf(accessEntities), {
    resources: { '/overview': overview }, access, shared: accessEntities.map(({ name }) => name),
  })
  const of = async (role: string) =>
    (await describedBy(app, { 'x-role': role, 'x-tenant': '1' })).resources.find(({ path }) => path === '/overview')!
  const namesOf = (terms: ReadonlyArray<{ readonly name: string }>) => terms.map(({ name }) => name)
  const [admin, member] = [await of('admin'), await of('member')]
  t.equal(admin.combinesFilters, true)
  t.strictSame(admin.facets.map(({ name, filter }) => [name, filter]), [
    ['status', null], ['budget', 'budget'], ['owner.name', 'owner.name'], ['parent.name', 'parent.name'],
    ['parent.budget', null],
  ])
  t.match(admin.groups.find(({ name }) => name === 'owner'), { key: 'owner', reference: { entity: 'User' } })
  t.strictSame(namesOf(member.facets), ['status', 'parent.name'], 'budgets and owners are hidden from members')
  t.strictSame(namesOf(member.groups), ['status', 'parent.name'])
  t.strictSame(namesOf(member.numbers), ['count', 'parent.name.min', 'parent.name.countDistinct'])

  const nursery = await explored(t, ormOf(entities), { resources: { '/plants': resources['/plants'] } })
  const { facets, groups, numbers, groupPaging } = (await describedBy(nursery)).resources[0]!
  t.strictSame(facets.map(({ name, filter, limit, isnull }) => [name, filter, limit, isnull]), [
    ['supplier', 'supplier', 3, true],
    ['town', 'supplier.address.city', 20, false],
    ['status', 'status', 20, false],
  ])
  t.strictSame(groups.map(({ name, period, filter }) => [name, period, filter]), [
    ['supplier', null, 'supplier'],
    // filters do not read what its serializer writes
    ['supplier.country', null, null],
    ['created_at.week', { property: 'created_at', unit: 'week', timeZone: 'Europe/Paris' }, null],
    ['created_at.month', { property: 'created_at', unit: 'month', timeZone: 'Europe/Paris' }, null],
  ])
  t.strictSame(numbers.map(({ key, property, nullable }) => [key, property, nullable]), [
    ['count', null, false], ['price_sum', 'price', true], ['price_avg', 'price', true], ['price_max', 'price', true],
    ['price_countDistinct', 'price', false],
  ])
  t.strictSame([groupPaging.defaultPerPage, groupPaging.maxPerPage, groupPaging.cursor], [20, 1000, false])
})

t.test('in production it names no other roles', async (t) => {
  const before = process.env['NODE_ENV']
  process.env['NODE_ENV'] = 'production'
  t.teardown(() => {
    if (before === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = before
  })
  const app = await explored(t, ormOf(accessEntities), {
    resources: accessResources, access, shared: accessEntities.map(({ name }) => name),
  })
  const { role, roles } = await describedBy(app, { 'x-role': 'guest' })
  t.equal(role, 'guest')
  t.strictSame(roles, [])
})

t.test('a relation by a unique property that is no key leads to no record', async (t) => {
  const Product = entity('Product', { id: p.integer().primary(), code: p.string().unique() })
  const Stock = entity('Stock', {
    id: p.integer().primary(), byKey: () => p.manyToOne(Product), byCode: () => p.manyToOne(Product).targetKey('code'),
  })
  const names = ['byKey', 'byCode']
  const app = await explored(t, ormOf([Product, Stock]), {
    resources: {
      '/products': resource(Product),
      '/stocks': resource(Stock, {
        allowedFilters: names.map((name) => AllowedFilters.exact(name)),
        allowedFacets: names,
      }),
    },
  })
  const { fields, filters, facets } = (await describedBy(app)).resources[1]!
  for (const terms of [fields.slice(1), filters, facets]) {
    t.strictSame(terms.map(({ reference }) => reference?.resource), ['/products', undefined])
  }
})

t.test('hostile names are text in the document', async (t) => {
  const name = '</script><img src=x onerror=alert(1)>\u202E"\'`{{7*7}}'
  const app = await explored(t, orm, {
    resources: {
      '/__proto__': { crud: plants, name: '__proto__' },
      '/constructor': { crud: resource(Tag), name },
      '/<größe>': { crud: resource(Tag), name: 'size' },
    },
  })
  const { resources } = await describedBy(app)
  t.strictSame(resources.map((resource) => [resource.path, resource.name]), [
    ['/__proto__', '__proto__'], ['/constructor', name], ['/<größe>', 'size'],
  ])
  const page = await app.inject('/explorer/constructor')
  t.notMatch(page.body, /onerror/)
})

t.test('two hundred resources, and one of three hundred columns', async (t) => {
  const columns = Array.from({ length: 300 }, (_, index) => [`column_${index}`, p.string().nullable()] as const)
  const Wide = entity('Wide', { id: p.integer().primary(), ...Object.fromEntries(columns) })
  const filters = columns.map(([name]) => AllowedFilters.exact(name))
  const app = await explored(t, ormOf([...entities, Wide]), {
    resources: {
      '/wide': resource(Wide, { allowedFilters: filters }),
      ...Object.fromEntries(
        Array.from({ length: 199 },
          (_, index) => [`/plants${index}`, { crud: resource(Plant), name: `plants${index}` }])
      ),
    },
  })
  const { resources } = await describedBy(app)
  t.equal(resources.length, 200)
  t.equal(resources[0]!.fields.length, 301)
  t.equal(resources[0]!.filters.length, 300)
})
