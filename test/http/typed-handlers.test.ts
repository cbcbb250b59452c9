/** Hand-written handlers with the schemas of a resource. */
import { TypeBoxValidatorCompiler, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { p } from '@mikro-orm/core'
import t from 'tap'
import {
  AllowedField, AllowedInclude, CrudBase, crudKit, crudSchemas, parseQueryParams, primaryKey, QueryBuilderConfig,
} from '../../src/index.ts'
import { entities, OrderItem, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'
import { ormOf } from '../helpers/models.ts'
import { newServer } from '../helpers/server.ts'
import { bodyOf, resource } from './helper.ts'

const plants = new CrudBase<Plant>({
  model: Plant,
  writable: 'all',
  queryConfig: new QueryBuilderConfig<Plant>({
    allowedFields: [new AllowedField('name')],
    allowedIncludes: [
      new AllowedInclude('supplier'), new AllowedInclude('tags'), AllowedInclude.count('tags'),
      AllowedInclude.exists('supplier.plants'), AllowedInclude.max('specimens.cells'),
    ],
  }),
})

const Poem = entity('Poem', {
  ...primaryKey, words: p.array(), beats: p.array().columnType('int[]'), read: p.array().columnType('timestamptz[]'),
})
const Gauge = entity('Gauge', { ...primaryKey, ratio: p.double() })
const gauges = new CrudBase({ model: Gauge, writable: 'all' })
const poems = new CrudBase({ model: Poem, writable: 'all' })

await forOneDatabase(t, { entities: [...entities, Poem, Gauge], seed }, async (t, { orm }) => {
  const app = newServer(t).withTypeProvider<TypeBoxTypeProvider>()
  await app.register(crudKit, { orm })
  const { id, record, list, update } = crudSchemas(plants, orm)
  app.get('/plants', { schema: { response: { 200: list } } },
    async (request) => await plants.list(request.em, request.queryParams))
  app.post('/plants/:id/rename', {
    schema: { params: { type: 'object', properties: { id } } as never, body: update, response: { 200: record } },
  }, async (request) => {
    const { id } = request.params as { id: number }
    t.type(id, 'number')
    return await plants.update(request.em, id, { name: request.body.name })
  })

  t.test('answers are serialized unchanged', async (t) => {
    for (const query of [
      '', '?include=supplier,tags', '?limit=2&fields=name', '?include=supplier&per_page=1',
      '?include=tagsCount,supplier.plantsExists,specimensCellsMax&fields=name',
    ]) {
      const params = parseQueryParams(query.slice(1))
      t.strictSame(bodyOf(await app.inject(`/plants${query}`)), await plants.list(orm.em.fork(), params), query)
    }
  })

  t.test('items of arrays may be null, in bodies and in answers', async (t) => {
    const { create, record } = crudSchemas(poems as CrudBase<any>, orm)
    const typed = newServer(t).setValidatorCompiler(TypeBoxValidatorCompiler)
    await typed.register(crudKit, { orm })
    typed.post('/poems', { schema: { body: create, response: { 201: record } } }, async (request, reply) =>
      await reply.code(201).send(await poems.create(request.em, request.body as never)))
    const body = { words: ['a', null], beats: [null, 2], read: [null, '2026-01-02T03:04:05.000Z'] }
    const response = await typed.inject({ method: 'POST', url: '/poems', body })
    t.match([response.statusCode, response.json()], [201, { id: 1, ...body }])
  })

  t.test('a response schema has no number that is not finite', async (t) => {
    const { record } = crudSchemas(gauges, orm)
    const typed = newServer(t)
    await typed.register(crudKit, { orm })
    typed.get('/gauges/:id', { schema: { response: { 200: record } } }, async (request) =>
      await gauges.get(request.em, Number((request.params as { id: string }).id)))
    const cases = [[1.5, 200, 1.5], ['-Infinity', 200, null], ['NaN', 500, undefined]] as const
    for (const [ratio, status, shown] of cases) {
      const { id, ratio: stored } = await gauges.create(orm.em.fork(), { ratio } as never)
      t.equal(stored, ratio)
      const response = await typed.inject(`/gauges/${id}`)
      t.strictSame([response.statusCode, response.json().ratio], [status, shown], String(ratio))
    }
  })

  t.test('a handler gets a typed body and key', async (t) => {
    const response = await app.inject({ method: 'POST', url: '/plants/1/rename', body: { name: 'Lavandula' } })
    t.match(bodyOf(response), { id: 1, name: 'Lavandula' })
    t.equal((await app.inject({ method: 'POST', url: '/plants/x/rename', body: {} })).statusCode, 400)
  })
})

t.test("an application's response schema replaces a generated one and leaves error schemas unchanged", async (t) => {
  const app = newServer(t)
  const schemas = { get: { response: { 200: { type: 'object', properties: { name: { type: 'string' } } } } } }
  await app.register(crudKit, { orm: ormOf(), resources: { '/plants': { crud: plants, schemas } } })
  const response = await app.inject('/plants/1?include=nothing')
  t.equal(response.statusCode, 400)
  t.match(bodyOf(response), {
    code: 'FST_CRUD_INCLUDE_INVALID',
    detail: String,
    errors: [{
      source: { parameter: 'include' },
      allowed: ['specimensCellsMax', 'supplier', 'supplier.plantsExists', 'tags', 'tagsCount'],
    }],
  })
})

t.test('a composite key is an object', async (t) => {
  const { id } = crudSchemas(resource(OrderItem), ormOf())
  t.match(id, { type: 'object', properties: { order: { type: 'integer' }, plant: { type: 'integer' } } })
})
