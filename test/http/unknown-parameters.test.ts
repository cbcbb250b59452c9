/** All generated routes refuse parameters that they do not take, and errors name parameters as written. */
import type { FastifyInstance, InjectOptions } from 'fastify'
import qs from 'qs'
import t from 'tap'
import { AllowedFilters, AllowedSort, CrudBase, crudKit, type CrudRoutesOptions } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource, serve, type Json } from './helper.ts'

const whitelist = {
  allowedFilters: [
    { name: ['eq', 'contains', 'in'], id: ['in', 'between'] },
    'status',
    AllowedFilters.trashed(),
    AllowedFilters.custom('odd', (qb) => qb),
    AllowedFilters.search('text', ['name']),
    AllowedFilters.anyOf('ref', [AllowedFilters.exact('id'), AllowedFilters.exact('position')]),
    new AllowedFilters('position', 'in').ignore('0'),
  ],
  allowedSorts: ['id', 'name', AllowedSort.custom('length', (qb, direction) => qb.orderBy({ nameLength: direction }))],
  allowedFields: ['id', 'name', 'tags.name'],
  allowedIncludes: ['tags'],
}
const operations = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const
const body = { name: 'New', supplier: 1 }

/** A request of each kind to a resource. The id is that of a missing record. */
const requests = (path: string): Readonly<Record<string, InjectOptions>> => ({
  list: { method: 'GET', url: path },
  'head of a list': { method: 'HEAD', url: path },
  stream: { method: 'GET', url: path, headers: { accept: 'application/x-ndjson' } },
  get: { method: 'GET', url: `${path}/1` },
  'head of a record': { method: 'HEAD', url: `${path}/1` },
  create: { method: 'POST', url: path, payload: body },
  createMany: { method: 'POST', url: path, payload: [body] },
  patch: { method: 'PATCH', url: `${path}/1`, payload: {} },
  put: { method: 'PUT', url: `${path}/1`, payload: {} },
  delete: { method: 'DELETE', url: `${path}/1` },
  restore: { method: 'POST', url: `${path}/1/restore` },
})

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const options = (more: Partial<CrudRoutesOptions> = {}): CrudRoutesOptions => ({
    crud: resource(Plant, whitelist), operations, stream: true, ...more,
  })
  const app = await serve(t, orm, {
    '/plants': options(),
    '/hard': options({ allowHardDelete: true }),
    '/ignoring': options({ unknownParameters: 'ignore' }),
    '/hard-ignoring': options({ unknownParameters: 'ignore', allowHardDelete: true }),
  })
  const recorder = await recordStatements(orm, t)
  const send = async (request: InjectOptions, query: string, on: FastifyInstance = app) => {
    recorder.take()
    const response = await on.inject({ ...request, url: `${request.url as string}?${query}` })
    return {
      status: response.statusCode,
      body: (String(response.headers['content-type']).startsWith('application/json') && response.body !== ''
        ? response.json()
        : {}) as Json,
      statements: recorder.take().length,
    }
  }

  t.test('every route refuses unknown parameters before any SQL', async (t) => {
    for (const [what, request] of Object.entries(requests('/plants'))) {
      const { status, body, statements } = await send(request, 'utm_source=x&%5Fb[c]=1')
      t.strictSame([status, statements], [400, 0], what)
      if (request.method === 'HEAD') continue
      t.equal(body.code, 'FST_CRUD_QUERY_INVALID', what)
      t.strictSame(body.errors.map(({ source }: Json) => source), [{ parameter: 'utm_source' }, { parameter: '_b[c]' }],
        what)
    }
  })

  t.test('a suggestion names a parameter of the requested route', async (t) => {
    const suggestions = async (request: InjectOptions, query: string) =>
      (await send(request, query)).body.errors.map(({ suggestion }: Json) => suggestion)
    const all = requests('/plants')
    t.strictSame(await suggestions(all.list!, 'name=x&perPage=2&includ=tags'), ['filter[name]', 'per_page', 'include'])
    t.strictSame(await suggestions(all.stream!, 'name=x&perPage=2&includ=tags'), ['filter[name]', undefined, 'include'])
    t.strictSame(await suggestions(all.get!, 'name=x&perPage=2&includes=tags'), [undefined, undefined, 'include'])
    t.strictSame(await suggestions(all.create!, 'name=x&perPage=2&includes=tags'), [undefined, undefined, undefined])
    t.match((await send(all.get!, 'name=x')).body.message, /Allowed: fields, include\.$/)
    t.match((await send(all.patch!, 'name=x')).body.message, /Allowed: none\.$/)
  })

  t.test('hard is a parameter of DELETE if enabled, in this form only', async (t) => {
    const all = requests('/hard')
    for (const form of ['HARD=true', 'hard[]=true', 'Hard=true', 'hard[x]=true', 'hrad=true']) {
      const { status, body } = await send(all.delete!, form)
      t.strictSame([status, body.errors?.map(({ source, suggestion }: Json) => [source.parameter, suggestion])], [400, [
        [form.split('=')[0], 'hard'],
      ]], form)
      t.notMatch((await send(requests('/plants').delete!, form)).body.errors[0], { suggestion: String },
        `${form}, where it is off`)
    }
    t.match((await send(all.delete!, 'hard=maybe&x=1')).body.errors.map(({ detail }: Json) => detail), [
      /^There is no parameter 'x'\. Allowed: hard\.$/,
      "'hard' is true or false.",
    ])
    for (const what of ['list', 'get', 'create', 'patch', 'restore']) {
      t.match((await send(all[what]!, 'hard=true')).body.errors, [{ source: { parameter: 'hard' } }], what)
    }
    t.match((await send(requests('/ignoring').delete!, 'hard=true')).body, {
      message: "'hard' is not enabled for this resource.",
    }, 'never ignored')
    t.match((await send(requests('/ignoring').patch!, 'hard=true')).body, { message: "'hard' belongs to DELETE." })
  })

  t.test('a resource may ignore unknown parameters, except near misses', async (t) => {
    const ignoring = requests('/ignoring')
    for (const query of [
      'utm_source=x&_=123', 'access_token=a.b.c', 'lang=de&lang=fr', 'tags[]=1&tags[]=2', 'q=1', 'per_pages=3',
      'Page=2', 'x[filter]=1',
    ]) {
      t.equal((await send(ignoring.list!, query)).body.total, 13, query)
      t.equal((await send(ignoring.get!, query)).status, 200, query)
      t.equal((await send(ignoring.patch!, query)).status, 200, query)
    }
    for (const what of ['list', 'get', 'patch', 'create']) {
      t.match((await send(ignoring[what]!, 'perPage=3&x=1')).body, {
        statusCode: 400,
        errors: [{ source: { parameter: 'perPage' } }],
      }, what)
    }
  })

  t.test('a filter or hard in another form is never ignored', async (t) => {
    for (const query of [
      'FILTER[name]=x', 'fliter[name]=x', 'filter.name=x', 'where[name]=x', 'name__contains=x', 'name[in]=x',
    ]) {
      t.match((await send(requests('/ignoring').list!, query)).body, {
        statusCode: 400,
        errors: [{ source: { parameter: query.split('=')[0] }, suggestion: /^filter\[name\]/ }],
      }, query)
      t.match((await send(requests('/ignoring').stream!, query)).body, { statusCode: 400 }, query)
    }
    for (const query of ['Hard=true', 'HARD=true', 'hard[]=true', 'hard[x]=true', 'hrad=true']) {
      const { status, body, statements } = await send(requests('/hard-ignoring').delete!, query)
      t.match([status, statements, body.errors], [400, 0, [
        { source: { parameter: query.split('=')[0] }, suggestion: 'hard' },
      ]], query)
      if (query !== 'hrad=true') {
        t.equal((await send(requests('/ignoring').delete!, query)).status, 400, `${query}, where it is off`)
      }
    }
  })

  t.test('a schema may declare parameters by a pattern, or allow additional ones', async (t) => {
    const querystring = (schema: object) =>
      options({ query: true, schemas: { list: { querystring: { type: 'object', ...schema } } } })
    // a word of newer drafts
    const dependentRequired = {
      keyword: 'dependentRequired', macro: (dependencies: object) => ({ dependencies }),
    }
    const declaring = newServer(t, { ajv: { plugins: [(ajv: any) => ajv.addKeyword(dependentRequired)] } })
    declaring.addSchema({
      $id: 'paging', type: 'object', properties: { page: { type: 'integer' } }, required: ['page'],
      definitions: { rest: { properties: { zone: {} }, required: ['per_page', 'zone'] } },
    })
    declaring.addSchema({
      $id: 'tenancy', allOf: [{ $ref: '#/definitions/paged' }, { $ref: '#/definitions/zoned' }],
      properties: { page: {}, tenant: { $ref: '#/definitions/id' } }, required: ['page'],
      definitions: {
        id: { $id: '#id', type: 'integer' },
        paged: { properties: { per_page: {}, key: { $ref: '#id' } }, required: ['per_page'] },
        zoned: { properties: { zone: { $ref: '#/definitions/id' } } },
      },
    })
    declaring.addSchema({ $id: 'https://example.org/schemas/id.json', type: 'integer' })
    declaring.addSchema({
      $id: 'https://example.org/schemas/list.json', properties: { zone: { $ref: 'id.json' } }, required: ['page'],
    })
    await declaring.register(crudKit, {
      orm,
      resources: {
        '/pattern': querystring({ patternProperties: { '^utm_': { type: 'string', maxLength: 3 } } }),
        '/open': querystring({ additionalProperties: true }),
        '/typed': querystring({ additionalProperties: { type: 'string' } }),
        '/nested': querystring({
          allOf: [{ patternProperties: { '^x-': {} } }, { properties: { lang: { type: 'string' } } }],
        }),
        // a schema of the list may narrow its own parameters
        '/narrow': querystring({
          properties: { lang: { type: 'string' }, page: { type: 'integer', maximum: 2, default: 1 } },
        }),
        // in a URL whose query is in the body, there is no page to require
        '/required': querystring({ properties: { lang: {}, page: {} }, required: ['page'] }),
        '/combined': querystring({
          allOf: [
            { $ref: 'paging#' },
            { properties: { lang: {} }, required: ['lang'] },
            { anyOf: [{ required: ['cursor'] }, { $ref: 'paging#/definitions/rest' }] },
          ],
        }),
        '/beside': querystring({ $ref: 'paging#', allOf: [{ required: ['lang'] }] }),
        '/one': querystring({ properties: { lang: {} }, oneOf: [{ required: ['page'] }, { required: ['cursor'] }] }),
        '/dependent': querystring({
          properties: { lang: {}, zone: {} },
          dependencies: { page: ['zone'], zone: { required: ['lang', 'page'] } },
          dependentRequired: { lang: ['page', 'zone'] },
        }),
        // what is left of schemas still finds the parts that it refers to
        '/referring': querystring({ $ref: 'tenancy#' }),
        '/named': querystring({
          $id: 'named', allOf: [{ $ref: 'named#/definitions/paged' }],
          properties: { zone: { $ref: 'named#/definitions/id' } },
          definitions: { id: { type: 'integer' }, paged: { properties: { page: {} }, required: ['page'] } },
        }),
        '/relative': querystring({ allOf: [{ $ref: 'https://example.org/schemas/list.json' }] }),
        // an application may use these names of the grammar for something else
        '/renamed': querystring({ properties: { count: {}, group: {}, facets: {} } }),
      },
    })
    const verdict = async (path: string, query: string) => (await send(requests(path).list!, query, declaring)).status
    for (const [path, query, status] of [
      ['/pattern', 'utm_source=abc&utm_medium=x', 200],
      ['/pattern', 'utm_source=abcd', 400],
      ['/pattern', 'mtu_source=abc', 400],
      ['/nested', 'x-a=1&lang=de', 200],
      ['/nested', 'a-x-=1', 400],
      ['/open', 'anything=1&other[]=2&name=x', 200],
      ['/open', 'perPage=1', 400],
      ['/open', 'FILTER[name]=x', 400],
      ['/typed', 'anything=1', 200],
      ['/narrow', 'page=2&lang=de', 200],
      ['/narrow', 'page=3', 400],
      ['/required', 'lang=de', 400],
      ['/required', 'lang=de&page=1', 200],
      ['/combined', 'lang=de&page=1&per_page=2&zone=x', 200],
      ['/combined', 'lang=de&page=1&zone=x', 400],
      ['/combined', 'lang=de&per_page=2&zone=x', 400],
      ['/one', 'page=1', 200],
      ['/one', 'lang=de', 400],
      ['/dependent', 'lang=de&zone=x&page=1', 200],
      ['/dependent', 'lang=de&zone=x', 400],
      ['/dependent', 'page=1', 400],
      ['/referring', 'page=1&per_page=2&tenant=1&key=2&zone=3', 200],
      ['/referring', 'page=1&per_page=2&tenant=x', 400],
      ['/referring', 'page=1', 400],
      ['/named', 'page=1&zone=1', 200],
      ['/named', 'zone=1', 400],
      ['/relative', 'page=1&zone=1', 200],
      ['/relative', 'zone=1', 400],
      ['/renamed', 'count=many&group=x&facets=y', 200],
    ] as const) t.equal(await verdict(path, query), status, `${path}?${query}`)

    const withBody = async (path: string, query: string) =>
      (await send({ method: 'POST', url: `${path}/query`, payload: {} }, query, declaring)).status
    for (const [path, query, status] of [
      ['/pattern', 'utm_source=abc', 200],
      ['/pattern', 'utm_source=abcd', 400],
      ['/pattern', 'mtu_source=abc', 400],
      ['/open', 'anything=1', 200],
      ['/open', 'filter[id]=1', 400],
      ['/open', 'page=2', 400],
      ['/narrow', 'lang=de', 200],
      ['/narrow', 'page=2', 400],
      ['/narrow', 'count=none', 400],
      ['/required', '', 200],
      ['/required', 'lang=de', 200],
      ['/required', 'page=1', 400],
      ['/combined', 'lang=de', 200],
      ['/combined', '', 400],
      ['/combined', 'lang=de&page=1', 400],
      ['/beside', '', 400],
      ['/referring', '', 200],
      ['/referring', 'tenant=1&key=2&zone=3', 200],
      ['/referring', 'tenant=x', 400],
      ['/referring', 'key=x', 400],
      ['/referring', 'zone=x', 400],
      ['/named', 'zone=1', 200],
      ['/named', 'zone=x', 400],
      ['/relative', 'zone=1', 200],
      ['/relative', 'zone=x', 400],
      ['/one', '', 200],
      ['/one', 'lang=de', 200],
      ['/dependent', 'lang=de&zone=x', 200],
      ['/dependent', 'lang=de', 400],
      ['/dependent', 'zone=x', 400],
      ['/open', 'count=none', 400],
      ['/renamed', 'count=many&group=x&facets=y', 200],
      ['/renamed', 'aggregate=count', 400],
    ] as const) t.equal(await withBody(path, query), status, `${path}/query?${query}`)
    const third: InjectOptions = { method: 'POST', url: '/narrow/query', payload: { page: 3 } }
    t.equal((await send(third, '', declaring)).status, 200, 'the maximum of page is for the URL of GET')
    t.match(await send({ method: 'POST', url: '/narrow/query', payload: {} }, 'lang=de&page=2', declaring), {
      body: {
        detail: "The query of this request is in its body, so its URL takes no parameter 'page'.",
        errors: [{ source: { parameter: 'page' } }],
      },
    })
  })

  t.test('parameters that the schema of a route declares are never refused, including near misses', async (t) => {
    const own = { type: 'object', properties: { pageSize: { type: 'integer' }, lang: { type: 'string' } } }
    const declaring = newServer(t)
    declaring.addSchema({ $id: 'shared', type: 'object', properties: { api_key: { type: 'string' } } })
    declaring.addSchema({
      $id: 'parts',
      definitions: {
        all: { allOf: [{ $ref: '#/definitions/depth' }] },
        depth: { type: 'object', properties: { depth: { type: 'integer' } } },
      },
    })
    await declaring.register(crudKit, {
      orm,
      resources: {
        '/plants': options({
          schemas: {
            list: { querystring: own },
            get: { querystring: { allOf: [own, { $ref: 'shared#' }, { $ref: 'parts#/definitions/all' }] } },
            update: { querystring: { $ref: 'shared#' } },
            delete: { querystring: own },
          },
        }),
      },
    })
    const all = requests('/plants')
    t.equal((await send(all.list!, 'pageSize=3&lang=de', declaring)).body.total, 13)
    t.match((await send(all.list!, 'perPage=3', declaring)).body, {
      errors: [{
        suggestion: 'per_page',
        allowed: [
          'cursor', 'fields', 'filter[<name>]', 'include', 'lang', 'limit', 'offset', 'page', 'pageSize', 'per_page',
          'sort',
        ],
      }],
    })
    t.match((await send(all.list!, 'pageSize=x', declaring)).body, { statusCode: 400, code: 'FST_ERR_VALIDATION' },
      "they are validated by the application's schema")
    t.equal((await send(all.get!, 'lang=de&api_key=x&depth=2', declaring)).status, 200)
    t.equal((await send(all.patch!, 'api_key=x', declaring)).status, 200)
    t.match((await send(all.patch!, 'apikey=x', declaring)).body.errors, [{ suggestion: 'api_key' }])
    t.match((await send(all.delete!, 'laang=x', declaring)).body.errors, [{ suggestion: 'lang' }])
  })

  t.test('an unknown value of the option is a configuration mistake', async (t) => {
    const wrong = newServer(t)
    wrong.register(crudKit, { orm, resources: { '/plants': options({ unknownParameters: 'ingore' as never }) } })
    await t.rejects(async () => await wrong.ready(), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /unknownParameters: expected one of .*, got 'ingore'.*Did you mean 'ignore'\?$/,
    })
  })

  t.test('methods of the application and other query string parsers work', async (t) => {
    class Own extends CrudBase {
      constructor () {
        super({ model: Plant, queryConfig: resource(Plant, whitelist).queryConfig as never, writable: 'all' })
      }

      override list (): any {
        return Promise.resolve({ items: [] })
      }
    }
    const querystringParser = (text: string) => qs.parse(text) as Record<string, unknown>
    const other = newServer(t, { routerOptions: { querystringParser } })
    await other.register(crudKit, { orm, resources: { '/plants': options(), '/own': new Own() } })
    t.match((await send({ method: 'GET', url: '/own' }, 'title=x', other)).body.errors, [{
      source: { parameter: 'title' },
    }], 'they need not look')
    t.match((await send(requests('/plants').list!, 'where[name][contains]=x&with[]=tags', other)).body.errors, [
      { source: { parameter: 'where[name][contains]' }, suggestion: 'filter[name][contains]' },
      { source: { parameter: 'with[]' }, suggestion: 'include' },
    ])
  })

  t.test('routes of the application may have their own parameters', async (t) => {
    const own = newServer(t)
    await own.register(crudKit, { orm })
    const crud = resource(Plant, whitelist)
    own.get('/plants',
      async ({ em, queryParams }) => ({ unknown: queryParams.unknown, ...await crud.list(em, queryParams) }))
    t.match((await send({ method: 'GET', url: '/plants' }, 'tenant=1&q=x', own)).body, {
      total: 13,
      unknown: ['tenant', 'q'],
    })
    t.match((await send({ method: 'GET', url: '/plants' }, 'filters[name]=x', own)).body, {
      statusCode: 400,
      message: /^There is no parameter 'filters\[name\]'\. Did you mean 'filter\[name\]'\?/,
    })
  })

  /** A mistake for each kind of parameter, in each way to write it. */
  const MISTAKES = [
    'filter[x]=1', 'filter[x][]=1', 'filter[x][eq]=1', 'filter[x][in][]=1', 'filter[name][gte]=1',
    'filter[name][eq][]=1', 'filter[name][]=%00', 'filter[id][in][]=x', 'filter[id][between][]=1', 'filter[id][]=x',
    'filter[id]=x', 'filter[id][in]=1,,2', 'filter[trashed][]=x', 'filter[trashed]=only&filter[trashed][]=only',
    'filter[odd][eq][]=x', 'filter[odd][]=%00', 'filter[text][]=x', 'filter[text][eq]=x', 'filter[ref][]=x',
    'filter[ref][eq]=1', 'filter[position][]=0&filter[position][]=x', 'filter[status][]=x', 'filter[a][b][c]=1',
    'filter[]=1', 'filter=1', 'filter[__proto__]=1', 'filter[name][in]=a&filter[name][in][]=b', 'filter[name]=%zz',
    'sort=x', 'sort[]=x', 'sort[]=id&sort[]=-id', 'sort[]=,', 'sort[x]=1', 'sort=id&sort[]=x', 'sort[]=id&sort=name',
    'fields=x', 'fields[]=x', 'fields=id&fields[]=x', 'fields[]=id&fields=x', 'fields[x]=a', 'fields[x][]=a',
    'include=tags&fields[tags][]=x', 'include=tags&fields[tags]=x', 'fields[plant][]=x', 'fields[a][b]=x',
    'fields[__proto__]=x', 'include=x', 'include[]=x', 'include=tags&include[]=x', 'include[]=a.b.c.d',
    `include[]=${Array.from({ length: 11 }, (_, index) => `r${index}`).join()}`, 'include[x]=1', 'include[]=,',
    'page=0', 'page[]=1', 'page=1&page=2', 'per_page=1000', 'limit=0', 'offset=-1', 'offset=100001', 'page=100001',
    'page=1&offset=2', 'cursor=x', 'cursor=&sort=length', 'cursor=&sort[]=length', 'x=1', 'X%5By%5D=1', 'filters[a]=1',
    'hard=true', 'hard[]=true', 'with[]=x',
  ]

  t.test('every error names a parameter as written', async (t) => {
    let named = 0
    for (const query of MISTAKES) {
      const keys = new Set(query.split('&').map((pair) => decodeURIComponent(pair.split('=')[0]!)))
      for (const path of ['/plants', '/hard', '/ignoring']) {
        for (const [what, request] of Object.entries(requests(path))) {
          if (request.method === 'HEAD' || request.method === 'POST' || request.method === 'PUT') continue
          const { status, body } = await send(request, query)
          // other errors of these routes are not part of this test
          if (status !== 400) continue
          const parameters: string[] = body.errors.map(({ source }: Json) => source?.parameter)
          named += parameters.length
          for (const parameter of parameters) if (!keys.has(parameter)) t.fail(`${what} ${path}?${query}: ${parameter}`)
        }
      }
      const { status } = await send(requests('/plants').list!, query)
      t.equal(status, 400, query)
    }
    t.ok(named > 500, `${named} errors`)
  })
})
