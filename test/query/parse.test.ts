import t from 'tap'
import { read, refusals } from './helper.ts'

t.test('filters are conditions in the order of the query string', async t => {
  const cases: Array<[string, unknown]> = [
    ['filter[name]=Tech', [{ field: 'name', value: 'Tech' }]],
    ['filter[price][gte]=100', [{ field: 'price', operator: 'gte', value: '100' }]],
    ['filter[b]=1&filter[a]=2&filter[b][lt]=3', [{ field: 'b', value: '1' }, { field: 'a', value: '2' }, {
      field: 'b', operator: 'lt', value: '3',
    }]],
    ['filter[author.name]=x', [{ field: 'author.name', value: 'x' }]],
    ['filter[name]=a,b', [{ field: 'name', value: 'a,b' }]],
    ['filter[id][in]=1, 2', [{ field: 'id', operator: 'in', value: '1, 2' }]],
    ['filter[name]=', [{ field: 'name', value: '' }]],
    ['filter[name]', [{ field: 'name', value: '' }]],
    ['filter[name]=null', [{ field: 'name', value: 'null' }]],
    ['filter[name]=a=b', [{ field: 'name', value: 'a=b' }]],
    ['filter[name]= x ', [{ field: 'name', value: ' x ' }]],
    ['filter[name][nonsense]=1', [{ field: 'name', operator: 'nonsense', value: '1' }]],
    ['filter[name]=%00', [{ field: 'name', value: '\0' }]],
  ]
  for (const [query, filters] of cases) t.strictSame(read(query), { filters }, query)
})

t.test('a repeated filter, or one with [], has literal items', async t => {
  const cases: Array<[string, unknown]> = [
    ['filter[id]=1&filter[id]=2', [{ field: 'id', value: ['1', '2'] }]],
    ['filter[id]=1&filter[x]=y&filter[id]=2', [{ field: 'id', value: ['1', '2'] }, { field: 'x', value: 'y' }]],
    ['filter[id][]=1', [{ field: 'id', value: ['1'] }]],
    ['filter[id][]=1,2&filter[id][]=', [{ field: 'id', value: ['1,2', ''] }]],
    ['filter[id][in][]=1', [{ field: 'id', operator: 'in', value: ['1'] }]],
    ['filter[id][in]=1&filter[id][in]=2,3', [{ field: 'id', operator: 'in', value: ['1', '2,3'] }]],
    ['filter[id][eq]=1&filter[id][eq]=2', [{ field: 'id', operator: 'eq', value: ['1', '2'] }]],
  ]
  for (const [query, filters] of cases) t.strictSame(read(query), { filters }, query)
})

t.test('a filter given in both ways is an error, and is dropped', async t => {
  for (const query of [
    'filter[id][in]=1&filter[id][in][]=2', 'filter[id][in][]=1&filter[id][in]=2',
    'filter[id]=1&filter[id][]=2&filter[id]=3',
  ]) {
    const { errors, ...rest } = read(query)
    t.equal(errors?.length, 1, query)
    t.strictSame(rest, {}, query)
  }
  t.strictSame(read('filter[id][]=1&filter[id][in]=2').filters?.length, 2,
    'no operator and an operator are two filters')
})

t.test('a filter with misplaced brackets is an error', async t => {
  for (const name of [
    'filter', 'filter[]', 'filter[', 'filter[a', 'filter[a]b', 'filter[a][', 'filter[a][b', 'filter[[a]]',
    'filter[a[b]]', 'filter[a]]', 'filter[][eq]', 'filter[a][][b]', 'filter[a][][]', 'filter[a]b[c]',
  ]) {
    t.strictSame(refusals(`${name}=x`), [`FILTER ${name}`], name)
    t.strictSame(refusals({ [name]: 'x' }), [`FILTER ${name}`], name)
  }
  t.strictSame(refusals('filter[a][b][c]=x'), ['FILTER! filter[a][b][c]'], 'depth is a limit')
  t.strictSame(refusals('filter[a][b][c][]=x'), ['FILTER! filter[a][b][c][]'])
})

t.test('sort keeps its items verbatim', async t => {
  const cases: Array<[string, string[] | undefined]> = [
    ['sort=name,-created_at', ['name', '-created_at']],
    ['sort=name&sort=-created_at', ['name', '-created_at']],
    ['sort[]=name&sort[]=a,b', ['name', 'a', 'b']],
    ['sort=%2Bname', ['+name']],
    ['sort=+name', [' name']],
    ['sort=-a,+b', ['-a', ' b']],
    ['sort=a, -b', ['a', '-b']],
    ['sort=a , %2Bb ', ['a', '+b']],
    ['sort=a,++b', ['a', ' b']],
    ['sort=a,a', ['a', 'a']],
    ['sort=author.name', ['author.name']],
    ['sort=', undefined],
    ['sort', undefined],
    ['sort=+', undefined],
    ['sort=&sort=a', ['a']],
  ]
  for (const [query, sort] of cases) t.strictSame(read(query), sort === undefined ? {} : { sort }, query)
})

t.test('include and fields are lists of names, each once', async t => {
  const cases: Array<[string, object]> = [
    ['include=a,b', { include: ['a', 'b'] }],
    ['include=a&include=b,a', { include: ['a', 'b'] }],
    ['include[]=a.b', { include: ['a.b'] }],
    ['include= a , b', { include: ['a', 'b'] }],
    ['include=', {}],
    ['fields=id,name,id', { fields: ['id', 'name'] }],
    ['fields[]=id&fields=name', { fields: ['id', 'name'] }],
    ['fields=', {}],
    ['fields[products]=id,name', { fieldsByInclude: { products: ['id', 'name'] } }],
    ['fields[a.b]=id&fields[a.b]=name,id', { fieldsByInclude: { 'a.b': ['id', 'name'] } }],
    ['fields[a][]=id', { fieldsByInclude: { a: ['id'] } }],
    ['fields[a]=', {}],
    ['fields=id&fields[a]=x', { fields: ['id'], fieldsByInclude: { a: ['x'] } }],
  ]
  for (const [query, params] of cases) t.strictSame(read(query), params, query)
})

t.test('an empty item in sort, fields or include is one error', async t => {
  for (const [name, kind] of [['sort', 'SORT'], ['fields', 'FIELD'], ['fields[a]', 'FIELD'], ['include', 'INCLUDE'], [
    'include[]',
    'INCLUDE',
  ]] as const) {
    for (const text of ['a,', ',a', 'a,,b', ',', ',,,', 'a, ,b']) {
      t.strictSame(refusals(`${name}=${text}`), [`${kind} ${name}`], `${name}=${text}`)
    }
  }
})

t.test('brackets on a list parameter are an error', async t => {
  for (const [name, kind] of [
    ['sort[x]', 'SORT'], ['sort[', 'SORT'], ['sort[][]', 'SORT'], ['include[x]', 'INCLUDE'],
    ['include[x][]', 'INCLUDE'], ['fields[a][b]', 'FIELD'], ['fields[a', 'FIELD'], ['fields[][a]', 'FIELD'],
  ] as const) {
    t.strictSame(refusals(`${name}=y`), [`${kind} ${name}`], name)
  }
})

t.test('unknown lists each parameter outside of the grammar once, unless it is declared', async t => {
  for (const query of ['', '?', '&&']) t.strictSame(read(query), {}, query)
  for (const [query, ...unknown] of [
    ['=x', ''], ['q=1&q=2', 'q'], ['hard=true', 'hard'], ['Filter[a]=1', 'Filter[a]'], ['filter.a=1', 'filter.a'],
    ['xfilter[a]=1', 'xfilter[a]'], ['foo[', 'foo['], ['where[a]=%zz', 'where[a]'], ['offsets=1', 'offsets'],
    ['filters[a]=1&perPage=2&b', 'filters[a]', 'perPage', 'b'], ['a%5Bb%5D=1&a[c]=2', 'a[b]', 'a[c]'],
  ] as ReadonlyArray<readonly [string, ...string[]]>) t.strictSame(read(query), { unknown }, query)
  t.strictSame(read({ where: { a: 'x', b: { gt: '1' } }, with: ['a'], d: {}, e: () => {}, f: undefined, page: '1' }), {
    page: 1,
    unknown: ['where[a]', 'where[b][gt]', 'with[]', 'd', 'e'],
  })
  t.strictSame(read('pageSize=1&filters[a]=1&x=2', { declared: ['pageSize', 'filters'] }), { unknown: ['x'] })
  t.strictSame(read('pageSize=%zz', { declared: new Set(['pageSize']) }), {})
  t.strictSame(read({ filters: { a: () => {} } }, { declared: ['filters'] }), {})
  t.strictSame(read({ own: { a: { b: { c: { d: { e: { f: { g: 'x'.repeat(9000) } } } } } } } }, { declared: ['own'] }),
    {}, 'what is declared is not looked at')
  t.strictSame(read('filters[a]=1&filters[b]=1', { declared: ['filters[a]'] }), { unknown: ['filters[b]'] })
  t.strictSame(read('filters[a]=1&filters[b]=1', { declared: new Set(['filters[a]']) }), { unknown: ['filters[b]'] })
})

t.test('sort[] and sort cannot be mixed, since parsers that group by name lose the order', async t => {
  for (const query of ['sort[]=a&sort=b&sort[]=c', 'sort=a&sort[]=b', 'sort[]=a,b&sort=c&sort=d&sort[]=e']) {
    t.strictSame(refusals(query).map((item) => item.slice(0, 9)), ['SORT sort'], query)
    t.strictSame(read(query).sort, undefined, 'none of it is left')
  }
  t.strictSame(refusals('sort=a&sort[]=b'), ['SORT sort[]'])
  t.strictSame(refusals('sort[]=a&sort=b'), ['SORT sort'])
  t.strictSame(read('sort[]=a&sort=&sort[]=b').sort, ['a', 'b'], 'an empty one counts as not given')
  t.strictSame(read('fields=a&fields[]=b&fields=c&include[]=d&include=e'), {
    fields: ['a', 'b', 'c'],
    include: ['d', 'e'],
  }, 'where the order means nothing, both ways may be mixed')
})

t.test('errors are listed in the order of the query string', async t => {
  t.strictSame(refusals('page=x&filter=1&sort=a,&filter[a][b][c]=1'), [
    'PAGINATION page', 'FILTER filter', 'SORT sort', 'FILTER! filter[a][b][c]',
  ])
})

t.test('a very long name is cut where an error repeats it', async t => {
  const [refusal] = refusals(`filter[${'a'.repeat(1000)}=1`)
  t.equal(refusal, `FILTER filter[${'a'.repeat(92)}…`)
})
