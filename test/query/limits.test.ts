import t from 'tap'
import { MAX_QUERY_BYTES, parseQueryParams, parseRequestQuery } from '../../src/query/index.ts'
import { MAX_PARAMETERS, isReserved } from '../../src/query/limits.ts'
import { plain, read, refusals } from './helper.ts'

const repeat = (length: number, pair: string) => Array(length).fill(pair).join('&')

t.test('a query has at most 100 known parameters', async t => {
  t.equal(MAX_PARAMETERS, 100)
  const names = Array.from({ length: 101 }, (_, i) => `f${i}`)
  t.equal(read(names.slice(1).map((name) => `filter[${name}]=1`).join('&')).filters?.length, 100)
  t.strictSame(read(`${repeat(100, 'filter[a][]=1')}&${repeat(500, 'q=1')}`).errors, undefined,
    'the application may have more')

  for (const query of [
    names.map((name) => `filter[${name}]=1`).join('&'),
    Object.fromEntries(names.map((name) => [`filter[${name}]`, '1'])),
    { filter: Object.fromEntries(names.map((name) => [name, '1'])) }, repeat(101, 'sort=a'), repeat(101, 'filter=x'),
    repeat(101, 'page=1'), repeat(101, '%zz=1'), new URLSearchParams(repeat(101, 'fields=a')),
  ]) {
    const params = plain(parseQueryParams(query))
    t.strictSame(params, { ...plain(parseQueryParams('')), errors: params.errors }, 'nothing of it is kept')
    t.strictSame(refusals(query), ['QUERY! -'])
    t.match(params.errors[0]?.detail, /100 parameters/)
  }
})

t.test('a list in an object is one parameter, and its items are counted when the filter is known', async t => {
  const ids = Array.from({ length: 101 }, (_, i) => String(i))
  for (const query of [
    { filter: { externalId: { in: ids } }, sort: 'name' },
    { filter: { externalId: { in: Object.fromEntries(ids.entries()) } }, sort: ['name'] },
    { 'filter[externalId][in]': ids, sort: 'name' },
  ]) {
    t.strictSame(read(query).filters, [{ field: 'externalId', operator: 'in', value: ids }])
    t.strictSame(read(query).errors, undefined)
  }
  const many = { filter: Object.fromEntries(ids.map((id) => [`f${id}`, id])) }
  t.equal(read(many).errors?.[0]?.detail, 'The query has more than 100 parameters.')
  t.equal(read({ filter: { a: { in: ids.map((id) => id.repeat(60)) } } }).errors?.[0]?.detail,
    'As a query string, the query would be longer than 8192 bytes.')
})

t.test('a parameter that is repeated in a URL counts each time', async t => {
  const query = parseRequestQuery({ 'filter[a][in]': Array(60).fill('1'), 'filter[b][in]': Array(60).fill('1') })
  t.equal(query.errors[0]?.detail, 'The query string has more than 100 parameters.')
})

t.test('a query string has at most 8 KiB', async t => {
  t.equal(MAX_QUERY_BYTES, 8192)
  const start = 'filter[a]='
  const fits = 'x'.repeat(MAX_QUERY_BYTES - start.length)
  for (const query of [
    start + fits, `?${start}${fits}`, { 'filter[a]': fits }, { filter: { a: fits } }, new URLSearchParams(start + fits),
  ]) {
    t.strictSame(refusals(query), [])
  }
  for (const query of [
    `${start}${fits}x`, `?${start}${fits}x`, { 'filter[a]': `${fits}x` }, { filter: { a: `${fits}x` } },
    new URLSearchParams(`${start}${fits}x`), `${start}${'é'.repeat(4092)}`, `q=${'x'.repeat(MAX_QUERY_BYTES)}`,
    { q: 'x'.repeat(MAX_QUERY_BYTES) }, '&'.repeat(MAX_QUERY_BYTES + 1), { q: Array(5000).fill('') },
    { filter: { ['x'.repeat(9000)]: {} } }, { ['filter['.repeat(2000)]: undefined },
  ]) {
    t.strictSame(refusals(query), ['QUERY! -'])
    t.match(read(query).errors?.[0]?.detail, /8192 bytes/)
  }
  t.strictSame(refusals(`${start}${'é'.repeat(4091)}`), [])
})

t.test('a text that is too long is refused before it is parsed', async t => {
  for (const part of [
    '&', 'filter[', '[', ']', '%', '%zz&', 'filter[a]=1&', 'sort=a,', ',', '"', 'a=', '+', 'constructor.',
  ]) {
    for (const length of [1e4, 1e6, 2e7]) {
      t.strictSame(refusals(part.repeat(length / part.length)), ['QUERY! -'], `${part} x ${length}`)
    }
  }
  // An object may have more keys than it reports. Its own keys are listed, and only those within the limit are read.
  let looked = 0
  const counting = new Proxy({}, {
    ownKeys: () => Array.from({ length: 1e5 }, (_, i) => `filter[f${i}]`),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: '1' }),
    get: () => {
      looked++
      return '1'
    },
  })
  t.strictSame(refusals(counting), ['QUERY! -'])
  t.equal(looked, MAX_PARAMETERS + 1)
  t.strictSame(refusals({ sort: new Array(1e9) }), ['QUERY! -'], 'holes count')
})

t.test('hostile text within the limit has few errors', async t => {
  for (const part of ['filter[&', '%zz&', 'sort=,&', 'page=&', 'filter[__proto__]&', 'sort=__proto__,,&']) {
    t.ok(refusals(part.repeat(Math.floor(MAX_QUERY_BYTES / part.length))).length === 1, part)
  }
  t.strictSame(refusals(`sort=${'__proto__,'.repeat(800)}`), ['SORT sort', 'SORT! sort'])
})

t.test('deep, cyclic and broken objects are refused', async t => {
  const cyclic: Record<string, unknown> = { name: 'x' }
  cyclic.self = cyclic
  t.strictSame(read({ filter: cyclic }).filters?.length, 2, 'a name, and one in brackets')
  const cycles = refusals({ filter: cyclic })
  t.ok(cycles.length === 5 && cycles.every((refusal) => refusal.startsWith('FILTER! filter[self][self][')),
    cycles.join())
  const list: unknown[] = []
  list.push(list, list)
  t.strictSame(refusals({ filter: { a: list } }), ['FILTER filter[a]', 'FILTER filter[a]'])
  const repeats: Record<string, unknown> = {}
  repeats[0] = repeats
  repeats[1] = repeats
  t.ok(refusals({ filter: { a: repeats } }).every((refusal) => refusal === 'FILTER! filter[a]'))
  t.strictSame(refusals({ where: cyclic }), [], "the application's own is not walked")

  const throwing = {
    get: () => {
      throw new Error('no')
    },
  }
  for (const query of [
    Object.defineProperty({}, 'page', { enumerable: true, ...throwing }),
    { filter: Object.defineProperty({}, 'a', { enumerable: true, ...throwing }) },
    {
      filter: {
        a: new Proxy({}, {
          ownKeys () {
            throw new Proxy({}, {
              getPrototypeOf () {
                throw new Error('again')
              },
            })
          },
        }),
      },
    },
    new Proxy({}, {
      getPrototypeOf () {
        throw new Error('no')
      },
    }),
    revoked(),
    { filter: revoked() },
  ]) {
    t.strictSame(refusals(query), ['QUERY! -'])
  }
})

t.test('reserved names are refused and never become keys', async t => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    for (const [parameter, kind] of [
      [`filter[${name}]`, 'FILTER'],
      [`filter[a][${name}]`, 'FILTER'],
      [`filter[a.${name}]`, 'FILTER'],
      [`filter[${name}.a]`, 'FILTER'],
      [`filter[${name}][]`, 'FILTER'],
      [`fields[${name}]`, 'FIELD'],
      [`fields[a.${name}.b]`, 'FIELD'],
    ] as const) {
      t.strictSame(refusals(`${parameter}=x`), [`${kind}! ${parameter}`])
      t.strictSame(refusals({ [parameter]: 'x' }), [`${kind}! ${parameter}`])
      const { errors, ...rest } = read(`${parameter}=x`)
      t.strictSame(rest, {})
    }
    t.strictSame(refusals(`sort=-${name}`), ['SORT! sort'])
    t.strictSame(refusals(`sort=+${name}`), ['SORT! sort'])
    t.strictSame(refusals(`include=a.${name}`), ['INCLUDE! include'])
    t.strictSame(refusals(`fields=a,${name}`), ['FIELD! fields'])
    t.strictSame(read(`filter[a]=${name}`), { filters: [{ field: 'a', value: name }] },
      'as a value it is a text like any other')
    t.strictSame(read(`${name}=1&${name}[a]=2`), { unknown: [name, `${name}[a]`] }, 'a name is a text, too')
  }
  t.strictSame(refusals(JSON.parse('{ "filter": { "__proto__": { "eq": "1" } } }')), ['FILTER! filter[__proto__][eq]'])
  t.strictSame(refusals(JSON.parse('{ "__proto__": { "page": "1" } }')), [])
  t.notOk('polluted' in {})
  t.ok(isReserved('a.constructor'))
  t.notOk(isReserved('constructors') || isReserved('a.my_prototype') || isReserved('proto'))
})

t.test('inherited properties are not read', async t => {
  t.strictSame(read(Object.create({ page: '1' }) as object).filters, undefined)
  t.strictSame(
    refusals(Object.assign(Object.create(Object.assign(Object.create(null), { page: '1' })), { limit: '2' })),
    []
  )
})

function revoked (): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
