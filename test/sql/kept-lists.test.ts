/**
 * Lists and bulk changes whose statements the server keeps by name: it plans them for the values of each run, unless
 * one plan suits all of them.
 */
import { p } from '@mikro-orm/core'
import t from 'tap'
import type { FastifyRequest } from 'fastify'
import type { AccessOptions } from '../../src/access/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { databases, skipReasons } from '../helpers/databases.ts'
import { listOf, resource } from './helper.ts'
import type { Json } from '../http/helper.ts'
import { entity } from '../helpers/entity.ts'

const Shop = entity('Shop', { id: p.integer().primary(), orders: () => p.oneToMany(Order).mappedBy('shop') })
const Order = entity('Order', {
  id: p.integer().primary(), at: p.datetime(3),
  // shop 1 has nine of ten orders, each other shop has one
  shop: () => p.manyToOne(Shop).index(),
  // one of a thousand orders is open
  state: p.string().index(),
  // ten orders each
  batch: p.integer().index(),
}, { tableName: 'shop_order', indexes: [{ properties: ['at', 'id'] }] })

const ROWS = 20_000
const FILL = [
  `insert into shop select generate_series(1, ${ROWS})`,
  `insert into shop_order (id, at, shop_id, state, batch)
    select i, timestamptz '2025-01-01T00:00:00Z' + i * interval '1 minute', case when i % 10 = 0 then i else 1 end,
      case when i % 1000 = 0 then 'open' else 'done' end, i / 10 from generate_series(1, ${ROWS}) i`,
  'vacuum analyze shop, shop_order',
]
/** PostgreSQL makes five plans for the values before it considers another one, and a statement is named after five. */
const RUNS = 14

/** Batches that have 90 orders. */
const BATCHES = [1, 2, 3, 4, 5, 6, 7, 8, 9]

const orders = resource(Order, {
  allowedFilters: ['shop', 'state', { batch: ['eq', 'in'] }], allowedSorts: ['at'], allowedIncludes: ['shop'],
})

const open = new Map(databases).get('postgres')!

await t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const { orm, close } = await open({ entities: [Shop, Order] })
  t.teardown(close)
  for (const statement of FILL) await orm.em.getConnection().execute(statement)
  const pool = await orm.em.getConnection().getNativeClient() as Json
  /** The statements on orders that the server keeps. */
  const kept = async (): Promise<Json[]> =>
    (await pool.query(
      'select statement, generic_plans::int as shared, custom_plans::int as own from pg_prepared_statements ' +
        "where statement like '%shop_order%' order by prepare_time desc"
    )).rows

  for (const [what, query] of [
    ['pages', 'sort=-at&per_page=3'],
    ['pages with an include', 'sort=-at&include=shop&per_page=3'],
    ['pages by cursor', 'sort=-at&cursor=&per_page=3'],
    ['pages by cursor with an include', 'sort=-at&include=shop&cursor=&per_page=3'],
  ] as const) {
    await t.test(`${what} are planned for a frequent value, after rare ones and before them`, async (t) => {
      const before = (await kept()).length
      const first = new Map<number, unknown>()
      for (const shop of [1, 20, 1, 30]) {
        for (let run = 0; run < RUNS; run++) {
          const page = await listOf(orm, orders, `filter[shop]=${shop}&${query}`)
          if (!first.has(shop)) first.set(shop, page)
          t.strictSame(page, first.get(shop), 'the same page from each form of the statement')
        }
      }
      t.strictSame((first.get(1) as Json).items.map((item: Json) => item.id), [19_999, 19_998, 19_997])
      const statements = (await kept()).slice(0, -before || undefined)
      // pages are read by a statement that gathers few rows, or by one for many rows
      t.equal(statements.length, query.includes('cursor') ? 1 : 2, 'all values share them')
      for (const { shared, own } of statements) {
        t.equal(shared, 0)
        t.ok(own > 5, `${own} plans`)
      }
    })
  }

  await t.test('the page after a cursor', async (t) => {
    const { next_cursor: cursor } = await listOf(orm, orders, 'sort=-at&cursor=&per_page=3') as Json
    for (let run = 0; run < RUNS; run++) {
      const page = await listOf(orm, orders, `sort=-at&cursor=${cursor}&per_page=3`) as Json
      t.strictSame(page.items.map((item: Json) => item.id), [19_997, 19_996, 19_995])
    }
    t.match((await kept())[0], { shared: 0 })
  })

  await t.test('pages by cursor of the default size without filters share one plan, whatever the place', async (t) => {
    let query = 'sort=-at&cursor='
    const ids: number[] = []
    for (let page = 0; page < 2 * RUNS; page++) {
      const { items, next_cursor: next } = await listOf(orm, orders, query) as Json
      ids.push(...items.map((item: Json) => item.id))
      query = `sort=-at&cursor=${next}`
    }
    t.strictSame(ids, Array.from({ length: ids.length }, (_, index) => ROWS - index))
    t.equal(ids.length, 2 * RUNS * 20)
    const [statement] = await kept()
    t.match(statement.statement, /limit 22\b/, 'the page, the row behind it, and the one before it')
    t.ok(statement.shared > 0,
      `${statement.own} plans for single runs, then ${statement.shared} runs of the shared one`)
  })

  await t.test('rows of a role that are the same for all requests are a part of such a plan', async (t) => {
    const role = (rows: object | (() => object)) =>
      orders.forRole('member', {
        access: { role: () => 'member', roles: { member: { Order: { rows }, Shop: true } } } as AccessOptions,
        request: {} as FastifyRequest,
      })
    for (const [what, rows, text, shared] of [
      ['a condition', { shop: { $in: [1] }, id: { $gt: 0 } }, /any\('\{"1"\}'\)/, true],
      ['a function', () => ({ shop: { $in: [1] }, id: { $gt: 0 } }), /any\(\$3\)/, false],
    ] as const) {
      const view = role(rows)
      let query = 'sort=-at&cursor='
      const ids: number[] = []
      for (let page = 0; page < RUNS; page++) {
        const { items, next_cursor: next } = await view.list(orm.em.fork(), parseQueryParams(query)) as Json
        ids.push(...items.map((item: Json) => item.id))
        query = `sort=-at&cursor=${next}`
      }
      const all = Array.from({ length: ROWS }, (_, index) => ROWS - index).filter((id) => id % 10 !== 0)
      t.strictSame(ids, all.slice(0, 20 * RUNS), what)
      const [statement] = await kept()
      t.match(statement.statement, text)
      t.equal(statement.shared > 0, shared, `${what}: ${statement.shared} runs of a shared plan`)
    }
  })

  for (const [what, query, affected, isShared] of [
    ['one value of which each has few', (run: number) => `filter[batch]=${run}`, 10, true],
    ['a list of such values', (run: number) => `filter[batch][in]=${BATCHES.map((n) => run + n)}`, 90, true],
    ['one value of which most have many', () => 'filter[state]=open', 20, false],
    ['such a value and another condition', (run: number) => `filter[state]=open&filter[shop]=${run}000`, 1, false],
  ] as const) {
    await t.test(`changes of the rows with ${what}`, async (t) => {
      for (let run = 1; run <= 2 * RUNS; run++) {
        const narrowed = run <= 20 ? run : 20
        const answer = await orders.updateMany(orm.em.fork(), parseQueryParams(query(narrowed)), { at: '2025-01-01' })
        t.strictSame(answer, { affected })
      }
      const [{ statement, shared, own }] = await kept() as [Json]
      t.match(statement, /^with "@found"/)
      t.equal(shared > 0, isShared, `${own} plans for single runs, then ${shared} runs of a shared one`)
    })
  }

  await t.test('a change of more rows than the limit is refused by the shared plan', async (t) => {
    const query = `filter[batch][in]=${[...BATCHES, 11, 12]}`
    await t.rejects(orders.updateMany(orm.em.fork(), parseQueryParams(query), { at: '2025-01-01' }), {
      code: 'FST_CRUD_TOO_MANY',
    })
  })
})
