import fc from 'fast-check'
import qs from 'qs'
import querystring from 'node:querystring'
import t from 'tap'
import { parseQueryParams, stringifyQueryParams } from '../../src/query/index.ts'
import type { QueryParams } from '../../src/query/index.ts'
import { assertProperty } from '../helpers/property.ts'
import { plain } from './helper.ts'

/** Names and values that are special to the grammar, between ordinary ones. */
const fragment = fc.oneof(
  fc.constantFrom(
    'filter',
    'sort',
    'fields',
    'include',
    'page',
    'per_page',
    'limit',
    'offset',
    'cursor',
    'filters',
    'perPage',
    'where',
    '[',
    ']',
    '[]',
    '[a]',
    '[a.b]',
    '[gte]',
    '[__proto__]',
    '[constructor]',
    '=',
    '&',
    ',',
    '-',
    '+',
    ' ',
    '"',
    '%',
    '%5B',
    '%zz',
    '?',
    '.',
    '1',
    'a'
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
const params: fc.Arbitrary<QueryParams> = fc.record({
  filters: fc.uniqueArray(
    fc.record({
      field: name,
      operator: fc.oneof(fc.constantFrom('eq', 'in', 'gte'), name),
      value: fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 4 })),
    }, { requiredKeys: ['field', 'value'] }),
    { maxLength: 5, selector: ({ field, operator }) => JSON.stringify([field, operator]) }
  ),
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
      'filter[a]',
      'filter[a][gte]',
      'filter[b.c][in]',
      'filter[d][in][]',
      'filter[e][]',
      'sort',
      'fields',
      'fields[x]',
      'include',
      'page',
      'per_page',
      'q',
      'filters',
      'filter[',
      'filter[a][b][c]'
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
