import t from 'tap'
import { AllowedAggregate, AllowedFilters, AllowedGroup, parseQueryParams } from '../../src/index.ts'
import { entities, Plant, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, serve, type Json, type Names } from './helper.ts'

const plants = {
  allowedFilters: [
    'status',
    { price: ['gte', 'lt'], 'tags.name': ['in', 'ne'], name: ['contains'] },
    AllowedFilters.trashed(),
    AllowedFilters.custom('cheap', (qb) => qb.andWhere({ price: { $lt: 5 } })),
  ],
  allowedFields: ['id'],
  allowedGroups: [
    'status', 'inStock', 'articleNumber', 'group', 'group.name',
    new AllowedGroup('group.parent.name', { alias: 'family' }), 'supplier.country',
    new AllowedGroup('supplier.address.city', { alias: 'city' }),
    AllowedGroup.date('created_at', ['day', 'week', 'month', 'year']),
  ],
  allowedAggregates: [
    AllowedAggregate.count(),
    new AllowedAggregate('price', ['sum', 'avg', 'min', 'max', 'countDistinct']),
    new AllowedAggregate('position', ['sum', 'avg']),
    new AllowedAggregate('nameLength', ['max']),
    new AllowedAggregate('supplier.name', ['min', 'countDistinct'], { alias: 'seller' }),
    new AllowedAggregate('supplier.country', ['max']),
  ],
}

const specimens: Names = {
  allowedFilters: [{ code: ['in'] }],
  allowedGroups: [
    'alive', 'health', 'hardiness', 'flowering', 'petals', 'tracker', 'sownOn', 'cells', 'dryMass', 'measuredAt',
    AllowedGroup.date('sownOn', ['month']),
    AllowedGroup.date('measuredAt', ['day', 'year'], { timeZone: 'Asia/Tokyo' }),
    AllowedGroup.date('recordedAt', ['day'], { timeZone: 'America/New_York', alias: 'recorded' }),
  ],
  allowedAggregates: [
    ...['leaves', 'cells', 'pollen', 'dryMass', 'value', 'acidity', 'chlorophyll'].map((name) =>
      new AllowedAggregate(name, ['sum', 'avg', 'min', 'max'])
    ),
    new AllowedAggregate('minimum', ['min', 'countDistinct']),
    new AllowedAggregate('petals', ['max']),
  ],
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': { crud: resource(Plant, plants), operations: ['list', 'get', 'aggregate'] },
    '/specimens': { crud: resource(Specimen, specimens), operations: ['aggregate'] },
    '/closed': { crud: resource(Plant, plants), operations: ['list', 'get'] },
    '/scoped': {
      crud: resource(Plant, plants), operations: ['aggregate'], scope: () => ({ supplier: { name: "O'Brien's" } }),
    },
    '/lenient': { crud: resource(Plant, { ...plants, ignoreInvalidErrors: true }), operations: ['aggregate'] },
    '/small': { crud: resource(Plant, { ...plants, pagination: { maxBytes: 60 } }), operations: ['aggregate'] },
  })
  const { get, details } = client(app, '/plants/aggregate')
  const items = async (query: string) => (await get(query)).items as Json[]
  const ofSpecimens = async (query: string) => (await client(app, '/specimens/aggregate').get(query)).items as Json[]

  t.test('groups have their values and the numbers that were asked for, in one statement', async (t) => {
    await items('aggregate=count')
    const recorder = await recordStatements(orm)
    t.strictSame(await get('group=status&aggregate=count,price.sum,price.avg&sort=-count'), {
      items: [
        { status: 'active', count: 8, price_sum: 10000000149.04, price_avg: 1250000018.63 },
        { status: 'draft', count: 4, price_sum: 59.89, price_avg: 29.945 },
        { status: 'archived', count: 1, price_sum: 0.01, price_avg: 0.01 },
      ],
      total: 3, page: 1, per_page: 20, total_pages: 1, has_next: false, has_prev: false,
    })
    t.equal(recorder.take().length, 1)
    recorder.stop()
  })

  t.test('without a group there is one item, also without rows', async (t) => {
    t.strictSame(await items('aggregate=count,price.min,price.max,price.countDistinct,nameLength.max'), [
      { count: 13, price_min: 0, price_max: 9999999999.99, price_countDistinct: 9, nameLength_max: 20 },
    ])
    t.strictSame(await get('aggregate=count,price.sum&filter[status]=draft&filter[price]=1000'), {
      items: [{ count: 0, price_sum: null }], total: 1, page: 1, per_page: 20, total_pages: 1, has_next: false,
      has_prev: false,
    })
    t.strictSame(await items('group=status&filter[price]=99999999999999'), [])
  })

  t.test('null is a group, as is what lies behind a deleted or absent record', async (t) => {
    t.strictSame(await items('group=group.name&aggregate=count'), [
      { group_name: 'Herbs', count: 2 },
      { group_name: 'Lavenders', count: 2 },
      { group_name: 'Perennials', count: 3 },
      { group_name: null, count: 6 },
    ])
    t.strictSame(await items('group=group&aggregate=count&sort=-count'), [
      { group: null, count: 5 }, { group: 1, count: 3 }, { group: 2, count: 2 }, { group: 3, count: 2 },
      { group: 4, count: 1 },
    ], 'the key of the relation is a column of the row itself')
    t.strictSame(await items('group=family&aggregate=count'), [
      { group_parent_name: 'Herbs', count: 2 },
      { group_parent_name: 'Perennials', count: 2 },
      { group_parent_name: null, count: 9 },
    ], 'an alias is the name in the URL')
    t.strictSame(await items('group=city,sku&aggregate=count&per_page=2'), [
      { supplier_address_city: 'Lyon', sku: 'LAV-001', count: 1 },
      { supplier_address_city: 'Lyon', sku: 'SAG-001', count: 1 },
    ], 'public names, and embedded objects')
    t.strictSame(await items('group=supplier.country&aggregate=count,seller.min,supplier.country.max'), [
      { supplier_country: 'FR', count: 6, supplier_name_min: 'Vert & Fils', supplier_country_max: 'FR' },
      { supplier_country: 'IE', count: 6, supplier_name_min: "O'Brien's", supplier_country_max: 'IE' },
      { supplier_country: null, count: 1, supplier_name_min: null, supplier_country_max: null },
    ], 'values have the wire form that they have in records')
    t.strictSame(await items('group=inStock&aggregate=count'), [
      { inStock: false, count: 1 },
      { inStock: true, count: 12 },
    ])
  })

  t.test('periods are their first days', async (t) => {
    t.strictSame(await items('group=created_at.month&aggregate=count&filter[name]=a'), [
      { created_at_month: '2024-01-01', count: 2 },
      { created_at_month: '2024-02-01', count: 1 },
      { created_at_month: '2024-03-01', count: 2 },
      { created_at_month: '9999-12-01', count: 1 },
    ])
    t.strictSame(
      (await items('group=created_at.week&sort=-created_at.week&offset=1&limit=3')).map((item) => item.created_at_week),
      ['2024-04-01', '2024-02-26', '2024-01-01'],
      'weeks begin on Monday'
    )
    t.strictSame(await items('group=created_at.year,created_at.day&aggregate=count&filter[name]=moss'), [
      { created_at_year: '1969-01-01', created_at_day: '1969-07-20', count: 1 },
    ])
    t.strictSame(
      await ofSpecimens('group=measuredAt.day,measuredAt.year,recorded.day,sownOn.month&filter[code]=USUAL,LEAST'),
      [
        {
          measuredAt_day: '1970-01-01', measuredAt_year: '1970-01-01', recordedAt_day: '0001-12-31 BC',
          sownOn_month: '0001-01-01',
        },
        {
          measuredAt_day: '2024-05-06', measuredAt_year: '2024-01-01', recordedAt_day: '2024-05-06',
          sownOn_month: '2023-02-01',
        },
      ],
      'in a time zone'
    )
  })

  t.test('numbers keep their digits and have the wire types of records', async (t) => {
    t.strictSame(
      await ofSpecimens(
        'aggregate=leaves.sum,leaves.avg,cells.sum,cells.avg,dryMass.sum,dryMass.avg,value.avg,acidity.avg,cells.max' +
          '&filter[code]=USUAL,GREATEST'
      ),
      [{
        leaves_sum: 2147483887, leaves_avg: '1073741943.5', cells_sum: '9223372048854775807',
        cells_avg: '4611686024427387904', dryMass_sum: '100000000000012.499999', dryMass_avg: '50000000000006.25',
        value_avg: 50000009.99, acidity_avg: 8.988465674311579e307, cells_max: '9223372036854775807',
      }]
    )
    t.strictSame(
      await ofSpecimens(
        'aggregate=leaves.avg,minimum.min,minimum.countDistinct,petals.max&filter[code]=USUAL,EMPTY,LEAST'
      ),
      [{ leaves_avg: '-715827802.66666667', minimum_min: -273.1, minimum_countDistinct: 2, petals_max: '#967bb6' }]
    )
    t.strictSame(await ofSpecimens('group=petals,tracker,alive&filter[code]=USUAL'), [
      { petals: '#967bb6', tracker: '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10', alive: true },
    ])
    t.strictSame(await ofSpecimens('group=cells,dryMass,measuredAt,hardiness&filter[code]=USUAL'), [
      { cells: '12000000000', dryMass: '12.500000', measuredAt: '2024-05-06T07:08:09.123Z', hardiness: 2 },
    ])
  })

  t.test('filters select the rows, each of which counts once', async (t) => {
    t.strictSame(await items('aggregate=count,price.sum&filter[tags.name]=sun,bee-friendly'), [
      { count: 4, price_sum: 73.04 },
    ])
    t.strictSame(await items('aggregate=count&filter[trashed]=with'), [{ count: 14 }])
    t.strictSame(await items('group=status&aggregate=count&filter[trashed]=only'), [{ status: 'active', count: 1 }])
    t.strictSame(await items('aggregate=count&filter[cheap]=1'), [{ count: 4 }], 'custom filters')
    t.strictSame((await client(app, '/scoped/aggregate').get('group=status&aggregate=count')).items, [
      { status: 'active', count: 2 },
      { status: 'archived', count: 1 },
      { status: 'draft', count: 3 },
    ], 'a scope')
  })

  t.test('pages of groups never overlap', async (t) => {
    const all = await items('group=sku,created_at.day&sort=sku&aggregate=count')
    t.equal(all.length, 12)
    const pages = await Promise.all(
      [1, 2, 3, 4, 5].map((page) => get(`group=sku,created_at.day&sort=sku&aggregate=count&page=${page}&per_page=3`))
    )
    t.strictSame(pages.flatMap((page) => page.items), all)
    t.strictSame(pages.map(({ total, total_pages: count, has_next: next }) => [total, count, next]), [
      [12, 4, true], [12, 4, true], [12, 4, true], [12, 4, false], [12, 4, false],
    ])
    t.strictSame(await get('group=status&page=7'), {
      items: [], total: 3, page: 7, per_page: 20, total_pages: 1, has_next: false, has_prev: true,
    })
    t.match(await get('group=status&limit=1&offset=1'), {
      items: [{ status: 'archived' }], total: 3, limit: 1, offset: 1,
    })
  })

  t.test('mistakes name the parameter and what is allowed', async (t) => {
    const cases: Record<string, RegExp> = {
      '': /Name a group or a number: without both there is nothing to answer\. Allowed: count, /,
      'group=statsu': /The group 'statsu' is not allowed\. Did you mean 'status'\? Allowed: city, created_at\.day, /,
      'group=created_at':
        /The group 'created_at' needs a unit of time: day, week, month, year\. Did you mean 'created_at\.day'\? /,
      'aggregate=seller': /The aggregate 'seller' needs a function: min, countDistinct\. Did you mean 'seller\.min'\? /,
      'group=__proto__': /^This list holds a reserved name\.$/,
      'group=purchasePrice': /The group 'purchasePrice' is not allowed\. Allowed: /,
      'aggregate=price.median': /The aggregate 'price\.median' is not allowed\. Allowed: /,
      'aggregate=price.mean': /The aggregate 'price\.mean' is not allowed\. Did you mean 'price\.avg'\? Allowed: /,
      'aggregate=price.summ': /Did you mean 'price\.sum'\?/,
      'aggregate=price.count_distinct': /Did you mean 'price\.countDistinct'\?/,
      'aggregate=pirce.avg': /Did you mean 'price\.avg'\?/,
      'aggregate=position.maximum': /The aggregate 'position\.maximum' is not allowed\. Allowed: /,
      'aggregate=supplier.name.min': /Did you mean 'seller\.min'\?/,
      'group=created_at.monthly': /Did you mean 'created_at\.month'\?/,
      'group=supplier.address.city': /Did you mean 'city'\?/,
      'aggregate=count&group=status,': /empty item/,
      'aggregate=count&group[x]=status': /group takes no name in brackets: write group=a,b\./,
      'aggregate=count&sort=-price.sum':
        /The sort 'price\.sum' is not possible, because the request does not ask for 'price\.sum'\. Allowed: count\./,
      'aggregate=count&sort=count,-count': /given more than once/,
      'aggregate=count&sort=name': /The sort 'name' is not allowed\. .* Allowed: count\./,
      'aggregate=count&per_page=1001': /'per_page' is at most 1000/,
      'aggregate=count&cursor=': /Aggregates have no cursors; use page and per_page/,
      'aggregate=count&fields=id': /There is no parameter 'fields'/,
      'aggregate=count&include=tags': /There is no parameter 'include'/,
      'aggregate=count&facets=status': /There is no parameter 'facets'/,
      'aggregate=count&groupBy=status': /There is no parameter 'groupBy'\. Did you mean 'group'\?/,
      'aggregate=count&filter[price][eq]=1': /The operator 'eq' is not allowed/,
    }
    for (const [query, detail] of Object.entries(cases)) t.match(await details(query), [detail], query)
    t.equal((await details('aggregate=price.__proto__')).length, 1)
    t.match(await client(app, '/plants/aggregate').refused('group=x&aggregate=y'), {
      code: 'FST_CRUD_FIELD_INVALID',
      errors: [{ source: { parameter: 'group' } }, { source: { parameter: 'aggregate' } }],
    })
    t.match((await client(app, '/plants').details('group=status'))[0], /There is no parameter 'group'\./)
    t.match((await client(app, '/plants/1').details('aggregate=count'))[0], /There is no parameter 'aggregate'\./)
    t.match(
      (await client(app, '/closed/aggregate').details('aggregate=count'))[0], // off by default: it is a key
      /^The path's id must be .* This resource does not offer 'aggregate' .* It offers: list, get\.$/
    )
    t.match((await client(app, '/closed/agregate').details(''))[0], /This resource does not offer 'aggregate' /)
    t.match((await client(app, '/plants/aggregat').details(''))[0],
      /^The path's id must be .* Did you mean 'aggregate'\?$/)
    t.match((await client(app, '/plants/x').details(''))[0],
      /^The path's id must be an integer from \S+ to \S+, or a UUID\.$/)
    t.match(await client(app, '/small/aggregate').refused('group=sku&aggregate=count'), {
      code: 'FST_CRUD_TOO_LARGE',
      detail: /Ask for fewer groups at once \(per_page\)/,
    })
  })

  t.test('a resource that ignores what is invalid never answers with other groups or numbers', async (t) => {
    const lenient = client(app, '/lenient/aggregate')
    const given = 'group=status&aggregate=count&filter[nope]=1&sort=-nope'
    t.strictSame(await lenient.get(given), await get('group=status&aggregate=count'))
    for (const query of [
      '', 'group=', 'group=x', 'group=status&aggregate=x', 'aggregate=count&group[x]=status', 'group=status,',
      'aggregate=count&group=%FF', 'group=status&fields=id', 'aggregate=&fields[x]=id',
    ]) t.match(await lenient.refused(query), { statusCode: 400 }, query)
  })

  t.test('programs get the same', async (t) => {
    const crud = resource(Plant, plants)
    const page = await crud.aggregate(orm.em.fork(), parseQueryParams('group=status&aggregate=count&sort=-status'))
    t.strictSame(page.items.map(({ count }) => count), [4, 1, 8])
    t.equal(page.total, 3)
    const tree = { group: ['status'], aggregate: ['count'], sort: ['-status'] }
    t.strictSame(await crud.aggregate(orm.em.fork(), tree), page, 'a query as an object')
    await t.rejects(crud.aggregate(orm.em.fork(), { group: ['x'] }), {
      errors: [{ code: 'FST_CRUD_FIELD_INVALID', source: { pointer: '/group' } }],
    })
    await t.rejects(crud.aggregate(orm.em.fork(), { group: ['x'], fields: ['id'] }), {
      errors: [{ source: { pointer: '/group' } }, { source: { pointer: '/fields' } }],
    })
    await t.rejects(crud.aggregate(orm.em.fork(), undefined as never), /takes query parameters/)
    await t.rejects(crud.aggregate(orm.em.fork(), parseQueryParams('group=x')), { code: 'FST_CRUD_FIELD_INVALID' })
  })

  t.test('names are checked at start-up', async (t) => {
    const bind = (config: Names) => () => resource(Plant, config).bind(orm.em as never)
    t.throws(bind({ allowedGroups: ['statsu'] }), /AllowedGroup 'statsu': .*Did you mean 'status'/)
    t.throws(bind({ allowedGroups: ['tags.name'] }), /can't go through the to-many relation 'tags'/)
    t.throws(bind({ allowedGroups: [AllowedGroup.date('status', ['day'])] }), /values of type enum have no days/)
    t.throws(bind({ allowedAggregates: [new AllowedAggregate('status', ['sum'])] }), /only numbers have one/)
    t.throws(bind({ allowedAggregates: [new AllowedAggregate('supplier.country', ['avg'])] }), /serializer/)
    t.throws(bind({ allowedAggregates: [new AllowedAggregate('purchasePrice', ['sum'])] }),
      /'purchasePrice' of Plant is hidden/)
  })
})
