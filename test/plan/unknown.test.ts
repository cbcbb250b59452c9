/** Parameters that are not part of the query language, and their suggestions. */
import fc from 'fast-check'
import t from 'tap'
import { AllowedFilters } from '../../src/config/index.ts'
import type { ErrorItem } from '../../src/base/errors.ts'
import { OPERATOR_NAMES } from '../../src/operators/index.ts'
import { planGet, planList, planStream, checkWriteQuery } from '../../src/plan/index.ts'
import { suggestionFor } from '../../src/plan/unknown/suggestion.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { Tag } from '../fixtures/entities.ts'
import { assertProperty } from '../helpers/property.ts'
import { whitelistOf } from './helper.ts'

const whitelist = whitelistOf({
  allowedFilters: [
    { name: ['eq', 'contains', 'in', 'gte'], position: ['eq', 'gte'] },
    'latinName',
    'supplier.name',
    AllowedFilters.partial('description'),
    AllowedFilters.search('text', ['name']),
    AllowedFilters.trashed(),
    AllowedFilters.custom('made-up', (qb) => qb),
    'created_at',
  ],
  allowedSorts: ['name'], allowedFields: ['name', 'tags.name'], allowedIncludes: ['tags'],
})
const bare = whitelistOf({})
const short = whitelistOf({ allowedFilters: [AllowedFilters.custom('s', (qb) => qb)] })

const itemsOf = (fn: () => unknown): readonly ErrorItem[] => {
  try {
    fn()
    return []
  } catch (error) {
    return (error as { errors: readonly ErrorItem[] }).errors
  }
}
const list = (query: string, on = whitelist, groups = false) =>
  itemsOf(() => planList(parseQueryParams(query), on, { refuseUnknown: true, groups }))
const suggested = (query: string, on = whitelist) => list(query, on)[0]?.suggestion

t.test('unknown parameters get suggestions', async (t) => {
  const cases: ReadonlyArray<readonly [query: string, suggestion: string | undefined]> = [
    // filters, by their name alone
    ['name=x', 'filter[name]'],
    ['Name=x', 'filter[name]'],
    ['latinName=x', 'filter[latinName]'],
    ['latin_name=x', 'filter[latinName]'],
    ['text=x', 'filter[text]'],
    ['supplier.name=x', 'filter[supplier.name]'],
    ['supplier[name]=x', 'filter[supplier.name]'],
    ['supplier__name=x', 'filter[supplier.name]'],
    ['name[]=x', 'filter[name]'],
    // with an operator
    ['name[contains]=x', 'filter[name][contains]'],
    ['name__contains=x', 'filter[name][contains]'],
    ['name_contains=x', 'filter[name][contains]'],
    ['name.contains=x', 'filter[name][contains]'],
    ['name:contains=x', 'filter[name][contains]'],
    ['name[$contains]=x', 'filter[name][contains]'],
    ['name[_gte]=x', 'filter[name][gte]'],
    ['created_at_gte=x', 'filter[created_at]'],
    ['position_gte=1', 'filter[position][gte]'],
    ['name[like]=x', 'filter[name]'],
    ['text[contains]=x', 'filter[text]'],
    // written as other filters are
    ['FILTER[name]=x', 'filter[name]'],
    ['Filter[name][contains]=x', 'filter[name][contains]'],
    ['filter.name=x', 'filter[name]'],
    ['filter_name=x', 'filter[name]'],
    ['filter-name=x', 'filter[name]'],
    ['filterName=x', 'filter[name]'],
    ['filter.name.contains=x', 'filter[name][contains]'],
    ['filter.name[contains]=x', 'filter[name][contains]'],
    ['filters[name]=x', 'filter[name]'],
    ['filters[nmae]=x', 'filter[name]'],
    ['filters.name=x', 'filter[name]'],
    ['where[name]=x', 'filter[name]'],
    ['where[name][contains]=x', 'filter[name][contains]'],
    ['where[supplier][name]=x', 'filter[supplier.name]'],
    ['filters[name][]=x', 'filter[name]'],
    ['filters=x', undefined],
    ['where=x', undefined],
    ['where[zzzzzzzzz]=x', undefined],
    // words of other query languages
    ['q=x', 'filter[text]'],
    ['search=x', 'filter[text]'],
    ['query=x', 'filter[text]'],
    ['sorts=name', 'sort'],
    ['order=name', 'sort'],
    ['orderBy=name', 'sort'],
    ['order_by=name', 'sort'],
    ['orderBy[name]=asc', 'sort'],
    ['SORT=name', 'sort'],
    ['sort_by=name', 'sort'],
    ['includes=tags', 'include'],
    ['expand=tags', 'include'],
    ['populate=tags', 'include'],
    ['with=tags', 'include'],
    ['with[]=tags', 'include'],
    ['field=name', 'fields'],
    ['select=name', 'fields'],
    ['field[plant]=name', 'fields[plant]'],
    ['field[tags]=name', undefined],
    ['include=tags&field[tags]=name', 'fields[tags]'],
    ['perPage=3', 'per_page'],
    ['pageSize=3', 'per_page'],
    ['page_size=3', 'per_page'],
    ['per-page=3', 'per_page'],
    ['PER_PAGE=3', 'per_page'],
    ['Page=2', 'page'],
    ['take=3', 'limit'],
    ['skip=3', 'offset'],
    ['start=3', 'offset'],
    ['supplier=1', undefined],
    // mistakes
    ['sotr=name', 'sort'],
    ['filtr[name]=x', 'filter[name]'],
    ['filtr[nmae]=x', 'filter[name]'],
    ['includ=tags', 'include'],
    ['pagee=2', 'page'],
    ['feilds=name', 'fields'],
    ['per_pages=3', 'per_page'],
    ['nmae=x', 'filter[name]'],
    ['nmae[contains]=x', 'filter[name][contains]'],
    ['offsets=1', 'offset'],
    ['_=1', undefined],
    ['secret=1', undefined],
    ['soft=1', 'sort'],
    ['v=1', undefined],
    ['=1', undefined],
    ['%20=1', undefined],
    ['utm_source=mail', undefined],
    ['access_token=x', undefined],
    [`${'x'.repeat(4000)}=1`, undefined],
    ['[]=1', undefined],
    ['[name]=1', 'filter[name]'],
    ['\ud83c=1', undefined],
  ]
  for (const [query, suggestion] of cases) t.equal(suggested(query), suggestion, query.slice(0, 60))
  t.equal(suggested('filters=x', short), undefined, 'the plural is no prefix of s')
  t.equal(suggested('q=x', whitelistOf({ allowedFilters: ['name'] })), undefined, 'there is no search')
  t.equal(
    suggested('order=3',
      whitelistOf({ allowedFilters: [AllowedFilters.exact('position', { alias: 'order' })], allowedSorts: ['name'] })),
    'filter[order]',
    'a filter that is called that'
  )
  for (const query of [
    'name=x', 'q=1', 'sotr=name', 'includes=x', 'field=x', 'order=name', 'FILTER[name]=x', 'where[name]=x',
  ]) t.equal(suggested(query, bare), undefined, `${query}, and nothing is allowed`)
})

t.test('the error lists what the route takes', async (t) => {
  t.strictSame(list('nmae=x'), [{
    source: { parameter: 'nmae' },
    code: 'FST_CRUD_QUERY_INVALID',
    detail:
      "There is no parameter 'nmae'. Did you mean 'filter[name]'? Allowed: cursor, fields, filter[<name>], include, " +
      'limit, offset, page, per_page, sort.',
    allowed: ['cursor', 'fields', 'filter[<name>]', 'include', 'limit', 'offset', 'page', 'per_page', 'sort'],
    suggestion: 'filter[name]',
  }])
  t.match(list('x=1', bare), [{ allowed: ['cursor', 'limit', 'offset', 'page', 'per_page'] }],
    'what the whitelist leaves nothing to say with is left out')
  const params = parseQueryParams('name=x&includ=tags&take=1')
  const errors = (fn: (options: object) => unknown) =>
    itemsOf(() => fn({ refuseUnknown: true, declared: ['lang'] })).map((
      { allowed, suggestion }
    ) => [suggestion, allowed])
  t.strictSame(errors((options) => planGet(1, params, whitelist, options)), [
    [undefined, ['fields', 'include', 'lang']],
    ['include', ['fields', 'include', 'lang']],
    [undefined, ['fields', 'include', 'lang']],
  ])
  const stream = ['fields', 'filter[<name>]', 'include', 'lang', 'sort']
  t.strictSame(errors((options) => planStream(params, whitelist, options)), [['filter[name]', stream], [
    'include',
    stream,
  ], [undefined, stream]])
  t.strictSame(errors((options) => checkWriteQuery(params, whitelist, options, [])), [[undefined, ['lang']], [
    undefined,
    ['lang'],
  ], [undefined, ['lang']]])
  t.match(itemsOf(() => checkWriteQuery(params, whitelist, { refuseUnknown: true }, []))[0]?.detail,
    /^There is no parameter 'name'\. Allowed: none\.$/)
  const [long] = list(`${'x'.repeat(1000)}=1`)
  t.strictSame(long?.source, { parameter: `${'x'.repeat(60)}...` })
})

t.test('all errors are found at once, and no whitelist ignores unknown parameters here', async (t) => {
  t.strictSame(list('x=1&sort=y&page=0&filter[z]=1').map(({ code }) => code.slice(9, -8)), [
    'FILTER', 'SORT', 'PAGINATION', 'QUERY',
  ])
  const forgiving = whitelistOf({ allowedSorts: ['name'], ignoreInvalidErrors: true }, Tag)
  t.strictSame(list('x=1&sort=y', forgiving).map(({ source }) => source), [{ parameter: 'x' }])
})

t.test('programs that plan directly refuse only near misses', async (t) => {
  const near = (query: string) =>
    itemsOf(() => planList(parseQueryParams(query), whitelist)).map(({ suggestion }) => suggestion)
  t.strictSame(near('filters[name]=x&orderBy=name&per-page=3'), ['filter[name]', 'sort', 'per_page'])
  for (const bare of [
    'name=x', 'Name=x', 'nmae=x', 'latin_name=x', 'supplier.name=x', 'q=1', 'order=name', 'with=x', 'sotr=1',
    'api_key=1', 'files[]=1', 'tags[]=1', 'filterset=1', 'utm[source]=1', 'Sort[]=name',
  ]) t.strictSame(near(bare), [], bare)
  for (const [query, suggestion] of [
    ['FILTER[name]=x', 'filter[name]'],
    ['filter.name=x', 'filter[name]'],
    ['filter_name=x', 'filter[name]'],
    ['filterName=x', 'filter[name]'],
    ['fliter[name]=x', 'filter[name]'],
    ['filter.nmae=x', 'filter[name]'],
    ['where[name]=x', 'filter[name]'],
    ['where[zzzzzzzz]=x', undefined],
    ['FILTER[zzzzzzzz]=x', undefined],
    ['name[contains]=x', 'filter[name][contains]'],
    ['name[]=x', 'filter[name]'],
    ['name__contains=x', 'filter[name][contains]'],
    ['name__like=x', 'filter[name]'],
    ['supplier[name]=x', 'filter[supplier.name]'],
    ['q[]=x', 'filter[text]'],
  ]) t.strictSame(near(query!), [suggestion], `${query}: a filter that is written in another way`)
  t.strictSame(itemsOf(() => planGet(1, parseQueryParams('filters[a]=1&q=1'), whitelist)).map(({ source }) => source), [
    { parameter: 'filters[a]' },
  ])
  t.strictSame(
    itemsOf(() => checkWriteQuery(parseQueryParams('perPage=1&q=1'), whitelist, {}, [])).map(({ source }) => source),
    [{ parameter: 'perPage' }]
  )
})

t.test('a word for all filters is answered with the form of a filter', async (t) => {
  for (const name of ['filters', 'Filter', 'where']) {
    t.match(list(`${name}=draft`), [{
      detail: new RegExp(`^There is no parameter '${name}'\\. Did you mean 'filter\\[<name>\\]'\\? Allowed: `),
    }])
    t.match(list(`${name}=draft`, bare)[0]?.detail, /'\. Allowed:/, 'where there are filters')
  }
})

t.test('or is answered with what there is instead', async (t) => {
  const form = "Filters can't be combined by 'or': a record must match all of them. "
  const search = 'To compare a value with several properties, write filter[text].'
  const groups = ' A server may offer groups of filters (the option query of a resource).'
  for (const name of ['or', '$or', 'OR', 'or[0][name]']) {
    t.equal(list(`${name}=(name.eq.x)`)[0]?.detail.replace(/ Did you mean .*?\?/, '').replace(/ Allowed.*/, ''),
      `There is no parameter '${name}'. ${form}${search}${groups}`)
  }
  const without = whitelistOf({ allowedFilters: ['name'] })
  t.match(list('or=x', without)[0]?.detail,
    `${form}A server may offer filters that compare a value with several properties (AllowedFilters.anyOf).${groups}`)
  t.match(list('filter[or]=x')[0], {
    code: 'FST_CRUD_FILTER_INVALID',
    detail: `The filter 'or' is not allowed. ${form}${search}${groups}`,
  })
  t.match(list('filter[or][0][name]=x')[0]?.detail, form)
  t.match(list('filter[not][name]=x')[0], {
    source: { parameter: 'filter[not][name]' },
    detail: "Filters can't be combined by 'not': a record must match all of them. A server may offer groups",
  })
  t.match(list('filter[$or][0][name]=x')[0]?.detail, /Write filter\[or\]\[0\]\[<field>\]=<value>/)
  for (const query of ['or=x', 'filter[or]=x']) {
    t.match(list(query, whitelist, true)[0]?.detail,
      'Write filter[or][0][<field>]=<value>&filter[or][1][<field>]=<value>.')
  }
  t.notMatch(list('ordinary=x')[0]?.detail, /combined/)
})

t.test('hidden names and unknown ones have the same error', async (t) => {
  for (const form of [
    'NAME=1', 'filter.NAME=1', 'filters[NAME]=1', 'NAME[eq]=1', 'where[NAME]=1', 'NAME__gte=1', 'FILTER[NAME]=1',
  ]) {
    const errors = (name: string) => JSON.stringify(list(form.replace('NAME', name))).replaceAll(name, 'NAME')
    t.equal(errors('purchasePrice'), errors('purchaseCrate'), form)
  }
})

t.test('a suggestion is always a parameter that the route accepts', async (t) => {
  const words = fc.constantFrom(
    'name', 'position', 'latinName', 'supplier.name', 'description', 'text', 'made-up', 'trashed', 'created_at',
    'purchasePrice', 'tags', 'plant', 'filter', 'filters', 'FILTER', 'where', 'sort', 'order', 'orderBy', 'include',
    'with', 'fields', 'field', 'select', 'perPage', 'per_page', 'take', 'skip', 'q', 'search', ...OPERATOR_NAMES
  )
  const glue = fc.constantFrom('', '.', '_', '__', '-', '[', ']', '[]', '][', ':', '$', ' ')
  const piece = fc.oneof({ weight: 4, arbitrary: words }, { weight: 4, arbitrary: glue }, {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 3 }),
  })
  const typo = fc.tuple(words, fc.nat(8), fc.constantFrom('', 'x', 'e')).map(([word, at, letter]) =>
    word.slice(0, at) + letter + word.slice(at + 1)
  )
  const name = fc.oneof(fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')), typo,
    fc.tuple(typo, fc.constantFrom('[name]', '[tags]', '[name][eq]', '[contains]')).map((parts) => parts.join('')))
  const valueOf = (parameter: string): string => {
    if (parameter.startsWith('filter[trashed]')) return 'with'
    if (parameter.startsWith('filter[position]')) return '1'
    if (parameter.startsWith('filter[created_at]')) return '2024-01-01'
    if (parameter.startsWith('filter[')) return 'a'
    return { include: 'tags', sort: 'name', cursor: '' }[parameter] ?? (parameter.startsWith('fields') ? 'name' : '1')
  }
  let followed = 0
  assertProperty(
    fc.property(name, fc.boolean(), (name, included) => {
      const context = included ? 'include=tags&' : ''
      const before = parseQueryParams(`${context}${encodeURIComponent(name)}=1`)
      for (const unknown of before.unknown) {
        const items = list(`${context}${encodeURIComponent(unknown)}=1`)
        if (items.length !== 1) return false
        const { suggestion } = items[0]!
        if (suggestion === undefined) continue
        followed++
        const after = list(`${suggestion === 'include' ? '' : context}${suggestion}=${valueOf(suggestion)}`)
        if (after.length > 0) throw new Error(`${unknown} -> ${suggestion}: ${after[0]!.detail}`)
      }
      return true
    }),
    { numRuns: 4000 }
  )
  t.ok(followed > 800, `${followed} suggestions were followed`)
})

t.test('any text gets a suggestion or none, without an error', async (t) => {
  assertProperty(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string(), { maxLength: 3 }), (name, taken) => {
      const suggestion = suggestionFor(name, [...taken, 'filter', 'fields', 'sort'], whitelist, { include: [] })
      return suggestion === undefined || typeof suggestion === 'string'
    }),
    { numRuns: 2000 }
  )
  t.pass()
})
