/** Groups of filters in brackets, as objects and as JSON. */
import qs from 'qs'
import t from 'tap'
import { parseQueryBody, parseQueryTree, stringifyQueryParams } from '../../src/query/index.ts'
import { MAX_CONDITIONS, MAX_GROUP_DEPTH } from '../../src/query/limits.ts'
import { plain, read, refusals } from './helper.ts'

/** The error of the only mistake in a tree: its place and its sentence. `!` marks an error that is never ignored. */
const wrong = (tree: unknown): string[] =>
  parseQueryTree(tree).errors.map(({ source, detail, limit }) =>
    `${source === undefined ? '-' : 'pointer' in source ? source.pointer : source.parameter}${
      limit ? '!' : ''
    }: ${detail}`
  )

t.test('names beside each other are one member, in any order of the parameters', async (t) => {
  const expected = {
    filters: [{ field: 'stock', operator: 'gt', value: '0' }],
    groups: [
      {
        word: 'or',
        members: [
          { filters: [{ field: 'status', value: 'open' }, { field: 'name', value: 'x' }], groups: [] },
          { filters: [{ field: 'due', operator: 'lt', value: '2026-01-01' }], groups: [] },
        ],
      },
      { word: 'not', members: [{ filters: [{ field: 'tags.name', operator: 'in', value: ['a', 'b'] }], groups: [] }] },
    ],
  }
  for (const query of [
    'filter[stock][gt]=0&filter[or][0][status]=open&filter[or][0][name]=x&filter[or][1][due][lt]=2026-01-01' +
    '&filter[not][tags.name][in][]=a&filter[not][tags.name][in][]=b',
    'filter[or][1][due][lt]=2026-01-01&filter[or][0][status]=open&filter[not][tags.name][in][]=a' +
    '&filter[stock][gt]=0&filter[not][tags.name][in][]=b&filter[or][0][name]=x',
  ]) {
    t.strictSame(read(query), expected, query)
    t.strictSame(read(qs.parse(query)), expected, `qs: ${query}`)
    t.strictSame(plain(parseQueryBody(query)).groups, expected.groups)
  }
  t.strictSame(
    plain(parseQueryTree({
      filter: {
        stock: { gt: 0 },
        or: [{ status: 'open', name: 'x' }, { due: { lt: '2026-01-01' } }],
        not: { 'tags.name': { in: ['a', 'b'] } },
      },
    })).groups,
    expected.groups
  )
})

t.test('a word before an operator, or alone, is the name of a filter', async (t) => {
  t.strictSame(read('filter[not][eq]=1&filter[or]=2&filter[and][in]=3,4'), {
    filters: [
      { field: 'not', operator: 'eq', value: '1' },
      { field: 'or', value: '2' },
      { field: 'and', operator: 'in', value: '3,4' },
    ],
  })
  t.strictSame(plain(parseQueryTree({ filter: { not: { eq: 1 }, or: '2', and: ['3', '4'] } })).filters, [
    { field: 'not', operator: 'eq', value: '1' },
    { field: 'or', value: '2' },
    { field: 'and', value: ['3', '4'] },
  ])
  t.strictSame(read('filter[or][0][not][eq]=1').groups, [
    { word: 'or', members: [{ filters: [{ field: 'not', operator: 'eq', value: '1' }], groups: [] }] },
  ])
})

t.test('groups that cannot be read are refused, and never ignored', async (t) => {
  const cases = {
    'filter[or][1][a]=1': ['FILTER! filter[or][1][a]'],
    'filter[or][0][a]=1&filter[or][2][a]=1': ['FILTER! filter[or][2][a]'],
    'filter[and][0][a]=1&filter[and][7][a]=1': ['FILTER! filter[and][7][a]'],
    'filter[or][00][a]=1': ['FILTER! filter[or][00][a]'],
    'filter[or][-1][a]=1': ['FILTER! filter[or][-1][a]'],
    'filter[or][1e1][a]=1': ['FILTER! filter[or][1e1][a]'],
    'filter[or][100][a]=1': ['FILTER! filter[or][100][a]'],
    'filter[not][0][a]=1': ['FILTER! filter[not][0][a]'],
    'filter[or][0][not][0][a][gte]=1': ['FILTER! filter[or][0][not][0][a][gte]'],
    'filter[or][99999999999999999999][a]=1': ['FILTER! filter[or][99999999999999999999][a]'],
    'filter[or][a]=1': ['FILTER! filter[or][a]'],
    'filter[or][0]=1': ['FILTER! filter[or][0]'],
    'filter[or][][a]=1': ['FILTER! filter[or][][a]'],
    'filter[or][0][]=1': ['FILTER! filter[or][0][]'],
    'filter[or][0][a][b][c]=1': ['FILTER! filter[or][0][a][b][c]'],
    'filter[or][0][__proto__]=1': ['FILTER! filter[or][0][__proto__]'],
    'filter[not][constructor]=1': ['FILTER! filter[not][constructor]'],
    'filter[not][a]=%zz': ['FILTER! filter[not][a]'],
    'filter[or][0][a][in]=1&filter[or][0][a][in][]=2': ['FILTER! filter[or][0][a][in][]'],
    'filter[and][0][a]=%zz&filter[b]=1': ['FILTER filter[and][0][a]'],
  }
  for (const [query, expected] of Object.entries(cases)) t.strictSame(refusals(query), expected, query)
  t.strictSame(refusals({ filter: { or: [['x']] } }), ['FILTER! filter[or]'])
})

t.test('groups have a maximum of depth and of conditions', async (t) => {
  t.equal(MAX_GROUP_DEPTH, 5)
  t.equal(MAX_CONDITIONS, 50)
  const deep = (depth: number) => `filter${'[not]'.repeat(depth)}[a]=1`
  t.strictSame(refusals(deep(5)), [])
  t.match(refusals(deep(6)), [/^FILTER! filter\[not\]/])
  const mixed = (depth: number) => `filter${'[or][0]'.repeat(depth)}[a][in][]=1`
  t.strictSame(refusals(mixed(5)), [])
  t.strictSame(refusals(qs.parse(mixed(5), { depth: 20 })), [])
  t.match(refusals(mixed(6)), [/^FILTER!/])
  t.match(refusals(qs.parse(mixed(6), { depth: 20 })), [/^FILTER!/])

  const members = (count: number) => Array.from({ length: count }, (_, at) => `filter[or][${at}][a]=1`).join('&')
  t.strictSame(refusals(members(50)), [])
  t.strictSame(refusals(members(51)), ['FILTER! filter[or][50][a]'])
  const beside = Array.from({ length: 50 }, (_, at) => `filter[a${at}]=1`).join('&')
  t.strictSame(refusals(beside), [])
  t.strictSame(refusals(`${beside}&filter[not][a]=1`), ['FILTER! filter[not][a]'])
})

t.test('very deep and very wide input is refused at once', async (t) => {
  const start = process.hrtime.bigint()
  t.equal(refusals(`filter${'[not]'.repeat(1_500)}[a]=1`).length, 1)
  t.equal(refusals({ filter: 'x', [`filter${'[not]'.repeat(7_000)}`]: '1' }).length, 1)
  let nested: unknown = 'x'
  for (let depth = 0; depth < 7_000; depth++) nested = depth % 2 === 0 ? { not: nested } : { or: [nested] }
  t.equal(refusals({ filter: nested }).length, 1)
  t.match(wrong({ filter: nested }), [/more than 5 groups/])
  let json = '1'
  for (let depth = 0; depth < 7_000; depth++) json = `{"not":${json}}`
  t.match(wrong({ filter: JSON.parse(json) }), [/more than 5 groups/])
  t.match(wrong({ filter: { or: Array.from({ length: 10_000 }, () => ({ a: 1 })) } }), [/at most 50 conditions/])
  t.match(wrong({ filter: { or: Array.from({ length: 10_000 }, () => ({})) } }), [/at most 50 conditions|too many/])
  t.match(wrong({ filter: { a: Array.from({ length: 1_001 }, () => 1) } }), [/at most 1000/])
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`a${at}`, 1]))
  t.match(wrong({ filter: many }), [/The query has more than 100 parameters/])
  t.match(wrong({ filter: { ...many, not: { a: 1 } } }), [/more than 100 parameters/])
  t.ok(Number(process.hrtime.bigint() - start) < 2e9)
})

t.test('mistakes in JSON have pointers', async (t) => {
  const cases: ReadonlyArray<readonly [tree: unknown, expected: RegExp]> = [
    [[], /^-!: A query in JSON is an object/],
    ['x', /^-!: A query in JSON is an object/],
    [null, /^-!: A query in JSON is an object/],
    [{ filter: [] }, /^\/filter: 'filter' is an object/],
    [{ filter: { or: [] } }, /^\/filter\/or!: 'or' needs a condition/],
    [{ filter: { or: [{}] } }, /^\/filter\/or\/0!: A group needs a condition/],
    [{ filter: { or: [{ a: 1 }, 5] } }, /^\/filter\/or\/1!: A member of a group is an object/],
    [{ filter: { or: { a: 1 } } }, /^\/filter\/or!: 'or' takes a list/],
    [{ filter: { and: { 0: { a: 1 } } } }, /^\/filter\/and!: 'and' takes a list/],
    [{ filter: { not: {} } }, /^\/filter\/not!: A group needs a condition/],
    [{ filter: { a: {} } }, /^\/filter\/a: This filter has no value/],
    [{ filter: { a: undefined } }, /^\/filter\/a: This filter has no value/],
    [{ filter: { not: { a: { eq: undefined } } } }, /^\/filter\/not\/a\/eq!: This filter has no value/],
    [JSON.parse('{"filter":{"__proto__":1}}'), /^\/filter\/__proto__!: This filter uses a reserved name/],
    [{ filter: { 'a/b~': { constructor: 1 } } }, /^\/filter\/a~1b~0\/constructor!: This filter uses a reserved/],
    [{ filter: { a: '\ud800' } }, /^\/filter\/a: This filter is not valid Unicode/],
    [{ sort: '-a' }, /^\/sort!: The value of \/sort must be a list of texts/],
    [{ sort: ['a,b'] }, /^\/sort\/0: The value of \/sort\/0 must be a text with one name/],
    [{ fields: [1] }, /^\/fields\/0: The value of \/fields\/0 must be a text/],
    [{ fieldsByInclude: ['a'] }, /^\/fieldsByInclude: The value of \/fieldsByInclude must be an object/],
    [{ fieldsByInclude: { a: 'x' } }, /^\/fieldsByInclude\/a!: The value of \/fieldsByInclude\/a must be a list/],
    [{ page: '2' }, /^\/page: page must be a number/],
    [{ page: 0.5 }, /^\/page: page must be a whole number/],
    [{ page: 1, limit: 2 }, /^\/limit: Use either/],
    [{ cursor: 1 }, /^\/cursor: cursor must be a text/],
    [{
      get filter () {
        throw new Error('secret')
      },
    }, /^-!: The query could not be read/],
  ]
  for (const [tree, expected] of cases) t.match(wrong(tree), [expected])
  t.strictSame(plain(parseQueryTree({ filters: {} })).unknown, ['filters'])
})

t.test('what cannot be read again is not written', async (t) => {
  const a = { filters: [{ field: 'a', value: '1' }], groups: [] }
  t.equal(
    stringifyQueryParams({
      groups: [{ word: 'or', members: [a, { filters: [], groups: [{ word: 'not', members: [a] }] }] }],
    }),
    'filter[or][0][a]=1&filter[or][1][not][a]=1'
  )
  for (const groups of [
    [{ word: 'or', members: [] }],
    [{ word: 'not', members: [a, a] }],
    [{ word: 'or', members: [{ filters: [], groups: [] }] }],
    [{ word: 'or', members: [a] }, { word: 'or', members: [a] }],
  ] as const) t.throws(() => stringifyQueryParams({ groups }), TypeError)
  t.throws(() => stringifyQueryParams({ filters: [{ field: 'not', operator: 'a', value: '1' }] }), /read as a group/)
})
