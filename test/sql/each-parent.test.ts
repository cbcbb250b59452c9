/** Includes whose rows are found for each parent have the same records as those that are found for all parents. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedInclude } from '../../src/config/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource, listOf } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Hive = entity('Hive', {
  id: p.integer().primary(),
  ...Object.fromEntries(
    (['bees', 'drones'] as const).map((
      name
    ) => [name, () => p.oneToMany(Bee).mappedBy(name === 'bees' ? 'hive' : 'home')])
  ),
})
/** The two relations lead to the same rows. Only one has an index. */
const Bee = entity('Bee', {
  id: p.integer().primary(), age: p.integer().nullable(), deleted_at: p.datetime(3).nullable(),
  hive: () => p.manyToOne(Hive).nullable().index(), home: () => p.manyToOne(Hive).nullable(),
})

const Nest = entity('Nest', { id: p.integer().primary(), queen: () => p.oneToOne(Queen).mappedBy('nest').nullable() })
const Queen = entity('Queen', { id: p.integer().primary(), nest: () => p.oneToOne(Nest) })

/** Hive 1 has no bees, hive 2 one, hive 3 a deleted one, hive 4 forty, and the others three each. */
const FILL = [
  'insert into hive select generate_series(1, 12)',
  `insert into bee (id, age, deleted_at, hive_id, home_id)
    select row_number() over (order by i, hive), nullif(i * 7 % 5, 0), case when hive = 3 then now() end, hive, hive
    from generate_series(2, 12) hive
    cross join lateral generate_series(1, case when hive < 4 then 1 when hive = 4 then 40 else 3 end) i`,
  'insert into bee (id, age) values (1000, 1)',
]

const crudWith = (pagination: object, rules: object = {}) =>
  resource(Hive, {
    allowedSorts: ['id'], allowedIncludes: ['bees', 'drones'].map((name) => new AllowedInclude<any>(name, rules)),
    pagination,
  })

const OF_EACH = /coalesce\(\(select/

await forEachDatabase(t, { entities: [Hive, Bee, Nest, Queen] }, async (t, { orm }) => {
  for (const statement of FILL) await orm.em.getConnection().execute(statement)
  const statements = await recordStatements(orm, t)

  for (const [what, rules] of [
    ['all records', {}],
    ['the first records of an order', { limit: 2, sort: ['-age'] }],
    ['records with a condition', { where: { age: { $gt: 2 } } }],
  ] as const) {
    for (const pagination of [{}, { count: 'none' }, { count: { upTo: 3 } }, { maxIncluded: 100_000, maxPerPage: 5 }]) {
      t.test(`${what}, with ${JSON.stringify(pagination)}`, async (t) => {
        const crud = crudWith(pagination, rules)
        const both = async (ask: (include: string) => Promise<unknown>, length = 1) => {
          statements.take()
          const each = await ask('bees')
          const texts = statements.texts()
          t.match(texts[0], OF_EACH)
          t.equal(texts.length, length)
          const all = await ask('drones')
          t.notMatch(statements.take()[0]!.sql, OF_EACH)
          t.strictSame(each, JSON.parse(JSON.stringify(all).replaceAll('"drones":', '"bees":')))
          return each
        }
        const page = await both((include) => listOf(orm, crud, `include=${include}&per_page=5`)) as { items: any[] }
        t.equal(page.items.find(({ id }) => id === 4).bees.length > 1, true)
        t.strictSame(page.items.find(({ id }) => id === 1).bees, [])
        await both((include) => listOf(orm, crud, `include=${include}&sort=-id&page=2&per_page=5`))
        const first = await both((include) => listOf(orm, crud, `include=${include}&cursor=&per_page=5&sort=id`)) as any
        const next = `cursor=${first.next_cursor}&per_page=5&sort=id`
        await both((include) => listOf(orm, crud, `include=${include}&${next}`))
        await both((include) => crud.get(orm.em.fork(), 4, parseQueryParams(`include=${include}`)))
        await both((include) => crud.get(orm.em.fork(), 3, parseQueryParams(`include=${include}`)))
      })
    }
  }

  t.test('the limit of included records is exact', async (t) => {
    // the first five hives have 44 bees that are not deleted: all may belong to one hive
    for (const include of ['bees', 'drones']) {
      const items = async (maxIncluded: number, perPage: number) =>
        (await listOf(orm, crudWith({ maxIncluded, maxPerPage: 12 }), `include=${include}&per_page=${perPage}&sort=id`))
          .items
      t.equal((await items(44, 5)).flatMap((hive) => hive[include] as unknown[]).length, 44)
      await t.rejects(items(43, 5), { code: 'FST_CRUD_TOO_LARGE', message: /more than 43 included records/ })
      t.equal((await items(65, 12)).length, 12)
      await t.rejects(items(64, 12), { code: 'FST_CRUD_TOO_LARGE' })
      const one = (maxIncluded: number) =>
        crudWith({ maxIncluded }).get(orm.em.fork(), 4, parseQueryParams(`include=${include}`))
      t.equal((await one(40) as any)[include].length, 40)
      await t.rejects(one(39), { code: 'FST_CRUD_TOO_LARGE' })
    }
  })

  t.test('a record appears once if a database without a unique constraint relates two records to it', async (t) => {
    for (const statement of [
      'alter table queen drop constraint queen_nest_id_unique',
      'insert into nest select generate_series(1, 2)',
      'insert into queen (id, nest_id) values (7, 1), (8, 1)',
    ]) await orm.em.getConnection().execute(statement)
    const page = await listOf(orm, resource(Nest, { allowedIncludes: ['queen'] }), 'include=queen')
    t.match(page, { items: [{ id: 1, queen: { nest: 1 } }, { id: 2, queen: null }], total: 2 })
    t.equal(page.items.length, 2)
  })
})
