import t from 'tap'
import { parseQueryParams, stringifyQueryParams } from '../../src/query/index.ts'
import type { QueryParams } from '../../src/query/index.ts'
import { plain } from './helper.ts'

t.test('stringify writes readable text', async t => {
  const cases: Array<[Partial<QueryParams>, string]> = [
    [{}, ''],
    [{ filters: [], sort: [], include: [], fields: [], fieldsByInclude: {}, unknown: [], errors: [] }, ''],
    [parseQueryParams('title=x&page=2&where[a b]=1'), 'page=2&title=&where[a%20b]='],
    [{ filters: [{ field: 'name', value: 'Tech' }, { field: 'price', operator: 'gte', value: '100' }] },
      'filter[name]=Tech&filter[price][gte]=100'],
    [{ filters: [{ field: 'id', operator: 'in', value: '1,2' }] }, 'filter[id][in]=1,2'],
    [{ filters: [{ field: 'id', operator: 'in', value: ['1', 'a,b'] }] }, 'filter[id][in][]=1&filter[id][in][]=a,b'],
    [{ filters: [{ field: 'id', value: ['1'] }] }, 'filter[id][]=1'],
    [{ filters: [{ field: 'id', operator: 'in', value: [] }] }, 'filter[id][in]='],
    [{ filters: [{ field: 'q', value: 'a&b=c+d e%f#g[h]"ä' }] }, 'filter[q]=a%26b%3Dc%2Bd%20e%25f%23g%5Bh%5D%22%C3%A4'],
    [{ filters: [{ field: 'at', operator: 'gte', value: '2024-01-01T00:00:00Z' }] },
      'filter[at][gte]=2024-01-01T00:00:00Z'],
    [{ filters: [{ field: 'ä&', value: '' }] }, 'filter[%C3%A4%26]='],
    [{ sort: ['name', '-created_at', '+a', ' b'] }, 'sort=name,-created_at,%2Ba,%20b'],
    [{ include: ['a', 'b.c'], fields: ['id'], fieldsByInclude: { 'b.c': ['id', 'x'], none: [] } },
      'include=a,b.c&fields=id&fields[b.c]=id,x'],
    [{ page: 2, per_page: 50 }, 'page=2&per_page=50'],
    [{ limit: 5, offset: 0 }, 'limit=5&offset=0'],
    [{ cursor: '', per_page: 5 }, 'per_page=5&cursor='],
    [{ page: undefined, sort: undefined }, ''],
  ]
  for (const [params, text] of cases) t.equal(stringifyQueryParams(params), text)
})

t.test('parsed params are written so that they are read again', async t => {
  for (const query of [
    '', 'filter[a]=1&filter[a]=2&filter[b][in][]=x&filter[a][gte]=%00',
    'sort=+a,-b&include=a&fields=x&fields[a]=y,z&cursor=a%3D', `filter[a]=${'x'.repeat(8000)}`,
    Array(100).fill('filter[a][in]=1').join('&'),
    // a filter that is named like a group, beside that group
    'filter[or]=1&filter[or][0][a]=1', 'filter[not]=1&filter[not][not]=2&filter[not][not][and]=3&filter[not][not][a]=4',
  ]) {
    const params = parseQueryParams(query)
    t.strictSame(plain(parseQueryParams(stringifyQueryParams(params))), plain(params))
  }
})

t.test('stringify throws a TypeError for values that cannot be written', async t => {
  const cases: Array<[unknown, RegExp]> = [
    [{ include: ['a,b'] }, /"a,b" in include is not a single name/],
    [{ fields: [''] }, /"" in fields/],
    [{ fields: [' a'] }, /" a" in fields/],
    [{ sort: ['  a'] }, /" {2}a" in sort/],
    [{ sort: [1] }, /1 in sort/],
    [{ fieldsByInclude: { a: ['x,y'] } }, /"x,y" in fields\[a\]/],
    [{ fieldsByInclude: { '': ['x'] } }, /"" cannot be written in brackets/],
    [{ filters: [{ field: 'a][eq', value: '' }] }, /"a]\[eq" cannot be written in brackets/],
    [{ filters: [{ field: 'a[', value: '' }] }, /cannot be written in brackets/],
    [{ filters: [{ field: 'a', operator: '', value: '' }] }, /"" cannot be written in brackets/],
    [{ filters: [{ field: 'a', value: [] }] }, /empty list/],
    [{ filters: [{ field: 'a', value: 1 }] }, /value of filter\[a\] is neither/],
    [{ filters: [{ field: 'a' }] }, /is neither a text nor/],
    [{ filters: [{ field: 'a', value: [1] }] }, /A text was expected, not a value of type number/],
    [{ filters: [{ field: 'a', value: '\ud800' }] }, /not valid Unicode/],
    [{ filters: [{ field: 'a', value: '1' }, { field: 'a', value: '2' }] }, /filter\[a\] is given twice/],
    [{ filters: [{ field: '__proto__', value: '1' }] }, /reserved/],
    [{ page: 1, limit: 1 }, /either page and per_page/],
    [{ page: 0 }, /at least 1/],
    [{ page: 1.5 }, /whole number/],
    [{ filters: [{ field: 'a', value: 'x'.repeat(9000) }] }, /longer than 8192 bytes/],
    [{ filters: [{ field: 'a', value: Array(101).fill('1') }] }, /more than 100 parameters/],
    [parseQueryParams('page=x'), /whole number/],
    [{ unknown: ['sort'] }, /sort in unknown is a parameter of the query language/],
    [{ unknown: ['title', 'filter[a]'] }, /filter\[a\] in unknown is a parameter/],
  ]
  for (const [params, message] of cases) {
    t.throws(() => stringifyQueryParams(params as Partial<QueryParams>), { name: 'TypeError', message },
      String(message))
  }
})
