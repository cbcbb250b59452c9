/** Questions on the explorer's page: filters that are joined by `or` and `not`, and facets. */
import t from 'tap'
import { formatQuery, parseQuery } from '../../explorer/url/address.ts'
import { canChoose, choiceOf, toggled, withChoice } from '../../explorer/url/choices.ts'
import type { FilterDescription } from '../../plugins/explorer.ts'
import { closeDom } from '../helpers/dom.ts'
import { openExample } from '../helpers/example.ts'
import { openDomPage } from './dom-page.ts'

const app = await openExample(t)
const page = await openDomPage(app, '/products?filter[price][lt]=20&filter[stock][gt]=100', { 'x-role': 'admin' })
t.teardown(closeDom)
const { all, asked, click, fill, find, go, shows, textOf } = page

const chips = (): string[] =>
  all('.filter-text, .joint, .filter-group > select').map((element) =>
    element.matches('select') ? (element as unknown as { readonly value: string }).value : element.textContent
  )
const count = (): string | undefined => textOf('.pager-count')
const last = (): string | undefined => asked.at(-1)

t.test('one switch joins all filters by any, and Back joins them by all again', async (t) => {
  await shows(t, count, '1 record')
  await click('.match .segment:last-child input')
  await shows(t, last, 'GET /products?filter[or][0][price][lt]=20&filter[or][1][stock][gt]=100')
  await shows(t, count, '4 records')
  t.strictSame(chips(), ['Price < 20', 'or', 'Stock > 100'])
  go('/products?filter[price][lt]=20&filter[stock][gt]=100')
  await shows(t, count, '1 record')
  t.strictSame(chips(), ['Price < 20', 'Stock > 100'])
})

t.test('a condition gets an alternative, and another one is negated', async (t) => {
  go('/products?filter[price][lt]=20')
  await shows(t, chips, ['Price < 20'])
  await click('.filter-text', 'Price')
  await click('.editor button', 'Or…')
  await click('[role=option]', 'Stock')
  await fill('.editor input[aria-label=Value]', '120')
  await click('.editor .button-main')
  await shows(t, last, 'GET /products?filter[or][0][price][lt]=20&filter[or][1][stock]=120')
  await shows(t, chips, ['Price < 20', 'or', 'Stock is 120'], 'the only group of a list is its switch')
  await click('.filter-text', 'Stock')
  await click('.check-line input')
  await click('.editor .button-main')
  await shows(t, last, 'GET /products?filter[or][0][price][lt]=20&filter[or][1][not][stock]=120')
  await shows(t, chips, ['Price < 20', 'or', 'not Stock is 120'])
})

t.test('groups of a URL are shown as they are, and are changed', async (t) => {
  go(
    '/products?filter[stock][gt]=0&filter[or][0][price][lt]=20&filter[or][1][price][gt]=500' +
      '&filter[or][1][category.name]=Tech&filter[not][or][0][name][contains]=e&filter[not][or][1][name][contains]=x'
  )
  await shows(t, chips, [
    'Stock > 0', 'any', 'Price < 20', 'or', 'all', 'Price > 500', 'and', 'Category › name is Tech', 'none',
    'Name contains e', 'or', 'Name contains x',
  ])
  t.strictSame(all('.filter-group').map((group) => group.getAttribute('aria-label')), [
    'Price < 20 or (Price > 500 and Category › name is Tech)',
    'Price > 500 and Category › name is Tech',
    'not (Name contains e or Name contains x)',
  ])
  await fill('.filter-group[aria-label^=not] > select', 'all')
  await shows(
    t,
    last,
    'GET /products?filter[stock][gt]=0&filter[or][0][price][lt]=20&filter[or][1][price][gt]=500' +
      '&filter[or][1][category.name]=Tech&filter[and][0][name][contains]=e&filter[and][1][name][contains]=x'
  )
  await click('.filter-group button', 'Remove “Any of”')
  await shows(
    t,
    last,
    'GET /products?filter[stock][gt]=0&filter[and][0][name][contains]=e&filter[and][1][name][contains]=x'
  )
})

t.test('an error is at its condition in a group, and its suggestion is one click', async (t) => {
  go('/products?filter[or][0][price][lt]=20&filter[or][1][category.status]=actve')
  await shows(t, () => textOf('.filter-bad .filter-text'), 'Category › status is actve')
  await click('.notice button', 'Use active')
  await shows(t, last, 'GET /products?filter[or][0][price][lt]=20&filter[or][1][category.status]=active')
  await shows(t, () => all('.filter-bad').length, 0)
})

t.test('a resource without groups has no switch', async (t) => {
  go('/articles?filter[title][contains]=a&filter[author.name][contains]=a')
  await shows(t, () => chips().length, 2)
  t.equal(all('.match').length, 0)
  await find('.filters button', 'Add filter')
})

t.test('facets are beside the list, and a click on a value changes its filter', async (t) => {
  go('/products?filter[price][gte]=50')
  await click('.toolbar button', 'Facets')
  await shows(t, last, 'GET /products?filter[price][gte]=50&facets=category.name,category.status')
  const values = () => all('.facet').map((row) => row.textContent)
  await shows(t, () => values().slice(0, 3), ['Tech5', 'Kitchen2', 'Music2'])
  const box = (name: string): string =>
    `.facet:nth-of-type(${values().findIndex((value) => value.startsWith(name)) + 1}) input`
  await click(`.facet-group:first-of-type ${box('Tech')}`)
  await shows(t, last, /filter\[category\.name\]=Tech&facets/)
  await click(`.facet-group:first-of-type ${box('Music')}`)
  await shows(t, last, /filter\[category\.name\]\[in\]=Tech,Music&facets/)
  await shows(t, count, '7 records')
  t.strictSame(values().slice(0, 3), ['Tech5', 'Kitchen2', 'Music2'], 'a facet ignores its own filter')
  t.ok(values().includes('active7'), 'and counts those of the others')
  go('/products?filter[category.name]=Absent&facets=category.name')
  await shows(t, () => values().at(-1), 'Absent0', 'what is chosen stays visible')
  await click('.facet:last-of-type input')
  await shows(t, last, 'GET /products?facets=category.name')
  await click('.facets button', 'Category › status')
  await shows(t, last, 'GET /products?facets=category.name,category.status')
  await click('.facets button', 'Close the facets')
  await shows(t, last, 'GET /products')
  t.equal(all('.facets').length, 0)
})

t.test('the values that a filter chooses', (t) => {
  const operators = (...names: string[]) => names.map((name) => ({ name }))
  const filter = (...names: string[]) => ({ name: 'a', operators: operators(...names) }) as unknown as FilterDescription
  const all = filter('eq', 'in', 'isnull')
  const click = (query: string, text: string | null, of = all): string => {
    const params = parseQuery(query)
    return formatQuery(withChoice(params, of, toggled(choiceOf(params, of), of, text)))
  }
  for (const [query, text, expected, of] of [
    ['page=3', 'x', '?filter[a]=x'],
    ['filter[a]=x&filter[b]=1', 'y', '?filter[a][in]=x,y&filter[b]=1'],
    ['filter[a][]=x&filter[a][]=y,z', 'x', '?filter[a]=y,z'],
    ['filter[a][in]=x', 'x', ''],
    ['filter[a]=x', null, '?filter[a][isnull]=true'],
    ['filter[a][isnull]=true', null, ''],
    ['filter[a][isnull]=true', 'x', '?filter[a]=x'],
    ['filter[a][isnull]=false', 'x', '?filter[a][isnull]=false&filter[a]=x'],
    ['filter[or][0][a]=x&filter[or][1][b]=1', 'y', '?filter[or][0][a]=x&filter[or][1][b]=1&filter[a]=y'],
    ['filter[a]=x', 'y', '?filter[a]=y', filter('eq')],
    ['', 'x,y', '?filter[a][in]=%22x,y%22', filter('in')],
    ['', 'x', '?filter[a][eq]=x', filter('gte', 'eq')],
  ] as ReadonlyArray<[string, string | null, string, FilterDescription?]>) {
    const got = click(query, text, of)
    t.strictSame(new URLSearchParams(got).toString(), new URLSearchParams(expected).toString(), `${query}: ${text}`)
  }
  t.equal(canChoose(filter('like'), 'x'), false)
  t.equal(canChoose(filter('eq'), null), false)
  t.equal(canChoose(undefined, 'x'), false)
  t.end()
})
