/** The server's parser reads the client's query strings as intended. */
import fc from 'fast-check'
import t from 'tap'
import { queryString } from '../../src/client/query-string.ts'
import { parseQueryParams, splitList, type FilterLevel, type FilterParam } from '../../src/query/index.ts'
import { assertProperty } from '../helpers/property.ts'

const read = (query: Parameters<typeof queryString>[0]) => {
  const params = parseQueryParams(queryString(query))
  t.strictSame(params.errors, [])
  return params
}
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const filtersOf = (filter: object): unknown => plain(read({ filter }).filters)

t.test('filters are written for values of each type', async (t) => {
  t.strictSame(
    filtersOf({ a: 'x', b: 5, c: 12345678901234567890n, d: false, e: new Date('2024-05-31T12:00:00+02:00'), f: '' }),
    [
      { field: 'a', value: 'x' },
      { field: 'b', value: '5' },
      { field: 'c', value: '12345678901234567890' },
      { field: 'd', value: 'false' },
      { field: 'e', value: '2024-05-31T10:00:00.000Z' },
      { field: 'f', value: '' },
    ]
  )
})

t.test('filters are written for operators, lists and null', async (t) => {
  t.strictSame(
    filtersOf({
      price: { gte: 1, lt: 2 }, a: { in: ['x', 'a,b', ' ', 'q"', '', '\\'] }, b: { in: [] }, c: ['x,y', 'z'], d: [],
      e: null, f: { ne: null }, g: { eq: null }, h: { isnull: false },
    }),
    [
      { field: 'price', operator: 'gte', value: '1' },
      { field: 'price', operator: 'lt', value: '2' },
      { field: 'a', operator: 'in', value: 'x,"a,b"," ","q\\"","","\\\\"' },
      { field: 'b', operator: 'in', value: '' },
      { field: 'c', value: ['x,y', 'z'] },
      { field: 'd', operator: 'in', value: '' },
      { field: 'e', operator: 'isnull', value: 'true' },
      { field: 'f', operator: 'isnull', value: 'false' },
      { field: 'g', operator: 'isnull', value: 'true' },
      { field: 'h', operator: 'isnull', value: 'false' },
    ]
  )
})

t.test('groups of filters are written in brackets', async (t) => {
  const filter = {
    status: 'open',
    or: [{ due: { lt: '2026-01-01' }, owner: ['a', 'b'] }, { not: { and: [{ price: null }, { tags: { in: [] } }] } }],
    and: [{ or: [{ a: new Date(0) }, { b: undefined, c: { isnull: false } }] }],
  }
  t.equal(
    queryString({ filter }),
    '?filter[status]=open&filter[or][0][due][lt]=2026-01-01&filter[or][0][owner][]=a&filter[or][0][owner][]=b' +
      '&filter[or][1][not][and][0][price][isnull]=true&filter[or][1][not][and][1][tags][in]=' +
      '&filter[and][0][or][0][a]=1970-01-01T00:00:00.000Z&filter[and][0][or][1][c][isnull]=false'
  )
  t.strictSame(read({ filter }).groups.map(({ word, members }) => [word, members.length]), [['or', 2], ['and', 1]])
  for (
    const [filter, place] of [
      [{ or: [] }, 'filter[or]'],
      [{ or: [{ a: 1 }, {}] }, 'filter[or][1]'],
      [{ and: [{ not: { a: undefined } }] }, 'filter[and][0][not]'],
    ] as const
  ) t.throws(() => queryString({ filter }), new TypeError(`${place}: without a condition, all records would match.`))
  t.throws(() => queryString({ filter: { or: [{ a: 1 }, null] } }), { message: /^filter\[or\]: .* is not a value/ })
  // names of filters, where the resource has no groups
  t.strictSame(filtersOf({ or: 'x', and: ['y'], not: { eq: 1 } }), [
    { field: 'or', value: 'x' },
    { field: 'and', value: ['y'] },
    { field: 'not', operator: 'eq', value: '1' },
  ])
})

t.test('options and conditions that are undefined are left out', async (t) => {
  t.equal(queryString({}), '')
  t.equal(
    queryString({
      filter: { a: undefined, b: { eq: undefined } }, sort: [], include: [], fields: [], fieldsByInclude: { a: [] },
      page: undefined,
    }),
    ''
  )
})

t.test('a value without a text in URLs is refused before anything is sent', async (t) => {
  for (const filter of [
    { a: NaN }, { a: { gte: Infinity } }, { a: new Date(NaN) }, { a: { in: [1, null] } }, { a: { in: [undefined] } },
    { a: [{}] }, { a: { gte: null } }, { a: { in: [[1]] } }, { a: Symbol('x') }, { a: () => 1 },
    { a: '\ud800' }, { a: { in: ['ok', 'x\udc00'] } }, { a: ['\ud800'] },
  ]) {
    t.throws(() => queryString({ filter }), {
      name: 'TypeError',
      message: /^filter\[a\](\[\w+\])?: .* is not a value for a filter\.$/,
    })
  }
})

t.test('half a character is refused, and shown', async (t) => {
  t.throws(() => queryString({ filter: { a: 'x\ud83d' } }), {
    message: String.raw`filter[a]: "x\ud83d" is not a value for a filter.`,
  })
  t.equal(queryString({ filter: { a: '😀' } }), '?filter[a]=%F0%9F%98%80')
})

t.test('a query string is readable', async (t) => {
  t.equal(
    queryString({
      filter: { 'author.name': { in: ['a&b', 'c+d'] } }, sort: ['-a', '+b'], include: ['a.b'], fields: ['id'],
      fieldsByInclude: { 'a.b': ['x', 'y'] }, per_page: 5, cursor: '',
    }),
    '?filter[author.name][in]=a%26b,c%2Bd&fields[a.b]=x,y&sort=-a,%2Bb&include=a.b&fields=id&per_page=5&cursor='
  )
})

const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const awkward = fc.oneof(text, fc.stringMatching(/^[ "\\,\t\n+&=%#[\]]{0,8}$/))
const name = fc.stringMatching(/^[a-z_]{1,8}(\.[a-z]{1,5})?$/)
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 5 })
const record = <T>(values: fc.Arbitrary<T>) => fc.dictionary(name, values, { noNullPrototype: true, maxKeys: 5 })

t.test('any text of a filter arrives, in each way to write it', async (t) => {
  assertProperty(fc.property(record(awkward), (filter) => {
    t.strictSame(filtersOf(filter), Object.entries(filter).map(([field, value]) => ({ field, value })))
  }))
  assertProperty(fc.property(record(fc.array(awkward, { minLength: 1, maxLength: 6 })), (filter) => {
    t.strictSame(filtersOf(filter), Object.entries(filter).map(([field, value]) => ({ field, value })))
  }))
  assertProperty(fc.property(record(fc.array(awkward, { maxLength: 6 })), (filter) => {
    const filters =
      read({ filter: Object.fromEntries(Object.entries(filter).map(([field, items]) => [field, { in: items }])) })
        .filters
    const lists = filters.map(({ field, operator, value }: FilterParam) => ({
      field, operator, ...splitList(value as string),
    }))
    t.strictSame(lists, Object.entries(filter).map(([field, items]) => ({ field, operator: 'in', items })))
  }))
})

t.test('the server reads any groups of filters as the client wrote them', async (t) => {
  const value = fc.oneof(awkward, fc.constant(null), fc.array(awkward, { minLength: 1, maxLength: 3 }))
  const { tree } = fc.letrec<{ tree: object, group: object }>((tie) => ({
    tree: fc.tuple(fc.dictionary(name, value, { minKeys: 1, maxKeys: 2, noNullPrototype: true }), tie('group'))
      .map(([filters, group]) => ({ ...filters, ...group })),
    group: fc.oneof({ maxDepth: 3 }, fc.constant({}),
      fc.record({ or: fc.array(tie('tree'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ not: tie('tree'), and: fc.array(tie('tree'), { minLength: 1, maxLength: 2 }) })),
  }))
  assertProperty(fc.property(tree, (filter) => {
    fc.pre(JSON.stringify(filter).length < 1_500)
    const { filters, groups } = read({ filter })
    t.strictSame(treeOf({ filters, groups }), filter)
  }))
})

/** The tree that a level stands for. */
function treeOf ({ filters, groups }: FilterLevel): object {
  const conditions = filters.map(({ field, operator, value }) => [field, operator === 'isnull' ? null : value])
  const members = groups.map(({ word, members }) => {
    const trees = members.map(treeOf)
    return [word, word === 'not' ? trees[0] : trees] as const
  })
  return Object.fromEntries([...conditions, ...members])
}

t.test('the server reads any names and pages as the client wrote them', async (t) => {
  const signed = names.chain((all) => fc.tuple(...all.map((one) => fc.constantFrom(one, `-${one}`, `+${one}`))))
  const paging = fc.oneof(
    fc.record({ page: fc.integer({ min: 1 }), per_page: fc.integer({ min: 1 }) }, { requiredKeys: [] }),
    fc.record({ limit: fc.integer({ min: 1 }), offset: fc.integer({ min: 0 }) }, { requiredKeys: [] }),
    fc.record({ cursor: text, per_page: fc.integer({ min: 1 }) }, { requiredKeys: ['cursor'] })
  )
  assertProperty(
    fc.property(signed, names, names, record(names), paging, (sort, include, fields, fieldsByInclude, page) => {
      const query = {
        sort, include, fields, fieldsByInclude, facets: fields, group: include, aggregate: fields, ...page,
      }
      // an unencoded `+` decodes to a space; here it is encoded
      t.strictSame(plain(read(query)), { filters: [], groups: [], ...plain(query) as object, unknown: [], errors: [] })
    })
  )
})
