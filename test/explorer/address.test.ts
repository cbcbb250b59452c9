/** The explorer's addresses: what a URL says is what the page shows, and the other way round. */
import fc from 'fast-check'
import { createHash } from 'node:crypto'
import t from 'tap'
import {
  formatAddress, formatQuery, parseAddress, parseQuery, type Address, type Pair,
} from '../../explorer/url/address.ts'
import { withFilter, withoutFilter } from '../../explorer/url/change-filters.ts'
import { filtersOf, filterTreeOf, withFilterTree, type FilterNode } from '../../explorer/url/filter-tree.ts'
import { itemsOf, type FilterUse } from '../../explorer/url/filters.ts'
import { joinItems, splitItems } from '../../explorer/url/items.ts'
import { namesOf, withInclude, withNames } from '../../explorer/url/names.ts'
import { sizeOf, skippedOf, styleOf, withCursor, withSize, withSkipped, withStyle } from '../../explorer/url/pages.ts'
import { withoutIrrelevant } from '../../explorer/url/relevance.ts'
import { sortsOf, toggledSorts, withSorts } from '../../explorer/url/sorts.ts'
import type { SortDescription } from '../../plugins/explorer.ts'
import { parseQueryParams, type FilterLevel, type FilterParam } from '../../src/index.ts'
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
      t.strictSame(ours.map(({ field, operator, value }) => ({ field, operator, value })),
        read.filters.map(({ field, operator, value }) => ({ field, operator, value })))
      for (const { field, operator, value } of filters.slice(-1)) {
        t.strictSame(ours.find((other) => other.field === field && other.operator === operator)?.value, value)
      }
    }),
    { numRuns: 500 }
  )
  t.end()
})

t.test('a tree of filters means the same for the server, and after it was changed', (t) => {
  const use = fc.record({
    field: fc.constantFrom('a', 'b', 'c.d', 'or'),
    operator: fc.constantFrom(undefined, 'eq', 'in'),
    value: fc.constantFrom('1', '2', ['1', '2']),
  })
  const { tree } = fc.letrec<{ node: FilterNode, group: FilterNode, tree: readonly FilterNode[] }>((tie) => ({
    group: fc.record({
      word: fc.constantFrom('and' as const, 'or' as const, 'not' as const),
      nodes: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
    }),
    node: fc.oneof({ maxDepth: 2, depthIdentifier: 'nodes' }, use, tie('group')),
    tree: fc.array(tie('node'), { maxLength: 4 }),
  }))
  let compared = 0
  assertProperty(
    fc.property(tree, fc.nat(), (nodes, seed) => {
      const params = withFilterTree(parseQuery('sort=a'), nodes)
      const read = filterTreeOf(params)
      const again = withFilterTree(params, read)
      t.equal(formatQuery(withFilterTree(again, filterTreeOf(again))), formatQuery(again), 'a second time is the same')
      t.equal(holds(read, seed), holds(nodes, seed), formatQuery(params))
      const server = parseQueryParams(formatQuery(params))
      // the limits of the server
      if (server.errors.length > 0) return
      compared++
      t.equal(levelHolds(server, seed), holds(nodes, seed), formatQuery(params))
    }),
    { numRuns: 1000 }
  )
  t.ok(compared > 300, `${compared} trees`)
  t.end()
})

/** Whether a record matches that matches a part of all conditions. */
function matches ({ field, operator, value }: FilterParam | FilterUse, seed: number): boolean {
  return createHash('md5').update(JSON.stringify([field, operator ?? '', value, seed])).digest()[0]! % 2 === 0
}

function holds (nodes: readonly FilterNode[], seed: number): boolean {
  return nodes.every((node) => {
    if (!('word' in node)) return matches(node, seed)
    const { word, nodes } = node
    return word === 'or' ? nodes.some((each) => holds([each], seed)) : holds(nodes, seed) === (word === 'and')
  })
}

function levelHolds ({ filters, groups }: FilterLevel, seed: number): boolean {
  const hold = (level: FilterLevel): boolean => levelHolds(level, seed)
  return filters.every((filter) => matches(filter, seed)) &&
    groups.every(({ word, members }) => word === 'or' ? members.some(hold) : members.every(hold) === (word === 'and'))
}

t.test('a change of a filter leaves the groups around it, and numbers their members again', (t) => {
  const params = parseQuery('filter[or][0][a]=1&filter[or][1][b][in][]=x&filter[or][1][c]=2&filter[d]=3&page=2')
  const cases: ReadonlyArray<readonly [Pair[], string]> = [
    [withoutFilter(params, 'filter[or][0][a]'), '?filter[d]=3&filter[and][0][b][in][]=x&filter[and][1][c]=2'],
    [withoutFilter(params, 'filter[or][1][b][in]'), '?filter[d]=3&filter[or][0][a]=1&filter[or][1][c]=2'],
    [withFilter(params, { field: 'e', operator: undefined, value: '4' }, 'filter[or][0][a]'),
      '?filter[d]=3&filter[or][0][e]=4&filter[or][1][b][in][]=x&filter[or][1][c]=2'],
    // the second condition on a name, and the second group of a kind
    [
      withFilterTree(params, [
        ...filterTreeOf(params),
        { field: 'd', operator: undefined, value: '5' },
        { word: 'or', nodes: [{ field: 'f', operator: 'eq', value: '6' }, { field: 'g', operator: 'eq', value: '7' }] },
      ]),
      '?filter[d]=3&filter[or][0][a]=1&filter[or][1][b][in][]=x&filter[or][1][c]=2&filter[and][0][and][0][d]=5' +
      '&filter[and][1][or][0][f][eq]=6&filter[and][1][or][1][g][eq]=7',
    ],
  ]
  for (const [changed, expected] of cases) t.equal(formatQuery(changed), expected)
  t.end()
})

t.test('a list in a parameter is read as it was written', (t) => {
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
  t.equal(formatQuery(withFilter(params, { field: 'd', operator: 'in', value: 'x,y' }, 'filter[b][gte]')),
    '?filter[a]=1&filter[d][in]=x,y&filter[c]=3&sort=-a&per_page=10')
  t.equal(formatQuery(withoutFilter(params, 'filter[b][gte]')), '?filter[a]=1&filter[c]=3&sort=-a&per_page=10')
  t.equal(formatQuery(withFilter(parseQuery('cursor=abc&per_page=5'), { field: 'a', operator: undefined, value: '' })),
    '?filter[a]=&cursor=&per_page=5')
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
  const sorts = fc.uniqueArray(fc.record({ name, direction: fc.constantFrom('asc' as const, 'desc' as const) }), {
    selector: ({ name }) => name,
    maxLength: 4,
  })
  assertProperty(
    fc.property(sorts, (sorts) => {
      const params = withSorts([], sorts, ascending)
      const expected = sorts.map(({ name, direction }) => ({ name, direction }))
      t.strictSame(sortsOf(params).map(({ name, direction = 'asc' }) => ({ name, direction })), expected)
      t.strictSame(parseQueryParams(formatQuery(params)).sort,
        sorts.map(({ name, direction }) => direction === 'desc' ? `-${name}` : name))
    })
  )
  t.end()
})

t.test('an order by relevance ends with its filter', (t) => {
  const sorts = [{ name: 'q', relevance: true }, { name: 'name', relevance: false }] as SortDescription[]
  const kept = (query: string): string => formatQuery(withoutIrrelevant(parseQuery(query), sorts))
  t.equal(kept('filter[q]=a&sort=-q,name'), '?filter[q]=a&sort=-q,name')
  t.equal(kept('sort=-q,name&page=2'), '?sort=name&page=2')
  t.equal(kept('filter[or][0][q]=a&filter[or][1][b]=c&sort=q'), '?filter[or][0][q]=a&filter[or][1][b]=c')
  t.equal(kept('sort=name'), '?sort=name')
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
  t.equal(formatQuery(withSkipped(withStyle(params, 'offset'), 30, 10)), '?filter[a]=1&limit=10&offset=30')
  t.equal(formatQuery(withSkipped(params, 0, 10)), '?filter[a]=1&per_page=10')
  t.equal(formatQuery(withSkipped(params, -10, 10)), '?filter[a]=1&per_page=10')
  t.equal(formatQuery(withSkipped(params, 10, 10)), '?filter[a]=1&page=2&per_page=10')
  t.equal(formatQuery(withCursor(withStyle(params, 'cursor'), 'abc')), '?filter[a]=1&cursor=abc&per_page=10')
  t.equal(skippedOf('page', { page: 4, per_page: 10 }, 10), 30)
  t.equal(skippedOf('offset', { offset: 25, limit: 10 }, 10), 25)
  t.equal(sizeOf(withSize(withStyle(params, 'cursor'), 50)), 50)
  t.equal(sizeOf(parseQuery('per_page=many')), undefined)
  t.end()
})
