/**
 * The states of the explorer's page, and how a person gets there. `scripts/explorer-states.ts` takes pictures of all of
 * them, and a test looks at each with axe.
 */
import type { Locator, Page, Route } from 'playwright-core'
import type { Test } from 'tap'
import { entities } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { databases } from '../helpers/databases.ts'
import { openExample } from '../helpers/example.ts'
import { settled } from './explorer-page.ts'
import { explored, resources } from './nursery.ts'

/** The servers whose explorers have the states. */
type StateServer = 'example' | 'nursery' | 'locked' | 'empty'

export interface PageState {
  readonly name: string
  /** Default: the example. */
  readonly server?: StateServer
  readonly role?: string
  readonly place: string
  /** What the network does, before the page opens. */
  readonly prepare?: (page: Page) => Promise<unknown>
  /** The clicks and keys that lead to the state. */
  readonly act?: (page: Page) => Promise<unknown>
  /** Whether a request has no answer in this state, so that the page never settles. */
  readonly isWaiting?: boolean
  /** Whether the browser reports a failure, as it must. */
  readonly isFailing?: boolean
}

/** Starts the servers, which are closed at the end. */
export async function openStateServers (
  t: Pick<Test, 'teardown' | 'testdir'>
): Promise<Readonly<Record<StateServer, string>>> {
  const example = await openExample(t)
  const [[, openDatabase]] = databases as [typeof databases[0]]
  const { orm, close } = await openDatabase({ entities, seed })
  t.teardown(close)
  const nursery = await explored(t, orm, { resources, serverTiming: true }, {
    explorer: { headers: [{ name: 'authorization', prefix: 'Bearer ' }] },
  })
  const locked = await explored(t, orm, {
    resources: {
      '/plants': {
        crud: resources['/plants'].crud,
        hooks: {
          all: { onRequest: async (_request, reply) => await reply.code(401).send({ message: 'Log in first.' }) },
        },
      },
    },
  })
  const empty = await explored(t, orm, { resources: {} })
  const listen = { port: 0, host: '127.0.0.1' }
  return {
    example: await example.listen(listen), nursery: await nursery.listen(listen), locked: await locked.listen(listen),
    empty: await empty.listen(listen),
  }
}

/** Leads a page to a state. */
export async function reach (page: Page, origin: string, state: PageState): Promise<void> {
  const { prepare, place, act, isWaiting } = state
  await prepare?.(page)
  await page.goto(`${origin}/explorer${place}`)
  if (act || !isWaiting) await settled(page)
  await act?.(page)
  if (isWaiting) await page.locator('[aria-busy=true]').first().waitFor({ state: 'attached' })
  else await settled(page)
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
/** Opens on a phone what has a control: the menu of tools, or without it the one of resources. */
const reveal = async (page: Page, control: Locator): Promise<Locator> => {
  const tools = page.locator('.tools-button')
  const menu = await tools.isVisible() ? tools : page.locator('.side-toggle')
  if (!await control.isVisible() && await menu.isVisible()) await menu.press('Enter')
  return control
}
/** Presses a button by the keyboard. */
const press = (name: string | RegExp) => async (page: Page) =>
  await (await reveal(page, button(page, name).first())).press('Enter')
const chip = async (page: Page) => await (await reveal(page, page.locator('button.filter-text').first())).press('Enter')
const edit = press('Edit')
/** Gives the cards of a phone their boxes. A table has them. */
const showBoxes = async (page: Page) => {
  if (await page.locator('.tools-button').isVisible()) await press('Select records')(page)
}
const select = async (page: Page) => {
  await showBoxes(page)
  for (const name of ['Books', 'Garden', 'Kitchen']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  }
}

/** Answers requests of the API's list of products in place of the server, as a proxy before it may do. */
const answer = (response: Parameters<Route['fulfill']>[0], pattern = /\/products(?:\?|$)/) => (page: Page) =>
  page.route((url) => pattern.test(url.pathname + url.search) && !url.pathname.startsWith('/explorer'),
    (route) => route.fulfill(response))

/** An error as an application, Fastify or a proxy sends it. */
const failure = (status: number, error: string, code: string, message: string) =>
  answer({ status, json: { statusCode: status, code, error, message } }, /\/products\/2$/)

/** What may go wrong when a form is saved. */
const FAILURES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'against-a-rule': failure(422, 'Unprocessable Entity', 'DESCRIPTION_LOCKED', 'The catalogue is printed: ask Ann.'),
  'too-large': failure(413, 'Payload Too Large', 'FST_ERR_CTP_BODY_TOO_LARGE', 'Request body is too large'),
  'without-database': failure(500, 'Internal Server Error', 'FST_CRUD_DATABASE_ERROR',
    'The database could not answer the request.'),
  'without-server': answer({ status: 502, contentType: 'text/html', body: '<html><h1>502 Bad Gateway</h1></html>' },
    /\/products\/2$/),
  offline: (page) => page.context().setOffline(true),
}

const never = /\/products(?:\?|$)/
const hold = (page: Page) =>
  page.route((url) => never.test(url.pathname + url.search) && !url.pathname.startsWith('/explorer'), () => {})

/** Editors of filters, for each kind of input. */
const EDITORS: Readonly<Record<string, string | readonly [StateServer, string]>> = {
  text: '/products?filter[name][contains]=lap',
  texts: '/products?filter[name][in]=Laptop,Mouse',
  number: '/products?filter[price][gte]=20',
  'two-numbers': '/products?filter[price][between]=20,100',
  moment: '/products?filter[created_at][gte]=2026-01-10',
  'two-moments': '/products?filter[created_at][between]=2026-01-10,2026-02-10',
  choice: '/products?filter[category.status]=active',
  choices: '/products?filter[category.status][in]=active,draft',
  'yes-or-no': '/categories?filter[price][isnull]=true',
  record: '/products?filter[category]=3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10',
  records: '/orders?filter[lines.product][in]=1,2',
  scope: ['nursery', '/offers?filter[priced]=1,5'],
  date: ['nursery', '/specimens?filter[sownOn]=2024-02-29'],
}

const LIST = '/categories?filter[price][gte]=20&sort=-price&include=products,tags,productsCount'

export const STATES: readonly PageState[] = [
  // the frame
  { name: 'start', place: '/', role: 'admin' },
  { name: 'start-empty', server: 'empty', place: '/' },
  { name: 'keys', place: '/', act: press('Keyboard') },
  { name: 'ask-as', place: '/products', act: press(/^Ask/) },
  { name: 'credentials', server: 'locked', place: '/' },
  {
    name: 'no-server', place: '/',
    prepare: (page) => page.route('**/resources.json', (route) => route.abort('connectionrefused')), isFailing: true,
  },
  { name: 'no-resource', place: '/orders' },

  // lists
  { name: 'list', place: LIST, role: 'admin' },
  { name: 'list-plain', place: '/products' },
  { name: 'list-sorted', place: '/products?filter[price][gte]=100&sort=-price' },
  { name: 'list-wide', server: 'nursery', place: '/specimens' },
  { name: 'list-loading', place: '/products', prepare: hold, isWaiting: true },
  {
    name: 'list-busy', place: '/products?per_page=10',
    act: async (page) => {
      await hold(page)
      await press('Next page')(page)
    },
    isWaiting: true,
  },
  { name: 'list-no-match', place: '/products?filter[name]=nothing&filter[price][gt]=5' },
  { name: 'list-no-records', server: 'nursery', place: '/order-items?filter[order]=999' },
  { name: 'list-past-the-end', place: '/products?page=99' },
  { name: 'list-not-allowed', server: 'nursery', place: '/labels' },
  { name: 'pages', place: '/products?page=2&per_page=10' },
  { name: 'offset', place: '/products?limit=10&offset=10' },
  { name: 'cursor', place: '/products?per_page=10&cursor=' },
  { name: 'url-edit', place: LIST, act: press('Edit the URL') },
  { name: 'fields', place: LIST, role: 'admin', act: press('Fields and relations') },
  { name: 'sort', place: LIST, act: press(/^Sort: /) },
  { name: 'copy', place: LIST, role: 'admin', act: press('Copy as…') },
  { name: 'cost', place: LIST, act: press(/cost of the request/) },
  {
    name: 'explain',
    place: LIST,
    act: async (page) => {
      await press(/cost of the request/)(page)
      await press(/^Explain/)(page)
      await page.locator('.explanation pre').first().waitFor()
    },
  },
  { name: 'download', place: '/products', act: press('Download') },

  // errors
  { name: 'error', place: '/categories?filter[status]=actve&filter[price][gt]=cheap&sort=prise' },
  {
    name: 'error-500', place: '/products',
    prepare: answer({
      status: 500,
      json: {
        statusCode: 500,
        code: 'FST_CRUD_DATABASE_ERROR',
        error: 'Internal Server Error',
        message: 'The database could not answer the request.',
      },
    }),
    isFailing: true,
  },
  {
    name: 'error-502',
    place: '/products',
    prepare: answer({ status: 502, contentType: 'text/html', body: '<html><h1>502 Bad Gateway</h1><hr>nginx</html>' }),
    isFailing: true,
  },
  {
    name: 'error-server-gone', place: '/products',
    prepare: (page) =>
      page.route((url) => /^\/products/.test(url.pathname), (route) => route.abort('connectionrefused')),
    isFailing: true,
  },

  // filters
  { name: 'filter-names', place: '/categories', act: press('Add filter') },
  {
    name: 'filter-found',
    place: LIST,
    act: async (page) => {
      await press('Add filter')(page)
      await page.getByRole('combobox', { name: 'Find a filter' }).fill('pr')
    },
  },
  {
    name: 'filter-no-name',
    place: '/categories',
    act: async (page) => {
      await press('Add filter')(page)
      await page.getByRole('combobox', { name: 'Find a filter' }).fill('colour')
    },
  },
  ...Object.entries(EDITORS).map(([name, at]): PageState =>
    typeof at === 'string'
      ? { name: `filter-${name}`, place: at, role: 'admin', act: chip }
      : { name: `filter-${name}`, server: at[0], place: at[1], act: chip }
  ),
  {
    name: 'filter-lookup',
    place: '/products?filter[category]=3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10',
    act: async (page) => {
      await chip(page)
      await page.locator('.lookup input').press('ArrowDown')
      await page.locator('.lookup-options .option').nth(1).waitFor()
    },
  },
  { name: 'filter-refused', place: '/categories?filter[status]=actve', act: chip },
  { name: 'match-all', place: '/products?filter[stock][gt]=0&filter[price][lt]=100' },
  { name: 'match-any', place: '/products?filter[or][0][stock][gt]=100&filter[or][1][not][price][lt]=20' },
  {
    name: 'groups',
    place: '/categories?filter[status]=active&filter[or][0][price][lt]=30' +
      '&filter[or][1][tags.name]=bestseller&filter[or][1][price][gt]=100' +
      '&filter[not][or][0][name][contains]=x&filter[not][or][1][name][contains]=z&sort=name',
    role: 'admin',
  },
  { name: 'facets', place: '/products?filter[category.name][in]=Books,Tech&facets=category.name,category.status' },

  // numbers
  {
    name: 'numbers',
    place: '/products/aggregate?group=category.name&aggregate=count,price.sum,price.avg&sort=-price.sum',
  },
  { name: 'numbers-time', place: '/products/aggregate?group=created_at.week&aggregate=count' },
  { name: 'numbers-zone', place: '/orders/aggregate?group=created_at.month&aggregate=count', role: 'admin' },
  { name: 'numbers-of-all', place: '/products/aggregate?aggregate=count,price.sum,stock.avg' },
  { name: 'numbers-terms', place: '/products/aggregate?group=category.name&aggregate=count', act: press(/^Group by/) },
  {
    name: 'numbers-no-match',
    place: '/products/aggregate?filter[price][gt]=99999&group=category.name&aggregate=count',
  },
  { name: 'numbers-error', place: '/products/aggregate?group=category.nam&aggregate=count' },

  // records
  { name: 'record', place: '/articles?include=category.tags&sort=created_at&~open=1', role: 'editor' },
  { name: 'record-of-list', place: '/products?include=category,tags&~open=2', role: 'admin' },
  { name: 'record-guest', place: '/products?~open=3' },
  { name: 'record-values', server: 'nursery', place: '/specimens?~open=1' },
  { name: 'record-absent', place: '/products?~open=9999' },
  {
    name: 'record-relations',
    place: '/categories?sort=-price&include=products,tags&~open=3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10',
    role: 'admin',
  },
  { name: 'record-edit', place: '/products?~open=2', role: 'editor', act: edit },
  {
    name: 'record-refused', place: '/products?~open=2', role: 'editor',
    act: async (page) => {
      await edit(page)
      await page.getByRole('textbox', { name: 'Name' }).fill('Laptop 15"')
      await page.getByRole('textbox', { name: 'Price' }).fill('-1')
      await page.keyboard.press('Control+Enter')
      await page.locator('[data-field=price]').getByRole('alert').waitFor()
    },
  },
  {
    name: 'record-conflict', place: '/orders?~open=3', role: 'editor',
    act: async (page) => {
      await edit(page)
      await page.getByRole('textbox', { name: 'Customer' }).fill('Ada Lovelace')
      await settled(page)
      const origin = await page.evaluate<string>('location.origin')
      await page.request.patch(`${origin}/orders/3`, {
        headers: { 'x-role': 'editor' },
        data: { customer: `Someone else ${Date.now()}`, note: `Changed at ${Date.now()}` },
        failOnStatusCode: true,
      })
      await page.keyboard.press('Control+Enter')
      await page.locator('.conflict').waitFor()
    },
  },
  {
    name: 'record-lines', place: '/orders?~open=4', role: 'editor',
    act: async (page) => {
      await edit(page)
      await settled(page)
      await press('Remove Order line 2')(page)
      const first = page.getByRole('group', { name: 'Order line 1' })
      await first.getByRole('textbox', { name: 'Quantity' }).fill('2')
      await press('Add order line')(page)
      await page.keyboard.press('Control+Enter')
      await page.getByRole('group', { name: 'Order line 3' }).getByRole('alert').first().waitFor()
    },
  },
  ...Object.entries(FAILURES).map(([name, fail]): PageState => ({
    name: `record-${name}`, place: '/products?~open=2', role: 'editor',
    act: async (page) => {
      await edit(page)
      await page.getByRole('textbox', { name: 'Description' }).fill('x'.repeat(2_000))
      await fail(page)
      await page.keyboard.press('Control+Enter')
      await page.locator('.notice-error').waitFor()
    },
    isFailing: true,
  })),
  {
    name: 'record-left', place: '/products?~open=2', role: 'editor',
    act: async (page) => {
      await edit(page)
      await page.getByRole('textbox', { name: 'Name' }).fill('Laptop 15"')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'record-unsaved', place: '/products?filter[name]=French%20press', role: 'editor',
    act: async (page) => {
      await page.getByText('French press', { exact: true }).last().click()
      await edit(page)
      await page.getByRole('textbox', { name: 'Name' }).fill('French press, large')
      await page.goBack()
      await page.getByText('Not saved yet').waitFor()
    },
  },
  { name: 'record-delete', place: '/products?~open=4', role: 'admin', act: press('Delete') },
  {
    name: 'record-deleted', place: '/products?~open=5', role: 'admin',
    act: async (page) => {
      await press('Delete')(page)
      await page.locator('.notice .button-bad').first().press('Enter')
      await page.getByText('The record is deleted.').waitFor()
    },
  },
  { name: 'create', place: '/orders?~create=yes', role: 'editor' },
  {
    name: 'create-refused', place: '/products?~create=yes', role: 'editor',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Name' }).fill('Lamp')
      await page.keyboard.press('Control+Enter')
      await page.locator('.field-bad').first().waitFor()
    },
  },
  { name: 'create-json', place: '/products?~create=yes', role: 'admin', act: press(/JSON/) },

  // many records
  {
    name: 'many-selected', place: '/categories?filter[status]=active&sort=name', role: 'admin', act: select,
  },
  {
    name: 'many-counted', place: '/categories?filter[status]=active&sort=name', role: 'admin',
    act: async (page) => {
      await select(page)
      await press('Edit')(page)
      await page.locator('select:focus').selectOption('status')
      await page.getByRole('combobox', { name: 'Status' }).selectOption('archived')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Nothing is changed yet.').waitFor()
    },
  },
  {
    name: 'many-delete', place: '/categories?filter[status]=active&sort=name', role: 'admin',
    act: async (page) => {
      await showBoxes(page)
      await page.getByRole('checkbox', { name: /^Select all/ }).check()
      await press('Delete')(page)
      await page.getByText('Nothing is deleted yet.').waitFor()
    },
  },

  // roles
  { name: 'compare-menu', place: '/articles', role: 'admin', act: press('Compare roles') },
  { name: 'compare', place: '/articles?~compare=Without%20headers&fields=id,title,published_at', role: 'admin' },
  { name: 'compare-refused', place: '/orders?~compare=guest', role: 'admin' },
  { name: 'compare-unknown', place: '/products?~compare=Ann' },
]
