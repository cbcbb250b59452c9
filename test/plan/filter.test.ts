import t from 'tap'
import { AllowedFilters } from '../../src/config/index.ts'
import { OPERATOR_NAMES } from '../../src/operators/index.ts'
import { Specimen } from '../fixtures/entities.ts'
import { conditionsOf, errorsOf, planOf, whitelistOf } from './helper.ts'

const TEXT = OPERATOR_NAMES.filter((operator) => operator !== 'overlap')
const ORDERED = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'between', 'isnull'] as const

const plants = whitelistOf({
  allowedFilters: [
    new AllowedFilters('name', 'eq', TEXT),
    new AllowedFilters('price', 'gte', ORDERED),
    new AllowedFilters('position', 'eq', ['eq']),
    AllowedFilters.exact('articleNumber'),
    AllowedFilters.exact('inStock'),
    AllowedFilters.exact('status'),
    new AllowedFilters('created_at', 'gte', ['gte', 'lte', 'gt', 'lt']),
    AllowedFilters.partial('description'),
    new AllowedFilters('supplier', 'eq', ['eq', 'in', 'isnull']),
    AllowedFilters.exact('supplier.name'),
    AllowedFilters.exact('supplier.country'),
    AllowedFilters.exact('supplier.address.city'),
    AllowedFilters.exact('tags.name'),
    new AllowedFilters('tags.weight', 'eq', ['eq', 'gt']),
    AllowedFilters.exact('offers.title'),
    AllowedFilters.exact('orderItems.order.note'),
    AllowedFilters.exact('orderItems.quantity'),
    AllowedFilters.custom('anything', (qb) => qb),
  ],
})
const conditions = (query: string, whitelist = plants) => conditionsOf(planOf(query, whitelist))
const details = (query: string, whitelist = plants) =>
  errorsOf(query, whitelist).map(({ code, detail }) => {
    t.equal(code, 'FST_CRUD_FILTER_INVALID', query)
    return detail
  })

t.test('the text null names the filter for null, where that is allowed', async (t) => {
  const whitelist = whitelistOf({
    allowedFilters: [
      new AllowedFilters('supplier', 'eq', ['eq', 'ne', 'in', 'isnull']),
      new AllowedFilters('position', 'eq', ['eq']),
      new AllowedFilters('name', 'eq', ['eq', 'isnull']),
      AllowedFilters.anyOf('either', [
        new AllowedFilters('supplier', 'eq', ['eq', 'isnull']),
        AllowedFilters.exact('position'),
      ]),
    ],
  })
  const hint = (query: string) => /For null.*/.exec(details(query, whitelist).join(' '))?.[0]
  t.equal(hint('filter[supplier]=null'), 'For null, write filter[supplier][isnull]=true.')
  t.equal(hint('filter[supplier][in]=NULL'), 'For null, write filter[supplier][isnull]=true.')
  t.equal(hint('filter[supplier][ne]=null'), 'For null, write filter[supplier][isnull]=false.')
  t.equal(hint('filter[supplier]=nul'), undefined)
  t.equal(hint('filter[supplier][isnull]=null'), undefined)
  t.equal(hint('filter[supplier][gte]=null'), undefined, 'the operator is refused, not the value')
  t.equal(hint('filter[position]=null'), undefined, 'a filter without isnull')
  t.equal(hint('filter[either]=null'), undefined, 'a filter that takes no operator')
  t.strictSame(details('filter[name]=null', whitelist), [], 'a text')
})

t.test('every operator is planned', async (t) => {
  const cases: ReadonlyArray<readonly [query: string, condition: string]> = [
    ['filter[name]=Sage', 'name = "Sage"'],
    ['filter[name][eq]=Sage', 'name = "Sage"'],
    ['filter[name][ne]=Sage', 'name <> "Sage"'],
    ['filter[name][lt]=M', 'name < "M"'],
    ['filter[name][lte]=M', 'name <= "M"'],
    ['filter[name][gt]=M', 'name > "M"'],
    ['filter[name][gte]=M', 'name >= "M"'],
    ['filter[name][ieq]=SAGE', 'name = in lower case "SAGE"'],
    ['filter[name][ieq]= a%25 ', 'name = in lower case " a% "'],
    ['filter[name][like]=S%25_\\%25', 'name like S%_\\%'],
    ['filter[name][ilike]=s%25', 'name ilike s%'],
    ['filter[name][like]=Sage', 'name like Sage'],
    ['filter[name][contains]=100%25', 'name ilike %100\\%%'],
    ['filter[name][contains]=a_b\\c', 'name ilike %a\\_b\\\\c%'],
    ['filter[name][starts]=50%25', 'name ilike 50\\%%'],
    ['filter[name][ends]=\\', 'name ilike %\\\\'],
    ['filter[name][contains]=', 'name ilike %%'],
    ['filter[name][in]=a,b', 'name in {"a","b"}'],
    ['filter[name][nin]=a', 'name not in {"a"}'],
    ['filter[name][between]=a,m', 'name between "a" and "m"'],
    ['filter[name][between]=m,a', 'name between "m" and "a"'],
    ['filter[name][isnull]=true', 'name is null'],
    ['filter[name][isnull]=false', 'name is not null'],
    ['filter[price]=10', 'price >= "10"'],
    ['filter[price][between]=1,2.50', 'price between "1" and "2.50"'],
    ['filter[inStock]=1', 'in_stock = true'],
    ['filter[sku]=LAV-001', 'article_number = "LAV-001"'],
    ['filter[position]=007', 'order = 7'],
    ['filter[created_at]=2024-05-31', 'created_at >= "2024-05-31T00:00:00Z"'],
    ['filter[supplier]=1', 'supplier_id = 1'],
    ['filter[supplier][in]=1,2', 'supplier_id in {"1","2"}'],
    ['filter[supplier][isnull]=false', 'supplier_id is not null'],
    ['filter[description]=summer', 'description like %summer%'],
    ['filter[description][ilike]=SUMMER', 'description ilike %SUMMER%'],
    ['filter[description]=Smells%25', 'description like Smells%'],
    ['filter[description]=50\\%25', 'description like %50\\\\\\%%'],
    ['filter[description]=a_b', 'description like %a\\_b%'],
    ['filter[description]=', 'description like %%'],
  ]
  for (const [query, condition] of cases) t.strictSame(conditions(query), [condition], query)
})

t.test('an empty value is the empty text, and null is a text', async (t) => {
  t.strictSame(conditions('filter[name]='), ['name = ""'])
  t.strictSame(conditions('filter[name]'), ['name = ""'])
  t.strictSame(conditions('filter[name]=null'), ['name = "null"'])
  t.strictSame(conditions('filter[name]=a,b'), ['name = "a,b"'], 'a comma is data for one value')
})

t.test('lists take quotes, spaces and empty items', async (t) => {
  const cases: ReadonlyArray<readonly [query: string, list: string]> = [
    ['filter[name][in]=a, b ,c', '{"a","b","c"}'],
    ['filter[name][in]="a,b",c', '{"a,b","c"}'],
    ['filter[name][in]="\\"","\\\\"', '{"\\"","\\\\"}'],
    ['filter[name][in]=""', '{""}'],
    ['filter[name][in]=" a "', '{" a "}'],
    ['filter[name][in]=', '{}'],
    ['filter[name][in]={a},null', '{"{a}","null"}'],
    ['filter[name][in]=a,a', '{"a","a"}'],
    ['filter[price][in]=1,2.50', '{"1","2.50"}'],
    ['filter[name][in][]=a,b&filter[name][in][]= c ', '{"a,b"," c "}'],
    ['filter[name][in]=a&filter[name][in]="b"', '{"a","\\"b\\""}'],
    ['filter[name]=a&filter[name]=b', '{"a","b"}'],
    ['filter[name][]=a', '{"a"}'],
    ['filter[supplier]=1&filter[supplier]=2', '{"1","2"}'],
  ]
  for (const [query, list] of cases) t.strictSame(conditions(query)[0]?.split(' in ')[1], list, query)
  t.strictSame(conditions('filter[name][nin]='), [], 'nothing to differ from is no condition')
})

t.test('all filters apply, in the order of the query string', async (t) => {
  t.strictSame(conditions('filter[price][lt]=5&filter[name]=x&filter[price][gte]=1'), [
    'price < "5"', 'name = "x"', 'price >= "1"',
  ])
})

t.test('conditions on one path apply to the same row', async (t) => {
  t.strictSame(conditions('filter[supplier.name]=x'), ['supplier(name = "x")'])
  t.strictSame(conditions('filter[tags.name]=x&filter[price]=1&filter[tags.weight][gt]=2'), [
    'tags(name = "x"; weight > 2)', 'price >= "1"',
  ])
  t.strictSame(conditions('filter[tags.name]=x&filter[offers.title]=y'), ['tags(name = "x")', 'offers(title = "y")'])
  t.strictSame(conditions('filter[orderItems.order.note]=x&filter[orderItems.quantity]=2'), [
    'orderItems(order(note = "x"); quantity = 2)',
  ])
  t.strictSame(conditions('filter[supplier.address.city]=Lyon&filter[supplier.country]=fr'), [
    'supplier(address_city = "Lyon"; country = "fr")',
  ])
  t.strictSame(conditions('filter[supplier]=1&filter[supplier.name]=x'), ['supplier_id = 1', 'supplier(name = "x")'])
})

t.test('a custom filter gets the text, or the texts, verbatim', async (t) => {
  const customs = (query: string) => planOf(query, plants).customs.map((custom) => 'value' in custom && custom.value)
  t.strictSame(customs('filter[anything]=a,b'), ['a,b'])
  t.strictSame(customs('filter[anything]=a&filter[anything]=b'), [['a', 'b']])
  t.strictSame(customs('filter[anything]='), [''])
  t.strictSame(conditions('filter[anything]=x'), [])
  t.strictSame(details('filter[anything][eq]=x'), ["The filter 'anything' takes no operator."])
})

t.test('a field that is not allowed is refused, with the nearest allowed one', async (t) => {
  const [error] = errorsOf('filter[nmae]=x', plants)
  const allowed = [
    'anything', 'created_at', 'description', 'inStock', 'name', 'offers.title', 'orderItems.order.note',
    'orderItems.quantity', 'position', 'price', 'sku', 'status', 'supplier', 'supplier.address.city',
    'supplier.country', 'supplier.name', 'tags.name', 'tags.weight',
  ]
  t.strictSame(error, {
    source: { parameter: 'filter[nmae]' },
    code: 'FST_CRUD_FILTER_INVALID',
    detail: `The filter 'nmae' is not allowed. Did you mean 'name'? Allowed: ${allowed.join(', ')}.`,
    allowed,
    suggestion: 'name',
  })
  t.match(errorsOf('filter[nmae][gte]=x', plants), [{ source: { parameter: 'filter[nmae][gte]' } }])
  t.strictSame(details('filter[x]=1', whitelistOf({})), ["The filter 'x' is not allowed. Allowed: none."])
})

t.test('a name that is not allowed gets the same error, whether or not the property exists', async (t) => {
  const error = (name: string) => JSON.stringify(errorsOf(`filter[${name}]=1`, plants)).replaceAll(name, '<name>')
  for (
    const name of ['purchasePrice', 'latinName', 'articleNumber', 'deleted_at', 'label', 'supplier.email', 'selected']
  ) {
    // of the same letters, so that it is as near to the allowed name
    const unknown = [...name].reverse().join('')
    t.equal(
      error(name).replace(/ Did you mean '[^']*'\?|,"suggestion":"[^"]*"/g, ''),
      error(unknown).replace(/ Did you mean '[^']*'\?|,"suggestion":"[^"]*"/g, ''),
      name
    )
  }
  t.equal(error('purchasePrice'), error('purchaseCrate'))
  t.equal(error('supplier.email'), error('supplier.ebail'))
})

t.test('a long list of allowed names is cut', async (t) => {
  const many = whitelistOf({
    allowedFilters: Array.from(
      { length: 60 },
      (_, index) => AllowedFilters.exact('name', { alias: `n${String(index).padStart(2, '0')}` })
    ),
  })
  const [error] = errorsOf('filter[zzzzzz]=1', many)
  t.equal(error?.allowed?.length, 50)
  t.match(error?.detail, /n49, \.\.\.\.$/)
})

t.test('an operator that is not allowed is refused, never replaced', async (t) => {
  t.strictSame(errorsOf('filter[created_at][eq]=2024-01-01', plants), [{
    source: { parameter: 'filter[created_at][eq]' },
    code: 'FST_CRUD_FILTER_INVALID',
    detail: "The operator 'eq' is not allowed for the filter 'created_at'. Allowed: gt, gte, lt, lte.",
    allowed: ['gt', 'gte', 'lt', 'lte'],
  }])
  for (const operator of ['EQ', 'equals', 'toString', 'valueOf', '$eq', '>', ' eq', 'or', 'in']) {
    t.match(details(`filter[position][${operator}]=1`), [
      `The operator '${operator}' is not allowed for the filter 'position'.`,
    ], operator)
  }
  t.match(errorsOf('filter[name][lik]=x', plants), [{
    detail: /^The operator 'lik' is not allowed for the filter 'name'\. Did you mean 'like'\?/,
    suggestion: 'like',
  }])
  t.match(details('filter[sku]=a&filter[sku]=b'), ["The operator 'eq' takes one value."], 'in is not allowed here')
  t.match(details('filter[name][like]=a&filter[name][like]=b'), ["The operator 'like' takes one value."])
  t.match(details('filter[name][contains][]=a'), ["The operator 'contains' takes one value."])
  t.match(details('filter[name][isnull]=true&filter[name][isnull]=true'), ["The operator 'isnull' takes one value."])
})

t.test('several values use the default operator if it takes a list, else in, or are refused', async (t) => {
  const whitelist = whitelistOf({
    allowedFilters: [
      new AllowedFilters('id', 'nin', ['nin', 'in', 'eq']),
      new AllowedFilters('position', 'between', ['between', 'in']),
      new AllowedFilters('name', 'eq', ['eq', 'in']),
      new AllowedFilters('latinName', 'isnull', ['isnull', 'in']),
      new AllowedFilters('status', 'eq', ['eq', 'nin']),
    ],
  })
  t.strictSame(conditions('filter[id]=1&filter[id]=2', whitelist), ['id not in {"1","2"}'])
  t.strictSame(conditions('filter[id][]=1', whitelist), ['id not in {"1"}'])
  t.strictSame(conditions('filter[position]=1&filter[position]=2', whitelist), ['order between 1 and 2'])
  t.match(errorsOf('filter[position][]=1&filter[position][]=2&filter[position][]=3', whitelist), [{
    detail: /^The operator 'between' takes exactly two values/,
  }])
  t.strictSame(conditions('filter[name]=a&filter[name]=b', whitelist), ['name in {"a","b"}'])
  t.strictSame(conditions('filter[latinName]=a&filter[latinName]=b', whitelist), ['latinName in {"a","b"}'])
  t.match(errorsOf('filter[status]=draft&filter[status]=active', whitelist), [{
    detail: "The operator 'eq' takes one value.",
  }])
  const arrays = whitelistOf(
    { allowedFilters: [new AllowedFilters('synonyms', 'overlap', ['overlap', 'contains'])] },
    Specimen
  )
  t.strictSame(conditions('filter[synonyms]=a&filter[synonyms]=b', arrays), ['synonyms has any of {"a","b"}'])
})

t.test('a value that its property cannot store is refused with the expected form', async (t) => {
  const cases: ReadonlyArray<readonly [query: string, detail: string]> = [
    [
      'filter[price]=cheap',
      'The value of filter[price] must be a decimal number of at most 1000 digits, without an exponent.',
    ],
    [
      'filter[price][lt]=1e3',
      'The value of filter[price][lt] must be a decimal number of at most 1000 digits, without an exponent.',
    ],
    [
      'filter[price]=',
      'The value of filter[price] must be a decimal number of at most 1000 digits, without an exponent.',
    ],
    ['filter[position]=2147483648', 'The value of filter[position] must be an integer from -2147483648 to 2147483647.'],
    ['filter[supplier]=x', 'The value of filter[supplier] must be an integer from -2147483648 to 2147483647.'],
    ['filter[inStock]=yes', 'The value of filter[inStock] must be a boolean. Allowed: 0, 1, false, true.'],
    [
      'filter[status]=actve',
      "The value of filter[status] must be one of its members. Did you mean 'active'? Allowed: active, archived, " +
      'draft.',
    ],
    [
      'filter[created_at]=2024-02-30',
      'The value of filter[created_at] must be an ISO 8601 date and time, ' +
      'such as 2024-05-31T09:30:00Z or 2024-05-31 (write + as %2B).',
    ],
    [
      'filter[created_at]=2024-05-31T09:30:00+02:00',
      'The value of filter[created_at] must be an ISO 8601 date and time, ' +
      'such as 2024-05-31T09:30:00Z or 2024-05-31 (write + as %2B).',
    ],
    ['filter[name]=%00', 'The value of filter[name] must be text without NUL characters or halves of surrogate pairs.'],
    ['filter[name][isnull]=1', 'The value of filter[name][isnull] must be true or false. Allowed: false, true.'],
    ['filter[name][isnull]=', 'The value of filter[name][isnull] must be true or false. Allowed: false, true.'],
    [
      'filter[price][in]=1,x',
      "The item 'x' of filter[price][in] must be a decimal number of at most 1000 digits, without an exponent.",
    ],
    ['filter[price][between]=1', "The operator 'between' takes exactly two values, low first; 1 were given."],
    ['filter[price][between]=1,2,3', "The operator 'between' takes exactly two values, low first; 3 were given."],
    ['filter[price][between]=', "The operator 'between' takes exactly two values, low first; 0 were given."],
    ['filter[price][between]=1,', 'filter[price][between]: The list has an empty item: write "" for an empty text.'],
    ['filter[name][in]=1,,2', 'filter[name][in]: The list has an empty item: write "" for an empty text.'],
    ['filter[name][in]="a', 'filter[name][in]: A quote is not closed.'],
    ['filter[name][in]="a"b', 'filter[name][in]: Only a comma may follow a closing quote.'],
    [
      'filter[name][like]=a\\',
      'filter[name][like]: A pattern cannot end in a single backslash. Write two backslashes to match one.',
    ],
    [
      'filter[name][like]=%00',
      'filter[name][like]: A pattern must be text without NUL characters or halves of surrogate pairs.',
    ],
    [
      'filter[name][contains]=%00',
      'filter[name][contains]: A pattern must be text without NUL characters or halves of surrogate pairs.',
    ],
    [
      'filter[description]=%25\\',
      'filter[description]: A pattern cannot end in a single backslash. Write two backslashes to match one.',
    ],
  ]
  for (const [query, detail] of cases) t.strictSame(details(query), [detail], query)
})

t.test('patterns and lists have limits', async (t) => {
  const fits = (query: string) => t.strictSame(errorsOf(query, plants), [], query.slice(0, 40))
  const exceeds = (query: string, detail: string) => t.strictSame(details(query), [detail], query.slice(0, 40))
  fits(`filter[name][like]=${'a'.repeat(256)}`)
  exceeds(
    `filter[name][like]=${'a'.repeat(257)}`,
    'filter[name][like]: A pattern has at most 256 characters; this one has 257.'
  )
  exceeds(
    `filter[name][contains]=${'a'.repeat(257)}`,
    'filter[name][contains]: A pattern has at most 256 characters; this one has 257.'
  )
  exceeds(
    `filter[description]=${'a'.repeat(257)}`,
    'filter[description]: A pattern has at most 256 characters; this one has 257.'
  )
  fits(`filter[name][like]=${'%25_'.repeat(4)}\\%25\\_`)
  exceeds(
    `filter[name][like]=${'_'.repeat(9)}`,
    'filter[name][like]: A pattern has at most 8 wildcards; this one has 9.'
  )
  exceeds(
    `filter[description]=${'%25'.repeat(9)}`,
    'filter[description]: A pattern has at most 8 wildcards; this one has 9.'
  )
  fits(`filter[name][contains]=${'%25'.repeat(100)}`)
  fits(`filter[description]=${'_'.repeat(100)}`)
  fits(`filter[name]=${'a'.repeat(1000)}`)
  fits(`filter[price][in]=${Array(100).fill(1)}`)
  exceeds(`filter[price][in]=${Array(101).fill(1)}`, 'filter[price][in]: The list has more than 100 items.')
})

t.test("values of every type of column are converted to the column's type", async (t) => {
  const specimens = whitelistOf({
    allowedFilters: [
      'leaves', 'cells', 'dryMass', 'acidity', 'alive', 'grade', 'tracker', 'health', 'hardiness', 'flowering',
      'sownOn', 'recordedAt', 'wateredAt', 'readings', 'petals', 'minimum', 'plant.uuid',
    ].map((name) => AllowedFilters.exact(name)),
  }, Specimen)
  const cases: ReadonlyArray<readonly [query: string, condition: string]> = [
    ['filter[leaves]=-5', 'leaves = -5'],
    ['filter[cells]=12000000000', 'cells = "12000000000"'],
    ['filter[dryMass]=12.500000', 'dry_mass = "12.500000"'],
    ['filter[acidity]=6.5', 'acidity = 6.5'],
    ['filter[alive]=false', 'alive = false'],
    ['filter[grade]=A', 'grade = "A"'],
    ['filter[tracker]=3F0C8A52-7C0E-4F57-9D53-2D6F4A1C9B10', 'tracker = "3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10"'],
    ['filter[health]=dead', 'health = "dead"'],
    ['filter[hardiness]=2', 'hardiness = 2'],
    ['filter[flowering]=summer', 'flowering = "summer"'],
    ['filter[sownOn]=2024-02-29', 'sown_on = "2024-02-29"'],
    ['filter[recordedAt]=2024-05-06T09:08:09%2B02:00', 'recorded_at = "2024-05-06T07:08:09"'],
    ['filter[wateredAt]=07:30', 'watered_at = "07:30"'],
    ['filter[readings]={"sensor": "north"}', 'readings = "{\\"sensor\\": \\"north\\"}"'],
    ['filter[petals]=%23967bb6', 'petals = "#967bb6"'],
    ['filter[minimum]=-12.5', 'minimum = "-12.5"'],
    ['filter[plant.uuid]=00000000-0000-4000-8000-000000000001', 'plant(uuid = "00000000-0000-4000-8000-000000000001")'],
  ]
  for (const [query, condition] of cases) t.strictSame(conditions(query, specimens), [condition], query)
})

t.test('a value to ignore must be a value that the operator takes', async (t) => {
  const ignoring = whitelistOf({
    allowedFilters: [new AllowedFilters('name', 'eq', ['eq', 'in', 'contains']).ignore('all')],
  })
  t.strictSame(conditions('filter[name]=all', ignoring), [])
  t.strictSame(conditions('filter[name]=Sage,all', ignoring), ['name = "Sage,all"'], 'a comma is data')
  t.strictSame(conditions('filter[name][contains]=all,Sage', ignoring), conditions('filter[name][contains]=all,Sage'))
  t.strictSame(conditions('filter[name][in]=Sage,all', ignoring), conditions('filter[name][in]=Sage'))
  t.strictSame(details('filter[name][ends]=all', ignoring), [
    "The operator 'ends' is not allowed for the filter 'name'. Allowed: contains, eq, in.",
  ])
  t.match(details('filter[name][nope][]=all', ignoring), [/^The operator 'nope' is not allowed/])
})
