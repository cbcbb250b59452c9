/** Questions on the explorer's page: filters that are joined by `or` and `not`, facets, and numbers. */
import t from 'tap'
import { formatQuery, parseQuery } from '../../explorer/url/address.ts'
import { canChoose, choiceOf, toggled, withChoice } from '../../explorer/url/choices.ts'
import { groupText, numberText, pointsOf, ticksOf } from '../../explorer/api/groups.ts'
import { withGroup } from '../../explorer/url/numbers.ts'
import { nextPeriod, startOfDay } from '../../explorer/url/periods.ts'
import type {
  DividingProperty, FilterDescription, GroupDescription, NumberDescription, ResourceDescription,
} from '../../plugins/explorer.ts'
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
/** The last request, but for the names of categories. */
const last = (): string | undefined => asked.filter((request) => !request.includes('&fields=id,name')).at(-1)

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

t.test('an address past the last page says so, and leads to the last page', async (t) => {
  for (const [address, title, pages, end] of [
    ['/products?page=99', 'Page 99 is past the end', ' on 2 pages', '/products?page=2'],
    ['/products?page=99&per_page=10', 'Page 99 is past the end', ' on 4 pages', '/products?page=4&per_page=10'],
    ['/products?limit=10&offset=500', 'This page is past the end', '', '/products?limit=10&offset=30'],
    [
      '/products/aggregate?group=category.name&aggregate=count&page=9', 'Page 9 is past the end', ' on 1 page',
      '/products/aggregate?group=category.name&aggregate=count',
    ],
  ] as const) {
    go(address)
    await shows(t, () => textOf('.empty-title'), title)
    await shows(t, () => textOf('.empty .quiet'), new RegExp(`^The list has \\d+ (records|groups)${pages}\\.$`))
    t.equal(textOf('.pager-steps .figures'), 'Past the end')
    await click('.empty .button-main', 'Go to the last page')
    await shows(t, last, `GET ${end}`)
    await shows(t, () => all('.empty').length, 0)
    go(address)
    await shows(t, () => textOf('.empty-title'), title)
    await click('.pager-steps button', 'Previous page')
    await shows(t, last, `GET ${end}`)
  }
  go('/products?filter[name]=nothing&page=9')
  await shows(t, () => textOf('.empty-title'), 'No record matches the filter')
})

t.test('the path of a record opens it beside its list', async (t) => {
  go('/products/1?sort=name')
  await shows(t, () => all('.drawer .values').length, 1)
  t.ok(['GET /products?sort=name', 'GET /products/1'].every((request) => asked.includes(request)))
  go('/products/1/2')
  await shows(t, () => textOf('.empty-title'), 'There is no resource /products/1/2')
  const before = asked.length
  for (const key of ['', '.', '..', '%252E', '100%25']) {
    go(`/products?~open=${key}`)
    await shows(t, () => textOf('.drawer .empty-title'), 'No URL leads to this record')
  }
  t.notOk(asked.slice(before).some((request) => request.startsWith('GET /products/')))
})

t.test('the path of numbers that the caller may not ask for is no record', async (t) => {
  const before = asked.length
  go('/articles/aggregate?aggregate=count')
  await shows(t, () => textOf('.empty-title'), 'There are no numbers about Articles')
  t.match(textOf('.empty'), /may not use the operation aggregate/)
  t.equal(textOf('nav [aria-current]'), 'Articles')
  t.notOk(asked.slice(before).some((request) => request.startsWith('GET /articles')))
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
  await shows(t, last,
    'GET /products?filter[stock][gt]=0&filter[and][0][name][contains]=e&filter[and][1][name][contains]=x')
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

t.test('the start page says which resources have numbers', async (t) => {
  go('')
  const card = () => all('.card').find((card) => card.querySelector('code')?.textContent === '/products')
  await shows(t, () => card()?.querySelector('span')?.textContent, /^list, get, numbers, create, /)
})

t.test('numbers have the address of the API, a chart, and a table whose groups lead to their records', async (t) => {
  go('/products?filter[price][gte]=50&facets=category.name&sort=name')
  await click('.segments a', 'Numbers')
  await shows(t, last, 'GET /products/aggregate?group=category.name&aggregate=count&filter[price][gte]=50&sort=-count')
  const table = () => all('.groups tr').slice(0, 3).map((row) => row.textContent)
  await shows(t, table, ['Category › nameCount', 'Tech5', 'Kitchen2'])
  t.strictSame(all('.chart title').slice(0, 2).map((title) => title.textContent), ['Tech: 5', 'Kitchen: 2'])
  t.match((await find('.chart svg')).getAttribute('aria-label'), /^Bar chart: Count by category › name\. The table/)
  await click('.filters button', 'Numbers:')
  await click('.menu label:nth-of-type(2) input')
  await shows(t, last, /aggregate=count,price\.sum&/)
  await click('.groups button', 'Sum of price')
  await shows(t, last, /sort=price\.sum$/)
  await click('.groups button', 'Sum of price')
  await shows(t, last, /sort=-price\.sum$/)
  await shows(t, table, ['Category › nameCountSum of price', 'Tech51\u202f832.39', 'Music2838'])
  await click('.menu label:nth-of-type(2) input')
  await shows(t, last, 'GET /products/aggregate?group=category.name&aggregate=count&filter[price][gte]=50',
    'what is no longer asked for does not sort')
  await click('.groups a', 'Music')
  await shows(t, last, 'GET /products?filter[price][gte]=50&filter[category.name]=Music')
  go('/products/aggregate?group=created_at.month,category.nam&aggregate=count')
  await click('.notice button', 'Use category.name')
  await shows(t, last, 'GET /products/aggregate?group=created_at.month,category.name&aggregate=count')
})

t.test('periods are in the order of time, and lead to the list of their moments', async (t) => {
  go('/categories/aggregate?group=created_at.week&aggregate=count&sort=-count')
  const labels = () => all('.chart title').map((title) => title.textContent)
  await shows(t, labels, [
    '2025-12-29: 1', '2026-01-05: 1', '2026-01-12: 2', '2026-01-19: 2', '2026-01-26: 1', '2026-02-02: 2',
    '2026-02-09: 3',
  ])
  await click('.groups a', '2026-02-09')
  await shows(t, last, 'GET /categories?filter[created_at][gte]=2026-02-09&filter[created_at][lt]=2026-02-16')
  await shows(t, count, '3 records')
  go('/orders/aggregate?group=created_at.month&aggregate=count')
  await shows(t, () => textOf('.groups thead th'), 'Created at (month) Europe/Berlin')
  await shows(t, () => textOf('.groups tbody tr:last-child'), '2026-032')
  await click('.groups a', '2026-03')
  // months begin at midnight in Berlin, where the clocks are set on the 29th of March
  const start = 'filter[created_at][gte]=2026-02-28T23:00:00Z'
  await shows(t, last, `GET /orders?${start}&filter[created_at][lt]=2026-03-31T22:00:00Z`)
  await shows(t, count, '2 records')
})

t.test('the first moment of a day in a time zone', (t) => {
  for (const [date, timeZone, expected] of [
    ['2026-04-01', 'Europe/Berlin', '2026-03-31T22:00:00Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00Z'],
    ['2026-01-01', 'Asia/Kathmandu', '2025-12-31T18:15:00Z'],
    ['2026-01-01', 'Pacific/Kiritimati', '2025-12-31T10:00:00Z'],
    // the clocks went from midnight to one
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00Z'],
    // the clocks went from midnight back to eleven
    ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00Z'],
    // the clocks went from one back to midnight
    ['2025-10-26', 'Atlantic/Azores', '2025-10-26T00:00:00Z'],
    // there was no 30th of December
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['2026-01-01', 'Mars/Olympus', undefined],
    ['infinity', 'Europe/Berlin', undefined],
  ]) t.equal(startOfDay(date!, timeZone!), expected, `${date} ${timeZone}`)
  t.end()
})

t.test('the list of a period keeps what leaves out a part of it', (t) => {
  const group = { filter: 'a', isnull: false, period: { unit: 'month', timeZone: 'Europe/Berlin' } } as GroupDescription
  const filters = [{ name: 'a', operators: [{ name: 'gte' }, { name: 'lt' }] }] as unknown as FilterDescription[]
  for (const [query, expected] of [
    ['filter[a][gte]=2026-04-10&filter[a][lt]=2026-06-01',
      'filter[a][gte]=2026-04-10&filter[a][lt]=2026-04-30T22:00:00Z'],
    ['filter[a][gte]=2026-03-31T21:00&filter[a][lt]=2026-04-02T00:00%2B02:00',
      'filter[a][gte]=2026-03-31T22:00:00Z&filter[a][lt]=2026-04-02T00:00+02:00'],
  ] as const) {
    const list = withGroup(parseQuery(query), group, '2026-04-01', { filters })
    t.equal(decodeURIComponent(formatQuery(list!)), `?${expected}`)
  }
  t.end()
})

t.test('a role sees the numbers that it may ask for', async (t) => {
  const { resources } = (await app.inject('/explorer/resources.json')).json()
  t.strictSame(
    resources.map((
      { path, operations, numbers }: ResourceDescription
    ) => [path, operations.aggregate, numbers.length > 0]),
    [
      ['/categories', true, true], ['/products', true, true], ['/tags', false, false], ['/articles', false, false],
      ['/authors', false, false],
    ]
  )
})

t.test('periods without records are gaps, unless the page may lack groups', (t) => {
  const group = { name: 'a.month', key: 'm', value: { type: 'date' }, period: { unit: 'month' } } as GroupDescription
  const number = { name: 'count', key: 'n', function: 'count', value: { type: 'bigint' } } as NumberDescription
  const items = [{ m: '2026-02-01', n: 2 }, { m: '2025-11-01', n: 1 }, { m: null, n: 4 }]
  const points = (isWhole: boolean) =>
    pointsOf(items, [group], number, (group, value) => groupText(value, group), isWhole)
      .map(({ label, value }) => [label, value])
  t.strictSame(points(true), [
    ['null', 4], ['2025-11', 1], ['2025-12', undefined], ['2026-01', undefined], ['2026-02', 2],
  ])
  t.strictSame(points(false), [['null', 4], ['2025-11', 1], ['2026-02', 2]])
  t.strictSame([nextPeriod('2024-02-29', 'day'), nextPeriod('2025-12-29', 'week'), nextPeriod('0099-12-01', 'month')], [
    '2024-03-01', '2026-01-05', '0100-01-01',
  ])
  t.strictSame([ticksOf(0, 2, true), ticksOf(0, 2, false), ticksOf(-30, 90, true)], [
    [0, 1, 2], [0, 0.5, 1, 1.5, 2], [0, 50],
  ])
  const decimal = { type: 'decimal', json: 'string' } as const
  for (const [text, shown] of [
    ['1234567.50', '1\u202f234\u202f567.50'], ['-1234.333333333333', '-1\u202f234.3333'], ['2.00000000001', '2'],
    ['NaN', 'NaN'], [null, 'null'],
  ] as const) t.equal(numberText(text, decimal), shown)
  t.end()
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
  const property = (isnull: boolean) => ({ isnull }) as DividingProperty
  t.equal(canChoose(property(true), all, null), true)
  t.equal(canChoose(property(false), all, null), false, 'of a path, whose filter finds no record without a value')
  t.equal(canChoose(property(false), all, 'x'), true)
  t.equal(canChoose(property(true), filter('like'), 'x'), false)
  t.equal(canChoose(property(true), undefined, 'x'), false)
  t.end()
})
