import t from 'tap'
import { AllowedFilters } from '../../src/config/index.ts'
import { OPERATOR_NAMES } from '../../src/operators/index.ts'
import { Specimen } from '../fixtures/entities.ts'
import { conditionsOf, errorsOf, planOf, whitelistOf } from './helper.ts'

const TEXT = OPERATOR_NAMES.filter((operator) => operator !== 'overlap')
const ORDERED = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'between', 'isnull'] as const

const plants = whitelistOf({
  allowedFilters: [
    new AllowedFilters('name', 'eq', TEXT), new AllowedFilters('price', 'gte', ORDERED), 'position', 'articleNumber',
    'inStock', 'status', { created_at: ['gte', 'lte', 'gt', 'lt'] }, AllowedFilters.partial('description'),
    { supplier: ['eq', 'in', 'isnull'] }, 'supplier.name', 'supplier.country', 'supplier.address.city', 'tags.name',
    { 'tags.weight': ['eq', 'gt'] }, 'offers.title', 'orderItems.order.note', 'orderItems.quantity',
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
      { supplier: ['eq', 'ne', 'in', 'isnull'] }, 'position', { name: ['eq', 'isnull'] },
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

t.test('an empty value is the empty text, and null is a text', async (t) => {
  t.strictSame(conditions('filter[name]='), ['name = ""'])
  t.strictSame(conditions('filter[name]'), ['name = ""'])
  t.strictSame(conditions('filter[name]=null'), ['name = "null"'])
  t.strictSame(conditions('filter[name]=a,b'), ['name = "a,b"'], 'a comma is data for one value')
})

t.test('a field that is not allowed is refused, with the nearest allowed one', async (t) => {
  const [error] = errorsOf('filter[nmae]=x', plants)
  const allowed = [
    'anything', 'created_at', 'description', 'inStock', 'name', 'offers.title', 'orderItems.order.note',
    'orderItems.quantity', 'position', 'price', 'sku', 'status', 'supplier', 'supplier.address.city',
    'supplier.country', 'supplier.name', 'tags.name', 'tags.weight',
  ]
  t.strictSame(error, {
    source: { parameter: 'filter[nmae]' }, code: 'FST_CRUD_FILTER_INVALID',
    detail: `The filter 'nmae' is not allowed. Did you mean 'name'? Allowed: ${allowed.join(', ')}.`, allowed,
    suggestion: 'name',
  })
  t.match(errorsOf('filter[nmae][gte]=x', plants), [{ source: { parameter: 'filter[nmae][gte]' } }])
  t.strictSame(details('filter[x]=1', whitelistOf({})), ["The filter 'x' is not allowed. Allowed: none."])
})

t.test('a path in two brackets is refused, with the path in one', async (t) => {
  for (const [query, detail, suggestion] of [
    ['filter[tags][name]=x', /^The filter 'tags' is not allowed\. Did you mean 'tags\.name'\? /, 'tags.name'],
    ['filter[supplier][name]=x',
      /^The operator 'name' is not allowed for the filter 'supplier'\. Did you mean 'supplier\.name'\? Allowed: eq, /,
      'supplier.name'],
    ['filter[supplier.address][city]=x', /Did you mean 'supplier\.address\.city'\?/, 'supplier.address.city'],
  ] as const) t.match(errorsOf(query, plants), [{ detail, suggestion }], query)
  const whitelist = whitelistOf({
    allowedFilters: [
      { supplier: ['eq', 'ne'] },
      new AllowedFilters('supplier.name', 'eq', ['eq'], { alias: 'grower' }),
      new AllowedFilters('tags.name', 'eq', ['eq'], { alias: 'supplier.like' }),
      AllowedFilters.custom('group', (qb) => qb),
      'group.name',
    ],
  })
  t.match(errorsOf('filter[supplier][name]=x', whitelist), [{ suggestion: 'grower' }], 'an alias')
  t.match(details('filter[supplier][like]=x', whitelist), [
    "The operator 'like' is not allowed for the filter 'supplier'. Allowed: eq, ne.",
  ], 'an operator is no property')
  t.match(details('filter[group][name]=x', whitelist), ["The filter 'group' takes no operator."])
  t.match(errorsOf('filter[tags][nme]=x', plants), [{ suggestion: undefined }])
})

t.test('a long list of allowed names is cut', async (t) => {
  const many = whitelistOf({
    allowedFilters: Array.from({ length: 60 },
      (_, index) => AllowedFilters.exact('name', { alias: `n${String(index).padStart(2, '0')}` })),
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
      {
        id: ['nin', 'in', 'eq'], position: ['between', 'in'], name: ['eq', 'in'], latinName: ['isnull', 'in'],
        status: ['eq', 'nin'],
      },
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
  t.match(errorsOf('filter[status][nin]=draft,actve', whitelist), [{
    detail: /^The item 'actve' of .* Did you mean 'active'\?/,
    suggestion: 'active',
  }])
  t.match(errorsOf('filter[status]=draft&filter[status]=active', whitelist), [{
    detail: "The operator 'eq' takes one value.",
  }])
  const arrays = whitelistOf({ allowedFilters: [{ synonyms: ['overlap', 'contains'] }] }, Specimen)
  t.strictSame(conditions('filter[synonyms]=a&filter[synonyms]=b', arrays), ['synonyms has any of {"a","b"}'])
})

t.test('a value that its property cannot store is refused with the expected form', async (t) => {
  const cases: ReadonlyArray<readonly [query: string, detail: string]> = [
    ['filter[position]=2147483648', 'The value of filter[position] must be an integer from -2147483648 to 2147483647.'],
    ['filter[supplier]=x', 'The value of filter[supplier] must be an integer from -2147483648 to 2147483647.'],
    ['filter[inStock]=yes', 'The value of filter[inStock] must be a boolean. Allowed: 0, 1, false, true.'],
    [
      'filter[status]=actve',
      "The value of filter[status] must be one of its members. Did you mean 'active'? Allowed: active, archived, " +
      'draft.',
    ],
    [
      'filter[created_at]=2024-05-31T09:30:00+02:00',
      'The value of filter[created_at] must be an ISO 8601 date and time, ' +
      'such as 2024-05-31T09:30:00Z or 2024-05-31 (write + as %2B).',
    ],
    ['filter[name]=%00', 'The value of filter[name] must be text without NUL characters or halves of surrogate pairs.'],
    ['filter[name][isnull]=1', 'The value of filter[name][isnull] must be true or false. Allowed: false, true.'],
    ['filter[price][in]=1,x', "The item 'x' of filter[price][in] must be a decimal number of at most 1000 digits."],
    ['filter[price][between]=1', "The operator 'between' takes exactly two values, low first; 1 were given."],
    ['filter[name][in]=1,,2', 'filter[name][in]: The list has an empty item: write "" for an empty text.'],
    ['filter[name][in]="a', 'filter[name][in]: A quote is not closed.'],
    ['filter[name][in]="a"b', 'filter[name][in]: Only a comma may follow a closing quote.'],
    ['filter[name][like]=a\\',
      'filter[name][like]: A pattern cannot end in a single backslash. Write two backslashes to match one.'],
    ['filter[name][like]=%00',
      'filter[name][like]: A pattern must be text without NUL characters or halves of surrogate pairs.'],
  ]
  for (const [query, detail] of cases) t.strictSame(details(query), [detail], query)
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
