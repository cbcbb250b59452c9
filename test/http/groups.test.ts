/** Groups of filters: `and`, `or` and `not`. */
import t from 'tap'
import { AllowedFilters, crudKit, type FilterTree, type Operator, type QueryTree } from '../../src/index.ts'
import { entities, Plant, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { client, resource, serve } from './helper.ts'

const ORDERED: Operator[] = ['eq', 'ne', 'in', 'nin', 'gte', 'lte', 'isnull', 'between']
const whitelist = {
  allowedFilters: [
    { name: ['eq', 'in', 'contains', 'isnull'] },
    new AllowedFilters('id', 'eq', ORDERED),
    new AllowedFilters('price', 'eq', ORDERED),
    { status: ['eq', 'in', 'nin'], 'supplier.country': ['eq', 'isnull'], 'tags.name': ['eq', 'ne', 'in', 'nin'] },
    new AllowedFilters('tags.weight', 'eq', ORDERED),
    AllowedFilters.search('q', ['name', 'description']),
    AllowedFilters.custom('cheap', (qb) => qb.andWhere({ price: { $lte: 5 } })),
    AllowedFilters.trashed(),
  ],
  allowedSorts: ['name', 'id'],
}
/** Mistakes in JSON, where they are, and the sentences about them, which do not speak of URLs. */
const MISTAKES: ReadonlyArray<readonly [payload: object, pointer: string, detail: RegExp]> = [
  [{ sort: 'name' }, '/sort', /^The value of \/sort must be a list of texts, such as \["name"\]\.$/],
  [{ sort: ['name,id'] }, '/sort/0', /^The value of \/sort\/0 must be a text with one name\.$/],
  [
    { fieldsByInclude: { tags: 'id' } }, '/fieldsByInclude/tags',
    /^The value of \/fieldsByInclude\/tags must be a list/,
  ],
  [{ fieldsByInclude: ['id'] }, '/fieldsByInclude', /^The value of \/fieldsByInclude must be an object of lists/],
  [{ page: '1' }, '/page', /^page must be a number\.$/],
  [{ fliter: { id: 1 } }, '/fliter', /^A query in JSON has no member 'fliter'\. Did you mean 'filter'\? Allowed: /],
  [{ id: 1 }, '/id', /^A query in JSON has no member 'id'\. Did you mean '\/filter\/id'\? Allowed: /],
  [{ fieldsByInclude: { tags: ['id'] } }, '/fieldsByInclude/tags', /^'tags' is not included/],
]
const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]
const without = (ids: readonly number[]): number[] => ALL.filter((id) => !ids.includes(id))

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': { crud: resource(Plant, whitelist), query: true },
    '/closed': resource(Plant, whitelist),
    '/lenient': { crud: resource(Plant, { ...whitelist, ignoreInvalidErrors: true }), query: true },
  })
  const plants = client(app, '/plants')
  const ids = (query: string) => plants.all('id', query)

  t.test('groups keep what their conditions say', async (t) => {
    const fr = [1, 3, 6, 7, 9, 10]
    const sun = [1, 3, 6]
    const cases: ReadonlyArray<readonly [query: string, ids: readonly number[]]> = [
      ['filter[or][0][id]=2&filter[or][1][supplier.country]=fr', [1, 2, 3, 6, 7, 9, 10]],
      ['filter[or][0][id]=2&filter[or][0][supplier.country]=fr', []],
      ['filter[or][0][id]=2', [2]],
      ['filter[and][0][supplier.country]=fr&filter[and][1][id][lte]=3', [1, 3]],
      ['filter[not][supplier.country]=fr', without(fr)],
      ['filter[not][tags.name]=sun', without(sun)],
      ['filter[not][not][tags.name]=sun', sun],
      ['filter[supplier.country]=fr&filter[not][tags.name]=sun', [7, 9, 10]],
      ['filter[or][0][tags.name]=sun&filter[or][1][id]=2', [1, 2, 3, 6]],
      ['filter[or][0][not][tags.name]=sun&filter[or][1][id]=1', [1, ...without(sun)].sort((a, b) => a - b)],
      // an empty list keeps everything, or nothing
      ['filter[not][id][nin]=', []],
      ['filter[not][id][in]=', ALL],
      ['filter[or][0][id][nin]=&filter[or][1][id]=1', ALL],
      ['filter[or][0][id][in]=&filter[or][1][id]=1', [1]],
    ]
    for (const [query, expected] of cases) t.strictSame(await ids(query), expected, query)
    const nulls = await ids('filter[supplier.country][isnull]=true')
    t.strictSame(await ids('filter[not][price][gte]=0'), await ids('filter[price][isnull]=true'), 'not keeps nulls')
    t.ok(nulls)
  })

  t.test('conditions that one group combines hold for one related row', async (t) => {
    const both = 'filter[tags.name]=sun&filter[tags.weight]=3'
    const together = await ids(both)
    t.strictSame(await ids('filter[and][0][tags.name]=sun&filter[and][1][tags.weight]=3'), together)
    t.strictSame(await ids('filter[or][0][tags.name]=sun&filter[or][0][tags.weight]=3'), together)
    t.strictSame(await ids('filter[not][tags.name]=sun&filter[not][tags.weight]=3'), without(together))
    const independent = (await ids('filter[tags.name]=sun')).filter(
      (await ids('filter[tags.name][ne]=sun')).includes.bind(await ids('filter[tags.name][ne]=sun'))
    )
    t.ok(independent.length > 0)
    t.strictSame(await ids('filter[tags.name]=sun&filter[and][0][tags.name][ne]=sun'), independent)
    t.strictSame(await ids('filter[and][0][tags.name]=sun&filter[and][1][and][0][tags.name][ne]=sun'), independent)
    t.strictSame(await ids('filter[tags.name]=sun&filter[tags.name][ne]=sun'), [])
  })

  t.test('alternatives and negations about one relation are one sub-query, and there are at most 10', async (t) => {
    const union = async (...queries: string[]) => {
      const found = new Set((await Promise.all(queries.map((query) => ids(query)))).flat())
      return ALL.filter((id) => found.has(id))
    }
    const sunny = await ids('filter[tags.name]=sun&filter[tags.weight]=3')
    const either = await union('filter[tags.name]=sun&filter[tags.weight]=3', 'filter[tags.name]=shade', 'filter[id]=2')
    t.ok(sunny.length > 0 && either.length > sunny.length + 1)
    t.strictSame(
      await ids(
        'filter[or][0][tags.name]=sun&filter[or][0][tags.weight]=3&filter[or][1][tags.name]=shade&filter[or][2][id]=2'
      ),
      either
    )
    t.strictSame(
      await ids('filter[or][0][tags.name]=sun&filter[or][1][or][0][tags.name]=shade&filter[or][1][or][1][id]=2'),
      await union('filter[tags.name]=sun', 'filter[tags.name]=shade', 'filter[id]=2')
    )
    const neither = without(await union('filter[tags.name]=sun&filter[tags.weight]=3', 'filter[tags.name]=shade'))
    const nots = 'filter[and][0][not][tags.name]=sun&filter[and][0][not][tags.weight]=3&filter[not][tags.name]=shade'
    t.strictSame(await ids(nots), neither)
    const far = without(await union('filter[supplier.country]=fr', 'filter[supplier.country]=ie'))
    t.strictSame(await ids('filter[not][supplier.country]=fr&filter[and][0][not][supplier.country]=ie'), far)
    const many = (write: (index: number) => string, count: number) =>
      Array.from({ length: count }, (_, index) => write(index)).join('&')
    const names = ['sun', 'shade', 'bees', 'poisonous']
    const all = await union(...names.map((name) => `filter[tags.name]=${name}`))
    t.strictSame(await ids(many((index) => `filter[or][${index}][tags.name]=${names[index % 4]}`, 40)), all)
    t.strictSame(await ids(many((index) => `filter[and][${index}][not][tags.name]=${names[index % 4]}`, 40)),
      without(all))
    const apart = (count: number) => many((index) => `filter[and][${index}][and][0][tags.name]=sun`, count)
    t.strictSame(await ids(apart(10)), await ids('filter[tags.name]=sun'))
    t.match(await plants.refused(apart(11)), {
      code: 'FST_CRUD_FILTER_INVALID',
      errors: [{ detail: 'The groups look for related records 11 times; at most 10 are allowed.' }],
    })
    const patterns = (count: number) => many((index) => `filter[or][${index}][name][contains]=${index}x`, count)
    t.strictSame(await ids(patterns(20)), [])
    t.match(await plants.details(patterns(21)), [
      /^The groups compare texts with 21 patterns; at most 20 are allowed\.$/,
    ])
    t.match(await plants.details(many((index) => `filter[or][${index}][q]=x`, 11)), [/with 22 patterns/], 'q has two')
    t.match(await client(app, '/lenient').details(apart(11)), [/at most 10 are allowed/],
      'also if mistakes are ignored')
  })

  t.test('a member of or needs a number', async (t) => {
    t.match(await plants.details('filter[or][][name]=x'), [
      /^This filter can't be read\. Write filter\[or\]\[0\]\[<field>\]/,
    ])
  })

  t.test('a member of not has no number', async (t) => {
    t.match(await plants.details('filter[not][0][name]=x'), [
      /^A 'not' has no numbers\. Write .* filter\[not\]\[<field>\]/,
    ])
    t.match(await plants.details('filter[not][0][eq]=x'), [/^The filter '0' is not allowed\./])
  })

  t.test('where groups are not allowed, the answer says what would allow them', async (t) => {
    const closed = client(app, '/closed')
    t.match(await closed.refused('filter[or][0][name]=x&filter[or][1][name]=y'), {
      code: 'FST_CRUD_FILTER_INVALID',
      errors: [{
        source: { parameter: 'filter[or][0][name]' },
        detail:
          /^Filters can't be combined by 'or': a record must match all of them\. .* write filter\[q\]\. .*\(the option query of a resource\)\.$/,
      }],
    })
    t.match(await closed.details('filter[not][name]=x'), [/the option query of a resource/])
  })

  t.test('mistakes in groups are named', async (t) => {
    t.match(await plants.refused('filter[or][0][nane]=x&filter[or][1][price][gte]=abc'), {
      errors: [
        { source: { parameter: 'filter[or][0][nane]' }, suggestion: 'name' },
        {
          source: { parameter: 'filter[or][1][price][gte]' },
          detail: /The value of filter\[or\]\[1\]\[price\]\[gte\]/,
        },
      ],
    })
    for (const query of ['filter[or][0][cheap]=1', 'filter[not][trashed]=only', 'filter[and][0][not][cheap]=1']) {
      t.match(await plants.details(query), [/cannot be a part of 'or' or 'not'/], query)
    }
    t.strictSame(await ids('filter[and][0][cheap]=1'), await ids('filter[cheap]=1'))
    t.strictSame(await ids('filter[and][0][trashed]=only'), await ids('filter[trashed]=only'))
  })

  t.test('what is invalid is ignored only where rows must match', async (t) => {
    const lenient = client(app, '/lenient')
    t.strictSame(await lenient.all('id', 'filter[nane]=x&filter[and][0][nane]=x&filter[and][1][id]=1'), [1])
    for (const query of [
      'filter[or][0][nane]=x&filter[or][1][id]=1', 'filter[not][nane]=x', 'filter[or][0][id]=x',
      'filter[and][0][not][price]=x', 'filter[or][0][cheap]=1', 'filter[or][1][id]=1',
    ]) t.equal((await lenient.details(query)).length, 1, query)
  })

  t.test('every method takes a tree', async (t) => {
    const crud = resource(Plant, whitelist)
    const tree: QueryTree = {
      filter: { or: [{ id: 2 }, { 'supplier.country': 'fr', not: { 'tags.name': ['sun'] } }] },
      sort: ['-id'],
    }
    const expected = [10, 9, 7, 2]
    const idsOf = (records: readonly unknown[]) => records.map((record) => (record as { id: number }).id)
    const em = () => orm.em.fork()
    t.strictSame(idsOf((await crud.list(em(), tree)).items), expected)
    t.strictSame(idsOf((await crud.list(em(), { ...tree, limit: 2, offset: 1 })).items), [9, 7])
    t.equal(await crud.count(em(), tree), 4)
    const streamed: unknown[] = []
    for await (const record of crud.stream(em(), tree)) streamed.push(record)
    t.strictSame(idsOf(streamed), expected)
    t.strictSame(idsOf(await (await crud.query(em(), tree)).getResultList()), expected)
    t.strictSame(await crud.deleteMany(em(), { filter: tree.filter! }, { dryRun: true }), { affected: 4 })
    t.equal((await crud.get(em(), 2, { fields: [] }) as { id: number }).id, 2)
    for (const filter of [{ not: { id: { in: [] } } }, { or: [{ id: 1 }, { id: { nin: [] } }] }, { or: [{ q: '' }] }]) {
      await t.rejects(crud.deleteMany(em(), { filter }, { dryRun: true }), /needs a filter that leaves out others/)
    }
    const specimens = resource(Specimen, {
      allowedFilters: [{ synonyms: ['contains', 'overlap'], shelves: ['contains'] }],
    })
    const every: readonly FilterTree[] = [
      { synonyms: [] }, { not: { synonyms: { overlap: [] } } }, { shelves: 'empty' },
    ]
    for (const filter of every) {
      await t.rejects(specimens.deleteMany(em(), { filter }, { dryRun: true }), /needs a filter that leaves out others/)
    }
    t.strictSame(await specimens.deleteMany(em(), { filter: { synonyms: { overlap: [] } } }, { dryRun: true }), {
      affected: 0,
    })
  })

  t.test('a filter that takes a list by default takes one item in a tree, too', async (t) => {
    const crud = resource(Plant, { allowedFilters: [{ name: ['in', 'eq'], price: ['between'], id: ['nin'] }] })
    const documents = newServer(t, { ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } })
    await documents.register(crudKit, { orm, resources: { '/plants': { crud, query: true } } })
    documents.post('/check', { schema: { body: { $ref: 'PlantQuery#' } } }, async () => ({}))
    const isDocumented = async (filter: object) =>
      (await documents.inject({ method: 'POST', url: '/check', payload: { filter } })).statusCode === 200
    const count = async (filter: FilterTree) => await crud.count(orm.em.fork(), { filter })
    const name = 'Rose "Gold", O\'Neill'
    for (const [filter, expected] of [
      [{ name }, 1], [{ name: [name] }, 1], [{ or: [{ name }, { id: ALL.slice(1) }] }, 2], [{ id: 1 }, 12],
    ] as const) {
      t.equal(await count(filter as FilterTree), expected, JSON.stringify(filter))
      t.ok(await isDocumented(filter), JSON.stringify(filter))
    }
    for (const filter of [{ name: 1 }, { name: { in: name } }, { price: 1 }] as const) {
      await t.rejects(count(filter as FilterTree), /must be a list, each item a/, JSON.stringify(filter))
      t.notOk(await isDocumented(filter), JSON.stringify(filter))
    }
  })

  t.test('values in a tree have their types of JSON', async (t) => {
    const crud = resource(Plant, whitelist)
    const wrong: ReadonlyArray<readonly [filter: object, pointer: string, detail: RegExp]> = [
      [{ and: [{ id: 1 }, { id: '1' }] }, '/filter/and/1/id', /^The value of \/filter\/and\/1\/id must be a number\.$/],
      [{ name: 1 }, '/filter/name', /must be a text/],
      [{ or: [null] }, '/filter/or', /^'or' takes a list of objects, such as \{"or":\[\{"<field>":<value>\},/],
      [{ and: 'x' }, '/filter/and', /^'and' takes a list of objects/],
      [{ not: [{ id: 1 }] }, '/filter/not', /^'not' takes an object, such as \{"not":\{/],
      [
        { or: [{ id: 1 }, null] }, '/filter/or/1',
        /^A member of a group is an object, such as \{"<field>":<value>\}\.$/,
      ],
      [{ $or: [{ id: 1 }] }, '/filter/$or', /^The filter '\$or' is not allowed\. 'or' takes a list of objects/],
      [{ status: 'null' }, '/filter/status', /must be one of|Allowed/],
      [{ 'supplier.country': null }, '/filter/supplier.country', /\{"isnull": true\}/],
      [{ id: { in: 1 } }, '/filter/id/in', /must be a list, each item a number/],
      [{ id: { in: [1, '2'] } }, '/filter/id/in', /must be a list, each item a number/],
      [{ id: null }, '/filter/id', /must be a number\. For null, write \{"isnull": true\}\.$/],
      [{ id: { ne: null } }, '/filter/id/ne', /For null, write \{"isnull": false\}\.$/],
      [{ name: { in: ['a', null] } }, '/filter/name/in', /each item a text\. For null, write \{"isnull": true\}\.$/],
      [{ price: { between: null } }, '/filter/price/between', /a list, .*For null, write \{"isnull": true\}\.$/],
      [{ status: null }, '/filter/status', /must be a text\.$/],
      [{ price: { isnull: 'true' } }, '/filter/price/isnull', /must be true or false/],
      [{ id: 2 ** 60 }, '/filter/id', /must be an integer from -2147483648 to/],
      [{ not: { nane: 'x' } }, '/filter/not/nane', /Did you mean 'name'/],
      [{ or: [{ id: { gt: 1 } }] }, '/filter/or/0/id/gt', /operator 'gt' is not allowed/],
      [{ q: 1 }, '/filter/q', /must be a text/],
    ]
    const documents = newServer(t, { ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } })
    await documents.register(crudKit, { orm, resources: { '/plants': { crud, query: true } } })
    documents.post('/check', { schema: { body: { $ref: 'PlantQuery#' } } }, async () => ({}))
    const isDocumented = async (payload: object) =>
      (await documents.inject({ method: 'POST', url: '/check', payload })).statusCode === 200
    const right: readonly QueryTree[] = [
      { filter: { id: 1, name: { contains: 'a' }, price: { between: [1, 2.5], isnull: false } }, sort: ['-id'] },
      {
        filter: { and: [{ id: [1, 2] }, { or: [{ q: 'a' }, { not: { 'tags.name': { nin: ['sun'] } } }] }] },
        per_page: 5,
      },
      { filter: { cheap: 1, trashed: 'with', status: { in: [] } }, limit: 1, offset: 0 },
    ]
    for (const tree of right) {
      await crud.list(orm.em.fork(), tree)
      t.ok(await isDocumented(tree), JSON.stringify(tree))
    }
    for (const [filter, pointer, detail] of wrong) {
      t.notOk(await isDocumented({ filter }), `the document refuses ${JSON.stringify(filter)}`)
      await t.rejects(crud.list(orm.em.fork(), { filter } as QueryTree), { errors: [{ source: { pointer }, detail }] })
    }
    t.equal(await crud.count(orm.em.fork(), { filter: { price: { lte: 2 ** 60 } } }), 11, 'more than the column holds')
    const fields = ['cells', 'pollen', 'spores', 'dryMass']
    const specimens = resource(Specimen, { allowedFilters: fields.map((name) => new AllowedFilters(name, 'lte')) })
    for (const field of fields) {
      const count = (value: number | string) => specimens.count(orm.em.fork(), { filter: { [field]: value } })
      t.equal(await count('9007199254740991'), await count(Number.MAX_SAFE_INTEGER), field)
      await t.rejects(count(2 ** 53), /a text of its digits; .* write its digits as a text, such as "9007199254740993"/)
    }
    await t.rejects(crud.list(orm.em.fork(), { sort: ['nane'] }), { errors: [{ source: { pointer: '/sort' } }] })
    await t.rejects(crud.list(orm.em.fork(), { per_page: 1_000 }), { errors: [{ source: { pointer: '/per_page' } }] })
  })

  t.test('QUERY and POST /query take the query as a body', async (t) => {
    const text = 'filter[or][0][id]=2&filter[or][1][supplier.country]=fr&sort=-id&per_page=3'
    const tree = { filter: { or: [{ id: 2 }, { 'supplier.country': 'fr' }] }, sort: ['-id'], per_page: 3 }
    const expected = await plants.get(text)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const [method, url] of [['POST', '/plants/query'], ['QUERY', '/plants']] as const) {
      const send = (payload: string | object, headers = {}) =>
        app.inject({ method: method as 'POST', url, payload, headers })
      for (const response of [await send(tree), await send(text, form)]) {
        t.equal(response.statusCode, 200, `${method} ${response.body}`)
        t.equal(response.headers['cache-control'], 'no-store')
        t.strictSame(response.json(), expected)
      }
      t.match((await send({ filter: { and: [{ id: 1 }, { id: '1' }] } })).json(), {
        statusCode: 400, code: 'FST_CRUD_FILTER_INVALID', errors: [{ source: { pointer: '/filter/and/1/id' } }],
      })
      t.match((await send({ filters: {} })).json(), {
        statusCode: 400,
        errors: [{
          source: { pointer: '/filters' },
          detail: /^A query in JSON has no member 'filters'\. Did you mean 'filter'\? Allowed: cursor, filter, limit, /,
        }],
      })
      for (const [payload, pointer, detail] of MISTAKES) {
        t.match((await send(payload)).json(), { errors: [{ source: { pointer }, detail }] }, JSON.stringify(payload))
      }
      for (const text of ['"x"', '"filter[id]=1"', '1', 'null']) {
        const { statusCode, body } = await send(text, { 'content-type': 'application/json' })
        t.match([statusCode, body], [400, /A query in JSON is an object/], text)
      }
      t.match((await send([1])).json(), { statusCode: 400, code: 'FST_CRUD_QUERY_INVALID' })
      t.match((await send('filter[nane]=1', form)).json(), { errors: [{ source: { parameter: 'filter[nane]' } }] })
      t.strictSame((await send(text.replace('sort=-id', 'sort=-id&sort=name'), form)).json(), expected,
        'as forms repeat')
      const other = await send('x', { 'content-type': 'text/plain' })
      t.match([other.statusCode, other.headers.accept, other.json()], [
        415,
        'application/json, application/x-www-form-urlencoded',
        {
          code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE',
          detail: /application\/json or .*form-urlencoded, not as text\/plain\.$/,
        },
      ])
      t.equal((await send('{', { 'content-type': 'application/json' })).statusCode, 400)
      t.equal((await send({ filter: { name: 'x'.repeat(70_000) } })).statusCode, 413)
      const many = Array.from({ length: 1_000 }, (_, id) => id)
      t.equal((await send({ filter: { id: { in: many } } })).statusCode, 200)
      t.equal((await send(many.map((id) => `filter[id][in][]=${id}`).join('&'), form)).statusCode, 200)
      t.equal((await send(`filter[id][in]=${many.join()},1000`, form)).statusCode, 400)
      const both = await app.inject({ method: method as 'POST', url: `${url}?sort=id`, payload: tree })
      t.match(both.json(), { statusCode: 400, code: 'FST_CRUD_QUERY_INVALID' })
    }
    t.equal((await app.inject({ method: 'POST', url: '/closed/query', payload: tree })).statusCode, 404)
  })

  t.test('a cursor belongs to its groups', async (t) => {
    const query = 'filter[or][0][id][lte]=3&filter[or][1][supplier.country]=fr&sort=name&per_page=2'
    const seen: number[] = []
    let cursor = ''
    do {
      const page = await plants.get(`${query}&cursor=${cursor}`)
      seen.push(...page.items.map(({ id }: { id: number }) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    t.strictSame(seen.sort((a, b) => a - b), await ids(query.replace(/&sort=.*/, '')))
    const { next_cursor: next } = await plants.get(`${query}&cursor=`)
    t.match(await plants.details(`${query.replace('lte]=3', 'lte]=4')}&cursor=${next}`), [/another query/])
    const swapped = query.replace('[0]', '[x]').replace('[1]', '[0]').replace('[x]', '[1]')
    t.equal((await plants.get(`${swapped}&cursor=${next}`)).items.length, 2)
  })
})
