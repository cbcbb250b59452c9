/** Writes of many records in the explorer: what can be selected, what is sent, and what is said. */
import t from 'tap'
import { AllowedFilters, ConflictError, CrudBase, defineAccess, QueryBuilderConfig } from '../../src/index.ts'
import { conditionsOf, isNarrowed, keyFilterOf, targetOf } from '../../explorer/url/many.ts'
import { formatQuery, parseQuery } from '../../explorer/url/address.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { closeDom } from '../helpers/dom.ts'
import { resource } from '../http/helper.ts'
import { openDomPage } from './dom-page.ts'
import { explored } from './nursery.ts'
import { entities, Machine, Maker, seed } from './workshop.ts'

t.test('a write of selected records has their keys, or the filters of the list', (t) => {
  const filter = { name: 'id', field: 'id' }
  const target = (query: string, selected: Parameters<typeof targetOf>[1]): string =>
    formatQuery(targetOf(parseQuery(query), selected, filter))
  for (const [query, selected, expected] of [
    ['filter[a]=1&sort=-a&include=b&fields=a&fields[b]=c&page=2&per_page=5', 'all', '?filter[a]=1'],
    ['filter[a]=1&tenant=x&cursor=', ['1', '2'], '?filter[a]=1&tenant=x&filter[id][in]=1,2'],
    ['filter[id]=1,2&filter[id][nin][]=3&filter[idea]=4', ['1'], '?filter[idea]=4&filter[id][in]=1'],
    ['', ['a,b', 'c"d'], '?filter[id][in]=%22a,b%22,%22c%5C%22d%22'],
  ] as const) t.equal(target(query, selected), expected, query)
  t.strictSame(conditionsOf(parseQuery('limit=1&offset=0&include[]=a')), [])
  const softDelete = { field: 'deleted_at', filter: 'trashed' }
  t.equal(isNarrowed(parseQuery('filter[trashed]=only&sort=a'), { softDelete }), false)
  t.equal(isNarrowed(parseQuery('filter[trashed]=only&filter[a]=1'), { softDelete }), true)
  t.end()
})

/** Makers that the application does not let go. */
class MakerCrud extends CrudBase {
  constructor () {
    const queryConfig = new QueryBuilderConfig({ allowedFilters: [AllowedFilters.exact('name')] }) as never
    super({ model: Maker as never, writable: 'all', queryConfig })
  }

  override beforeDeleteMany (): void {
    throw new ConflictError('Makers are kept for ten years.')
  }
}

const allow = defineAccess<{ Machine: unknown, Maker: unknown }>()

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const many = { operations: ['list', 'get', 'update', 'updateMany', 'deleteMany'], maxAffected: 2 } as const
  const app = await explored(t, orm, {
    access: allow({
      role: ({ headers }) => String(headers['x-role'] ?? 'guest'),
      roles: {
        admin: true,
        smith: { '*': { rows: { id: { $gt: 0 } } }, Machine: { rows: { power: { $lt: 1000 } } } },
        guest: { '*': { rows: {}, operations: ['list', 'get'] } },
      },
    }),
    resources: {
      '/machines': {
        crud: resource(Machine, {
          allowedFilters: [{ id: ['eq', 'in'], power: ['gte', 'lte'] }, AllowedFilters.trashed()],
          allowedSorts: ['id'],
          defaultSort: ['id'],
        }),
        ...many,
        allowHardDelete: true,
      },
      '/makers': { crud: new MakerCrud(), ...many },
    },
  }, {})
  const described = async (role: string) =>
    (await app.inject({ url: '/explorer/resources.json', headers: { 'x-role': role } })).json().resources
  const [machines, makers] = await described('admin')
  t.strictSame([keyFilterOf(machines), keyFilterOf(makers)], [{ name: 'id', field: 'id' }, undefined])

  const page = await openDomPage(app, '/machines?sort=id', { 'x-role': 'smith' })
  t.teardown(closeDom)
  const { all, asked, click, fill, find, shows, textOf } = page
  const bar = (): string => textOf('.many-bar') ?? ''
  const writes = (): string[] => asked.filter((request) => !request.startsWith('GET'))
  const em = () => orm.em.fork()
  await em().nativeUpdate(Machine, { id: 3 }, { power: 300 })
  const action = () => textOf('.form-foot .row .button')
  const counted = () => textOf('.form [role=status]:not(.hidden, .notice-unsaved)')
  const alert = () => textOf('.drawer .notice-error')

  t.test('rows are selected, and the form sends the chosen properties after a dry run', async (t) => {
    await click('[aria-label="Select Drill"]')
    await click('[aria-label="Select Saw"]')
    await shows(t, bar, /^2 records selected/)
    t.notMatch(bar(), /Select all/, 'without filters, all records cannot be written')
    await click('.many-bar button', 'Edit')
    await fill('select:has(option[value=power])', 'power')
    await shows(t, action, 'Dry run')
    t.match((await find('.form-foot .button-main')).getAttribute('aria-disabled'), 'true', 'a value is missing')
    await fill('input[aria-label=Power]', '700')
    await click('.form-foot .button-main', 'Dry run')
    await shows(t, counted, 'This changes 2 records. Nothing is changed yet.')
    t.strictSame(writes(), ['PATCH /machines?filter[id][in]=1,2&dry_run=true {"power":700}'])
    t.equal(await em().count(Machine, { power: 700 }), 0)
    await fill('input[aria-label=Power]', '800')
    await shows(t, action, 'Dry run', 'another value is counted again')
    page.loseAnswer()
    await click('.form-foot .button-main', 'Dry run')
    await shows(t, alert, /^ NETWORK/)
    t.notMatch(alert(), /all the same|Send it again/, 'a dry run has done nothing')
    await click('.form-foot .button-main', 'Dry run')
    await find('.form-foot .button-main', 'Save 2 records')
    page.loseAnswer()
    await click('.form-foot .button-main', 'Save 2 records')
    await shows(t, alert, /^ NETWORK.*It may be done all the same: look before you send it again\./)
    t.equal(await em().count(Machine, { power: 800 }), 2)
    await click('.form-foot .button-main', 'Dry run')
    await click('.form-foot .button-main', 'Save 2 records')
    await shows(t, bar, '2 records changed.')
    t.equal(writes().at(-1), 'PATCH /machines?filter[id][in]=1,2 {"power":800}')
    t.equal(await em().count(Machine, { power: 800 }), 2)
    await shows(t, () => asked.at(-1), 'GET /machines?sort=id', 'the list is read again')
    t.equal(all('.drawer').length, 0)
  })

  t.test('refusals are said in the words of the API, and change nothing', async (t) => {
    await click('[aria-label="Select all records of this page"]')
    await shows(t, bar, /^3 records selected/)
    await click('.many-bar button', 'Edit')
    await fill('select:has(option[value=power])', 'power')
    await fill('input[aria-label=Power]', '1')
    await click('.form-foot .button-main', 'Dry run')
    await shows(t, alert, /^400 FST_CRUD_TOO_MANYMore than 2 records match/)
    await click('[aria-label="Select Drill"]')
    await fill('input[aria-label=Power]', 'strong')
    await click('.form-foot .button-main', 'Dry run')
    await shows(t, () => textOf('[data-field=power] [role=alert]'), /'power' must be/)
    await fill('input[aria-label=Power]', '2000')
    await click('.form-foot .button-main', 'Dry run')
    await click('.form-foot .button-main', 'Save 2 records')
    await shows(t, alert, /^403 FST_CRUD_OUT_OF_SCOPE/, 'the rows would leave those of the role')
    await shows(t, action, 'Dry run')
    t.equal(await em().count(Machine, { power: { $ne: 800 } }), 1)
    await click('.drawer-head button', 'Close')
    await click('.many-bar button', 'Edit')
    await shows(t, () => textOf('[role=status].notice-unsaved'), /from before are here/)
    await click('.field button', 'Remove Power')
    await click('.drawer-head button', 'Close')
    await click('.many-bar button', 'Clear the selection')
    await shows(t, bar, '')
  })

  t.test('all records that match are marked as deleted, or removed for ever', async (t) => {
    page.go('/machines?filter[power][gte]=800&filter[power][lte]=800&per_page=1')
    await shows(t, () => all('tbody tr').length, 1)
    await click('[aria-label="Select all records of this page"]')
    await click('.many-bar button', 'Select all 2 that match the filters')
    await shows(t, bar, /^All 2 records that match the filters/)
    await click('.many-bar button', 'Delete')
    await shows(t, counted, 'This marks 2 records as deleted. Nothing is changed yet.')
    await click('.drawer input[type=checkbox]')
    await shows(t, counted, 'This deletes 2 records for ever. Nothing is deleted yet.')
    const query = 'filter[power][gte]=800&filter[power][lte]=800'
    t.equal(writes().at(-1), `DELETE /machines?${query}&hard=true&dry_run=true`)
    await click('.drawer input[type=checkbox]')
    await click('.form-foot .button-bad', 'Delete 2 records')
    await shows(t, bar, '2 records deleted.')
    t.equal(writes().at(-1), `DELETE /machines?${query}`)
    t.equal(await em().count(Machine, { deleted_at: { $ne: null } }), 2)
  })

  t.test('without a filter for lists of keys, the page says so, and offers what the filters match', async (t) => {
    page.go('/makers')
    await shows(
      t,
      bar,
      'Add a filter to edit or delete all records that match it. Single records cannot be ' +
        'selected: no filter takes a list of values of Id.'
    )
    t.equal(all('[type=checkbox]').length, 0)
    await em().nativeUpdate(Maker, { name: 'Acme' }, { name: 'Acme & Co' })
    page.go('/makers?filter[name]=Acme%20%26%20Co')
    await shows(t, bar, /^The record that matches the filters/)
    await click('.many-bar button', 'Delete')
    await shows(t, () => textOf('.sent pre'), /^DELETE \/makers\?filter\[name\]=Acme%20%26%20Co\b/, 'as it is sent')
    await click('.form-foot .button-bad', 'Delete 1 record')
    await shows(t, alert, '409 FST_CRUD_CONFLICTMakers are kept for ten years.')
    t.equal(await em().count(Maker), 2)
  })

  t.test('only callers with the operations can select', async (t) => {
    page.go('/machines')
    await find('[aria-label="Select all records of this page"]')
    t.equal((await described('guest'))[0].operations.updateMany, false)
    await click('button', 'Ask as')
    await click('.profile label', 'Without headers')
    await shows(t, () => all('[type=checkbox]').length, 0)
    await shows(t, () => all('tbody tr').length, 1, 'the guest sees machines')
    t.equal(all('.many-bar').length, 0)
  })
})
