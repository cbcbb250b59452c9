/** Filters that are more than a property and its operators: searches, scopes, OR groups, JSON, arrays, defaults. */
import t, { type Test } from 'tap'
import { AllowedFilters, parseQueryParams } from '../../src/index.ts'
import { entities, Group, Offer, Plant, Specimen, Tag } from '../fixtures/entities.ts'
import { plantUuid, seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, select, serve, whitelist } from './helper.ts'

const resources = {
  '/plants': resource(Plant, {
    allowedFilters: [
      AllowedFilters.search('q', ['name', 'description', 'latinName']),
      AllowedFilters.search('anywhere', ['name', 'tags.name', 'tags.plants.name', 'supplier.name'], { alias: 'any' }),
      AllowedFilters.trashed(),
      AllowedFilters.anyOf('ref', [
        AllowedFilters.exact('id'), AllowedFilters.exact('articleNumber'), AllowedFilters.exact('uuid'),
        AllowedFilters.exact('tags.name'),
      ]),
      AllowedFilters.anyOf('cheap_or_named', [new AllowedFilters('price', 'lte'), AllowedFilters.partial('name')]),
      AllowedFilters.anyOf('number', [AllowedFilters.exact('id'), AllowedFilters.exact('position')]),
      'status',
      { price: ['gte'] },
    ],
    allowedIncludes: ['tags'],
    pagination: { maxPerPage: 3 },
  }),
  '/defaults': resource(Plant, {
    allowedFilters: [
      new AllowedFilters('status', 'eq', ['eq', 'ne', 'in']).default('active').ignore('all', ''),
      new AllowedFilters('position', 'in', ['in', 'gte']).default([1, 2, 3]).ignore('0'),
      AllowedFilters.trashed().default('with'),
      AllowedFilters.custom('long', (qb, value) => qb.andWhere({ nameLength: { $gte: Number(value) } })).default(5),
    ],
  }),
  '/lenient': resource(Plant, {
    allowedFilters: [new AllowedFilters('position').default(1), AllowedFilters.trashed()],
    ignoreInvalidErrors: true,
  }),
  '/offers': resource(Offer, {
    allowedFilters: [
      AllowedFilters.scope('branch', { params: { name: 'branch' } }),
      AllowedFilters.scope('cheap', { filter: 'priced', params: { min: 'price', max: 'price' } }),
      AllowedFilters.scope('sale'),
      AllowedFilters.scope('sold', { filter: 'global' }),
    ],
  }),
  '/tags': resource(Tag, {
    allowedFilters: [AllowedFilters.trashed({ alias: 'deleted' }), AllowedFilters.search('q', ['plants.offers.title'])],
  }),
  '/specimens': resource(Specimen, {
    allowedFilters: [
      new AllowedFilters('readings.sensor', 'eq', ['eq', 'in', 'contains', 'isnull', 'gt'], { type: 'string' }),
      new AllowedFilters('readings.depth', 'gte', ['eq', 'gte', 'between', 'in', 'isnull'], { type: 'number' }),
      new AllowedFilters('readings.ok', { type: 'boolean', alias: 'ok' }),
      new AllowedFilters('readings.at.x', 'eq', ['eq', 'ne'], { type: 'number' }),
      AllowedFilters.partial('readings.note'),
      {
        'size.height': ['gte', 'eq', 'isnull'], 'size.unit': ['eq', 'starts'],
        synonyms: ['contains', 'overlap', 'isnull'], ringWidths: ['overlap', 'contains'],
        pruned: ['contains', 'overlap'],
      },
      AllowedFilters.search('q', ['code', 'readings.sensor']),
    ],
  }),
  '/plants-by-specimen': resource(Plant, {
    allowedFilters: [
      new AllowedFilters('specimens.readings.sensor', 'eq', ['eq'], { type: 'string' }),
      { 'specimens.synonyms': ['overlap'] },
    ],
  }),
}

const orm = { filters: { global: { name: 'global', cond: { title: 'Poison' }, default: false, entity: ['Offer'] } } }

await forEachDatabase(t, { entities, seed, orm: orm as never }, async (t, { orm, name }) => {
  await orm.em.getConnection().execute(
    'update specimen set readings = \'{"sensor":"south","depth":12.5,"ok":true,"at":{"x":-1},"note":"50% wet"}\' ' +
      "where code = 'GREATEST'"
  )
  await orm.em.getConnection().execute(
    'update specimen set readings = \'{"sensor":7,"depth":"12","ok":"true","at":{"x":1e3},"note":null}\' ' +
      "where code = 'LEAST'"
  )
  await orm.em.getConnection().execute("update specimen set readings = '\"just text\"' where code = 'NONE'")
  const app = await serve(t, orm, resources)
  const plants = client(app, '/plants')
  const at = (path: string) => client(app, path)
  const keeps = async (t: Test, path: string, column: string, cases: Array<[query: string, expected: unknown[]]>) => {
    for (const [query, expected] of cases) {
      t.strictSame((await at(path).all(column, query)).sort(), [...expected].sort(), query)
    }
  }

  t.test('a search finds a text in any of its fields, ignores case, and takes every character literally', async (t) => {
    await keeps(t, '/plants', 'id', [
      ['filter[q]=lavand', [1]], ['filter[q]=LAVEN', [1, 2]], ['filter[q]=salvia', [3]], ['filter[q]=100%25', [1, 3]],
      ['filter[q]=_', [4]], ['filter[q]=\\', [5]], ["filter[q]=o'neill", [6]], ['filter[q]=a,b', []],
      ['filter[q]=nightshade', []], ['filter[q]=nothing', []], ['filter[q]=lav&filter[status]=active', [1]],
    ])
    t.equal((await plants.get('filter[q]=')).total, 13, 'an empty text is in every text; nothing is in null')
    t.match(await plants.details('filter[q]=a&filter[q]=b'), [/takes one value/])
    t.match(await plants.details('filter[q][ilike]=a'), [/The filter 'q' takes no operator/])
    t.match(await plants.details(`filter[q]=${'x'.repeat(257)}`), [/at most 256 characters/])
    t.match(await plants.details('filter[q]=%00'), [/NUL/])
  })

  t.test('a search through relations lists each parent once, and ignores deleted rows', async (t) => {
    await keeps(t, '/plants', 'id', [
      ['filter[any]=bee', [1, 6, 14]],
      ['filter[any]=vert&per_page=3', [1, 3, 6]],
      ['filter[any]=poison', []],
      ['filter[any]=gone', []],
      ['filter[any]=sag', [1, 3, 6]],
    ])
    const page = await plants.get('filter[any]=sun&include=tags&per_page=2')
    t.strictSame([page.total, page.items.map(({ id, tags }: any) => [id, tags.length])], [3, [[1, 2], [3, 1]]],
      'children are not trimmed, and the total counts parents')
    await keeps(t, '/tags', 'name', [['filter[q]=spring', ['bee-friendly', 'sun']], ['filter[q]=last year', []], [
      'filter[q]=poison',
      [],
    ]])
    t.match(await plants.details('filter[anywhere]=x'), [/not allowed\. Allowed: any, /])
  })

  t.test('trashed includes deleted rows, or shows only those', async (t) => {
    t.equal((await plants.get()).total, 13)
    t.equal((await plants.get('filter[trashed]=without')).total, 13)
    t.equal((await plants.get('filter[trashed]=with')).total, 14)
    await keeps(t, '/plants', 'id', [['filter[trashed]=only', [11]], ['filter[trashed]=only&filter[q]=sage', []]])
    await keeps(t, '/tags', 'name', [['filter[deleted]=only', ['poisonous']]])
    t.match(await client(app, '/tags').details('filter[trashed]=only'), [/Did you mean 'deleted'/], 'the alias')
    t.match((await plants.get('filter[trashed]=only&include=tags')).items[0].tags, [{ name: 'sun' }],
      'related rows that are deleted stay unseen')
    t.match(await plants.details('filter[trashed]=yes'), [
      /must be with, only or without\. Allowed: only, with, without/,
    ])
    t.match(await plants.details('filter[trashed]='), [/must be with, only or without/])
    t.match(await plants.details('filter[trashed]=with&filter[trashed]=only'), [
      "The filter 'trashed' takes one value. Allowed: only, with, without.",
    ])
    t.match(await plants.details('filter[trashed][eq]=with'), [/takes no operator/])
    t.equal(await resources['/plants'].count(orm.em.fork(), parseQueryParams('filter[trashed]=only')), 1)
    t.equal(
      (await (await resources['/plants'].query(orm.em.fork(), parseQueryParams('filter[trashed]=only')))
        .getResultList()).length,
      1
    )
  })

  t.test('an OR group keeps the matches of any filter, and skips properties that cannot store the value', async (t) => {
    await keeps(t, '/plants', 'id', [
      ['filter[ref]=3', [3]],
      ['filter[ref]=LAV-001', [1]],
      ['filter[ref]=sun&filter[status]=active', [1, 3]],
      [`filter[ref]=${plantUuid(4)}`, [4]],
      ['filter[ref]=99999999999', []],
      ['filter[cheap_or_named]=moss', []],
      ['filter[cheap_or_named]=Moss', [10]],
      ['filter[cheap_or_named]=0.01', [5, 10]],
      ['filter[number]=4', [4]],
    ])
    t.match(await plants.details('filter[number]=x'), [/must be an integer from -2147483648 to 2147483647\./])
    t.match(await plants.details('filter[ref][eq]=3'), [/takes no operator/])
    t.match(await plants.details('filter[ref]=a&filter[ref]=b'), [/takes one value/])
    t.match(await plants.details(`filter[cheap_or_named]=${'x'.repeat(257)}`), [/at most 256 characters/],
      'a limit is one, whatever the other filters say')
  })

  t.test('defaults apply if the URL has no such filter, and ignored values have no effect', async (t) => {
    await keeps(t, '/defaults', 'id', [
      ['', [1, 3, 4, 7]],
      ['filter[status]=draft', [2, 6]],
      ['filter[status][ne]=draft', [1, 3, 4, 5, 7]],
      ['filter[status]=all', [1, 2, 3, 4, 5, 6, 7]],
      ['filter[status]=', [1, 2, 3, 4, 5, 6, 7]],
      ['filter[status][in]=all,draft', [2, 6]],
      ['filter[status][in]=all', [1, 2, 3, 4, 5, 6, 7]],
      ['filter[position]=4', [11]],
      ['filter[position]=0,5', [12, 14]],
      ['filter[trashed]=without&filter[position]=4', []],
      ['filter[long]=10', [4, 7]],
    ])
    t.match(await at('/defaults').details('filter[status]=gone'), [/must be one of its members/])
    t.strictSame(await at('/lenient').all('id', 'filter[position]=x'), [1, 2],
      'an invalid filter that is dropped is not there')
    t.strictSame(await at('/lenient').all('id', 'filter[position]=2&filter[trashed]=x'), [3, 4])
  })

  t.test('a scope is a MikroORM filter that the request switches on', async (t) => {
    await keeps(t, '/offers', 'title', [
      ['', ['North only', 'Poison', 'Spring sale']],
      ['filter[branch]=north', ['North only']],
      ["filter[branch]=no,r'th", []],
      ['filter[cheap]=2,7', ['North only', 'Poison']],
      ['filter[cheap][]=7&filter[cheap][]=8', ['Spring sale']],
      ['filter[sale]=true', ['Spring sale']],
      ['filter[sale]=false', ['North only', 'Poison', 'Spring sale']],
      ['filter[sale]=true&filter[branch]=north', []],
      ['filter[sold]=true', ['Poison']],
    ])
    const { details } = at('/offers')
    t.match(await details('filter[cheap]=2'), [/takes 2 values \(min, max\); 1 were given/])
    t.match(await details('filter[cheap]=2,x'), [/The item 'x' of filter\[cheap\] \(max\) must be a decimal number/])
    t.match(await details('filter[sale]=1'), [/must be true or false/])
    t.match(await details('filter[sale][eq]=true'), [/takes no operator/])
    t.match(await details('filter[branch]=%00'), [/filter\[branch\]/])
    t.equal(await resources['/offers'].count(orm.em.fork(), parseQueryParams('filter[branch]=north')), 1)
    t.equal(
      (await (await resources['/offers'].query(orm.em.fork(), parseQueryParams('filter[cheap]=2,7'))).getResultList())
        .length,
      2
    )
  })

  t.test('paths into JSON compare only values of the declared type', async (t) => {
    await keeps(t, '/specimens', 'code', [
      ['filter[readings.sensor]=north', ['USUAL']],
      ['filter[readings.sensor][in]=north,south', ['USUAL', 'GREATEST']],
      ['filter[readings.sensor][contains]=TH', ['USUAL', 'GREATEST']],
      ['filter[readings.sensor][isnull]=true', ['NONE', 'EMPTY', 'LEAST']],
      ['filter[readings.depth]=12', ['GREATEST']],
      ['filter[readings.depth][eq]=12.50', ['GREATEST']],
      ['filter[readings.depth][between]=12,13', ['GREATEST']],
      ['filter[readings.depth][in]=1,12.5', ['GREATEST']],
      ['filter[readings.depth][isnull]=false', ['GREATEST']],
      ['filter[ok]=true', ['GREATEST']],
      ['filter[ok]=0', []],
      ['filter[readings.at.x]=1000', ['LEAST']],
      ['filter[readings.at.x][ne]=1000', ['GREATEST']],
      ['filter[readings.note]=50%25', ['GREATEST']],
      ['filter[readings.note]=50\\%25%25', ['GREATEST']],
      ['filter[readings.note]=50', ['GREATEST']],
      ['filter[size.height]=60', ['USUAL']],
      ['filter[size.height]=61', []],
      ['filter[size.height][isnull]=false', ['USUAL']],
      ['filter[size.unit]=cm', ['USUAL']],
      ['filter[size.unit][starts]=C', ['USUAL']],
      ['filter[q]=OUTH', ['GREATEST']],
    ])
    await keeps(t, '/plants-by-specimen', 'id', [['filter[specimens.readings.sensor]=south', [3]]])
    const { details } = at('/specimens')
    t.match(await details('filter[readings.depth]=x'), [/must be a decimal number/])
    t.match(await details('filter[ok]=yes'), [/must be a boolean\. Allowed: 0, 1, false, true/])
    t.match(await details('filter[readings.secret]=x'), [/is not allowed/])
  })

  t.test('array filters require all items of a list, or any of them', async (t) => {
    await keeps(t, '/specimens', 'code', [
      ['filter[synonyms]=English lavender', ['USUAL']],
      ['filter[synonyms]="true, \\"real\\" one",English lavender', ['USUAL']],
      ['filter[synonyms]=English lavender,other', []],
      ['filter[synonyms][overlap]=English lavender,other', ['USUAL']],
      ['filter[synonyms][]=true, "real" one', ['USUAL']],
      ['filter[synonyms]=', ['EMPTY', 'USUAL']],
      ['filter[synonyms][overlap]=', []],
      ['filter[synonyms][isnull]=false', ['EMPTY', 'USUAL']],
      ['filter[ringWidths]=9,2', ['USUAL']],
      ['filter[ringWidths][contains]=1,2,3', ['USUAL']],
      ['filter[ringWidths][contains]=1,4', []],
      ['filter[pruned]=autumn', ['USUAL']],
      ['filter[pruned][overlap]=summer,winter', []],
    ])
    await keeps(t, '/plants-by-specimen', 'id', [['filter[specimens.synonyms]=English lavender,x', [1]]])
    const { details } = at('/specimens')
    t.match(await details('filter[ringWidths]=x'), [/The item 'x' of filter\[ringWidths\] must be an integer/])
    t.match(await details('filter[pruned]=monsoon'), [/must be one of its members/])
    t.match(await details('filter[synonyms][eq]=x'), [/operator 'eq' is not allowed/])
    t.match(await details(`filter[synonyms]=${Array(101).fill('a').join()}`), [/more than 100 items/])
  })

  t.test('all kinds work together in one statement', async (t) => {
    const rows = await select(orm, 'select count(*)::int as n from plant where deleted_at is not null')
    t.equal(rows[0].n, 1)
    const recorder = await recordStatements(orm, t)
    const { items, total } = await plants.get(
      'filter[q]=n&filter[trashed]=with&filter[ref]=sun&filter[price]=9&filter[status]=active&include=tags'
    )
    t.strictSame([total, items.map(({ id }: any) => id)], [2, [1, 11]], name)
    t.equal(recorder.take().length, 1)
  })
})

t.test('invalid filters are refused at start-up', async (t) => {
  const { modelsOf } = await import('../helpers/models.ts')
  const { resolveWhitelist } = await import('../../src/plan/index.ts')
  const models = modelsOf()
  const refuses = (entity: unknown, filter: object, message: RegExp) =>
    t.throws(() => resolveWhitelist(whitelist({ allowedFilters: [filter as never] }), models.of(entity)), { message })
  refuses(Plant, AllowedFilters.search('q', ['name', 'descripton']), /Did you mean 'description'\?/)
  refuses(Plant, AllowedFilters.search('q', ['name', 'price']),
    /'price' is of type decimal, and only text can be searched/)
  refuses(Plant, AllowedFilters.search('purchasePrice', ['name']), /purchasePrice/)
  refuses(Plant, AllowedFilters.search('q', ['supplier.email']), /'email' of Supplier is hidden/)
  refuses(Offer, AllowedFilters.trashed(), /Offer has no 'deleted_at'/)
  refuses(Offer, AllowedFilters.scope('brnch'), /no MikroORM filter 'brnch'. Did you mean 'branch'\?/)
  refuses(Group, AllowedFilters.scope('any'), /Group declares no filters/)
  refuses(Offer, AllowedFilters.scope('branch', { params: { name: 'brnch' } }), /Did you mean 'branch'/)
  refuses(Plant, AllowedFilters.anyOf('x', [AllowedFilters.exact('id'), AllowedFilters.exact('nme')]),
    /Did you mean 'name'/)
  refuses(Specimen, new AllowedFilters('readings.sensor'), /declare the type of the value: \{ type: 'string' \}/)
  refuses(Specimen, new AllowedFilters('readings.sensor', 'gte', { type: 'boolean' }),
    /'gte' does not work on a property of type boolean/)
  refuses(Specimen, new AllowedFilters('size.heigth'), /Did you mean 'height'\?/)
  refuses(Specimen, new AllowedFilters('synonyms'),
    /'eq' does not work on a property of type array. Operators for it: contains, overlap, isnull/)
  refuses(Specimen, new AllowedFilters('leaves', 'overlap'), /'overlap' does not work/)
  refuses(Plant, AllowedFilters.exact('status').default('gone'), /the default is refused\..*must be one of its members/)
  refuses(Plant, AllowedFilters.trashed().default('yes'), /the default is refused/)
  for (const make of [
    () => AllowedFilters.search('q', []),
    () => AllowedFilters.search('q', ['a', 'a']),
    () => AllowedFilters.search('', ['a']),
    () => AllowedFilters.anyOf('x', [AllowedFilters.exact('id')]),
    () => AllowedFilters.anyOf('x', [AllowedFilters.exact('id'), AllowedFilters.trashed() as never]),
    () => AllowedFilters.anyOf('x', [AllowedFilters.exact('id'), AllowedFilters.exact('name').default('x')]),
    () => AllowedFilters.exact('a').default({} as never),
    () => AllowedFilters.exact('a', { type: 'date' as never }),
    () => AllowedFilters.scope('x', { params: ['a'] as never }),
    () => AllowedFilters.trashed({ name: 'x' } as never),
  ]) t.throws(make, { code: 'FST_CRUD_CONFIG_INVALID' }, String(make))
  const shared = AllowedFilters.exact('status')
  t.not(shared.default('a'), shared)
  t.equal(shared.defaultValue, undefined, 'a default makes another filter')
  t.ok(Object.isFrozen(shared.default('a').ignore('b')) && shared.default('a') instanceof AllowedFilters)
  t.equal(resource(Plant).queryConfig.allowedFilters.length, 0)
})
