import fastify from 'fastify'
import qs from 'qs'
import t from 'tap'
import { parseQueryParams } from '../../src/query/index.ts'
import { plain, read, refusals } from './helper.ts'

const many = (name: string, length: number) => Array.from({ length }, (_, i) => `${name}=v${i}`).join('&')

const QUERIES = [
  '',
  'filter[name]=Tech&filter[price][gte]=100&sort=-created_at&include=products&fields=id,name,price&page=1&per_page=20',
  'filter[author.name][contains]=x%20y&filter[q]=a%2Cb', 'filter[a]=&filter[b][isnull]=true',
  'filter[id]=1&filter[id]=2', 'filter[id][]=1', 'filter[id][]=1&filter[id][]=2', 'filter[id][in][]=1',
  'filter[id][in][]=1&filter[id][in][]=2,3', 'filter[id][in]=1&filter[id][in]=2',
  'filter[price][gte]=1&filter[price][lte]=2', 'filter[price]=1&filter[price][lte]=2',
  'filter[price]=1&filter[price]=2&filter[price][lte]=3', many('filter[id][in][]', 60), many('filter[id]', 60),
  `${many('filter[id]', 60)}&filter[id][gte]=1`, many('sort', 60), many('include[]', 60),
  `${many('fields', 60)}&fields[products]=id`, many('fields[products]', 60), 'sort=%2Ba,-b&sort=+c',
  'sort[]=a&sort[]=-b', 'fields=id&fields[products]=id,name', 'fields[]=id&fields[]=name&include[]=a',
  'limit=5&offset=10', 'cursor=&per_page=5', 'q=1&where[a][b]=c&tags[]=x&hasOwnProperty=1',
  // Errors
  'filter=x', 'filter[]=x', 'filter[][eq]=x', 'filter[a][][b]=x', 'filter[a][b][c]=x', 'filter[a][b][c][d][e]=x',
  'sort[x]=1', 'include[x]=1', 'page[x]=1', 'page[]=1', 'page=1&page=2', 'fields[a][b]=x', 'sort=a,,b',
  'filters[name]=x&perPage=3', 'page=0', 'page=1&limit=2', 'page=', 'filter[constructor][eq]=x&fields[constructor.a]=x',
]

t.test('every form of a query string is read alike', async t => {
  const app = fastify()
  t.after(() => app.close())
  app.get('/', async (request) => parseQueryParams(request.query))

  for (const query of QUERIES) {
    const expected = plain(parseQueryParams(query))
    const name = query.slice(0, 80)
    t.strictSame(plain(parseQueryParams(`?${query}`)), expected, `with ?: ${name}`)
    t.strictSame(plain(parseQueryParams(new URLSearchParams(query))), expected, `URLSearchParams: ${name}`)
    t.strictSame((await app.inject(`/?${query}`)).json(), expected, `Fastify: ${name}`)
    t.strictSame(plain(parseQueryParams(qs.parse(query, { allowPrototypes: true }))), expected, `qs: ${name}`)
    // Without arrays, qs reads filter[]=x like filter[0]=x, which is a field of that name.
    if (query.startsWith('filter[]')) continue
    t.strictSame(plain(parseQueryParams(qs.parse(query, { plainObjects: true, arrayLimit: 0 }))), expected,
      `qs without arrays: ${name}`)
  }
})

t.test('flat and nested parameters may be mixed', async t => {
  t.strictSame(
    read({ 'filter[a]': '1', filter: { b: '2' }, 'filter[c]': { gte: '3' }, include: 'x', 'include[]': ['y', 'z'] }),
    {
      filters: [{ field: 'a', value: '1' }, { field: 'b', value: '2' }, { field: 'c', operator: 'gte', value: '3' }],
      include: ['x', 'y', 'z'],
    }
  )
  t.strictSame(read({ 'filter[a]': '1', filter: { a: '2' } }), { filters: [{ field: 'a', value: ['1', '2'] }] })
  t.strictSame(read({ 'filter[a][]': ['1'], 'filter[b]': ['2'] }), {
    filters: [{ field: 'a', value: ['1'] }, { field: 'b', value: ['2'] }],
  })
  t.strictSame(read({ filter: { 'a][eq': '1' } }), { filters: [{ field: 'a', operator: 'eq', value: '1' }] },
    'as if it were flat')
})

t.test('numbers, booleans and null are read as their text', async t => {
  t.strictSame(
    read({ page: 2, per_page: 10n, filter: { active: true, price: { gte: 1.5 }, id: [1, null], x: null } }),
    {
      filters: [
        { field: 'active', value: 'true' },
        { field: 'price', operator: 'gte', value: '1.5' },
        { field: 'id', value: ['1', ''] },
        { field: 'x', value: '' },
      ],
      page: 2,
      per_page: 10,
    }
  )
  t.strictSame(refusals({ page: NaN, limit: -1, offset: 1e21 }), [
    'PAGINATION page', 'PAGINATION limit', 'PAGINATION limit', 'PAGINATION offset',
  ])
})

t.test('undefined counts as not given, and empty arrays and objects contribute nothing', async t => {
  t.strictSame(read({ page: undefined, sort: [], include: {}, filter: { a: {}, b: undefined } }), {})
  t.strictSame(read({ filter: { a: { in: [] } } }), { filters: [{ field: 'a', operator: 'in', value: '' }] },
    'the empty list')
})

t.test('a value without a text is an error of its parameter', async t => {
  for (const value of [() => {}, Symbol('x'), new Date(0), new Map(), /x/]) {
    t.strictSame(refusals({ filter: { a: value } }), ['FILTER filter[a]'])
    t.strictSame(refusals({ sort: value }), ['SORT sort'])
    t.strictSame(read({ where: value, 'filter[ok]': '1' }).filters, [{ field: 'ok', value: '1' }],
      'the application may have it')
  }
  t.strictSame(refusals({ filter: { a: [['x', 'y']] } }), ['FILTER filter[a]'])
  t.strictSame(read({ filter: { a: ['1', () => {}] } }).filters, undefined, 'half a list is no list')
  t.strictSame(read({ filter: { a: [() => {}, '1', '2'] } }).filters, undefined)
})

t.test('a value that is not a query is an error, and nothing is an empty query', async t => {
  for (const nothing of [undefined, null, '', {}, Object.create(null), new URLSearchParams()]) {
    t.strictSame(read(nothing), {})
  }
  for (const value of [
    0, 1, true, 1n, Symbol('x'), () => {}, [], ['filter[a]=1'], new Map([['page', '1']]), new Date(),
    new (class {
      page = '1'
    })(),
  ]) {
    t.strictSame(refusals(value), ['QUERY! -'])
  }
})

t.test('text with invalid encoding is refused, and never guessed', async t => {
  for (
    const bad of ['%', '%a', '%zz', '%u0041', '%ff', '%c0%80', '%ed%a0%80', '%f5%80%80%80', '%e2%82', '\ud800', 'x%20%']
  ) {
    t.strictSame(refusals(`filter[a]=${bad}`), ['FILTER filter[a]'], bad)
    t.strictSame(refusals(`sort=${bad}`), ['SORT sort'])
    t.strictSame(refusals(`fields[a]=${bad}`), ['FIELD fields[a]'])
    t.strictSame(refusals(`include=${bad}`), ['INCLUDE include'])
    t.strictSame(refusals(`cursor=${bad}`), ['PAGINATION cursor'])
    t.strictSame(refusals(`q=${bad}`), [], "the application's own")
  }
  t.strictSame(refusals('filter[%zz]=1&filter%5B%zz%5D=1&sort[%ff]=1'), [
    'FILTER filter[%zz]', 'FILTER filter[%zz]', 'SORT sort[%ff]',
  ])
  t.strictSame(refusals('%zz=1&fil%zzter[a]=1&q[%zz]=1'), ['QUERY -', 'QUERY -', 'QUERY -'],
    "whose they are can't be told")
  t.strictSame(refusals('filter[\ud800]=1'), ['FILTER filter[\ufffd]'])
  t.strictSame(read('filter[a]=1&filter[a]=%zz').filters, undefined, 'half a filter is another filter')
  t.strictSame(read('filter[a][]=%zz&filter[a][]=2&filter[a][]=3').filters, undefined)
})

t.test('names and values are decoded once', async t => {
  t.strictSame(read('filter%5Bn%C3%A4me%5D%5Beq%5D=%25zz%26%3D%2B+'), {
    filters: [{ field: 'näme', operator: 'eq', value: '%zz&=+ ' }],
  })
  t.strictSame(read('filter%255Ba%255D=1'), { unknown: ['filter%5Ba%5D'] })
})
