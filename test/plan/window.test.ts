import t from 'tap'
import { errorsOf, planOf, whitelistOf } from './helper.ts'

const plants = whitelistOf({})
const small = whitelistOf({ pagination: { defaultPerPage: 2, maxPerPage: 5, maxOffset: 10 } })
const window = (query: string, whitelist = plants) => {
  const { style, offset, limit, count } = planOf(query, whitelist).window
  return [style, offset, limit, count]
}

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
