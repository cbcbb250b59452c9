/** The OpenAPI document is valid, and matches the whitelist and the entity. It needs no database. */
import { p } from '@mikro-orm/core'
import swagger, { type SwaggerOptions } from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import t, { type Test } from 'tap'
import { entities as exampleEntities } from '../../example/entities/index.ts'
import { resources as exampleResources } from '../../example/resources/index.ts'
import {
  AllowedFilters, AllowedInclude, AllowedSort, CrudBase, crudKit, IdempotencyRecord, primaryKey, type CrudKitOptions,
} from '../../src/index.ts'
import { LIST_VALUES, OPERATORS } from '../../src/operators/index.ts'
import { entities, Order, OrderItem, Plant, Specimen, Tag } from '../fixtures/entities.ts'
import { ormOf } from '../helpers/models.ts'
import { resource, type Json } from './helper.ts'
import { checkValid, OPENAPI_3_1 } from './openapi-documents.ts'
import { entity } from '../helpers/entity.ts'

async function documented (
  t: Test,
  resources: NonNullable<CrudKitOptions['resources']>,
  options: SwaggerOptions = OPENAPI_3_1,
  of: Parameters<typeof ormOf>[0] = entities
): Promise<Json> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, options)
  await app.register(crudKit, { orm: ormOf(of), resources })
  return documentOf(app)
}

/** The document of a server. Named schemas are in place of the references to them, except for that of errors. */
async function documentOf (app: FastifyInstance): Promise<Json> {
  await app.ready()
  const document = JSON.parse(JSON.stringify(app.swagger()))
  return { ...document, paths: inlined(document.paths, document.components?.schemas ?? {}) }
}

/** @param outer the named schemas around the node: a reference to one of them stays, because it has no end */
function inlined (node: Json, schemas: Json, outer: readonly Json[] = []): Json {
  if (Array.isArray(node)) return node.map((item) => inlined(item, schemas, outer))
  if (typeof node !== 'object' || node === null) return node
  const named = typeof node.$ref === 'string' && node.$ref !== ERROR ? schemas[node.$ref.split('/').at(-1)] : undefined
  if (named !== undefined && !outer.includes(named)) return inlined(named, schemas, [...outer, named])
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value, schemas, outer)]))
}

const ERROR = '#/components/schemas/Error'

const operationsOf = (document: Json): Json[] =>
  Object.values(document.paths).flatMap((path) => Object.values(path as object))
const parametersOf = (operation: Json): Record<string, Json> =>
  Object.fromEntries((operation.parameters ?? []).map((parameter: Json) => [parameter.name, parameter]))
const idsOf = (document: Json): string[] => operationsOf(document).map(({ operationId }) => operationId)

t.test('the document of the example', async (t) => {
  const document = await documented(t, exampleResources, OPENAPI_3_1, exampleEntities)
  const parameters = parametersOf(document.paths['/categories'].get)

  t.test('it is valid OpenAPI 3.1', async (t) => {
    t.equal(document.openapi, '3.1.0')
    await checkValid(t, document)
  })

  t.test('it has every route, with an id, a tag and a summary', async (t) => {
    t.strictSame(Object.keys(document.paths).filter((path) => path.startsWith('/products')), [
      '/products', '/products/query', '/products/{id}', '/products/aggregate', '/products/{id}/restore',
    ])
    t.strictSame(idsOf(document).filter((id) => id.endsWith('_products')), [
      'list_products', 'create_products', 'upsert_products', 'query_products', 'get_products', 'update_products',
      'replace_products', 'delete_products', 'aggregate_products', 'restore_products',
    ])
    t.equal(new Set(idsOf(document)).size, idsOf(document).length)
    t.match(document.paths['/products'].put.parameters.find(({ name }: Json) => name === 'on'), {
      in: 'query', required: true, description: 'The key that finds the record: `sku`.',
    })
    for (const operation of operationsOf(document)) t.match(operation, { tags: [String], summary: String })
  })

  t.test('it has a parameter for each filter and operator', async (t) => {
    const filters = exampleResources['/categories'].crud.queryConfig.allowedFilters
    const expected = filters.flatMap((filter) =>
      !('operators' in filter)
        ? [`filter[${filter.field}]`]
        : [
          `filter[${filter.field}]`,
          ...filter.operators.filter((operator) => operator !== filter.defaultOperator).map((operator) =>
            `filter[${filter.field}][${operator}]`
          ),
          ]
    )
    t.strictSame(Object.keys(parameters).filter((name) => name.startsWith('filter')), expected)
    t.equal(expected.length, 59)
    for (const name of expected) {
      const { description, schema, required, ...parameter } = parameters[name]
      const operator = /\]\[(.+)\]$/.exec(name)?.[1] as keyof typeof OPERATORS | undefined
      t.ok(description.includes(`Example: \`${name}=`), name)
      t.equal(required, false)
      t.equal(schema.type === 'array', operator !== undefined && LIST_VALUES.has(OPERATORS[operator].value), name)
      t.ok((schema.items ?? schema.allOf[0]).examples.length > 0,
        `${name} has an example that clients don't send unasked`)
      t.notOk('example' in parameter || 'example' in schema || 'default' in schema, name)
      if (schema.type === 'array') t.match(parameter, { style: 'form', explode: false })
    }
  })

  t.test('parameters have the types of columns', async (t) => {
    t.match(parameters['filter[price]'].schema, { type: 'number', maximum: undefined }, 'a filter compares with any')
    t.match(parameters['filter[price][between]'].schema, {
      type: 'array', minItems: 2, maxItems: 2, items: { type: 'number' },
    })
    t.match(parameters['filter[price][isnull]'].schema, { type: 'boolean' })
    t.match(parameters['filter[id]'].schema, { type: 'string', format: 'uuid' })
    t.match(parameters['filter[status][in]'].schema, {
      type: 'array', maxItems: 100, items: { type: 'string', enum: ['draft', 'active', 'archived'] },
    })
    t.match(parameters['filter[created_at]'].schema, { type: 'string', pattern: String })
    t.match(parameters['filter[name][contains]'].schema, { type: 'string', maxLength: 256 })
    t.match(parametersOf(document.paths['/products'].get)['filter[category]'].schema, {
      type: 'string',
      format: 'uuid',
    })
    t.match(parametersOf(document.paths['/articles'].get)['filter[published]'], {
      schema: { type: 'string' },
      description: 'The filter `published`, as this server defines it.',
    })
  })

  t.test('sorts, fields and includes are enums of the allowed names', async (t) => {
    const items = (name: string): string[] => parameters[name].schema.items.enum
    t.strictSame(items('sort'), [
      'name', '-name', 'price', '-price', 'status', '-status', 'created_at', '-created_at', 'updated_at', '-updated_at',
      'productsCount', '-productsCount',
    ])
    t.match(parameters['sort'].description, 'Default: `-created_at`.')
    t.strictSame(items('include'), ['products', 'products.tags', 'articles', 'articles.user', 'tags', 'productsCount'])
    t.strictSame(items('fields'), ['id', 'name', 'description', 'price', 'status', 'created_at', 'updated_at'])
    t.strictSame(items('fields[products]'), ['id', 'name', 'price', 'stock'])
    t.strictSame(Object.keys(parametersOf(document.paths['/categories/{id}'].get)), [
      'include', 'fields', 'fields[products]', 'fields[articles]', 'fields[tags]', 'id',
    ])
    t.ok('fields[user]' in parametersOf(document.paths['/articles'].get), 'by alias')
  })

  t.test('pagination has its limits', async (t) => {
    t.strictSame(parameters['page'].schema, { type: 'integer', minimum: 1 })
    t.strictSame(parameters['per_page'].schema, { type: 'integer', minimum: 1, maximum: 100 })
    t.match(parameters['page'].description, /Default: 1\.$/)
    t.match(parameters['per_page'].description, /Default: 20\.$/)
    t.strictSame(parameters['limit'].schema, { type: 'integer', minimum: 1, maximum: 100 })
    t.strictSame(parameters['offset'].schema, { type: 'integer', minimum: 0, maximum: 100_000 })
    t.match(parameters['cursor'].schema, { type: 'string', maxLength: 4096 })
    for (const name of ['page', 'per_page', 'limit', 'offset', 'cursor']) {
      t.notOk('default' in parameters[name].schema, 'a client that sends defaults would mix two ways')
    }
  })

  t.test('bodies and records have their schemas', async (t) => {
    const { post } = document.paths['/categories']
    const body = post.requestBody.content['application/json'].schema
    t.strictSame(Object.keys(body.properties), ['name', 'description', 'price', 'status', 'tags'])
    t.match(body, { required: ['name'], additionalProperties: false })
    const record = post.responses['201'].content['application/json'].schema
    t.strictSame(record.required, ['id', 'created_at', 'updated_at', 'name', 'description', 'price', 'status'])
    const update = document.paths['/categories/{id}'].patch.requestBody.content['application/json'].schema
    t.equal(update.required, undefined)
    const [page] = document.paths['/categories'].get.responses['200'].content['application/json'].schema.anyOf
    const item = page.properties.items.items
    t.equal(item.required, undefined, '`fields` may leave out anything')
    t.strictSame(Object.keys(item.properties.articles.items.properties.author.anyOf[1].properties), [
      'id', 'uuid', 'created_at', 'updated_at', 'deleted_at', 'name',
    ], 'what is hidden or can not be included is not there')
    t.match(document.paths['/categories'].post.responses['201'].headers, { Location: { schema: { type: 'string' } } })
  })

  t.test('path parameters have the type of the key', async (t) => {
    t.match(parametersOf(document.paths['/categories/{id}'].get)['id'], {
      in: 'path', required: true, schema: { type: 'string', format: 'uuid' },
    })
    t.match(parametersOf(document.paths['/products/{id}'].get)['id'], {
      schema: { anyOf: [{ type: 'integer' }, { type: 'string', format: 'uuid' }] },
      description: 'The `id` or `uuid` of a record.',
    })
  })

  t.test('all errors share one schema', async (t) => {
    const statuses = (path: string, method: string): string[] => Object.keys(document.paths[path][method].responses)
    t.strictSame(statuses('/categories', 'get'), ['200', '400', '503'])
    t.strictSame(statuses('/categories', 'post'), ['201', '400', '409', '413', '415', '503'])
    t.strictSame(statuses('/categories/{id}', 'patch'), [
      '200', '400', '404', '409', '412', '413', '415', '503',
    ])
    t.match(document.components.schemas.Error, {
      type: 'object', title: 'Error', required: ['statusCode', 'code', 'error', 'message'],
      properties: { errors: { type: 'array' } },
    })
    for (const operation of operationsOf(document)) {
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        if (Number(status) >= 400) {
          t.equal(response.content['application/json'].schema.$ref, ERROR)
        }
      }
    }
    t.match(document.paths['/categories'].get.responses['503'], {
      description: String,
      headers: { 'Retry-After': Object },
    })
  })
})

t.test('routes document versions, conditional requests and their refusals', async (t) => {
  const document = await documented(t, {
    '/orders': { crud: resource(Order), requireIfMatch: true, scope: () => ({}) },
    '/plants': { crud: resource(Plant), allowHardDelete: true },
  })
  await checkValid(t, document)
  const order = document.paths['/orders/{id}']
  t.match(parametersOf(order.patch)['If-Match'], { in: 'header', required: true })
  t.match(order.get.responses['200'].headers, { ETag: { schema: { type: 'string' } } })
  t.strictSame(Object.keys(order.patch.responses), [
    '200', '400', '403', '404', '409', '412', '413', '415', '428', '503',
  ])
  t.strictSame(Object.keys(order.delete.responses), Object.keys(order.patch.responses))
  const plant = document.paths['/plants/{id}']
  t.match(parametersOf(plant.delete)['hard'], { in: 'query', schema: { type: 'boolean' } })
  t.notOk('If-Match' in parametersOf(plant.patch))
  t.notOk('hard' in parametersOf(order.delete))
})

t.test('writes that clients may repeat document their key', async (t) => {
  const Note = entity('Note', { ...primaryKey, text: p.string() })
  const crud = new CrudBase({ model: Note, writable: ['text'] })
  const document = await documented(t,
    { '/notes': { crud, idempotency: true }, '/strict': { crud, name: 'strict', idempotency: { required: true } } },
    OPENAPI_3_1, [Note, IdempotencyRecord])
  await checkValid(t, document)
  const note = document.paths['/notes/{id}']
  t.match(parametersOf(document.paths['/notes'].post)['Idempotency-Key'], { in: 'header', required: false })
  t.match(parametersOf(document.paths['/strict'].post)['Idempotency-Key'], { in: 'header', required: true })
  t.notOk('Idempotency-Key' in parametersOf(note.get))
  t.strictSame(Object.keys(note.patch.responses), ['200', '400', '404', '409', '412', '413', '415', '422', '503'])
  t.match(note.delete.responses['200'].headers, { 'Idempotency-Replayed': { schema: { enum: ['true'] } } })
  t.match(note.put.responses['409'].headers, { 'Retry-After': {} })
  t.notOk('422' in note.get.responses)
})

t.test('composite keys, every type, batches and whole records are documented', async (t) => {
  const columns = [
    'leaves', 'cells', 'dryMass', 'acidity', 'alive', 'nickname', 'tracker', 'health', 'hardiness', 'sownOn',
    'measuredAt', 'wateredAt', 'petals',
  ].map((name) => new AllowedFilters(name, 'eq', ['eq', 'in']))
  const document = await documented(t, {
    '/items': resource(OrderItem, { allowedIncludes: ['plant'] }),
    '/specimens': {
      crud: resource(Specimen, { allowedFilters: columns }), operations: ['list', 'createMany'], maxBatch: 7,
    },
    '/tags': { crud: resource(Tag), operations: ['create', 'createMany', 'update'], readonlyProperties: 'ignore' },
  })
  await checkValid(t, document)
  const item = document.paths['/items/{order}/{plant}']
  t.strictSame(
    item.get.parameters.filter((parameter: Json) => parameter.in === 'path').map((
      { name, schema }: Json
    ) => [name, schema.type]),
    [['order', 'integer'], ['plant', 'integer']]
  )
  t.match(document.paths['/specimens'].post, {
    operationId: 'create_many_specimen',
    requestBody: { content: { 'application/json': { schema: { type: 'array', maxItems: 7 } } } },
  })
  const specimens = parametersOf(document.paths['/specimens'].get)
  t.equal(specimens['filter[petals]'].schema.type, 'string', 'of a custom type')
  for (const decimal of [specimens['filter[dryMass]'].schema, specimens['filter[dryMass][in]'].schema.items]) {
    const pattern = new RegExp(decimal.pattern)
    for (const text of ['1', '-0.5', '1e-7', '2.5E+3', '123456789.123456789']) t.match(text, pattern, text)
    for (const text of ['', '.5', '1e', 'NaN', '1e1.5']) t.notMatch(text, pattern, text)
  }
  t.strictSame(specimens['filter[sownOn][in]'].schema.items.examples, ['2024-05-31', '2024-12-31'])
  const { schema } = document.paths['/tags'].post.requestBody.content['application/json']
  t.match(schema, { type: 'object' })
  t.match(document.paths['/tags/{id}'].patch.requestBody.content['application/json'].schema.properties.id, {
    readOnly: true,
  })
})

t.test('aggregates and limits are documented', async (t) => {
  const { count, exists, sum, min, avg } = AllowedInclude
  const document = await documented(t, {
    '/plants': resource(Plant, {
      allowedIncludes: [
        new AllowedInclude('tags', { limit: 3 }), count('tags'), exists('supplier', { alias: 'sold' }),
        count('orderItems.order.items'),
        ...[sum, min, avg].flatMap((fn) => [fn('specimens.dryMass'), fn('specimens.leaves')]), min('specimens.petals'),
      ],
    }),
  })
  await checkValid(t, document)
  const { parameters, responses } = document.paths['/plants'].get
  const include = parametersOf({ parameters })['include']
  t.strictSame(include.schema.items.enum, [
    'tags', 'orderItems.order.itemsCount', 'tagsCount', 'sold', 'specimensDryMassSum', 'specimensLeavesSum',
    'specimensDryMassMin', 'specimensLeavesMin', 'specimensDryMassAvg', 'specimensLeavesAvg', 'specimensPetalsMin',
  ])
  t.match(
    include.description,
    '`tags`: at most 3 of each record. `orderItems.order.itemsCount`: how many `items`. ' +
      '`tagsCount`: how many `tags`. `sold`: whether there is any `supplier`, as `supplierExists`. ' +
      '`specimensDryMassSum`: the sum of `dryMass` of `specimens`, null for none.'
  )
  const { properties } = responses['200'].content['application/json'].schema.anyOf[0].properties.items.items
  const shown = Object.fromEntries(
    Object.keys(properties).filter((name) => /Count|Exists|^specimens./.test(name)).map((
      name
    ) => [name, properties[name]])
  )
  t.match(shown, {
    tagsCount: { type: 'integer', minimum: 0 },
    supplierExists: { type: 'boolean' },
    specimensDryMassSum: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    specimensDryMassMin: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    specimensDryMassAvg: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    specimensLeavesSum: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    specimensLeavesMin: { anyOf: [{ type: 'integer', minimum: -2147483648 }, { type: 'null' }] },
    specimensLeavesAvg: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    specimensPetalsMin: {},
  })
  t.strictSame(Object.keys(properties.orderItems.items.properties.order.anyOf[1].properties).at(-1), 'itemsCount')
  t.notOk('tagsCount' in document.paths['/plants'].post.responses['201'].content['application/json'].schema.properties,
    'a write includes nothing')
})

t.test('queries as bodies are documented where the resource takes them', async (t) => {
  const plants = resource(Plant, {
    allowedFilters: [
      { price: ['eq', 'in', 'isnull'] },
      AllowedFilters.search('q', ['name']),
      AllowedFilters.custom('cheap', (qb) => qb.andWhere({ price: { $lt: 10 } })),
    ],
    allowedSorts: ['name'], allowedFields: ['name', 'tags.name'], allowedIncludes: ['tags'], allowedFacets: ['status'],
  })
  const resources: CrudKitOptions['resources'] = {
    '/plants': { crud: plants, query: true },
    '/closed': plants,
    '/tagged': { crud: plants, query: true, links: true, conditional: true },
    '/specimens': { crud: resource(Specimen, { allowedFilters: ['acidity', 'dryMass'] }), query: true },
    '/hidden': { crud: plants, query: true, schemas: { list: { hide: true } } },
    '/own': {
      crud: plants,
      query: true,
      schemas: {
        list: {
          operationId: 'findPlants',
          querystring: {
            type: 'object', properties: { key: {}, count: {}, page: { maximum: 2 } }, required: ['key', 'page'],
          },
        },
      },
    } as never,
  }
  for (const version of ['3.0.3', '3.1.0', '3.2.0']) {
    const document = await documented(t, resources, {
      openapi: { openapi: version, info: { title: 'T', version: '1' } },
    })
    await checkValid(t, document)
    const { paths } = document
    const list = paths['/plants'].get
    t.equal('query' in paths['/plants'], version === '3.2.0', 'only OpenAPI 3.2 has a place for QUERY')
    const routes = [paths['/plants/query'].post, ...(version === '3.2.0' ? [paths['/plants'].query] : [])]
    for (const { requestBody, responses, parameters, tags } of routes) {
      const { 413: tooLarge, 415: otherType, ...same } = responses
      t.strictSame({ responses: same, tags }, { responses: list.responses, tags: list.tags })
      t.match([tooLarge, otherType], [{ description: /too large/ }, { description: /a type that/ }])
      t.equal(parameters, undefined)
      const { 'application/json': json, 'application/x-www-form-urlencoded': form, ...others } = requestBody.content
      t.strictSame(others, {})
      t.match(JSON.stringify(form), /"maxItems":1000/)
      t.notMatch(JSON.stringify(form), /"maxItems":100\b/)
      t.strictSame(Object.keys(form.schema.properties).sort(), Object.keys(parametersOf(list)).sort())
      const { properties, additionalProperties } = json.schema
      t.strictSame(Object.keys(properties), [
        'filter', 'sort', 'include', 'fields', 'page', 'per_page', 'limit', 'offset', 'cursor', 'facets',
        'fieldsByInclude',
      ])
      t.equal(additionalProperties, false)
      t.match(properties.fieldsByInclude.properties, { tags: { items: { enum: ['name'] } } })
      const filters = properties.filter.properties
      t.strictSame(Object.keys(filters), ['price', 'q', 'cheap', 'and', 'or', 'not'])
      t.match(filters.price.anyOf, [
        { type: 'number' },
        { type: 'array', maxItems: 1_000, items: { type: 'number' } },
        { properties: { eq: { type: 'number' }, in: { type: 'array' }, isnull: { type: 'boolean' } } },
      ])
      t.match(filters.q, { type: 'string', maxLength: 256 })
      const self = { $ref: '#/components/schemas/PlantFilter' }
      t.match(filters, { and: { type: 'array', items: self }, or: { type: 'array', items: self }, not: self })
    }
    t.match(routes[0], { operationId: 'query_plant', summary: String, description: /65536 bytes/ })
    t.match(list.description, /filter\[or\]\[0\].*at most 5 deep.*POST \/query/)
    t.notMatch(paths['/closed'].get.description, /filter\[or\]/)
    t.strictSame(Object.keys(paths).filter((path) => path.endsWith('/query')), [
      '/plants/query', '/tagged/query', '/specimens/query', '/own/query',
    ])
    // links and entity tags are about a URL
    const { get: tagged, query: taggedQuery } = paths['/tagged']
    t.match(tagged.responses, { 200: { headers: { Link: {}, ETag: {} } }, 304: {} })
    t.ok('If-None-Match' in parametersOf(tagged))
    const inBody = [paths['/tagged/query'].post, ...(version === '3.2.0' ? [taggedQuery] : [])]
    for (const { responses, parameters } of inBody) {
      t.strictSame(Object.keys(responses), ['200', '400', '413', '415', '503'])
      t.equal(responses['200'].headers, undefined)
      t.equal(parameters, undefined)
    }
    const { filter } = paths['/specimens/query'].post.requestBody.content['application/json'].schema.properties
    t.match(filter.properties.acidity.anyOf[0], { type: 'number' })
    t.match(filter.properties.dryMass.anyOf[0], { anyOf: [{ type: 'number' }, { type: 'string', pattern: String }] })
    const { operationId, parameters: ownParameters } = paths['/own/query'].post
    t.equal(operationId, 'findPlants_query')
    t.strictSame(ownParameters.map(({ name, required }: Json) => [name, required]), [['key', true], ['count', false]],
      'without the parameters of lists, which the URL of a query in a body does not take')
    t.match(parametersOf(paths['/own'].get)['page'], { required: true, schema: { maximum: 2 } })
    t.equal(new Set(idsOf(document)).size, idsOf(document).length)
  }
  const older = await documented(t, resources, { swagger: { info: { title: 'Test', version: '1' } } })
  const [body] = older.paths['/plants/query'].post.parameters
  t.match(body, { in: 'body', schema: {} })
})

t.test('the URL of a query in a body has no parameters of lists that a schema combines or refers to', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, OPENAPI_3_1)
  const text = { type: 'string' }
  app.addSchema({
    $id: 'paging', type: 'object', properties: { page: { type: 'integer' }, tenant: text },
    required: ['page', 'tenant'],
  })
  const listed = (querystring: object) => ({
    crud: resource(Plant, { allowedSorts: ['name'] }), query: true as const, schemas: { list: { querystring } },
  })
  const rest = { type: 'object', properties: { lang: text, per_page: { type: 'integer', maximum: 5 } } }
  await app.register(crudKit, {
    orm: ormOf(entities),
    resources: {
      '/referring': listed({ $ref: 'paging#' }),
      '/combined': listed({ allOf: [rest, { $ref: 'paging#' }] }),
      '/either': listed({ anyOf: [{ allOf: [rest] }, { type: 'object', properties: { sort: text, key: text } }] }),
      '/one': listed({ oneOf: [rest, { type: 'object', properties: { sort: text, key: text } }] }),
      '/free': listed({ allOf: [{ type: 'object', properties: { key: text }, required: ['key'] }] }),
    },
  })
  const { paths } = await documentOf(app)
  const named = ({ parameters = [] }: Json) =>
    parameters.map(({ name, required }: Json) => required ? `${name}!` : name)
  t.match(named(paths['/combined'].get), ['lang', 'per_page', 'page!', 'tenant!'])
  t.strictSame(named(paths['/referring/query'].post), ['tenant!'])
  t.strictSame(named(paths['/combined/query'].post), ['lang', 'tenant!'])
  t.strictSame(named(paths['/either/query'].post), ['lang', 'key'])
  t.strictSame(named(paths['/one/query'].post), ['lang', 'key'])
  t.strictSame(named(paths['/free/query'].post), ['key!'])
})

t.test('descending default directions and uncounted totals are documented', async (t) => {
  const document = await documented(t, {
    '/plants': resource(Plant, {
      allowedSorts: [new AllowedSort('name', { direction: 'desc', alias: 'newest' })],
      pagination: { count: 'none', maxPerPage: 5 },
    }),
    '/choice': resource(Plant, { pagination: { countParameter: true } }),
    '/bounded-choice': resource(Plant, { pagination: { countParameter: true, count: { upTo: 5 } } }),
  })
  const { parameters, responses } = document.paths['/plants'].get
  t.strictSame(parameters[0].schema.items.enum, ['newest', '-newest', '+newest'])
  t.match(parameters[0].description, 'Without a sign, `newest` is descending.')
  t.match(parameters[2], { schema: { maximum: 5 }, description: /Default: 5\.$/ })
  t.strictSame(responses['200'].content['application/json'].schema.anyOf[0].properties.total, { type: 'null' })
  t.notOk(parameters.some(({ name }: Json) => name === 'count'), 'requests may not choose the total')
  for (const [path, choices] of [['/choice', ['none', 'exact']], ['/bounded-choice', ['none']]] as const) {
    const { parameters, responses } = document.paths[path].get
    t.match(parameters.find(({ name }: Json) => name === 'count').schema, { type: 'string', enum: choices })
    const page = responses['200'].content['application/json'].schema.anyOf[0]
    t.match(page.properties.total, { anyOf: [{ type: 'integer' }, { type: 'null' }] })
    t.notOk(page.required.includes('total_is_minimum'), 'absent without a total')
  }
})

t.test('with a hook that changes records, no field is documented as always present', async (t) => {
  class Changed extends CrudBase {
    override afterRead (record: Json): Json {
      return { name: record.name }
    }
  }
  const document = await documented(t, {
    '/plants': new Changed({ model: Plant, writable: 'all' }),
    '/tags': resource(Tag),
    '/named': resource(Tag, { allowedFields: ['name'] }),
  })
  const required = (path: string): unknown =>
    document.paths[`${path}/{id}`].get.responses['200'].content['application/json'].schema.required
  t.equal(required('/plants'), undefined)
  t.equal(required('/named'), undefined)
  t.strictSame(required('/tags'), ['id', 'deleted_at', 'name', 'weight'])
})

t.test('resources with the same name have different operation ids', async (t) => {
  const crud = resource(Tag)
  const document = await documented(t, {
    '/tags': crud, '/v2/tags': crud, '/v2-tags': crud, '/x': { crud, name: 'Größen & mehr' },
  })
  await checkValid(t, document)
  t.strictSame(idsOf(document).filter((id) => id.startsWith('list')), [
    'list_tag', 'list_v2_tags', 'list_v2_tags_2', 'list_Größen_mehr',
  ])
  t.equal(new Set(idsOf(document)).size, idsOf(document).length)
})

t.test('operations that need an identity document 401 and 403', async (t) => {
  const plants = resource(Plant, { allowedFilters: ['name'] })
  const statuses = async (t: Test, global: readonly object[] | undefined, own: readonly object[] | undefined) => {
    const document = await documented(
      t,
      { '/plants': { crud: plants, ...(own !== undefined && { schemas: { list: { security: own } as object } }) } },
      {
        openapi: {
          ...OPENAPI_3_1.openapi,
          components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
          ...(global !== undefined && { security: global }),
        },
      } as SwaggerOptions
    )
    return Object.keys(document.paths['/plants'].get.responses)
  }
  const guarded = ['200', '400', '401', '403', '503']
  t.strictSame(await statuses(t, undefined, undefined), ['200', '400', '503'])
  t.strictSame(await statuses(t, [{ bearer: [] }], undefined), guarded)
  t.strictSame(await statuses(t, undefined, [{ bearer: [] }]), guarded)
  t.strictSame(await statuses(t, [{ bearer: [] }], []), ['200', '400', '503'], 'a public operation')
  t.strictSame(await statuses(t, [{}, { bearer: [] }], undefined), ['200', '400', '503'], 'an identity is optional')
})

t.test("the application's own declarations override generated ones", async (t) => {
  const plants = resource(Plant, { allowedFilters: ['name'] })
  t.test('an application may declare parts of a schema', async (t) => {
    const document = await documented(t, {
      '/plants': {
        crud: plants,
        schemas: {
          list: {
            querystring: {
              type: 'object',
              properties: { season: { type: 'string' }, 'filter[name]': { type: 'string', description: 'mine' } },
            },
            summary: 'All plants',
          } as object,
          get: {
            response: {
              '4xx': { description: 'mine', type: 'object' },
              200: { description: 'A plant', type: 'object' },
            },
          },
          update: {
            body: { type: 'object', properties: { name: { type: 'string' } } },
            operationId: 'change',
          } as object,
          delete: { hide: true } as object,
        },
      },
    })
    await checkValid(t, document)
    const { get } = document.paths['/plants']
    t.equal(get.summary, 'All plants')
    t.match(parametersOf(get), {
      season: { schema: { type: 'string' } }, 'filter[name]': { description: 'mine' }, page: Object,
    })
    const one = document.paths['/plants/{id}']
    t.strictSame(Object.keys(one.get.responses).sort(), ['200', '4XX', '503'])
    t.equal(one.get.responses['200'].description, 'A plant')
    t.strictSame(Object.keys(one.patch.requestBody.content['application/json'].schema.properties), ['name'])
    t.strictSame([one.patch.operationId, one.put.operationId], ['change', 'change_put'])
    t.notOk('delete' in one)
  })

  t.test('a parameter of the route stays required beside those that the application requires', async (t) => {
    const document = await documented(t, {
      '/tags': {
        crud: new CrudBase({ model: Tag, writable: 'all', upsertKeys: ['name'] }),
        operations: ['upsert'],
        schemas: {
          upsert: {
            querystring: { type: 'object', required: ['lang'], properties: { lang: { type: 'string' } } },
          } as object,
        },
      },
    })
    await checkValid(t, document)
    t.match(parametersOf(document.paths['/tags'].put), { on: { required: true }, lang: { required: true } })
  })

  t.test('a transform runs last, and sees the documented schema', async (t) => {
    const document = await documented(t, {
      '/plants': {
        crud: plants,
        config: {
          swaggerTransform: ({ schema, url }: Json) => ({
            schema: {
              ...schema, description: Object.keys(schema.querystring?.properties ?? {}).join(),
              hide: schema.operationId === 'get_plant',
            },
            url: `/api${url}`,
          }),
        },
      },
      '/tags': { crud: resource(Tag), config: { swaggerTransform: false } },
    })
    t.match(document.paths['/api/plants'].get.description, /filter\[name\]/)
    t.notOk('get' in document.paths['/api/plants/{id}'])
    t.ok(document.paths['/tags/'].get.parameters.length > 0, 'without a transform, the schema of the route is shown')
  })
})

t.test('other versions of the specification work', async (t) => {
  const resources = {
    '/plants': resource(Plant, { allowedFilters: [{ price: ['eq', 'in', 'isnull'] }], allowedSorts: ['name'] }),
    '/specimens': resource(Specimen),
    '/orders': resource(Order),
  }
  const old = await documented(t, resources, { openapi: { info: { title: 'Test', version: '1' } } })
  t.equal(old.openapi, '3.0.3')
  await checkValid(t, old)
  const older = await documented(t, resources, { swagger: { info: { title: 'Test', version: '1' } } })
  t.equal(older.swagger, '2.0')
  t.ok(older.paths['/plants'].get.parameters.some(({ name }: Json) => name === 'filter[price][in]'))
})

t.test('documented HEAD routes have their own ids', async (t) => {
  const document = await documented(t, { '/tags': resource(Tag) },
    { ...OPENAPI_3_1, exposeHeadRoutes: true } as SwaggerOptions)
  await checkValid(t, document)
  t.ok(idsOf(document).includes('list_tag-head'))
  t.equal(new Set(idsOf(document)).size, idsOf(document).length)
})

t.test('routes have their schemas without @fastify/swagger, and their own compilers', async (t) => {
  for (const documents of [false, true]) {
    const compiled: string[] = []
    const build = (what: string) => () => {
      compiled.push(what)
      return () => () => true
    }
    const app = Fastify(
      {
        schemaController: {
          compilersFactory: { buildValidator: build('validator'), buildSerializer: build('serializer') },
        },
      } as unknown as FastifyServerOptions
    )
    t.teardown(() => app.close())
    if (documents) await app.register(swagger, OPENAPI_3_1)
    const schemas: unknown[] = []
    const transforms = new Set<unknown>()
    app.addHook('onRoute', ({ schema, config }) => {
      if (!config?.crud) return
      schemas.push(...Object.keys(schema ?? {}))
      transforms.add(typeof (config as { swaggerTransform?: unknown }).swaggerTransform)
    })
    await app.register(crudKit, { orm: ormOf(), resources: { '/plants': resource(Plant) } })
    await app.ready()
    t.strictSame([...new Set(schemas)].sort(), [
      'body', 'description', 'params', 'querystring', 'response', 'summary', 'tags',
    ])
    t.strictSame(compiled, [])
    t.strictSame([...transforms], [documents ? 'function' : 'undefined'])
  }
})
