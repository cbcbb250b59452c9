import t, { type Test } from 'tap'
import { AllowedFilters, parseQueryParams } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { ON_NUMBERS, ON_TEXTS } from '../helpers/operators.ts'
import { client, q, resource, select, serve } from './helper.ts'

const plants = resource(Plant, {
  allowedFilters: [
    { id: ON_NUMBERS, uuid: ['eq', 'in'], name: ON_TEXTS },
    new AllowedFilters('latinName', 'contains', ON_TEXTS),
    { position: ON_NUMBERS, status: ['eq', 'ne', 'in', 'nin', 'like', 'contains', 'isnull'] },
    new AllowedFilters('price', 'gte', ON_NUMBERS),
    { inStock: ['eq', 'ne', 'in', 'isnull'] },
    AllowedFilters.partial('description'),
    'articleNumber',
    { nameLength: ON_NUMBERS, slug: ON_TEXTS },
    new AllowedFilters('created_at', 'gte', ON_NUMBERS),
    { supplier: ['eq', 'ne', 'in', 'nin', 'isnull'], group: ['eq', 'ne', 'in', 'nin', 'isnull'] },
    new AllowedFilters('shelf', 'isnull', { alias: 'unplaced' }),
    new AllowedFilters('price', 'lte', { alias: 'cheaper_than' }),
  ],
})

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, { '/plants': plants })
  const { get, all, refused, details } = client(app, '/plants')
  const ids = async (query?: string): Promise<number[]> => {
    const found = await all('id', query)
    const qb = await plants.query(orm.em.fork(), parseQueryParams(query ?? ''))
    t.strictSame((await qb.getResultList()).map(({ id }) => id), found, `${query ?? 'all'} on the query builder`)
    return found
  }
  /** Asserts that each query keeps the plants with these keys. */
  const keeps = async (t: Test, cases: Array<[query: string, ids: number[]]>) => {
    for (const [query, expected] of cases) t.strictSame(await ids(query), expected, query)
  }

  t.test('a list without a filter has all plants that are not deleted', async (t) => {
    t.strictSame(await ids(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14])
  })

  t.test('eq and ne compare, and neither matches null', async (t) => {
    await keeps(t, [
      ['filter[name]=Lavender', [1]],
      ['filter[name][eq]=lavender', [2]],
      ['filter[price][eq]=9.90', [1, 3, 13]],
      ['filter[price][ne]=9.9', [4, 5, 6, 7, 9, 10, 12, 14]],
      ['filter[latinName][ne]=Salvia', [1, 8, 13, 14]],
      ['filter[position]=5', [12, 13, 14]],
      ['filter[position]=-2147483648', [10]],
      ['filter[uuid]=00000000-0000-4000-8000-00000000000A', [10]],
    ])
  })

  t.test('lt, lte, gt and gte compare the order of values', async (t) => {
    await keeps(t, [
      ['filter[price][lt]=1.5', [5, 10]],
      ['filter[price][lte]=1.5', [5, 10, 12]],
      ['filter[price][gt]=49.99', [7, 9]],
      ['filter[price][gte]=49.99', [6, 7, 9]],
      ['filter[price]=49.99', [6, 7, 9]],
      ['filter[price][gt]=9999999999.98', [9]],
      ['filter[price][gt]=99999999999999999999999999', []],
      ['filter[position][gt]=2147483646', [9]],
    ])
  })

  t.test('all filters apply, also two operators on one field', async (t) => {
    await keeps(t, [
      ['filter[price][gte]=3.25&filter[price][lt]=24.5', [1, 3, 13, 14]],
      ['filter[price][gte]=3.25&filter[price][lt]=24.5&filter[status]=active', [1, 3, 14]],
      ['filter[price]=9&filter[price][lte]=9.9&filter[supplier]=2', [13]],
      ['filter[name]=Lavender&filter[name][ne]=Lavender', []],
    ])
  })

  t.test('ieq is equality without regard to case', async (t) => {
    await keeps(t, [
      ['filter[name][ieq]=lavender', [1, 2]],
      ['filter[name][ieq]=LAVENDER', [1, 2]],
      ['filter[name][ieq]=lavende', []],
      ['filter[name][ieq]=snake_PLANT', [4]],
      ['filter[name][ieq]=snake%25plant', []],
      ['filter[name][ieq]=LAVENDER+', []],
      ['filter[name][ieq]=', [8]],
      ['filter[latinName][ieq]=NULL', [13]],
    ])
    t.match(await details('filter[name][ieq]=a&filter[name][ieq]=b'), ["The operator 'ieq' takes one value."])
    t.match(await details('filter[name][ieq]=%00'), [/filter\[name\]\[ieq\] must be text without NUL characters/])
    t.match(await details('filter[price][ieq]=1'), [/'ieq' is not allowed .*Allowed: between, eq,/])
  })

  t.test('like and ilike take a pattern verbatim', async (t) => {
    await keeps(t, [
      [q`filter[name][like]=${'L%'}`, [1]],
      [q`filter[name][ilike]=${'l%'}`, [1, 2]],
      [q`filter[name][like]=${'avend'}`, []],
      [q`filter[name][like]=${'Snake_plant'}`, [4]],
      [q`filter[name][like]=${'_a%'}`, [1, 2, 3, 5, 9]],
      [q`filter[name][like]=${'%100\\%'}`, [3]],
      [q`filter[name][like]=${'Snake\\_plant'}`, [4]],
      [q`filter[name][like]=${'%\\_%'}`, [4]],
      [q`filter[name][like]=${'Back\\\\%'}`, [5]],
      [q`filter[name][like]=${''}`, [8]],
      [q`filter[status][like]=${'a%'}`, [1, 3, 4, 5, 7, 9, 10, 12, 14]],
    ])
    t.match(await details(q`filter[name][like]=${'a\\'}`), [/single backslash/])
    t.match(await details(q`filter[name][ilike]=${'%a%\\'}`), [/single backslash/])
    t.match(await details(q`filter[name][like]=${'%_%_%_%_%'}`), [/at most 8 wildcards; this one has 9/])
    t.strictSame(await ids(q`filter[name][like]=${'%_%_%_%_'}`), [1, 2, 3, 4, 5, 6, 7, 10, 12, 13, 14],
      '8 wildcards are allowed')
    t.match(await details(q`filter[name][like]=${'x'.repeat(257)}`), [/at most 256 characters; this one has 257/])
    t.strictSame(await ids(q`filter[name][like]=${'x'.repeat(256)}`), [])
  })

  t.test('a character outside of the basic plane is one character of a pattern', async (t) => {
    for (const operator of ['like', 'contains']) {
      t.strictSame(await ids(q`filter[name][${operator}]=${'🌹'.repeat(256)}`), [])
      t.match(await details(q`filter[name][${operator}]=${'🌹'.repeat(257)}`), [/at most 256 characters; this one has 257/])
    }
  })

  t.test('contains, starts and ends take text, and ignore case', async (t) => {
    await keeps(t, [
      ['filter[name][contains]=AVEND', [1, 2]],
      ['filter[name][starts]=s', [3, 4]],
      ['filter[name][ends]=E', [14]],
      [q`filter[name][contains]=${'%'}`, [3]],
      [q`filter[name][contains]=${'_'}`, [4]],
      [q`filter[name][contains]=${'\\'}`, [5]],
      [q`filter[name][ends]=${'100%'}`, [3]],
      [q`filter[name][contains]=${'"Gold", o\'n'}`, [6]],
      [q`filter[name][contains]=${'玫瑰 🌹'}`, [7]],
      [q`filter[name][starts]=${'Å'}`, [7]],
      ['filter[name][contains]=', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]],
      ['filter[latinName]=', [1, 3, 8, 13, 14]],
      ['filter[latinName]=TH', [14]],
    ])
  })

  t.test('case of non-ASCII letters follows the locale of the database', async (t) => {
    const [{ folds }] = await select(orm, "select 'Å' ilike 'å' as folds") as [{ folds: boolean }]
    for (const filter of [
      q`[ieq]=${'ÅNGSTRÖM 玫瑰 🌹'}`, q`[ilike]=${'ångstr%'}`, q`[starts]=${'å'}`, q`[contains]=${'STRÖM'}`,
    ]) {
      t.strictSame(await ids(`filter[name]${filter}`), folds ? [7] : [], filter)
    }
  })

  t.test('a partial filter treats text with a percent sign as a pattern, and other text as a substring', async (t) => {
    await keeps(t, [
      ['filter[description]=summer', [1]],
      ['filter[description]=Summer', []],
      ['filter[description][ilike]=SUMMER', [1]],
      [q`filter[description]=${'Smells%'}`, [1]],
      [q`filter[description]=${'smells%'}`, []],
      [q`filter[description][ilike]=${'smells%'}`, [1]],
      [q`filter[description]=${'100\\%'}`, []],
      [q`filter[description]=${'%100\\% lavender_'}`, [1]],
      [q`filter[description]=${'lavender_'}`, []],
      [q`filter[description]=${'\\'}`, []],
      [q`filter[description][ilike]=${'straßE'}`, [7]],
      ['filter[description]=', [1, 7, 8]],
    ])
    t.match(await details('filter[description][eq]=x'), [
      /The operator 'eq' is not allowed for the filter 'description'\. .*Allowed: ilike, like\./,
    ])
    t.match(await details('filter[description]=a&filter[description]=b'), [/The operator 'like' takes one value/])
    t.match(await details(q`filter[description]=${'%a\\'}`), [/single backslash/])
  })

  t.test('in and nin take a list', async (t) => {
    await keeps(t, [
      ['filter[id][in]=3,1', [1, 3]],
      ['filter[id][in]=1, 3 ,3', [1, 3]],
      ['filter[id][in]=', []],
      ['filter[id][in]=11', []],
      ['filter[status][in]=draft,archived', [2, 5, 6, 8, 13]],
      ['filter[name][in]=Oak,Moss', [9, 10]],
      [q`filter[name][in]=${'"Rose \\"Gold\\", O\'Neill",Oak'}`, [6, 9]],
      [q`filter[name][in]=${'"Back\\\\slash fern"'}`, [5]],
      [q`filter[name][in]=${'Back\\slash fern'}`, [5]],
      [q`filter[name][in]=${'""'}`, [8]],
      [q`filter[name][in]=${'"",Oak'}`, [8, 9]],
      ['filter[name][in]=null', [13]],
      ['filter[name][in]=NULL', []],
      ['filter[id][nin]=1,2,3,4,5,6,7,8', [9, 10, 12, 13, 14]],
      ['filter[id][nin]=', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]],
      ['filter[price][nin]=9.9,0.01', [4, 6, 7, 9, 10, 12, 14]],
      ['filter[price][nin]=', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]],
      ['filter[uuid][in]=00000000-0000-4000-8000-000000000001,00000000-0000-4000-8000-00000000000E', [1, 14]],
    ])
  })

  t.test('a list in several parameters, or with [], is taken literally', async (t) => {
    await keeps(t, [
      ['filter[id][in]=3&filter[id][in]=1', [1, 3]],
      ['filter[id][in][]=3', [3]],
      ['filter[id][in][]=3&filter[id][in][]=1', [1, 3]],
      [q`filter[name][in][]=${'Rose "Gold", O\'Neill'}&filter[name][in][]=Oak`, [6, 9]],
      ['filter[name][in][]=&filter[name][in][]=Oak', [8, 9]],
      ['filter[name][in][]=', [8]],
      [q`filter[name][in][]=${'"Oak"'}`, []],
      ['filter[id]=1&filter[id]=3', [1, 3]],
      ['filter[id][]=1', [1]],
      ['filter[name][nin][]=Oak&filter[name][nin][]=', [1, 2, 3, 4, 5, 6, 7, 10, 12, 13, 14]],
      ['filter[price][between]=1&filter[price][between]=5', [12, 14]],
      ['filter[price][between][]=1&filter[price][between][]=5', [12, 14]],
      ['filter[price]=9.9&filter[price]=0.01', [1, 3, 5, 13]],
    ])
  })

  t.test('an invalid list is refused', async (t) => {
    for (const [query, expected] of [
      ['filter[id][in]=1,,2', /empty item/],
      ['filter[id][in]=1,', /empty item/],
      ['filter[id][in]=,', /empty item/],
      [q`filter[name][in]=${'"a'}`, /quote is not closed/],
      [q`filter[name][in]=${'"a"b'}`, /closing quote/],
      [q`filter[name][in]=${'"\\n"'}`, /backslash/],
      ['filter[id][in]=1&filter[id][in][]=2', /both with \[\] and without/],
      ['filter[id][in]=1,x', /The item 'x' of filter\[id\]\[in\] must be an integer/],
      ['filter[id][in]=1&filter[id][in]=2,3', /The item '2,3' of filter\[id\]\[in\] must be an integer/],
      [`filter[id][in]=${Array.from({ length: 101 }, (_, i) => i).join()}`, /more than 100 items/],
    ] as const) t.match(await details(query), [expected], query)
    t.strictSame(await ids(`filter[id][in]=${Array.from({ length: 100 }, (_, i) => i).join()}`), [
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14,
    ], '100 items are allowed')
  })

  t.test('an operator in a value is refused with the parameter that was meant', async (t) => {
    for (const [query, meant] of [
      ['filter[price]=>1', 'filter[price][gt]'], ['filter[price]=<= 1', 'filter[price][lte]'],
      ['filter[price]=gte:1', 'filter[price][gte]'], ['filter[price]=$gte:1', 'filter[price][gte]'],
      ['filter[price]=lt.1.5', 'filter[price][lt]'], ['filter[price]=1,2', 'filter[price][in]'],
      ['filter[price]=>x', undefined], ['filter[price]=x:1', undefined], ['filter[price][gte]=>1', undefined],
      ['filter[price]=', undefined],
      ['filter[price]=toString:1', undefined],
    ] as const) {
      const { errors: [error] } = await refused(query)
      t.equal(error.suggestion, meant, query)
      const tail = meant === undefined ? ' of at most 1000 digits.' : ` Did you mean '${meant}'?`
      t.ok(error.detail.endsWith(tail), error.detail)
    }
  })

  t.test('between takes both ends, the low one first', async (t) => {
    await keeps(t, [
      ['filter[price][between]=3.25,9.9', [1, 3, 13, 14]],
      ['filter[price][between]=9.9,3.25', []],
      ['filter[name][between]=M,P', [9, 10]],
      ['filter[created_at][between]=2024-03-01,2024-03-02', [4, 5, 6]],
    ])
    for (const list of ['', '1', '1,2,3']) {
      t.match(await details(`filter[price][between]=${list}`), [/takes exactly two values, low first/], list)
    }
  })

  t.test('isnull takes true or false', async (t) => {
    await keeps(t, [
      ['filter[price][isnull]=true', [2, 8]],
      ['filter[price][isnull]=false', [1, 3, 4, 5, 6, 7, 9, 10, 12, 13, 14]],
      ['filter[id][isnull]=true', []],
      ['filter[latinName][isnull]=false', [1, 3, 8, 13, 14]],
    ])
    for (const value of ['', '1', '0', 'TRUE', 'null', 'true,false']) {
      t.match(await refused(`filter[price][isnull]=${value}`), {
        errors: [{ detail: /must be true or false/, allowed: ['false', 'true'] }],
      }, value)
    }
    t.match(await details('filter[price][isnull]=true&filter[price][isnull]=true'), [/takes one value/])
  })

  t.test('an operator of one value takes commas, empty text and the text null literally', async (t) => {
    await keeps(t, [
      [q`filter[name]=${'Rose "Gold", O\'Neill'}`, [6]], ['filter[name]=', [8]], ['filter[name]', [8]],
      ['filter[name]=null', [13]], ['filter[latinName][eq]=null', [13]], [q`filter[sku]=${'a,b"c'}`, [6]],
      ['filter[name]= Oak', []], ['filter[name]=Oak+', []],
    ])
  })

  t.test('a repeated filter without a list operator is an error', async (t) => {
    t.match(await details('filter[sku]=1&filter[sku]=2'), [/The operator 'eq' takes one value/])
    t.match(await details('filter[sku][]=1'), [/The operator 'eq' takes one value/])
    t.match(await details('filter[name][contains]=a&filter[name][contains]=b'), [
      /The operator 'contains' takes one value/,
    ])
  })

  t.test('booleans are true, false, 1 or 0', async (t) => {
    const inStock = [1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]
    await keeps(t, [
      ['filter[inStock]=true', inStock],
      ['filter[inStock]=1', inStock],
      ['filter[inStock]=false', [2]],
      ['filter[inStock]=0', [2]],
      ['filter[inStock][ne]=true', [2]],
      ['filter[inStock][in]=0', [2]],
    ])
    for (const value of ['', 'TRUE', 'yes', 'on', '2', 't', 'null']) {
      t.match(await refused(`filter[inStock]=${value}`), { errors: [{ allowed: ['0', '1', 'false', 'true'] }] }, value)
    }
  })

  t.test('a value outside an enum is refused with the members', async (t) => {
    t.match(await refused('filter[status]=activ'), {
      code: 'FST_CRUD_FILTER_INVALID',
      errors: [{
        source: { parameter: 'filter[status]' }, allowed: ['active', 'archived', 'draft'], suggestion: 'active',
      }],
    })
    t.match(await refused('filter[status][in]=active,Draft'), {
      errors: [{ source: { parameter: 'filter[status][in]' }, allowed: ['active', 'archived', 'draft'] }],
    })
    t.match(await refused('filter[status]='), { errors: [{ allowed: ['active', 'archived', 'draft'] }] })
  })

  t.test('datetimes are ISO 8601; a date alone is UTC midnight', async (t) => {
    await keeps(t, [
      ['filter[created_at]=2024-04-03', [9, 13, 14]],
      ['filter[created_at][eq]=2024-04-03', [13, 14]],
      ['filter[created_at][eq]=2024-04-03T00:00:00Z', [13, 14]],
      ['filter[created_at][eq]=2024-04-03T00:00:00', [13, 14]],
      ['filter[created_at][eq]=2024-04-03T02:00:00%2B02:00', [13, 14]],
      ['filter[created_at][eq]=2024-04-02T19:00:00.000-0500', [13, 14]],
      ['filter[created_at][eq]=2024-04-03 00:00', [13, 14]],
      ['filter[created_at][eq]=2024-02-29T10:20:30.456Z', [3]],
      ['filter[created_at][gt]=2024-02-29T10:20:30.456Z&filter[created_at][lt]=2024-03-01T00:00:00.002Z', [4]],
      ['filter[created_at][lt]=1970-01-01', [10]],
      ['filter[created_at][gte]=9999-12-31T23:59:59.999Z', [9]],
    ])
    for (const value of ['2024-02-30', '2024-04-03T02:00:00+02:00', '']) {
      t.match(await details(`filter[created_at]=${value}`), [/must be an ISO 8601 date and time/], value)
    }
  })

  t.test('numbers are exact, and integers within the range of their column', async (t) => {
    for (const value of ['2147483648', '1e3', ' 1', '']) {
      t.match(await details(q`filter[id]=${value}`), [/must be an integer from -2147483648 to 2147483647/], value)
    }
    for (const value of ['1e999999', 'NaN', '.5', '9'.repeat(1001)]) {
      t.match(await details(q`filter[price]=${value}`), [/must be a decimal number of at most 1000 digits\./], value)
    }
    await keeps(t, [
      ['filter[price][eq]=0009.9000', [1, 3, 13]],
      ['filter[price][eq]=9.90000000000000000001', []],
      ['filter[price][lt]=0.00999999999999999999999', [10]],
      ['filter[price][lt]=1e-7', [10]],
      ['filter[price][in]=99e-1,325E-2', [1, 3, 13, 14]],
      ['filter[price][gte]=1e999', []],
      ['filter[id]=-0', []],
      ['filter[id]=0001', [1]],
    ])
  })

  t.test('a to-one relation is compared by its key', async (t) => {
    await keeps(t, [
      ['filter[supplier]=2', [2, 4, 5, 8, 13, 14]],
      ['filter[supplier][in]=2,3', [2, 4, 5, 8, 12, 13, 14]],
      ['filter[supplier][ne]=1', [2, 4, 5, 8, 12, 13, 14]],
      ['filter[group]=3', [1, 2]],
      ['filter[group][ne]=1', [1, 2, 3, 12, 14]],
      ['filter[group][nin]=1,2', [1, 2, 12]],
      ['filter[group][isnull]=true', [4, 8, 9, 10, 13]],
      ['filter[group][isnull]=false', [1, 2, 3, 5, 6, 7, 12, 14]],
      ['filter[unplaced]=true', [2, 5, 6, 7, 8, 9, 10, 12, 13, 14]],
      ['filter[unplaced]=false', [1, 3, 4]],
      ['filter[group]=99', []],
    ])
    t.match(await details('filter[group]=Herbs'), [/must be an integer/])
    t.match(await details('filter[group]=2147483648'), [/must be an integer/])
  })

  t.test('computed and generated properties, and columns with awkward names, can be filtered', async (t) => {
    await keeps(t, [
      ['filter[nameLength]=0', [8]],
      ['filter[nameLength][gte]=13', [5, 6, 7]],
      ['filter[nameLength][in]=3,4', [9, 10, 13]],
      ['filter[slug]=sage-100%25', [3]],
      ['filter[slug][starts]=LAV', [1, 2]],
      ['filter[latinName][eq]=Salvia', [3]],
      ['filter[position][lt]=1', [8, 10]],
    ])
  })

  t.test('an alias replaces the name of its filter in the URL', async (t) => {
    await keeps(t, [['filter[cheaper_than]=1.5', [5, 10, 12]]])
    t.match(await refused('filter[shelf]=true'), { code: 'FST_CRUD_FILTER_INVALID' })
    t.match(await refused('filter[articleNumber]=LAV-001'), { code: 'FST_CRUD_FILTER_INVALID' },
      'the public name is the only one')
    t.strictSame(await ids('filter[sku]=LAV-001'), [1])
  })

  t.test('an unknown filter or operator is refused with the allowed ones', async (t) => {
    t.match(await refused('filter[nmae]=x'), {
      code: 'FST_CRUD_FILTER_INVALID',
      errors: [{
        source: { parameter: 'filter[nmae]' },
        code: 'FST_CRUD_FILTER_INVALID',
        detail: /^The filter 'nmae' is not allowed\. Did you mean 'name'\? Allowed: /,
        suggestion: 'name',
      }],
    })
    t.match(await refused('filter[name][equals]=x'), {
      errors: [{
        source: { parameter: 'filter[name][equals]' },
        detail: /The operator 'equals' is not allowed for the filter 'name'/,
      }],
    })
    t.strictSame((await refused('filter[status][gt]=x')).errors[0].allowed, [
      'contains', 'eq', 'in', 'isnull', 'like', 'ne', 'nin',
    ])
    t.match(await details('filter[cheaper_than][gte]=1'), [
      /The operator 'gte' is not allowed for the filter 'cheaper_than'.* Allowed: lte\./,
    ])
    t.match(
      await details(
        'filter[name][$eq]=1&filter[Name]=x&filter[name.eq]=x&filter[purchasePrice]=1&filter[selected]=true'
      ),
      Array.from({ length: 5 }, () => /not allowed/)
    )
  })

  t.test('the total counts the filtered records', async (t) => {
    t.match(await get('filter[status]=active&per_page=3'), { total: 8, total_pages: 3, items: { length: 3 } })
    t.match(await get('filter[status]=active&limit=3&offset=3'), { total: 8, has_next: true, has_prev: true })
  })
})
