/** The names of related records in the explorer's table: the requests for them, and what is shown without them. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, defineAccess } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { closeDom } from '../helpers/dom.ts'
import { resource } from '../http/helper.ts'
import { openDomPage } from './dom-page.ts'
import { explored } from './nursery.ts'
import { entity } from '../helpers/entity.ts'

const id = { id: p.integer().primary().autoincrement() }
const Maker = entity('Maker', { ...id, name: p.string() })
const Shop = entity('Shop', { ...id, name: p.string() })
const Machine = entity('Machine', {
  ...id, name: p.string(), maker: () => p.manyToOne(Maker), repairer: () => p.manyToOne(Maker).nullable(),
  shop: () => p.manyToOne(Shop),
})
const entities = [Maker, Shop, Machine]

const allow = defineAccess<{ Machine: unknown, Maker: unknown, Shop: unknown }>()
const byId = new AllowedFilters('id', 'eq', ['eq', 'in'])

await forOneDatabase(t, {
  entities,
  seed: async (em) => {
    const [acme, bolt, core] = ['Acme', 'Bolt', 'Core'].map((name) => em.create(Maker, { name }))
    const shop = em.create(Shop, { name: 'Corner' })
    em.create(Machine, { name: 'Drill', maker: acme!, repairer: bolt!, shop })
    em.create(Machine, { name: 'Saw', maker: acme!, shop })
    em.create(Machine, { name: 'Lathe', maker: bolt!, repairer: core!, shop })
    await em.flush()
  },
}, async (t, { orm }) => {
  let isBroken = false
  const app = await explored(t, orm, {
    access: allow({
      role: ({ headers }) => String(headers['x-role'] ?? 'guest'),
      roles: {
        admin: true,
        boss: true,
        smith: { '*': { rows: { id: { $gt: 0 } } }, Maker: { rows: { name: { $ne: 'Bolt' } } } },
        guest: { Machine: { rows: {}, operations: ['list', 'get'] } },
      },
    }),
    resources: {
      '/machines': {
        crud: resource(Machine, {
          allowedFilters: [{ maker: ['eq', 'in'] }, 'shop'], allowedIncludes: ['maker'], allowedSorts: ['id'],
          defaultSort: ['id'],
        }),
      },
      '/makers': { crud: resource(Maker, { allowedFilters: [byId], pagination: { maxPerPage: 2 } }) },
      // no filter finds shops by a list of keys
      '/shops': resource(Shop, { allowedFilters: ['id'] }),
    },
  }, {
    explorer: { headers: [{ name: 'x-role', values: ['guest', 'smith', 'boss', 'admin'] }] },
    prepare: (app) =>
      app.addHook('onRequest', async ({ url }, reply) => {
        if (isBroken && url.startsWith('/makers?')) await reply.code(503).send({ statusCode: 503, message: 'later' })
      }),
  })

  const page = await openDomPage(app, '/machines?per_page=1', { 'x-role': 'admin' })
  t.teardown(closeDom)
  const { all, asked, click, find, fill, shows } = page
  const rows = (): string[] => all('tbody tr').map((row) => row.textContent)
  const links = (): string[] => all('tbody a').map((link) => link.getAttribute('href') ?? '')
  /** The requests for names since the last look. */
  const names = (): string[] => asked.splice(0).filter((request) => !request.startsWith('GET /machines'))
  const askAs = async (role: string): Promise<void> => {
    await click('button', 'Ask as')
    await click('.profile label', role)
    await click('.as')
  }

  t.test('each page asks once for the names that are new, and a key is shown if nothing can name it', async (t) => {
    await shows(t, rows, ['DrillAcmeBolt11'], 'the shop has no name, and the key comes last')
    t.strictSame(names(), ['GET /makers?filter[id][in]=1,2&per_page=2'], 'one request for two columns')
    t.strictSame(links(), ['/explorer/makers?~open=1', '/explorer/makers?~open=2', '/explorer/shops?~open=1'])
    page.go('/machines?per_page=1&page=2')
    await shows(t, rows, ['SawAcmenull12'])
    page.go('/machines?per_page=1&page=3')
    await shows(t, rows, ['LatheBoltCore13'])
    t.strictSame(names(), ['GET /makers?filter[id][in]=3&per_page=1'], 'known names are not asked for again')
    page.go('/machines?per_page=1&include=maker')
    await shows(t, rows, ['DrillAcmeBolt11'])
    t.strictSame(names(), [], 'an included record has its name')
  })

  t.test('a record that was renamed has its new name', async (t) => {
    page.go('/makers?~open=1')
    await click('.drawer button', 'Edit')
    await fill('.drawer [aria-label=Name]', 'Acme & Co')
    await click('.drawer .button-main', 'Save')
    await find('.drawer button', 'Edit')
    names()
    page.go('/machines?per_page=1')
    await shows(t, rows, ['DrillAcme & CoBolt11'])
    t.strictSame(names(), ['GET /makers?filter[id][in]=1,2&per_page=2'])
  })

  t.test('another caller sees the names of records that it may read', async (t) => {
    await askAs('smith')
    await shows(t, rows, ['DrillAcme & Co211'], 'the role does not see Bolt')
    t.strictSame(names(), ['GET /makers?filter[id][in]=1,2&per_page=2'])
    page.go('/machines?per_page=1&page=2')
    await shows(t, rows, ['SawAcme & Conull12'])
    page.go('/machines?per_page=1')
    await shows(t, rows, ['DrillAcme & Co211'])
    t.strictSame(names(), [], 'what is not there is not asked for again')
    await askAs('guest')
    await shows(t, rows, ['Drill1211'], 'a role without makers sees keys')
    await shows(t, links, [])
    t.strictSame(names(), [])
  })

  t.test('a request that fails leaves the keys, is not repeated, and is tried again with the next list', async (t) => {
    isBroken = true
    await askAs('boss')
    const [first, second] = ['GET /makers?filter[id][in]=1,2&per_page=2', 'GET /makers?filter[id][in]=1&per_page=1']
    await shows(t, () => asked.includes(first), true)
    page.go('/machines?per_page=1&page=2')
    await shows(t, () => asked.includes(second), true)
    await shows(t, rows, ['Saw1null12'])
    isBroken = false
    page.go('/machines?per_page=1')
    await shows(t, rows, ['DrillAcme & CoBolt11'])
    t.strictSame(names(), [first, second, first])
  })

  t.test('a filter by a related record shows its name', async (t) => {
    const chips = (): string[] => all('.filter-text').map((chip) => chip.textContent)
    page.go('/machines?filter[maker]=3')
    await shows(t, chips, ['Maker is Core'])
    t.strictSame(names(), ['GET /makers?filter[id][in]=3&per_page=1'])
    await find('.empty .button', 'Maker is Core')
    page.go('/machines?filter[maker][in]=1,2')
    await shows(t, chips, ['Maker is one of Acme & Co, Bolt'])
    t.match(all('.filter-text span')[0]!.getAttribute('title'), /: 1, 2$/, 'the keys are there as well')
    page.go('/machines?filter[maker][in]=1,99')
    await shows(t, chips, ['Maker is one of Acme & Co, 99'])
    names()
    page.go('/machines?filter[shop]=1')
    await shows(t, chips, ['Shop is Corner'])
    t.strictSame(names(), ['GET /shops/1'], 'few records are read one by one')
  })

  t.test('the page of a record shows its related records by their names', async (t) => {
    page.go('/machines?~open=3')
    const related = (): string[] => all('.drawer dd a').map((link) => link.textContent)
    await shows(t, related, ['Bolt', 'Core', 'Corner'])
  })
})
