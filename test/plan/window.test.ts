import t from 'tap'
import { errorsOf, planOf, whitelistOf } from './helper.ts'

const plants = whitelistOf({})
const small = whitelistOf({ pagination: { defaultPerPage: 2, maxPerPage: 5, maxOffset: 10 } })
const window = (query: string, whitelist = plants) => {
  const { style, offset, limit, count } = planOf(query, whitelist).window
  return [style, offset, limit, count]
}

t.test('pages, offsets and their defaults set the window', async (t) => {
  const cases: ReadonlyArray<readonly [query: string, window: readonly unknown[], whitelist?: typeof plants]> = [
    ['', ['page', 0, 20, 'exact']],
    ['page=1', ['page', 0, 20, 'exact']],
    ['page=3', ['page', 40, 20, 'exact']],
    ['per_page=7', ['page', 0, 7, 'exact']],
    ['page=2&per_page=100', ['page', 100, 100, 'exact']],
    ['limit=7', ['offset', 0, 7, 'exact']],
    ['offset=3', ['offset', 3, 20, 'exact']],
    ['limit=1&offset=100000', ['offset', 100000, 1, 'exact']],
    ['page=1001&per_page=100', ['page', 100000, 100, 'exact']],
    ['', ['page', 0, 2, 'exact'], small],
    ['page=6', ['page', 10, 2, 'exact'], small],
    ['limit=5&offset=10', ['offset', 10, 5, 'exact'], small],
    ['', ['page', 0, 20, 'none'], whitelistOf({ pagination: { count: 'none' } })],
  ]
  for (const [query, expected, whitelist] of cases) t.strictSame(window(query, whitelist), expected, query || 'nothing')
})

t.test('a value above a maximum is refused with the maximum', async (t) => {
  const cases: ReadonlyArray<readonly [query: string, parameter: string, detail: string, whitelist?: typeof plants]> = [
    ['per_page=101', 'per_page', "'per_page' is at most 100."],
    ['limit=101', 'limit', "'limit' is at most 100."],
    ['per_page=6', 'per_page', "'per_page' is at most 5.", small],
    ['page=5002', 'page', 'At most 100000 rows can be skipped; this would skip 100020.'],
    ['offset=100001', 'offset', 'At most 100000 rows can be skipped; this would skip 100001.'],
    ['page=7', 'page', 'At most 10 rows can be skipped; this would skip 12.', small],
    ['page=9007199254740991&per_page=101', 'per_page', "'per_page' is at most 100."],
  ]
  for (const [query, parameter, detail, whitelist = plants] of cases) {
    t.strictSame(
      errorsOf(query, whitelist),
      [{ source: { parameter }, code: 'FST_CRUD_PAGINATION_INVALID', detail }],
      query
    )
  }
  t.match(errorsOf('page=9007199254740991', plants), [{ detail: /^At most 100000 rows can be skipped/ }])
})

t.test('a size and an offset are checked separately', async (t) => {
  const named = (query: string) => errorsOf(query, small).map(({ source }) => Object.values(source ?? {}).join())
  t.strictSame(named('limit=6&offset=11'), ['limit', 'offset'])
  t.strictSame(named('limit=x&offset=11'), ['limit', 'offset'])
  t.strictSame(named('per_page=6&page=100'), ['per_page'], 'a page skips an unknown number of rows')
  t.strictSame(named('per_page=&page=100'), ['per_page'])
})

t.test('maxOffset 0 allows no offset', async (t) => {
  const first = whitelistOf({ pagination: { maxOffset: 0 } })
  t.strictSame(window('page=1', first), ['page', 0, 20, 'exact'])
  t.match(errorsOf('page=2', first), [{ detail: 'At most 0 rows can be skipped; this would skip 20.' }])
})

t.test('without a total, the statement fetches one row more than the page', async (t) => {
  const exact = planOf('per_page=5', plants)
  t.strictSame([exact.values[exact.limitSlot], exact.values[exact.fetchSlot], exact.values[exact.offsetSlot]], [
    5, 5, 0,
  ])
  const none = planOf('limit=5&offset=2', whitelistOf({ pagination: { count: 'none' } }))
  t.strictSame([none.values[none.limitSlot], none.values[none.fetchSlot], none.values[none.offsetSlot]], [5, 6, 2])
})
