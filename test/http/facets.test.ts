import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFacet, AllowedFilters, AllowedSort, parseQueryParams, primaryKey } from '../../src/index.ts'
import { entities, Plant, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'
import { ormOf } from '../helpers/models.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, serve, type Json, type Names } from './helper.ts'

const plants: Names = {
  allowedFilters: [
    { status: ['eq', 'in', 'ne'] }, 'supplier.name', 'group', 'inStock', { price: ['gte', 'lt'], 'tags.name': ['in'] },
    AllowedFilters.search('q', ['name']), AllowedFilters.trashed(),
    AllowedFilters.custom('cheap', (qb) => qb.andWhere({ price: { $lt: 5 } })),
  ],
  allowedSorts: ['id', 'name', 'supplier.name', AllowedSort.custom('length', (qb) => qb.orderBy({ name: 'asc' }))],
  allowedIncludes: ['tags'],
  allowedFacets: [
    'status', new AllowedFacet('supplier.name', { alias: 'seller' }), 'supplier.address.city', 'group',
    new AllowedFacet('group.name', { limit: 2 }), 'inStock',
  ],
}

const values = (...pairs: readonly (readonly [unknown, number])[]) => pairs.map(([value, count]) => ({ value, count }))

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const operations = ['list', 'get'] as const
  const app = await serve(t, orm, {
    '/plants': { crud: resource(Plant, plants), operations, stream: true, query: true },
    '/scoped': { crud: resource(Plant, plants), operations, scope: () => ({ supplier: 2 }) },
    '/behind': { crud: resource(Plant, plants), operations, scope: () => ({ supplier: { name: "O'Brien's" } }) },
    '/lenient': { crud: resource(Plant, { ...plants, ignoreInvalidErrors: true }), operations },
    '/uncounted': { crud: resource(Plant, { ...plants, pagination: { count: 'none' } }), operations },
    '/active': {
      crud: resource(Plant, {
        allowedFilters: [new AllowedFilters('status', 'eq').default('active')],
        allowedFacets: ['status'],
      }),
      operations,
    },
    '/specimens': {
      crud: resource(Specimen, { allowedFacets: ['petals', 'alive', 'cells', 'measuredAt'] }),
      operations,
    },
  })
  const { get, details } = client(app, '/plants')
  const facets = async (query: string, path = '/plants') => (await client(app, path).get(query)).facets as Json

  t.test('facets are the values with their numbers of records, in the statement of the list', async (t) => {
    await get()
    const recorder = await recordStatements(orm)
    const page = await get('facets=status,seller,group.name&per_page=2')
    t.equal(recorder.take().length, 1)
    t.equal(page.items.length, 2)
    t.equal(page.total, 13)
    t.strictSame(page.facets, {
      status: values(['active', 8], ['draft', 4], ['archived', 1]),
      seller: values(["O'Brien's", 6], ['Vert & Fils', 6], [null, 1]),
      'group.name': values([null, 6], ['Perennials', 3]),
    })
    t.notOk('facets' in await get('per_page=1'), 'without the parameter there are none')
    await get('facets=status&cursor=&per_page=1')
    t.equal(recorder.take().length, 2)
    recorder.stop()
  })

  t.test('a facet ignores the conditions on its own property, and no others', async (t) => {
    t.strictSame(await facets('facets=status,inStock,seller&filter[status]=active&filter[price][lt]=5'), {
      status: values(['active', 3], ['archived', 1]),
      inStock: values([true, 3]),
      seller: values(["O'Brien's", 1], ['Vert & Fils', 1], [null, 1]),
    })
    t.strictSame(await facets("facets=seller,supplier.address.city&filter[supplier.name]=O'Brien's&filter[q]=e"), {
      seller: values(["O'Brien's", 4], ['Vert & Fils', 3]),
      'supplier.address.city': values([null, 4]),
    }, 'behind a relation, only conditions on the same property')
    t.strictSame(await facets('facets=group&filter[group]=2&filter[tags.name]=sun,bee-friendly'), {
      group: values([2, 2], [1, 1], [3, 1]),
    }, 'a key, beside a filter through many rows')
    t.strictSame(await facets('facets=status', '/active'), {
      status: values(['active', 8], ['draft', 4], ['archived', 1]),
    })
    t.strictSame(await facets('facets=status&filter[status]=draft&filter[trashed]=only'), {
      status: values(['active', 1]),
    })
    t.strictSame(await facets('facets=status&filter[status]=draft&filter[cheap]=1'), {
      status: values(['active', 3], ['archived', 1]),
    }, 'custom filters stay')
  })

  t.test('a scope always applies', async (t) => {
    for (const path of ['/scoped', '/behind']) {
      t.strictSame(await facets('facets=status,seller&filter[status]=draft&filter[supplier.name]=x', path), {
        status: [],
        seller: values(["O'Brien's", 3]),
      }, path)
      t.strictSame(await facets('facets=status&filter[status]=draft', path), {
        status: values(['draft', 3], ['active', 2], ['archived', 1]),
      }, path)
    }
  })

  t.test('all styles of pages and all forms of statements have them', async (t) => {
    const expected = { status: values(['active', 3], ['archived', 1]) }
    const filter = 'facets=status&filter[status]=active&filter[price][lt]=5'
    const queries = ['', '&limit=1&offset=1', '&cursor=', '&include=tags', '&cursor=&include=tags', '&sort=length']
    for (const query of queries) t.strictSame(await facets(filter + query), expected, query)
    t.strictSame(await facets(filter, '/uncounted'), expected)
    const page = await get(`${filter}&cursor=&per_page=2&sort=id`)
    t.equal(page.items.length, 2)
    const next = await get(`${filter}&cursor=${page.next_cursor as string}&per_page=2&sort=id`)
    t.strictSame([next.items.length, next.facets, next.has_prev, next.next_cursor], [1, expected, true, null])
    // PostgreSQL keeps a statement by name from its sixth run
    for (let run = 0; run < 8; run++) t.match(await facets('facets=status&cursor='), { status: { length: 3 } })
    t.match(await get('facets=status&filter[status]=archived&filter[q]=sage&cursor='), {
      items: [], facets: { status: values(['active', 1]) }, next_cursor: null, has_next: false,
    }, 'a page by cursor without records')
    t.match(await get('facets=status&filter[status]=archived&filter[q]=sage'), {
      items: [], total: 0, facets: { status: values(['active', 1]) },
    })
  })

  t.test('pages by cursor begin with any record, also with a null as the last of its sort values', async (t) => {
    for (const sort of ['id,supplier.name', '-id,supplier.name']) {
      const wanted = (await get(`sort=${sort}`)).items.map(({ id }: Json) => id)
      const found: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Json = await get(`facets=status&per_page=1&sort=${sort}&cursor=${cursor}`)
        found.push(...page['items'].map(({ id }: Json) => id))
        cursor = page['next_cursor']
      }
      t.strictSame(found, wanted, sort)
    }
  })

  t.test('a resource that ignores what is invalid leaves out facets that are not allowed', async (t) => {
    for (const style of ['', '&cursor=']) {
      t.strictSame(await facets(`facets=nope,status${style}`, '/lenient'), await facets('facets=status'), style)
      t.strictSame(await client(app, '/lenient').get(`facets=nope&per_page=2${style}`), await get(`per_page=2${style}`),
        style)
    }
  })

  t.test('queries in JSON ask for facets, too', async (t) => {
    const query = { facets: ['status', 'seller'], filter: { 'supplier.name': "O'Brien's" }, per_page: 1 }
    const expected = await get("facets=status,seller&filter[supplier.name]=O'Brien's&per_page=1")
    const post = async (payload: object) =>
      (await app.inject({ method: 'POST', url: '/plants/query', payload })).json<Json>()
    t.strictSame(await post(query), expected)
    t.match(await resource(Plant, plants).list(orm.em.fork(), query), { facets: expected.facets })
    for (const [facets, error] of [
      [['statsu'], { source: { pointer: '/facets' }, detail: /'statsu' is not allowed\. Did you mean 'status'\?/ }],
      ['status', { source: { pointer: '/facets' }, detail: /must be a list of texts/ }],
      [[1], { source: { pointer: '/facets/0' } }],
    ] as const) t.match(await post({ facets }), { statusCode: 400, code: 'FST_CRUD_FIELD_INVALID', errors: [error] })
    t.match(await post({ group: ['status'] }), {
      statusCode: 400,
      errors: [{ source: { pointer: '/group' }, detail: /A query in JSON has no member 'group'/ }],
    })
  })

  t.test('values have the wire form that they have in records', async (t) => {
    const found = await facets('facets=petals,alive,cells,measuredAt', '/specimens')
    t.match(found.petals[0], { value: null, count: 2 })
    t.match(found.petals.map(({ value }: Json) => value), [null, /^#/, /^#/, /^#/])
    t.strictSame(found.alive, values([null, 3], [false, 1], [true, 1]))
    t.ok(found.cells.some(({ value }: Json) => value === '9223372036854775807'))
    t.ok(found.measuredAt.some(({ value }: Json) => value === '2024-05-06T07:08:09.123Z'))
  })

  t.test('mistakes name the parameter and what is allowed', async (t) => {
    t.match((await details('facets=statsu'))[0],
      /The facet 'statsu' is not allowed\. Did you mean 'status'\? Allowed: group, /)
    t.match((await details('facets=purchasePrice'))[0], /The facet 'purchasePrice' is not allowed\. Allowed: /)
    t.match((await details('facets[x]=status'))[0], /facets takes no name in brackets/)
    t.match((await details('facet=status'))[0], /Did you mean 'facets'\?/)
    t.match((await client(app, '/plants/1').details('facets=status'))[0], /There is no parameter 'facets'/)
    const stream = await app.inject({ url: '/plants?facets=status', headers: { accept: 'application/x-ndjson' } })
    t.match(stream.json(), { statusCode: 400, code: 'FST_CRUD_FIELD_INVALID', detail: /A stream has no facets/ })
    await t.rejects(resource(Plant, plants).list(orm.em.fork(), parseQueryParams('facets=x')), {
      code: 'FST_CRUD_FIELD_INVALID',
    })
    const bind = (facet: AllowedFacet) => () => resource(Plant, { allowedFacets: [facet] }).bind(orm.em as never)
    t.throws(bind(new AllowedFacet('tags.name')), /can't go through the to-many relation 'tags'/)
    t.throws(bind(new AllowedFacet('nmae')), /Did you mean 'name'/)
    t.throws(bind(new AllowedFacet('supplier.country')), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /^AllowedFacet 'supplier.country': 'country' has a serializer, so that no filter would find the values/,
    })
    // the key of a passport is its owner, whose key has the serializer
    const Person = entity('Person', { id: p.integer().primary().serializer((id) => `p-${id}`) })
    const Passport = entity('Passport', { owner: () => p.oneToOne(Person).primary() })
    const Visa = entity('Visa', {
      ...primaryKey, person: () => p.manyToOne(Person), passport: () => p.manyToOne(Passport),
    })
    const { em } = ormOf([Person, Passport, Visa])
    for (const name of ['person', 'passport']) {
      t.throws(() => resource(Visa, { allowedFacets: [name] }).bind(em), {
        message: `AllowedFacet '${name}': 'id' of Person has a serializer, so that no filter would find the values ` +
          'that the facet shows. Leave the facet out, or give the property a custom type, which also reads such ' +
          'values.',
      })
    }
    t.throws(() => new AllowedFacet('name', { limit: 0 }), /limit must be a whole number from 1 to 1000/)
  })
})
