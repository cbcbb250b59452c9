import t from 'tap'
import { read, refusals } from './helper.ts'

const MEANT = {
  filters: 'filter',
  sorts: 'sort',
  orderBy: 'sort',
  includes: 'include',
  field: 'fields',
  perPage: 'per_page',
  pageSize: 'per_page',
  page_size: 'per_page',
  'per-page': 'per_page',
}

t.test('a name that is nearly one of ours is an error with a suggestion', async t => {
  for (const [name, suggestion] of Object.entries(MEANT)) {
    t.strictSame(refusals(`${name}=1`), [`QUERY ${name}`], name)
    t.strictSame(refusals(`${name}[]=1`), [`QUERY ${name}[]`], `${name}[]`)
    t.equal(read(`${name}=1`).errors?.[0]?.suggestion, suggestion)
  }
})

t.test('the suggestion keeps the brackets where ours takes them', async t => {
  const suggestion = (query: unknown) => read(query).errors?.map((error) => error.suggestion)
  t.strictSame(suggestion('filters[name][gte]=1'), ['filter[name][gte]'])
  t.strictSame(suggestion('field[author]=1'), ['fields[author]'])
  t.strictSame(suggestion('orderBy[name]=asc'), ['sort'])
  t.strictSame(suggestion({ filters: { name: 'x', price: { gte: '1' } } }), ['filter[name]', 'filter[price][gte]'])
})

t.test('unless the application declares it', async t => {
  t.strictSame(read('pageSize=1&filters[a]=1', { declared: ['pageSize', 'filters'] }), {})
  t.strictSame(read('pageSize=%zz', { declared: new Set(['pageSize']) }), {})
  t.strictSame(read({ filters: { a: () => {} } }, { declared: ['filters'] }), {})
  t.strictSame(refusals('filters[a]=1&filters[b]=1', { declared: ['filters[a]'] }), ['QUERY filters[b]'])
  t.strictSame(refusals('filters[a]=1&filters[b]=1', { declared: new Set(['filters[a]']) }), ['QUERY filters[b]'])
  t.strictSame(refusals('pageSize=1', { declared: [] }), ['QUERY pageSize'])
})

t.test('one that can\'t be decoded is still one', async t => {
  t.strictSame(refusals('filters[a]=%zz'), ['QUERY filters[a]'])
  t.strictSame(refusals({ pageSize: () => {} }), ['QUERY pageSize'])
})
