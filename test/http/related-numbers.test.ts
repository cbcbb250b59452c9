import t from 'tap'
import { AllowedFilters, AllowedInclude, AllowedSort, parseQueryParams } from '../../src/index.ts'
import { entities, Group, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, serve, type Json, type Names } from './helper.ts'

const { count, exists, sum, avg, min, max } = AllowedInclude
const comparing = ['eq', 'ne', 'gte', 'lte', 'in', 'between', 'isnull'] as const

const plants: Names = {
  allowedFields: ['id'],
  allowedIncludes: [
    count('tags'), exists('label'), sum('tags.weight'), avg('tags.weight'), max('offers.price', { alias: 'top' }),
    count('offers', { alias: 'cheap', where: { price: { $lt: 7 } } }),
  ],
  allowedFilters: [
    { tagsCount: ['eq', 'ne', 'gte', 'lte', 'in', 'between'] },
    'labelExists',
    new AllowedFilters('tagsWeightSum', 'gte', [...comparing]),
    { tagsWeightAvg: ['eq', 'gte'] },
    new AllowedFilters('offersPriceMax', 'gte', ['gte'], { alias: 'best' }),
    { cheap: ['gte', 'eq'], id: ['lte'] },
  ],
  allowedFacets: ['id', 'inStock'],
  allowedSorts: [
    'tagsCount', 'tagsWeightSum', 'top', 'id',
    new AllowedSort('tagsCount', 'name', { alias: 'popular', direction: 'desc' }), 'labelExists',
  ],
}
const NUMBERS = ['leaves', 'stems', 'cells', 'pollen', 'spores', 'dryMass', 'value', 'acidity', 'chlorophyll']
const FUNCTIONS = { Sum: sum, Avg: avg, Min: min, Max: max }
const ofSpecimens = NUMBERS.flatMap((name) =>
  Object.keys(FUNCTIONS).map((fn) => `specimens${name[0]!.toUpperCase()}${name.slice(1)}${fn}`)
)
/** A row that makes sums of 64-bit integers greater than 64 bits. */
const MORE = `insert into specimen (plant_id, code, leaves, stems, cells, pollen, spores, dry_mass, value, acidity,
  chlorophyll) select plant_id, 'MORE', leaves, stems, cells, pollen, spores, dry_mass, value, 0.1, 0.1 from specimen
  where code = 'GREATEST'`

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const operations = ['list'] as const
  const app = await serve(t, orm, {
    '/plants': { crud: resource(Plant, plants), operations, stream: true, query: true },
    '/numbers': {
      crud: resource(Plant, {
        allowedFields: ['id'],
        allowedIncludes: NUMBERS.flatMap((name) => Object.values(FUNCTIONS).map((allow) => allow(`specimens.${name}`))),
        allowedFilters: ofSpecimens.map((name) => new AllowedFilters(name, 'eq', ['eq', 'in', 'lt', 'isnull'])),
      }),
      operations,
      query: true,
    },
    '/groups': {
      crud: resource(Group, {
        allowedIncludes: [count('plants'), count('children')],
        allowedFilters: ['plantsCount', 'childrenCount'],
        defaultSort: ['-plantsCount'],
      }),
      operations,
    },
  })
  const { get } = client(app, '/plants')
  const ids = async (query: string) => (await get(`fields=id&${query}`)).items.map(({ id }: Json) => id as number)
  // id and number of visible tags: 1:2 2:0 3:1 4:1 5:0 6:2 7:0 8:0 9:0 10:1 12:0 13:0 14:1

  t.test('records are filtered by numbers about their relations, 0 if there is nothing', async (t) => {
    const expected: Record<string, readonly number[]> = {
      'filter[tagsCount]=2': [1, 6],
      'filter[tagsCount]=0': [2, 5, 7, 8, 9, 12, 13],
      'filter[tagsCount][gte]=1': [1, 3, 4, 6, 10, 14],
      'filter[tagsCount][lte]=1&filter[id]=5': [2, 3, 4, 5],
      'filter[tagsCount][ne]=0': [1, 3, 4, 6, 10, 14],
      'filter[tagsCount][in]=0,2&filter[id]=6': [1, 2, 5, 6],
      'filter[tagsCount][between]=1,2': [1, 3, 4, 6, 10, 14],
      'filter[tagsCount]=9': [],
      'filter[labelExists]=true': [1, 3],
      'filter[labelExists]=false&filter[id]=4': [2, 4],
      'filter[tagsWeightSum]=3': [1, 3, 6, 14],
      'filter[tagsWeightSum][lte]=1': [4, 10],
      'filter[tagsWeightSum][isnull]=true&filter[id]=6': [2, 5],
      'filter[tagsWeightSum][isnull]=false': [1, 3, 4, 6, 10, 14],
      'filter[tagsWeightAvg]=3': [1, 3, 6, 14],
      'filter[best]=7': [1],
      'filter[cheap]=1': [1],
      'filter[cheap][eq]=0&filter[id]=4': [2, 3, 4],
      'filter[tagsCount][gte]=1&filter[labelExists]=true': [1, 3],
    }
    for (const [query, rows] of Object.entries(expected)) t.strictSame(await ids(`${query}&sort=id`), rows, query)
    t.strictSame((await client(app, '/groups').get('filter[plantsCount]=2')).total, 2)
    t.strictSame((await client(app, '/groups').get('filter[childrenCount]=0')).total, 2)
  })

  t.test('records are sorted by them, and cursors follow', async (t) => {
    const all = [1, 6, 3, 4, 10, 14, 2, 5, 7, 8, 9, 12, 13]
    t.strictSame(await ids('sort=-tagsCount'), all)
    t.strictSame((await ids('sort=tagsCount,-id')).slice(0, 3), [13, 12, 9])
    t.strictSame((await ids('sort=-tagsWeightSum')).slice(0, 6), [1, 6, 3, 14, 4, 10], 'nulls last')
    t.strictSame((await ids('sort=top')).slice(0, 2), [1, 2])
    t.strictSame((await ids('sort=-labelExists')).slice(0, 3), [1, 3, 2])
    t.strictSame((await ids('sort=popular,id')).slice(0, 2).sort(), [1, 6])
    t.strictSame(await client(app, '/groups').all('id'), [1, 2, 3, 5])
    for (const sort of ['-tagsCount', '-tagsWeightSum', 'top,-tagsCount', '-labelExists']) {
      const found: number[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Json = await get(`fields=id&include=tagsCount&per_page=4&sort=${sort}&cursor=${cursor}`)
        found.push(...page.items.map(({ id }: Json) => id as number))
        cursor = page.next_cursor
      }
      t.strictSame(found, await ids(`sort=${sort}`), sort)
    }
    const accept = 'application/x-ndjson'
    const stream = await app.inject({ url: '/plants?fields=id&sort=-tagsCount', headers: { accept } })
    t.strictSame(stream.body.trim().split('\n').map((line) => JSON.parse(line).id), all)
  })

  t.test('numbers are computed for no other records than those that the other filters keep', async (t) => {
    const recorder = await recordStatements(orm)
    t.strictSame(await ids('filter[id]=6&filter[tagsCount][lte]=1&sort=-tagsWeightSum'), [3, 4, 2, 5])
    const [{ sql }] = recorder.take() as unknown as [{ readonly sql: string }]
    recorder.stop()
    const kept =
      /from "plant" as "e0" where "e0"\."id" <= \$1 and "e0"\."deleted_at" is null limit 10001\) as "e0" cross/
    t.match(sql, kept)
    t.equal(sql.match(/ from "plant_tags"/g)?.length, 1, sql)
    const cursors = await recordStatements(orm)
    t.equal((await get('filter[id]=6&filter[tagsCount][lte]=1&sort=-tagsWeightSum&cursor=&fields=id')).items[0].id, 3)
    const [{ sql: page }] = cursors.take() as unknown as [{ readonly sql: string }]
    cursors.stop()
    t.match(page, / "e\d+"\."plant_id" in \(select "e\d+"\."id" from "plant" as "e\d+" where "e\d+"\."id" <= \$\d+/)
    t.equal(page.match(/ from "plant_tags"/g)?.length, 1, page)
    t.strictSame(await ids('filter[id]=4&filter[or][0][tagsCount]=2&filter[or][1][tagsCount]=0&sort=id'), [1, 2])
    t.strictSame(await ids('filter[id]=4&filter[not][tagsCount]=1&sort=id'), [1, 2])
    t.strictSame(await ids('filter[not][id]=4&filter[tagsCount]=2'), [6])
    const { items, facets } = await get('fields=id&filter[id]=4&filter[tagsCount]=2&facets=id,inStock')
    t.strictSame(items, [{ id: 1 }])
    t.strictSame(facets.id, [{ value: 1, count: 1 }, { value: 6, count: 1 }], 'a facet has other conditions')
    t.equal(facets.inStock.length, 1)
  })

  t.test('what a record shows is a value of the filter, however large it is', async (t) => {
    await orm.em.getConnection().execute(MORE)
    await orm.em.getConnection().execute("delete from specimen where code = 'LEAST'")
    const seen = new Set<string>()
    for (const name of ofSpecimens) {
      const { body } = await app.inject(`/numbers?fields=id&include=${name}&per_page=100`)
      // JavaScript would round numbers
      const shown = [...body.matchAll(/\{[^{}]*"id": ?(\d+)[^{}]*\}/g)].map(([record, id]) =>
        [Number(id), new RegExp(`"${name}": ?("[^"]*"|[^,}]*)`).exec(record)![1]!] as const
      )
      t.ok(shown.length > 9, body)
      for (const [id, json] of shown.filter(([, json]) => json !== 'null')) {
        const value = encodeURIComponent(json.replaceAll('"', ''))
        const expected = shown.filter(([, other]) => other === json).map(([id]) => id)
        const ask = async (query: string) => await client(app, '/numbers').all('id', `fields=id&${query}`)
        t.strictSame(await ask(`filter[${name}]=${value}`), expected, `${name}=${value} of ${id}`)
        t.strictSame(await ask(`filter[${name}][in]=${value}`), expected)
        if (/\d{20}/.test(value)) seen.add(name)
        const payload = `{"filter":{"${name}":${json}},"fields":["id"]}`
        const headers = { 'content-type': 'application/json' }
        const asked = await app.inject({ method: 'POST', url: '/numbers/query', payload, headers })
        if (asked.statusCode === 200) t.strictSame(asked.json().items.map(({ id }: Json) => id), expected, payload)
        else t.match(asked.json().detail, /write its digits as a text/, payload)
      }
    }
    for (const name of ['specimensCellsSum', 'specimensSporesSum']) t.ok(seen.has(name), name)
    const { details } = client(app, '/numbers')
    for (const value of ['', ' ', 'NaN', 'Infinity', '-Infinity', '1e1000', '0x10', '1,5', '١', '9'.repeat(1_001)]) {
      for (const name of ofSpecimens) {
        t.match(await details(`filter[${name}]=${value}`), [/must be (a|an) .*(integer|number)/], `${name}=${value}`)
      }
    }
  })

  t.test('builders and counts follow, and names are checked', async (t) => {
    const crud = resource(Plant, plants)
    const params = parseQueryParams('filter[tagsCount][gte]=1&sort=-tagsCount,-id')
    t.equal(await crud.count(orm.em.fork(), params), 6)
    const built = await (await crud.query(orm.em.fork(), params)).execute()
    t.strictSame(built.map(({ id }: any) => id), [6, 1, 14, 10, 4, 3])
    const { details } = client(app, '/plants')
    t.match((await details('filter[tagsCount]=x'))[0], /must be an integer/)
    t.match((await details('filter[labelExists]=2'))[0], /must be a boolean/)
    t.match((await details('filter[tagsCount][gt]=1'))[0], /The operator 'gt' is not allowed/)
    const bind = (config: Names) => () => resource(Plant, config).bind(orm.em as never)
    const one = new AllowedFilters('id')
    const cures: ReadonlyArray<readonly [config: Names, cure: string]> = [
      [{ allowedSorts: ['tagsCount'] }, "count('tags')"],
      [{ defaultSort: ['-tagsWeightMax'] }, "max('tags.weight')"],
      [{ allowedFilters: ['tagsCount'] }, "count('tags')"],
      [{ allowedFilters: ['labelExists'] }, "exists('label')"],
      [{ allowedFilters: ['tagsWeightSum'] }, "sum('tags.weight')"],
      [{ allowedFilters: [AllowedFilters.anyOf('x', [one, new AllowedFilters('tagsWeightAvg')])] },
        "avg('tags.weight')"],
    ]
    for (const [config, cure] of cures) {
      t.throws(bind(config), { message: `Add AllowedInclude.${cure} to allowedIncludes.` })
    }
    t.throws(bind({ allowedSorts: ['labelCount'] }), /Plant has no property 'labelCount'/)
    const allowedFilters = [new AllowedFilters('tagsCount', 'contains')]
    t.throws(bind({ allowedIncludes: [count('tags')], allowedFilters }), /does not work/)
  })
})
