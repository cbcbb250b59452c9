import fc from 'fast-check'
import qs from 'qs'
import querystring from 'node:querystring'
import t from 'tap'
import { parseQueryParams, parseQueryTree, stringifyQueryParams } from '../../src/query/index.ts'
import type { FilterLevel, QueryParams } from '../../src/query/index.ts'
import { assertProperty } from '../helpers/property.ts'
import { plain } from './helper.ts'

/** Names and values that are special to the grammar, between ordinary ones. */
const fragment = fc.oneof(
  fc.constantFrom(
    'filter', 'sort', 'fields', 'include', 'page', 'per_page', 'limit', 'offset', 'cursor', 'filters', 'perPage',
    'where', '[', ']', '[]', '[a]', '[a.b]', '[gte]', '[or]', '[and]', '[not]', '[0]', '[1]', 'filter[or][0]',
    '[__proto__]', '[constructor]', '=', '&', ',', '-', '+', ' ', '"', '%', '%5B', '%zz', '?', '.', '1', 'a'
  ),
  fc.string({ unit: 'binary', maxLength: 5 })
)
const queryText = fc.array(fragment, { maxLength: 40 }).map((fragments) => fragments.join(''))
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter((text) =>
  !/[[\],]/.test(text) && text === text.trim() && !/^[-+]/.test(text)
)
const value = fc.string({ unit: 'binary', maxLength: 12 })

const KNOWN = /^(?:filter|sort|include|fields|page|per_page|limit|offset|cursor)(?:\[|$)/
const unknownName = fc.oneof(value, fc.constantFrom('title', 'where[a][b]', '?', '&', 'filters')).filter((name) =>
  !KNOWN.test(name)
)

const pagination: fc.Arbitrary<Partial<QueryParams>> = fc.oneof(
  fc.record({ page: fc.integer({ min: 1 }), per_page: fc.integer({ min: 1 }) }, { requiredKeys: [] }),
  fc.record({ limit: fc.integer({ min: 1 }), offset: fc.nat() }, { requiredKeys: [] }),
  fc.record({ cursor: value, per_page: fc.maxSafeNat().filter((n) => n > 0) }, { requiredKeys: [] })
)
const filters = fc.uniqueArray(
  fc.record({
    field: name,
    operator: fc.oneof(fc.constantFrom('eq', 'in', 'gte'), name),
    value: fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 4 })),
  }, { requiredKeys: ['field', 'value'] }),
  { maxLength: 5, selector: ({ field, operator }) => JSON.stringify([field, operator]) }
).map((filters) =>
  filters.filter(({ field, operator }) => operator === undefined || !['and', 'or', 'not'].includes(field))
)

/** Groups of at most some depth, with something in each member. */
function groupsTo (depth: number, leaf: fc.Arbitrary<QueryParams['filters']>): fc.Arbitrary<QueryParams['groups']> {
  if (depth === 0) return fc.constant([])
  const inner = groupsTo(depth - 1, leaf)
  const member = fc.record({ filters: leaf, groups: inner })
    .map((level) => level.filters.length + level.groups.length > 0 ? level : { filters: [ANY_FILTER], groups: [] })
  const group = fc.oneof(
    fc.record({
      word: fc.constantFrom('and' as const, 'or' as const),
      members: fc.array(member, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ word: fc.constant('not' as const), members: member.map((only) => [only]) })
  )
  return fc.array(group, { maxLength: 2 })
    .map((groups) => groups.filter(({ word }, index) => groups.findIndex((other) => other.word === word) === index))
}
const ANY_FILTER = { field: 'x', value: 'y' }
const few = filters.map((filters) => filters.slice(0, 1))

const params: fc.Arbitrary<QueryParams> = fc.record({
  filters,
  groups: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, groupsTo(3, few)),
  sort: fc.array(fc.tuple(fc.constantFrom('', '-', '+', ' '), name).map((parts) => parts.join('')), { maxLength: 4 }),
  include: fc.uniqueArray(name, { maxLength: 4 }),
  fields: fc.uniqueArray(name, { maxLength: 4 }),
  fieldsByInclude: fc.dictionary(name, fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), { maxKeys: 3 }),
  unknown: fc.uniqueArray(unknownName, { maxLength: 4 }),
  errors: fc.constant([]),
}).chain((rest) => pagination.map((page) => ({ ...rest, ...page })))

/** Asserts that everything in a result is frozen, and that no object in it has a prototype. */
function isSafe (value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) &&
    (Array.isArray(value) || Object.getPrototypeOf(value) === null) &&
    Reflect.ownKeys(value).every((key) => isSafe((value as Record<PropertyKey, unknown>)[key]))
}

t.test('written params are read back unchanged', async t => {
  let written = 0
  assertProperty(
    fc.property(params, (params) => {
      const text = stringifyQueryParams(params)
      written++
      t.strictSame(plain(parseQueryParams(text)), plain(params))
    }),
    { numRuns: 300 }
  )
  t.equal(written, 300)
})

t.test('params read without an error can be written and read again', async t => {
  let read = 0
  assertProperty(
    fc.property(queryText, (query) => {
      const params = parseQueryParams(query)
      if (params.errors.length > 0) return
      read++
      return JSON.stringify(parseQueryParams(stringifyQueryParams(params))) === JSON.stringify(params)
    }),
    { numRuns: 5000 }
  )
  t.ok(read > 500, `${read} of them`)
})

t.test('any text, in the form of any parser, gives a frozen result without prototypes', async t => {
  assertProperty(
    fc.property(queryText, (query) => {
      return [
        query, new URLSearchParams(query), querystring.parse(query), qs.parse(query),
        qs.parse(query, { plainObjects: true, depth: 10 }),
      ]
        .every((form) => isSafe(parseQueryParams(form)))
    }),
    { numRuns: 3000 }
  )
  t.pass()
})

t.test('any object gives a frozen result without prototypes', async t => {
  const key = fc.oneof(
    fc.constantFrom('filter', 'filter[a]', 'sort', 'fields', 'include', 'page', 'filters', 'a', '0', '1', '__proto__'),
    fc.string()
  )
  const anything = fc.anything({
    key, withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true,
    withTypedArray: true, withObjectString: true, maxDepth: 5,
  })
  assertProperty(
    fc.property(fc.oneof(anything, fc.dictionary(key, anything)), (query) => isSafe(parseQueryParams(query))),
    { numRuns: 3000 }
  )
  t.pass()
})

t.test('text and its flat form are read alike', async t => {
  const parameter = fc.tuple(
    fc.constantFrom(
      'filter[a]', 'filter[a][gte]', 'filter[b.c][in]', 'filter[d][in][]', 'filter[e][]', 'sort', 'fields', 'fields[x]',
      'include', 'page', 'per_page', 'q', 'filters', 'filter[', 'filter[a][b][c]', 'filter[or][0][a]',
      'filter[or][1][b][in][]', 'filter[or][3][b]', 'filter[not][not][a]', 'filter[and][0][or][0][a]', 'filter[or][x]'
    ),
    fc.string({ unit: 'binary', maxLength: 6 })
  )
  assertProperty(
    fc.property(fc.uniqueArray(parameter, { maxLength: 12, selector: ([name]) => name }), (parameters) => {
      const query = parameters.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
      const expected = JSON.stringify(parseQueryParams(query))
      return JSON.stringify(parseQueryParams(querystring.parse(query))) === expected &&
        JSON.stringify(parseQueryParams(new URLSearchParams(query))) === expected
    }),
    { numRuns: 1000 }
  )
  t.pass()
})

t.test('a tree is the same in brackets, nested by qs, and as JSON', async t => {
  /** A level as an object of texts, or `undefined` if JSON writes it in another way. */
  const treeOf = ({ filters, groups }: FilterLevel): object => {
    const tree: Record<string, unknown> = {}
    for (const { field, operator, value } of filters) {
      if (operator === undefined) tree[field] = value
      else tree[field] = { ...tree[field] as object | undefined, [operator]: value }
    }
    for (const { word, members } of groups) tree[word] = word === 'not' ? treeOf(members[0]!) : members.map(treeOf)
    return tree
  }
  /** A filter and a group of one name cannot be written beside each other in JSON. */
  const withoutClashes = ({ filters, groups }: FilterLevel): FilterLevel => {
    const own = filters.filter(({ field }) => !groups.some(({ word }) => word === field))
    return {
      filters: own.length + groups.length === 0 ? [ANY_FILTER] : own,
      groups: groups.map(({ word, members }) => ({ word, members: members.map(withoutClashes) })),
    }
  }
  const field = fc.constantFrom('a', 'b.c', 'or', 'not')
  const operator = fc.constantFrom(undefined, 'eq', 'in')
  const leaf = fc.uniqueArray(fc.record({ field, operator, value: fc.constantFrom('x', '', 'y,z') }), {
    maxLength: 3,
    selector: (filter) => filter.field,
  }).map((filters) =>
    filters.map(({ field, operator, value }) => operator === undefined ? { field, value } : { field, operator, value })
  )
  const level = fc.record({ filters: leaf, groups: groupsTo(3, leaf.map((filters) => filters.slice(0, 1))) })
    .map(withoutClashes)
  let compared = 0
  assertProperty(
    fc.property(level, (level) => {
      const text = stringifyQueryParams(level)
      const expected = JSON.stringify({ filters: level.filters, groups: level.groups })
      const same = (params: QueryParams): boolean =>
        JSON.stringify({ filters: params.filters, groups: params.groups }) === expected && params.errors.length === 0
      compared++
      return same(parseQueryParams(text)) && same(parseQueryParams(qs.parse(text, { depth: 20 }))) &&
        same(parseQueryTree(JSON.parse(JSON.stringify({ filter: treeOf(level) }))))
    }),
    { numRuns: 500 }
  )
  t.equal(compared, 500)
})
