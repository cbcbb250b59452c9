/** The server's parser reads the client's query strings as intended. */
import fc from 'fast-check'
import t from 'tap'
import { queryString } from '../../src/client/query-string.ts'
import { parseQueryParams, splitList, type FilterParam } from '../../src/query/index.ts'
import { assertProperty } from '../helpers/property.ts'

const read = (query: Parameters<typeof queryString>[0]) => {
  const params = parseQueryParams(queryString(query))
  t.strictSame(params.errors, [])
  return params
}
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const filtersOf = (filter: object): unknown => plain(read({ filter }).filters)

t.test('values have their text', async (t) => {
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

t.test('operators, lists and null have their text', async (t) => {
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

t.test('undefined is left out', async (t) => {
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
    { a: NaN },
    { a: { gte: Infinity } },
    { a: new Date(NaN) },
    { a: { in: [1, null] } },
    { a: { in: [undefined] } },
    { a: [{}] },
    { a: { gte: null } },
    { a: { in: [[1]] } },
    { a: Symbol('x') },
    { a: () => 1 },
  ]) {
    t.throws(() => queryString({ filter }), {
      name: 'TypeError',
      message: /^filter\[a\](\[\w+\])?: .* is not a value for a filter\.$/,
    })
  }
})

t.test('a query string is readable', async (t) => {
  t.equal(
    queryString({
      filter: { 'author.name': { in: ['a&b', 'c+d'] } }, sort: ['-a', '+b'], include: ['a.b'], fields: ['id'],
      fieldsByInclude: { 'a.b': ['x', 'y'] }, per_page: 5, cursor: '',
    }),
    '?filter[author.name][in]=a%26b,c%2Bd&sort=-a,%2Bb&include=a.b&fields=id&fields[a.b]=x,y&per_page=5&cursor='
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

t.test('names and pages arrive unchanged', async (t) => {
  const signed = names.chain((all) => fc.tuple(...all.map((one) => fc.constantFrom(one, `-${one}`, `+${one}`))))
  const paging = fc.oneof(
    fc.record({ page: fc.integer({ min: 1 }), per_page: fc.integer({ min: 1 }) }, { requiredKeys: [] }),
    fc.record({ limit: fc.integer({ min: 1 }), offset: fc.integer({ min: 0 }) }, { requiredKeys: [] }),
    fc.record({ cursor: text, per_page: fc.integer({ min: 1 }) }, { requiredKeys: ['cursor'] })
  )
  assertProperty(
    fc.property(signed, names, names, record(names), paging, (sort, include, fields, fieldsByInclude, page) => {
      const query = { sort, include, fields, fieldsByInclude, ...page }
      // an unencoded `+` decodes to a space; here it is encoded
      t.strictSame(plain(read(query)), { filters: [], groups: [], ...plain(query) as object, unknown: [], errors: [] })
    })
  )
})
