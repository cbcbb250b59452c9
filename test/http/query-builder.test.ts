/** Routes of the application's own that continue the QueryBuilder of `crud.query`, such as reports. */
import { raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import t from 'tap'
import {
  AllowedFilters, AllowedSort, crudKit, parseQueryParams, type AccessOptions, type CrudQueryOptions,
} from '../../src/index.ts'
import { entities, Plant, type Plant as PlantEntity } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { bodyOf, column, resource, select } from './helper.ts'

/** Callbacks that would replace or widen the other conditions of a builder. */
const WIDENING: Readonly<Record<string, (qb: any, value: any) => any>> = {
  named: (qb, value) => qb.where({ name: value }),
  namedOr: (qb, value) => qb.andWhere({ name: value }).orWhere({ status: 'draft' }),
  tagged: (qb, value) => qb.where({ tags: { name: { $ne: value } } }),
}

let sorted = 0
const plants = resource(Plant, {
  allowedFilters: [
    { position: ['gte'], 'supplier.name': ['contains'] },
    AllowedFilters.fullText('words', ['name']),
    AllowedFilters.custom<PlantEntity>('city', (qb, value) => qb.andWhere({ supplier: { address: { city: value } } })),
    AllowedFilters.custom<PlantEntity>('oak', (qb) => qb.andWhere(raw('jsonb_build_array(e0.name) ? \'Oak\''))),
    ...Object.entries(WIDENING).map(([name, callback]) => AllowedFilters.custom<PlantEntity>(name, callback)),
  ],
  allowedSorts: [
    'name',
    AllowedSort.custom<PlantEntity>('shelf', (qb, direction) => {
      sorted++
      return qb.orderBy({ shelf: direction })
    }),
    // a callback that joins is a query of its own, whose values are bound
    AllowedSort.custom<PlantEntity>('marked', (qb, direction) =>
      qb.andWhere({ supplier: { name: { $ne: 'why?' } } })
        .orderBy({ [raw("nullif('a?', 'b?')")]: direction } as never)),
  ],
  defaultSort: ['-name'],
})

const access: AccessOptions = {
  role: () => 'clerk',
  roles: { clerk: { Plant: { rows: { status: 'active' } }, '*': true } },
}

const GROUPABLE: CrudQueryOptions = { order: false, limit: false }

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const serve = async (rules?: AccessOptions) => {
    const app = newServer(t)
    await app.register(crudKit, { orm, ...(rules !== undefined && { access: rules }) })
    app.get('/report', async ({ em, queryParams }) => {
      const qb = await plants.query(em, queryParams, GROUPABLE)
      return await qb.select(['status', raw('count(*)::int as count')]).groupBy('status').orderBy({ status: 'asc' })
        .execute()
    })
    return async (query = '') => bodyOf(await app.inject(`/report?${query}`))
  }
  const all = async (query: string, options?: CrudQueryOptions): Promise<number[]> => {
    const qb = await plants.query(orm.em.fork() as EntityManager, parseQueryParams(query), options)
    return (await qb.getResultList()).map(({ id }: { id: number }) => id)
  }

  t.test('a report groups the rows that match the filters of its request', async (t) => {
    const report = await serve()
    const counted = async (condition: string) =>
      await select(
        orm,
        `select p.status, count(*)::int as count from plant p join supplier s on s.id = p.supplier_id
         where p.deleted_at is null and ${condition} group by 1 order by 1`
      )
    for (const [query, condition] of [
      ['', 'true'],
      ['filter[position]=5', 'p."order" >= 5'],
      ['filter[city]=Lyon&per_page=1&sort=shelf', "s.address_city = 'Lyon'"],
      ['filter[supplier.name]=o', "s.name ilike '%o%' and s.deleted_at is null"],
    ] as const) {
      const expected = await counted(condition)
      t.ok(expected.length > 1)
      t.strictSame(await report(query), expected, query)
    }
    t.match(await report('filter[name]=x'), { statusCode: 400, code: 'FST_CRUD_FILTER_INVALID' })
    t.match(await report('sort=price'), { statusCode: 400, code: 'FST_CRUD_SORT_INVALID' })
  })

  t.test('a report has the rows of its role', async (t) => {
    const report = await serve(access)
    t.strictSame(await report(), [{ status: 'active', count: 8 }])
  })

  t.test('whatever a custom filter does to its builder, the other conditions hold, and rows count once', async (t) => {
    const of = (role: string, rows: object, scope?: object) => {
      const roles = { [role]: { Plant: { rows }, '*': true as const } }
      const members = plants.forRole(role, { access: { role: () => role, roles } })
      return async (query: string) => {
        const [params, options] = [parseQueryParams(`${query}&per_page=50&sort=name`), scope && { scope }]
        const listed: any = await members.list(orm.em.fork(), params, options)
        const qb = await members.query(orm.em.fork(), params, { ...options, ...GROUPABLE } as never)
        const [{ count }]: any = await qb.select(raw('count(*)::int as count')).execute()
        t.equal(count, listed.total, `${role}: ${query}`)
        return listed.total
      }
    }
    const asks = [
      of('active', { status: 'active' }),
      of('tagged', { tags: { name: { $ne: 'nothing' } } }),
      of('scoped', {}, { status: 'active' }),
      of('both', { tags: { name: { $ne: 'nothing' } } }, { tags: { name: { $ne: 'no' } } }),
    ]
    for (const ask of asks) {
      t.ok(await ask('filter[named]=Lavender') < 2)
      await ask('filter[namedOr]=Lavender')
      await ask('filter[named]=Lavender&filter[position]=5')
      await ask('filter[namedOr]=Lavender&filter[named]=Moss')
      t.ok(await ask('filter[tagged]=nothing') > 0)
    }
  })

  t.test('text with question marks stays text beside a limit and conditions of the caller', async (t) => {
    for (const text of ['?', 'why?', "'?", "' or 1=1 --", '\\?', '??', "?' or true --", '$1?']) {
      for (const filter of ['named', 'namedOr', 'supplier.name', 'city']) {
        const params = parseQueryParams({ filter: { [filter]: text, position: '0' }, sort: 'name', per_page: '50' })
        const qb: any = await plants.query(orm.em.fork() as EntityManager, params, { scope: { name: { $ne: text } } })
        const rows = await qb.andWhere({ name: { $ne: "') or true --" } }).andWhere({ name: { $ne: text } })
          .getResultList()
        t.equal(rows.length > 0, filter === 'namedOr', `${filter} ${text}`)
        t.ok(rows.every(({ status }: PlantEntity) => status === 'draft'), `${filter} ${text}`)
      }
      const found = await all(`filter[words]=${encodeURIComponent(`lavender or ${text}`)}&sort=-words,name&per_page=5`)
      t.strictSame(found, await all('filter[words]=lavender&sort=name'), `in the order of relevance: ${text}`)
    }
    t.strictSame(await all('sort=marked,name&per_page=3'), await all('sort=name&per_page=3'))
  })

  t.test('question marks of SQL stay in a query without any value', async (t) => {
    const ids = await column(orm, "select id from plant where name = 'Oak'")
    t.strictSame(await all('filter[oak]=1', GROUPABLE), ids)
    t.strictSame(await all('filter[oak]=1'), ids)
    t.strictSame(await all('sort=marked,name', { limit: false }), await all('sort=name', { limit: false }))
    const qb = await plants.query(orm.em.fork() as EntityManager, parseQueryParams('filter[oak]=1'), GROUPABLE)
    t.strictSame((await qb.andWhere({ name: { $ne: 'Oak?' } }).getResultList()).map(({ id }) => id), ids)
  })

  t.test('without limit, the query has all rows in their order; without order, one page of them', async (t) => {
    t.strictSame(await all('sort=name&per_page=2', { limit: false }), await all('sort=name&per_page=50'))
    t.strictSame((await all('sort=name&per_page=2', { order: false })).length, 2)
    const sortedBefore = sorted
    t.equal((await all('sort=shelf&per_page=2', { order: false, limit: false })).length, 13)
    t.equal(sorted, sortedBefore, 'the callback of a sort is not called')
    t.strictSame(await all('sort=name&per_page=2', { order: true, limit: true }), await all('sort=name&per_page=2'))
  })

  t.test('a query after a cursor has the rows behind it', async (t) => {
    const { items, next_cursor: cursor } = await plants.list(orm.em.fork(),
      parseQueryParams('sort=name&cursor=&per_page=4'))
    const rest = await all(`sort=name&cursor=${cursor}&per_page=4`, GROUPABLE)
    const first = new Set(items.map(({ id }) => id))
    t.strictSame(rest.toSorted(), (await all('per_page=50')).filter((id) => !first.has(id)).toSorted())
  })

  t.test('the options are booleans of query() only', async (t) => {
    const query = async (options: object) => await plants.query(orm.em.fork(), parseQueryParams(''), options)
    const refused = (message: RegExp) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })
    await t.rejects(query({ limits: false }), refused(/CrudBase\.query: .*'limits'.*Did you mean 'limit'\?/))
    await t.rejects(query({ order: 'name' }), refused(/CrudBase\.query: 'order' must be a boolean, got 'name'/))
    await t.rejects(query({ limit: 10 }), refused(/CrudBase\.query: 'limit' must be a boolean, got 10/))
    await t.rejects(plants.list(orm.em.fork(), parseQueryParams(''), { limit: false } as never),
      refused(/CrudBase\.list: .*'limit'/))
  })
})
