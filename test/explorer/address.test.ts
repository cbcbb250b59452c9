/** The explorer's addresses: what a URL says is what the page shows, and the other way round. */
import fc from 'fast-check'
import t from 'tap'
import { formatAddress, formatQuery, parseAddress, parseQuery, type Address } from '../../explorer/url/address.ts'
import { filtersOf, itemsOf, withFilter, withoutFilter } from '../../explorer/url/filters.ts'
import { joinItems, splitItems } from '../../explorer/url/items.ts'
import { namesOf, sortsOf, toggledSorts, withInclude, withNames, withSorts } from '../../explorer/url/names.ts'
import { sizeOf, styleOf, withPlace, withSize, withStyle } from '../../explorer/url/pages.ts'
import { parseQueryParams } from '../../src/index.ts'
import { splitList } from '../../src/query/list-syntax.ts'
import { assertProperty } from '../helpers/property.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const name = fc.stringMatching(/^[a-z][a-z_.]{0,8}$/)
const pair = fc.tuple(text.filter((text) => !text.startsWith('~')), text)
const operator = fc.constantFrom(undefined, 'eq', 'contains', 'in')
const filter = fc.record({
  field: name, operator, value: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 })),
})
const ascending = () => 'asc' as const

t.test('an address is read as it was written', (t) => {
  const address = fc.record({
    path: fc.stringMatching(/^(\/[a-z0-9%-]{1,8}){0,3}$/),
    params: fc.array(pair, { maxLength: 6 }),
    own: fc.record({ open: text, create: text, compare: text }, { requiredKeys: [] }),
  })
  assertProperty(
    fc.property(address, (address) => {
      // examples have no prototype
      const expected: Address = { ...address, own: { ...address.own } }
      t.strictSame(parseAddress(formatAddress(address)), expected)
    }),
    { numRuns: 500 }
  )
  t.end()
})

t.test('an address survives the browser, which parses and encodes the URL', (t) => {
  assertProperty(
    fc.property(fc.array(pair, { maxLength: 6 }), (params) => {
      const { pathname, search } = new URL(`http://localhost${formatAddress({ path: '/categories', params, own: {} })}`)
      t.strictSame(parseAddress(pathname + search).params, params)
    }),
    { numRuns: 500 }
  )
  t.end()
})

t.test('filters are read as the server reads them', (t) => {
  assertProperty(
    fc.property(fc.array(filter, { maxLength: 4 }), (filters) => {
      const params = filters.reduce((params, filter) => withFilter(params, filter), [] as ReturnType<typeof parseQuery>)
      const read = parseQueryParams(formatQuery(params))
      const ours = filtersOf(params)
      t.strictSame(
        ours.map(({ field, operator, value }) => ({ field, operator, value })),
        read.filters.map(({ field, operator, value }) => ({ field, operator, value }))
      )
      for (const { field, operator, value } of filters.slice(-1)) {
        t.strictSame(ours.find((other) => other.field === field && other.operator === operator)?.value, value)
      }
    }),
    { numRuns: 500 }
  )
  t.end()
})

t.test('items of a list are the same after they were written', (t) => {
  assertProperty(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (items) => {
      t.strictSame(itemsOf(joinItems(items)), items)
    })
  )
  const raw = fc.array(fc.constantFrom(',', '"', '\\', ' ', 'a', 'b'), { maxLength: 12 }).map((parts) => parts.join(''))
  assertProperty(
    fc.property(raw, (text) => {
      t.strictSame(splitItems(text), splitList(text).items, JSON.stringify(text))
    }),
    { numRuns: 2000 }
  )
  t.strictSame(itemsOf('a,,b'), ['a,,b'], 'a text that is not a list is one item')
  t.end()
})

t.test('a changed filter keeps its place, and the list starts again', (t) => {
  const params = parseQuery('filter[a]=1&filter[b][gte]=2&filter[c]=3&sort=-a&page=4&per_page=10')
  t.equal(
    formatQuery(withFilter(params, { field: 'd', operator: 'in', value: 'x,y' }, 'filter[b][gte]')),
    '?filter[a]=1&filter[d][in]=x,y&filter[c]=3&sort=-a&per_page=10'
  )
  t.equal(formatQuery(withoutFilter(params, 'filter[b][gte]')), '?filter[a]=1&filter[c]=3&sort=-a&per_page=10')
  t.equal(
    formatQuery(withFilter(parseQuery('cursor=abc&per_page=5'), { field: 'a', operator: undefined, value: '' })),
    '?filter[a]=&per_page=5&cursor='
  )
  t.end()
})

t.test('a header sorts upwards, downwards and not at all', (t) => {
  const usual = (name: string) => name === 'created_at' ? 'desc' as const : 'asc' as const
  let params = parseQuery('sort=-price&page=3')
  const click = (name: string, add: boolean): string => {
    params = withSorts(params, toggledSorts(sortsOf(params), name, add, usual), usual)
    return formatQuery(params)
  }
  t.equal(click('name', true), '?sort=-price,name')
  t.equal(click('name', true), '?sort=-price,-name')
  t.equal(click('name', true), '?sort=-price')
  t.equal(click('created_at', false), '?sort=%2Bcreated_at', 'a sign that differs from the whitelist is written')
  t.equal(click('created_at', false), '?sort=-created_at')
  t.equal(click('created_at', false), '')
  t.end()
})

t.test('the order is read as the server reads it', (t) => {
  const sorts = fc.uniqueArray(
    fc.record({ name, direction: fc.constantFrom('asc' as const, 'desc' as const) }),
    { selector: ({ name }) => name, maxLength: 4 }
  )
  assertProperty(
    fc.property(sorts, (sorts) => {
      const params = withSorts([], sorts, ascending)
      const expected = sorts.map(({ name, direction }) => ({ name, direction }))
      t.strictSame(sortsOf(params).map(({ name, direction = 'asc' }) => ({ name, direction })), expected)
      t.strictSame(
        parseQueryParams(formatQuery(params)).sort,
        sorts.map(({ name, direction }) => direction === 'desc' ? `-${name}` : name)
      )
    })
  )
  t.end()
})

t.test('a relation is removed together with everything below it', (t) => {
  const params = parseQuery('include=tags,articles,articles.user&fields=id&fields[articles.user]=id&fields[tags]=id')
  t.equal(formatQuery(withInclude(params, 'articles', false)), '?include=tags&fields=id&fields[tags]=id')
  t.equal(formatQuery(withInclude(parseQuery('fields=id'), 'tags', true)), '?include=tags&fields=id')
  t.strictSame(namesOf(parseQuery('include=a, b&include[]=c'), 'include'), ['a', 'b', 'c'])
  t.equal(formatQuery(withNames(parseQuery('include=a&include[]=b'), 'include', [])), '')
  t.end()
})

t.test('pages by number, offset and cursor', (t) => {
  const params = parseQuery('filter[a]=1&page=4&per_page=10')
  t.equal(styleOf(params), 'page')
  t.equal(styleOf(withStyle(params, 'offset')), 'offset')
  t.equal(styleOf(withStyle(params, 'cursor')), 'cursor')
  t.equal(formatQuery(withStyle(params, 'offset')), '?filter[a]=1&limit=10&offset=0')
  t.equal(formatQuery(withPlace(withStyle(params, 'offset'), 30)), '?filter[a]=1&limit=10&offset=30')
  t.equal(formatQuery(withPlace(params, 1)), '?filter[a]=1&per_page=10')
  t.equal(formatQuery(withPlace(params, 2)), '?filter[a]=1&page=2&per_page=10')
  t.equal(sizeOf(withSize(withStyle(params, 'cursor'), 50)), 50)
  t.equal(sizeOf(parseQuery('per_page=many')), undefined)
  t.end()
})
