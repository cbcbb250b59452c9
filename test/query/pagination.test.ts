import t from 'tap'
import { read, refusals } from './helper.ts'

t.test('each of three styles may use either of its parameters alone', async t => {
  const cases: Array<[string, object]> = [
    ['page=2', { page: 2 }],
    ['per_page=50', { per_page: 50 }],
    ['page=2&per_page=50', { page: 2, per_page: 50 }],
    ['limit=1', { limit: 1 }],
    ['offset=0', { offset: 0 }],
    ['offset=10&limit=5', { limit: 5, offset: 10 }],
    ['cursor=', { cursor: '' }],
    ['cursor', { cursor: '' }],
    ['cursor=abc%3D&per_page=5', { per_page: 5, cursor: 'abc=' }],
    ['page=007', { page: 7 }],
    ['per_page=9007199254740991', { per_page: Number.MAX_SAFE_INTEGER }],
    ['per_page=9007199254740992', { per_page: Number.MAX_SAFE_INTEGER }],
    [`offset=${'9'.repeat(400)}`, { offset: Number.MAX_SAFE_INTEGER }],
  ]
  for (const [query, params] of cases) t.strictSame(read(query), params, query)
})

t.test('anything but decimal digits within range is an error', async t => {
  for (const name of ['page', 'per_page', 'limit', 'offset']) {
    for (const text of [
      '', 'x', '-1', '%2B1', '+1', '1 ', '1.0', '1e3', '0x10', 'NaN', 'Infinity', '١', '1,2',
    ]) {
      t.strictSame(refusals(`${name}=${text}`), [`PAGINATION ${name}`], `${name}=${text}`)
      t.notOk(name in read(`${name}=${text}`))
    }
  }
  for (const name of ['page', 'per_page', 'limit']) t.strictSame(refusals(`${name}=0`), [`PAGINATION ${name}`])
  t.match(read('page=0').errors?.[0]?.detail, /at least 1/)
  t.match(read('offset=-1').errors?.[0]?.detail, /at least 0/)
})

t.test('mixing styles is one error, at the parameter that does not fit', async t => {
  const cases: Array<[string, string]> = [
    ['page=1&limit=2', 'limit'],
    ['limit=2&page=1', 'page'],
    ['page=1&offset=2', 'offset'],
    ['page=1&cursor=', 'cursor'],
    ['limit=1&cursor=', 'cursor'],
    ['limit=1&per_page=2', 'per_page'],
    ['cursor=&offset=1', 'offset'],
    ['page=1&limit=2&offset=3&cursor=', 'limit'],
    ['per_page=1&cursor=&page=3', 'page'],
  ]
  for (const [query, parameter] of cases) t.strictSame(refusals(query), [`PAGINATION ${parameter}`], query)
})

t.test('a repeated parameter, or brackets on one, is an error', async t => {
  for (const name of ['page', 'per_page', 'limit', 'offset', 'cursor']) {
    t.strictSame(refusals(`${name}=1&${name}=1`), [`PAGINATION ${name}`])
    t.strictSame(refusals(`${name}=1&${name}=1&${name}=1`), [`PAGINATION ${name}`], 'said once')
    for (const brackets of ['[]', '[x]', '[']) {
      t.strictSame(refusals(`${name}${brackets}=1`), [`PAGINATION ${name}${brackets}`])
      t.equal(read(`${name}${brackets}=1`).errors?.[0]?.suggestion, name)
    }
  }
})
