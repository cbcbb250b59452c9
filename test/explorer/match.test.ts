/** Filters on the explorer's page that are joined by `or` and `not`. */
import t from 'tap'
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
    'Price < 20 or (Price > 500 and Category › name is Tech)', 'Price > 500 and Category › name is Tech',
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
