/** The operations of the client, against a listening server. The types come from the resources. */
import t from 'tap'
import { createClient, CrudError, etagOf, isCrudError, type CrudErrorItem } from '../../src/client/index.ts'
import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  crudKit, type ApiOf,
} from '../../src/index.ts'
import { entities, Order, OrderItem, Plant, Specimen, Supplier, Tag } from '../fixtures/entities.ts'
import { customerId, plantUuid, seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { collect } from '../helpers/collect.ts'

const resources = {
  '/plants': {
    crud: new CrudBase({
      model: Plant,
      queryConfig: {
        allowedFilters: [
          new AllowedFilters('name', 'eq', ['eq', 'in', 'contains']),
          new AllowedFilters('price', 'gte', ['gte', 'lte', 'between', 'isnull']),
          new AllowedFilters('created_at', 'lt', ['lt', 'gte'], { alias: 'added' }),
          new AllowedFilters('group', 'eq', ['eq', 'isnull']),
          AllowedFilters.exact('tags.name'),
          AllowedFilters.exact('status').ignore('all'),
          AllowedFilters.search('q', ['name', 'latinName']),
          AllowedFilters.custom('even', (qb, value) => value === 'true' ? qb.andWhere('e0.id % 2 = 0') : qb),
          AllowedFilters.trashed(),
          new AllowedFilters('id', 'in'),
          new AllowedFilters('tagsCount', 'gte'),
        ],
        allowedSorts: [
          new AllowedSort('name', 'id', 'tagsCount'),
          new AllowedSort('price', { direction: 'desc' }),
          new AllowedSort('supplier.name', 'name', { alias: 'origin' }),
        ],
        allowedFields: [
          new AllowedField('id'),
          new AllowedField('name'),
          new AllowedField('price', { alias: 'cost' }),
          new AllowedField('supplier.name'),
          new AllowedField('tags.name'),
        ],
        allowedIncludes: [
          new AllowedInclude('supplier', { alias: 'from' }),
          new AllowedInclude('tags'),
          new AllowedInclude('offers.plant'),
          AllowedInclude.count('tags'),
          AllowedInclude.exists('offers'),
          AllowedInclude.max('offers.price', { alias: 'best' }),
        ],
        allowedFacets: [new AllowedFacet('status'), new AllowedFacet('supplier.name', { alias: 'from' })],
        allowedGroups: [new AllowedGroup('supplier.name'), AllowedGroup.date('created_at', ['year'])],
        allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('price', ['sum', 'max'])],
        defaultSort: ['id'],
        pagination: { countParameter: true },
      },
      writable: ['name', 'price', 'status', 'supplier', 'tags', 'description'],
    }),
    operations: [
      'list',
      'get',
      'create',
      'createMany',
      'update',
      'updateMany',
      'delete',
      'deleteMany',
      'restore',
      'aggregate',
    ] as const,
    allowHardDelete: true, stream: true, query: true,
  },
  '/orders': new CrudBase({ model: Order, writable: ['customer', 'note'] }),
  '/items': new CrudBase({ model: OrderItem, writable: ['order', 'plant', 'quantity', 'price'] }),
  '/tags': new CrudBase({ model: Tag, queryConfig: { allowedSorts: [new AllowedSort('name')] }, writable: ['name'] }),
  '/specimens': {
    crud: new CrudBase({
      model: Specimen,
      queryConfig: {
        allowedFilters: [
          new AllowedFilters('spores', 'eq', ['eq', 'in']),
          new AllowedFilters('synonyms', 'contains', ['contains', 'overlap']),
          new AllowedFilters('hardiness'),
        ],
      },
      writable: ['code', 'plant', 'spores', 'measuredAt'], upsertKeys: ['code'],
    }),
    operations: ['list', 'create', 'upsert'] as const,
  },
  '/suppliers': { crud: new CrudBase({ model: Supplier }), operations: ['list'] as const },
}
type Api = ApiOf<typeof resources>
type PlantFilter = NonNullable<NonNullable<Parameters<Api['/plants']['list']>[0]>['filter']>

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = newServer(t)
  await app.register(crudKit, { orm, resources })
  const requests: string[] = []
  app.addHook('onRequest', async ({ method, url }) => {
    requests.push(`${method} ${decodeURIComponent(url)}`)
  })
  const api = createClient<Api>(await app.listen({ port: 0, host: '127.0.0.1' }) + '/')
  const plants = api['/plants']
  const names = async (query: Parameters<typeof plants.list>[0]) =>
    (await plants.list(query)).items.map(({ name }) => name)

  t.test('lists filter, sort, select and include', async (t) => {
    const page = await plants.list({
      filter: { price: { gte: 1, lte: 20 }, 'tags.name': 'sun', added: new Date('2024-12-31'), status: 'all' },
      sort: ['origin', '-id'],
      fields: ['id', 'name', 'cost'],
      include: ['from', 'tagsCount', 'best', 'offersExists'],
      fieldsByInclude: { from: ['name'] },
      per_page: 5,
    })
    t.strictSame(page, {
      items: [
        {
          id: 1,
          name: 'Lavender',
          price: 9.9,
          supplier: { name: 'Vert & Fils' },
          tagsCount: 2,
          offersExists: true,
          offersPriceMax: page.items[0]!.offersPriceMax,
        },
        {
          id: 3,
          name: 'Sage 100%',
          price: 9.9,
          supplier: { name: 'Vert & Fils' },
          tagsCount: 1,
          offersExists: page.items[1]!.offersExists,
          offersPriceMax: page.items[1]!.offersPriceMax,
        },
      ],
      total: 2, page: 1, per_page: 5, total_pages: 1, has_next: false, has_prev: false,
    })
    const { items } = await plants.list({ filter: { name: 'Lavender' }, include: ['offers.plant'] })
    t.equal(items[0]!.offers[0]!.plant!.name, 'Lavender')
    t.equal(items[0]!.supplier, 1, 'a relation that is not included is its key')
  })

  t.test('groups of filters find the records that a list of all has', async (t) => {
    const { items: all } = await plants.list({ per_page: 100, include: ['tagsCount', 'tags'] })
    const found = async (filter: PlantFilter, keeps: (plant: typeof all[number]) => boolean): Promise<void> => {
      const { items } = await plants.list({ filter, per_page: 100 })
      t.strictSame(items.map(({ id }) => id), all.filter(keeps).map(({ id }) => id), JSON.stringify(filter))
      t.ok(items.length > 0 && items.length < all.length)
    }
    await found({ or: [{ name: 'Moss' }, { price: { gte: 20 } }] },
      ({ name, price }) => name === 'Moss' || price! >= 20)
    await found({ not: { price: null }, price: { lte: 10 } }, ({ price }) => price !== null && price <= 10)
    await found({ not: { or: [{ name: ['Moss', 'Thyme'] }, { and: [{ group: null }, { price: null }] }] } },
      ({ name, group, price }) => !(['Moss', 'Thyme'].includes(name) || (group === null && price === null)))
    await found({ tagsCount: 2, or: [{ 'tags.name': 'sun' }] },
      ({ tagsCount, tags }) => tagsCount >= 2 && tags.some(({ name }) => name === 'sun'))
    t.equal((await plants.list({ filter: { tagsCount: 2 }, sort: ['-tagsCount'], count: 'none' })).total, null)
    t.equal((await collect(plants.stream({ filter: { or: [{ name: 'Moss' }] } }))).length, 1)
    const error = await plants.list({ filter: { or: [{ nmae: 'x' }] } as never }).catch((error) => error)
    t.equal(error.errorFor('filter[or][0][nmae]').suggestion, 'name')
  })

  t.test('a query that is too long for a URL is the body of a request', async (t) => {
    const { items: all } = await plants.list({ fields: ['id'], per_page: 100 })
    const ids = [...all.map(({ id }) => id), ...Array.from({ length: 900 }, (_, i) => 1_000_000 + i)]
    requests.length = 0
    const page = await plants.list({ filter: { id: { in: ids }, not: { name: 'Moss, or "moss" & +' } }, per_page: 2 })
    t.match(page, { total: all.length, items: [{ id: 1 }, { id: 2 }], per_page: 2 })
    t.strictSame(requests, ['POST /plants/query'])
    t.equal((await collect(plants.each({ filter: { id: { in: ids } }, fields: ['id'], per_page: 5 }))).length,
      all.length)
    t.equal(requests.length, 1 + Math.ceil(all.length / 5))
    t.equal((await plants.list({ filter: { id: ids.slice(0, 100), name: { contains: 'o' } } })).total,
      (await plants.list({ filter: { name: { contains: 'o' } } })).total)
    t.strictSame(requests.slice(-2).map((request) => request.slice(0, 13)), ['POST /plants/', 'GET /plants?f'],
      'a list without an operator is a parameter for each value')
    const long = { or: Array.from({ length: 40 }, (_, i) => ({ name: { eq: `${i}${'x'.repeat(240)}` } })) }
    t.equal((await plants.list({ filter: { or: [long, { name: 'Moss' }] } })).total, 1)
    t.equal(requests.at(-1), 'POST /plants/query')
    const error = await plants.list({ filter: { id: { in: [...ids, 'x'] } } as never }).catch((error) => error)
    t.match(error.errorFor('filter[id][in]'), { code: 'FST_CRUD_FILTER_INVALID' }, 'with the same place of a mistake')
  })

  t.test('a resource without groups says what is wrong with a query that is too long', async (t) => {
    requests.length = 0
    const spores = Array.from({ length: 101 }, (_, i) => i)
    await t.rejects(api['/specimens'].list({ filter: { spores: { in: spores } } }), {
      code: 'FST_CRUD_FILTER_INVALID',
      errors: [{ source: { parameter: 'filter[spores][in]' }, detail: /more than 100 items/ }],
    })
    t.match(requests, ['POST /specimens/query', /^GET /])
  })

  t.test('facets and aggregates have numbers about many records', async (t) => {
    const { items: all } = await plants.list({ per_page: 100, include: ['from'] })
    const page = await plants.list({ facets: ['status', 'from'], filter: { status: 'active' }, fields: ['id'] })
    t.equal(page.facets.status.reduce((sum, { count }) => sum + count, 0), all.length, 'without its own filter')
    t.ok(page.facets.from.reduce((sum, { count }) => sum + count, 0) <= page.total!)
    t.type(page.facets.from[0]!.value, 'string')
    const { items, total } = await plants.aggregate({
      group: ['supplier.name', 'created_at.year'], aggregate: ['count', 'price.sum', 'price.max'],
      filter: { not: { price: null } }, sort: ['-count', 'supplier.name'], per_page: 100,
    })
    t.equal(items.length, total)
    t.equal(items.reduce((sum, { count }) => sum + count, 0), all.filter(({ price }) => price !== null).length)
    for (const { supplier_name: supplier, price_sum: sum, price_max: max, created_at_year: year } of items) {
      t.match(year, /^\d{4}-01-01$/)
      t.ok(max! <= sum! && all.some(({ from }: any) => supplier === null || from !== supplier))
    }
    t.strictSame((await plants.aggregate({ aggregate: ['count'] })).items, [{ count: all.length }])
    await t.rejects(plants.aggregate({ aggregate: ['price.avg' as 'price.sum'] }), {
      code: 'FST_CRUD_FIELD_INVALID',
      errors: [{ source: { parameter: 'aggregate' } }],
    })
  })

  t.test('values of every kind find their records', async (t) => {
    t.strictSame(await names({ filter: { name: ['Sage 100%', 'Rose "Gold", O\'Neill', 'null'] } }), [
      'Sage 100%', 'Rose "Gold", O\'Neill', 'null',
    ])
    t.strictSame(await names({ filter: { name: { in: ['Back\\slash fern', 'Rose "Gold", O\'Neill', ''] } } }), [
      'Back\\slash fern', 'Rose "Gold", O\'Neill', '',
    ])
    t.strictSame(await names({ filter: { name: { in: [] } } }), [])
    t.strictSame(await names({ filter: { name: [] } }), [], 'no values are no records')
    t.strictSame(await names({ filter: { price: { between: [24, 50] } } }), ['Snake_plant', 'Rose "Gold", O\'Neill'])
    t.strictSame(await names({ filter: { price: null } }), ['lavender', ''])
    t.strictSame(await names({ filter: { price: { lte: 1e-7 } } }), ['Moss'], 'JavaScript writes an exponent')
    t.strictSame(await names({ filter: { group: { eq: null }, q: 'thy' } }), [])
    t.strictSame(await names({ filter: { group: 2 } }), ['Sage 100%', 'Thyme'])
    t.strictSame(await names({ filter: { added: { lt: new Date('1970-01-01') } } }), ['Moss'])
    t.strictSame(await names({ filter: { trashed: 'only' } }), ['Nightshade'])
    t.strictSame(await names({ filter: { even: true, price: { gte: 30 } } }),
      ['Rose "Gold", O\'Neill', 'Moss'].slice(0, 1))
    t.strictSame(await names({ filter: { name: undefined, price: { gte: undefined, lte: 0 } } }), ['Moss'],
      'undefined is as if it were not there')
    t.equal(
      (await api['/specimens'].list({
        filter: { spores: { in: [9007199254740993n, '5'] }, synonyms: { overlap: ['a,b'] }, hardiness: 3 },
      })).items.length,
      0
    )
  })

  t.test('lists have pages by number, offset and cursor', async (t) => {
    t.match(await plants.list(), { page: 1, per_page: 20 })
    t.match(await plants.list({ page: 2, per_page: 3 }), { page: 2, has_prev: true, items: [{ id: 4 }, {}, {}] })
    t.match(await plants.list({ limit: 2, offset: 1 }), { limit: 2, offset: 1, items: [{ id: 2 }, { id: 3 }] })
    const first = await plants.list({ cursor: '', per_page: 2 })
    t.match(await plants.list({ cursor: first.next_cursor!, per_page: 2 }), {
      items: [{ id: 3 }, { id: 4 }],
      next_cursor: String,
    })
  })

  t.test('each and pages follow cursors to the end, also while rows are inserted', async (t) => {
    const tags = api['/tags']
    for (let i = 10; i < 22; i++) await tags.create({ name: `each ${i}` })
    const seen: string[] = []
    for await (const { name } of tags.each({ sort: ['name'], per_page: 4 })) {
      seen.push(name)
      // one row on a page that was read, and one still to come
      if (name === 'each 12') { for (const name of ['aaa', 'each 99']) await tags.create({ name }) }
    }
    t.strictSame(seen, [
      'bee-friendly', ...Array.from({ length: 12 }, (_, i) => `each ${i + 10}`), 'each 99', 'shade', 'sun', 'unused',
    ])
    const pages = await collect(tags.pages({ sort: ['-name'], per_page: 10 }))
    t.strictSame(pages.map(({ items }) => items.length), [10, 8])
    requests.length = 0
    const some = tags.pages({ per_page: 5 })
    t.equal((await some.next()).value.items.length, 5)
    await some.return!()
    t.strictSame(requests, ['GET /tags?per_page=5&cursor='], 'a page is not asked for before it is wanted')
  })

  t.test('a stream has all records', async (t) => {
    const all = await collect(
      plants.stream({ filter: { price: { gte: 9 } }, fields: ['id', 'name'], include: ['tags'], sort: ['id'] })
    )
    t.strictSame(all.map(({ name }) => name), await names({ filter: { price: { gte: 9 } } }))
    t.strictSame(Object.keys(all[0]!), ['id', 'name', 'tags'])
    t.equal(all[0]!.tags[0]!.name, 'sun')
    for await (const { id } of plants.stream({ sort: ['id'] })) if (id === 3) break
    await t.rejects(collect(plants.stream({ filter: { price: 'x' as never } })), {
      status: 400,
      code: 'FST_CRUD_FILTER_INVALID',
    })
  })

  t.test('a URL is for requests of the application, such as CSV', async (t) => {
    const url = plants.url({ filter: { price: { gte: 9 } }, sort: ['id'], fields: ['id', 'name'] })
    const response = await fetch(url, { headers: { accept: 'text/csv' } })
    t.match(response.headers.get('content-type'), 'text/csv')
    const [head, ...rows] = (await response.text()).trimEnd().split('\r\n')
    t.equal(head, 'id,name')
    t.equal(rows.length, (await names({ filter: { price: { gte: 9 } } })).length)
    t.match(plants.url(), /^http:.*\/plants$/)
    t.throws(() => plants.url({ fitler: {} } as object), {
      name: 'TypeError',
      message: /there is no option 'fitler'. Allowed: filter,/,
    })
  })

  t.test('records are created, read, changed, deleted and restored', async (t) => {
    const created = await plants.create({ name: 'Fern', supplier: 1, tags: [1, 2], price: 3 })
    t.match(created, { name: 'Fern', supplier: 1, status: 'draft', price: 3 })
    const read = await plants.get(created.id, { include: ['tags'], fields: ['name'] })
    t.strictSame(read, { name: 'Fern', tags: (await plants.get(created.uuid, { include: ['tags'] })).tags })
    t.match(await plants.update(created.id, { description: null, status: 'active' }), {
      status: 'active',
      name: 'Fern',
    })
    t.equal((await plants.delete(created.id)).id, created.id)
    await t.rejects(plants.get(created.id), { status: 404, code: 'FST_CRUD_NOT_FOUND' })
    t.equal((await plants.restore(created.id)).deleted_at, null)
    await plants.delete(created.id, { hard: true })
    await t.rejects(plants.restore(created.id), { code: 'FST_CRUD_NOT_FOUND' })
    const many = await plants.createMany([{ name: 'a', supplier: 1 }, { name: 'b', supplier: 2 }])
    t.strictSame(many.map(({ name, supplier }) => [name, supplier]), [['a', 1], ['b', 2]])
    const specimen = await api['/specimens'].create({
      code: 'c1', plant: 1, spores: 9007199254740993n, measuredAt: new Date(0),
    })
    t.match(specimen, { spores: '9007199254740993', measuredAt: '1970-01-01T00:00:00.000Z' })
    t.equal((await plants.get(plantUuid(1))).id, 1)
  })

  t.test('all records that match a filter are changed or deleted', async (t) => {
    const made = await plants.createMany(['a', 'b', 'c,d'].map((name) => ({ name: `many ${name}`, supplier: 1 })))
    const found = { filter: { name: made.map(({ name }) => name), status: 'draft' } } as const
    requests.length = 0
    t.strictSame(await plants.updateMany(found, { price: 2 }, { dryRun: true }), { affected: 3 })
    t.strictSame(await plants.updateMany(found, { price: 4 }, { dryRun: false }), { affected: 3 })
    t.strictSame(requests, [
      'PATCH /plants?filter[name][]=many a&filter[name][]=many b&filter[name][]=many c,d&filter[status]=draft' +
      '&dry_run=true',
      'PATCH /plants?filter[name][]=many a&filter[name][]=many b&filter[name][]=many c,d&filter[status]=draft',
    ])
    t.strictSame((await plants.list(found)).items.map(({ price }) => price), [4, 4, 4])
    t.strictSame(await plants.deleteMany({ filter: { name: 'many a' } }), { affected: 1 })
    t.strictSame(await plants.deleteMany(found, { hard: true, dryRun: true }), { affected: 2 })
    t.strictSame(await plants.deleteMany(found, { hard: true }), { affected: 2 })
    t.match(await plants.restore(made[0]!.id), { name: 'many a' })
    await plants.delete(made[0]!.id, { hard: true })
    t.strictSame(await plants.deleteMany({ filter: { name: [] } }), { affected: 0 }, 'no values are no records')
    await t.rejects(plants.updateMany({ filter: { trashed: 'without' } }, { price: 1 }), {
      status: 400,
      code: 'FST_CRUD_FILTER_INVALID',
    })
  })

  t.test('a write of many records without a complete filter is refused without a request', async (t) => {
    requests.length = 0
    const untyped = plants as any
    const empty = 'filter: without a condition, all records would match.'
    for (const [query, message] of [
      [undefined, empty],
      [null, empty],
      [[], empty],
      [{}, empty],
      [{ filter: undefined }, empty],
      [{ filter: {} }, empty],
      [{ filter: { name: undefined } }, 'filter[name]: undefined is not a value for a filter.'],
      [{ filter: { status: 'draft', name: {} } }, 'filter[name]: undefined is not a value for a filter.'],
      [{ filter: { price: { gte: 1, lte: undefined } } }, 'filter[price][lte]: undefined is not a value for a filter.'],
      [{ filter: { name: [undefined] } }, 'filter[name]: undefined is not a value for a filter.'],
    ] as const) {
      await t.rejects(untyped.updateMany(query, {}), new TypeError(message))
      await t.rejects(untyped.deleteMany(query), new TypeError(message))
    }
    const unknown = "deleteMany: there is no option 'id'. Allowed: filter."
    await t.rejects(untyped.deleteMany({ id: [] }), new TypeError(unknown))
    await t.rejects(untyped.deleteMany([7]), { name: 'TypeError', message: /^deleteMany: there is no option '0'/ })
    t.strictSame(requests, [])
  })

  t.test('an upsert creates a record, or changes the one with its key', async (t) => {
    const specimens = api['/specimens']
    requests.length = 0
    const first = await specimens.upsert({ code: 'up', plant: 1, measuredAt: new Date(0) }, { on: 'code' })
    t.match(first, { created: true, record: { code: 'up', spores: null } })
    const second = await specimens.upsert({ code: 'up', plant: 1, spores: 7n }, { on: ['code'] })
    t.match(second, { created: false, record: { id: first.record.id, spores: '7', measuredAt: /^1970/ } })
    const both = await specimens.upsert([{ code: 'up', spores: 8n }, { code: 'new', plant: 2 }], { on: 'code' })
    t.match(both, [{ created: false, record: { spores: '8' } }, { created: true, record: { code: 'new' } }])
    t.strictSame(requests, Array(3).fill('PUT /specimens?on=code'))
    const refused = await specimens.upsert({ spores: 1n }, { on: 'code' }).catch((error: unknown) => error)
    t.ok(isCrudError(refused) && refused.errorFor('/code'))
    await t.rejects((specimens as any).upsert({ code: 'x' }), { status: 400, code: 'FST_CRUD_QUERY_INVALID' })
  })

  t.test('a composite key is the list of its parts', async (t) => {
    t.match(await api['/items'].get([1, 3]), { order: 1, plant: 3, price: 8 })
    t.match(await api['/items'].update([1, 3], { quantity: 9 }), { quantity: 9 })
    t.match(await api['/items'].delete([1, 3]), { quantity: 9 })
    await t.rejects(api['/items'].get([1, 3]), { code: 'FST_CRUD_NOT_FOUND' })
  })

  t.test('an invalid key is refused without a request', async (t) => {
    requests.length = 0
    for (const id of ['', '.', '..', undefined, null, {}, NaN, [1, '..'], [], [[]], [1, []], [''], [undefined]]) {
      for (const act of [
        () => plants.get(id as never), () => plants.delete(id as never), () => plants.update(id as never, {}),
        () => plants.restore(id as never),
      ]) {
        await t.rejects(act(), { name: 'TypeError', message: /^id: .* is not a key of a record/ }, String(id))
      }
    }
    t.strictSame(requests, [])
    await t.rejects(plants.get('../orders' as never), { code: 'FST_ERR_VALIDATION' }, 'and a path in a key is text')
    t.strictSame(requests, ['GET /plants/../orders'])
  })

  t.test('an option that the method does not have is refused without a request', async (t) => {
    requests.length = 0
    const untyped = plants as any
    const list = 'filter, sort, include, fields, fieldsByInclude, signal'
    for (const [act, message] of [
      [() => untyped.list({ filters: { q: 'sage' } }),
        `list: there is no option 'filters'. Allowed: ${list}, facets, page, per_page, limit, offset, cursor, count.`],
      [() => collect(untyped.pages({ perPage: 1 })),
        `pages: there is no option 'perPage'. Allowed: ${list}, per_page, cursor.`],
      [() => collect(untyped.each({ size: undefined })),
        `each: there is no option 'size'. Allowed: ${list}, per_page, cursor.`],
      [() => collect(untyped.stream({ Sort: [] })), `stream: there is no option 'Sort'. Allowed: ${list}.`],
      [
        () => untyped.aggregate({ include: [] }),
        "aggregate: there is no option 'include'. Allowed: filter, group, aggregate, sort, page, per_page, limit, " +
        'offset, signal.',
      ],
      [() => untyped.get(1, { inlcude: ['tags'] }),
        "get: there is no option 'inlcude'. Allowed: include, fields, fieldsByInclude, signal."],
      [() => untyped.create({}, { ifMatch: '"1"' }),
        "create: there is no option 'ifMatch'. Allowed: signal, idempotencyKey."],
      [() => untyped.createMany([], { Signal: 1 }),
        "create: there is no option 'Signal'. Allowed: signal, idempotencyKey."],
      [() => untyped.update(1, {}, { ifmatch: '"1"' }),
        "update: there is no option 'ifmatch'. Allowed: ifMatch, signal, idempotencyKey."],
      [() => untyped.delete(1, { force: true }),
        "delete: there is no option 'force'. Allowed: hard, ifMatch, signal, idempotencyKey."],
      [() => untyped.updateMany({ filter: { name: 'x' } }, {}, { dry_run: true }),
        "updateMany: there is no option 'dry_run'. Allowed: dryRun, signal, idempotencyKey."],
      [() => untyped.deleteMany({ filter: { name: 'x' }, page: 1 }),
        "deleteMany: there is no option 'page'. Allowed: filter."],
      [() => untyped.upsert({}, { onn: 'code' }),
        "upsert: there is no option 'onn'. Allowed: on, ifMatch, signal, idempotencyKey."],
      [() => untyped.restore(1, { hard: true }),
        "restore: there is no option 'hard'. Allowed: ifMatch, signal, idempotencyKey."],
    ] as const) await t.rejects(act(), new TypeError(message))
    t.strictSame(requests, [])
  })

  t.test('ifMatch changes a record only in its version', async (t) => {
    const order = await api['/orders'].create({ customer: customerId(1), note: 'a' })
    t.equal(etagOf(order), '"1"')
    const changed = await api['/orders'].update(order.id, { note: 'b' }, { ifMatch: order })
    t.equal(etagOf(changed), '"2"')
    await t.rejects(api['/orders'].update(order.id, { note: 'c' }, { ifMatch: order }), {
      status: 412,
      code: 'FST_CRUD_PRECONDITION_FAILED',
    })
    await t.rejects(api['/orders'].delete(order.id, { ifMatch: '"1"' }), { code: 'FST_CRUD_PRECONDITION_FAILED' })
    t.equal(etagOf(await api['/orders'].get(order.id)), '"2"')
    requests.length = 0
    const plant = await plants.get(1)
    t.equal(etagOf(plant), undefined)
    const unknown = 'ifMatch: this record has no version. Pass one that get(), create() or update() returned, not a ' +
      'copy. A server of another origin must expose the header etag.'
    const unquoted = 'ifMatch: 1 is not an entity tag, such as \'"1"\'.'
    for (const [ifMatch, message] of [
      [plant, unknown], [{ ...changed }, unknown], [etagOf(plant), unknown], [null, unknown], ['1', unquoted],
      [1, unquoted],
    ] as const) await t.rejects(plants.update(1, { name: 'x' }, { ifMatch: ifMatch as string }), new TypeError(message))
    t.strictSame(requests, ['GET /plants/1'], 'a condition that cannot be made is not left out')
    t.match(await api['/orders'].delete(order.id, { ifMatch: changed }), { note: 'b' })
  })

  t.test('errors name the parameter and the place in the body', async (t) => {
    const error = await plants.list({
      filter: { price: { gte: 'cheap' as never } }, sort: ['prise' as never], include: ['tag' as never],
    }).catch((error: unknown) => error)
    t.ok(error instanceof CrudError && error instanceof Error)
    if (!isCrudError(error)) return t.fail('not a CrudError')
    t.match(error, { name: 'CrudError', status: 400, code: 'FST_CRUD_FILTER_INVALID', message: error.detail })
    t.equal(error.errors.length, 3)
    t.match(error.errorFor('filter[price][gte]'),
      { code: 'FST_CRUD_FILTER_INVALID', detail: /number/ } as unknown as CrudErrorItem)
    t.match(error.errorFor('sort'), { suggestion: 'price' })
    t.equal(error.errorFor('filter[price]'), undefined)
    const body = await plants.create({ name: 5, supplier: 1 } as never).catch((error: CrudError) => error) as CrudError
    t.match([body.status, body.code, body.errorFor('/name')?.detail], [400, 'FST_ERR_VALIDATION', /string/])
    await t.rejects(plants.update(1, { supplier: 999 }), { status: 409, code: 'FST_CRUD_CONFLICT' })
    const list = await plants.list({ filter: { name: ['\0'] } }).catch((error: CrudError) => error) as CrudError
    t.equal(list.errorFor('filter[name]')?.code, 'FST_CRUD_FILTER_INVALID', 'however the filter was written')
  })

  t.test('an operation that the server does not offer is an error', async (t) => {
    await t.rejects((api['/suppliers'] as any).get(1), {
      name: 'CrudError', status: 404, code: 'HTTP_404', detail: /Route GET:\/suppliers\/1 not found/,
    })
    await t.rejects(collect((api['/suppliers'] as any).stream()), {
      name: 'CrudError', status: 200, code: 'NOT_NDJSON',
    }, 'a first page is no stream')
  })

  t.test('a client is not a promise, and its resources are the same each time', async (t) => {
    t.equal((await Promise.resolve(api))['/plants'], plants)
    t.equal((api as any).then, undefined)
  })
})
