/** Numbers about related rows that filters and sorts share, and for which rows statements compute them. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, AllowedInclude } from '../../src/config/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource, listOf } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Box = entity('Box', {
  height: p.integer(),
  twice: p.integer().formula((_columns, table) => `twice_of(${table})`),
}, { embeddable: true })
const Crate = entity('Crate', {
  box: () => p.embedded(Box),
  id: p.integer().primary(),
  kind: p.text(),
  size: p.integer(),
  bolts: () => p.oneToMany(Bolt).mappedBy('crate'),
  label: p.text().formula((_columns, table) => `label_of(${table})`),
  about: p.json<{ kind: string }>().formula((_columns, table) => `about_of(${table})`),
  stamps: () => p.oneToMany(Stamp).mappedBy('crate'),
})
const Bolt = entity('Bolt', {
  id: p.integer().primary(), length: p.integer().nullable(), deleted_at: p.datetime(3).nullable(),
  crate: () => p.manyToOne(Crate).nullable().index(),
})
/** No index leads to the stamps of a crate. */
const Stamp = entity('Stamp', { id: p.integer().primary(), crate: () => p.manyToOne(Crate) })
const entities = [Box, Crate, Bolt, Stamp]

/** Crates of each kind. A statement computes the numbers of each row for at most 10 000 rows. */
const KINDS = { few: 9, most: 10_000, more: 10_001 }
const FILL = [
  "create function label_of (of crate) returns text language sql immutable as 'select of.size || of.kind'",
  'create function about_of (of crate) returns jsonb language sql immutable as ' +
  "$$select jsonb_build_object('kind', of.kind)$$",
  "create function twice_of (of crate) returns int language sql immutable as 'select of.box_height * 2'",
  `insert into crate (id, kind, size, box_height) select row_number() over (order by i, kind), kind, i % 7, i % 3
    from (values ${Object.entries(KINDS).map(([kind, count]) => `('${kind}', ${count})`)}) as kinds (kind, most)
    cross join generate_series(1, 10001) i where i <= most`,
  `insert into bolt (id, length, deleted_at, crate_id)
    select i, case when i % 4 > 0 then i % 30 end, case when i % 5 = 0 then now() end,
      case when i % 11 > 0 then i * 7 % 6000 + 1 end from generate_series(1, 12000) i`,
  'insert into stamp (id, crate_id) select i, i * 3 % 40 + 1 from generate_series(1, 60) i',
  'analyze',
]
/** The expected numbers of all crates, computed once. */
const NUMBERS = `create table numbers as select c.id, c.kind, c.size, c.size || c.kind as label,
  (select count(*) from bolt b where b.crate_id = c.id and b.deleted_at is null) as bolts,
  (select max(length) from bolt b where b.crate_id = c.id and b.deleted_at is null) as longest,
  (select count(*) from stamp s where s.crate_id = c.id) as stamps from crate c`

const options = {
  allowedFields: ['id', 'box'],
  allowedFilters: [
    'kind', { label: ['ne'] }, new AllowedFilters<any>('about.kind', 'eq', { type: 'string' } as never),
    AllowedFilters.fullText<any>('words', ['label'], { config: 'simple' }),
    { boltsCount: ['gte', 'lte', 'eq'], boltsLengthMax: ['gte', 'isnull'] }, 'boltsExists',
    { stampsCount: ['gte', 'eq'] },
  ],
  allowedSorts: ['id', 'label', 'boltsCount', 'boltsLengthMax', 'stampsCount'],
  allowedIncludes: [
    AllowedInclude.count('bolts'), AllowedInclude.max('bolts.length'), AllowedInclude.exists('bolts'),
    AllowedInclude.count('stamps'),
  ],
  allowedFacets: ['size', 'kind', 'label'],
}

const EACH = /cross join lateral \(select [^()]*(count|max)\(/g
const JOINED = /left join \(select "e\d+"\."crate_id"/g
const KEYS = / having /g
const APART = /case when count\(\*\) < \$/

interface Case {
  readonly query: string
  readonly where: string
  readonly order?: string
}
const cases: readonly Case[] = [
  { query: 'filter[boltsCount]=2&sort=-boltsLengthMax', where: 'bolts >= 2', order: 'longest desc nulls last, id' },
  { query: 'filter[boltsCount][gte]=1&filter[boltsCount][lte]=2', where: 'bolts between 1 and 2' },
  { query: 'filter[boltsLengthMax][isnull]=true&sort=-boltsCount', where: 'longest is null', order: 'bolts desc, id' },
  { query: 'filter[boltsExists]=false&sort=boltsCount,-id', where: 'bolts = 0', order: 'id desc' },
  { query: 'filter[stampsCount][eq]=2&sort=-stampsCount,-id', where: 'stamps = 2', order: 'id desc' },
  { query: 'sort=-stampsCount,boltsLengthMax', where: 'true', order: 'stamps desc, longest nulls last, id' },
  // a formula needs the row of the table, and not only its columns
  {
    query: 'filter[boltsCount]=1&filter[label]=3few&sort=label', where: "bolts >= 1 and label <> '3few'",
    order: 'label, id',
  },
  { query: 'filter[or][0][boltsCount]=2&filter[or][1][about.kind]=none', where: 'bolts >= 2' },
  { query: 'filter[or][0][boltsCount]=2&filter[or][1][words]=3few', where: "(bolts >= 2 or label = '3few')" },
  { query: 'filter[boltsCount]=1&filter[stampsCount]=1', where: 'bolts >= 1 and stamps >= 1' },
]

await forOneDatabase(t, { entities }, async (t, { orm }) => {
  const connection = orm.em.getConnection()
  for (const statement of [...FILL, NUMBERS]) await connection.execute(statement)
  const statements = await recordStatements(orm, t)
  const texts = () => statements.texts()
  const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0

  t.test('lists are the same, however the numbers are computed', async (t) => {
    for (const kind of Object.keys(KINDS)) {
      for (const { query, where, order = 'id' } of cases) {
        const rows = await connection.execute<{ id: number }[]>(
          `select id from numbers n where kind = '${kind}' and ${where} order by ${order}`
        )
        const ids = rows.map(({ id }) => id)
        const sizes = await connection.execute(
          `select size as value, count(*)::int as count from numbers n where kind = '${kind}' and ${where}
            group by 1 order by 2 desc, 1`
        )
        const kinds = await connection.execute(
          `select kind as value, count(*)::int as count from numbers n where ${where}
            group by 1 order by 2 desc, 1`
        )
        // at first without experience, then with that of other requests
        const crud = resource(Crate, options)
        for (let request = 0; request < (kind === 'more' ? 5 : 2); request++) {
          const { items, ...page } = await listOf(orm, crud,
            `filter[kind]=${kind}&${query}&fields=id&offset=2&limit=3&facets=size,kind`)
          const what = `${kind}, ${query}, request ${request}`
          t.strictSame(items.map(({ id }) => id), ids.slice(2, 5), what)
          t.equal(page['total'], ids.length, what)
          t.strictSame((page as any).facets, { size: sizes, kind: kinds }, what)
        }
      }
    }
  })

  t.test('a formula of an embedded object needs the row of the table, too', async (t) => {
    const { items } = await listOf(orm, resource(Crate, options), 'filter[kind]=few&filter[boltsCount]=1&fields=id,box')
    t.same(
      items,
      await connection.execute(
        `select n.id, json_build_object('height', box_height, 'twice', box_height * 2) as box
        from numbers n join crate using (id) where n.kind = 'few' and bolts >= 1 order by id`
      )
    )
  })

  t.test('a facet of a formula needs the row of the table, too', async (t) => {
    const { facets } = await listOf(orm, resource(Crate, options),
      'filter[kind]=few&filter[boltsCount]=1&fields=id&facets=label') as any
    t.strictSame(
      facets.label,
      await connection.execute(
        `select label as value, count(*)::int as count from numbers n where kind = 'few' and bolts >= 1
        group by 1 order by 2 desc, 1`
      )
    )
  })

  t.test('the numbers of few rows are computed for each of them, and else for all at once', async (t) => {
    const each = resource(Crate, options)
    const query = 'filter[boltsCount]=2&sort=-boltsLengthMax&fields=id&limit=2'
    statements.take()
    await listOf(orm, each, `filter[kind]=most&${query}`)
    const [text] = texts()
    t.equal(count(text!, EACH), 1, 'one join for the filter and the sort')
    t.equal(count(text!, /from "bolt"/g), 1)
    const row = 'select "e0"."box_height", "e0"."id", "e0"."kind", "e0"."size", row_number()'
    t.match(text, row, 'it reads the columns of the entity only')
    for (const attempt of ['first', 'second', 'third']) {
      await listOf(orm, each, `filter[kind]=more&${query}`)
      const [tried, again, ...more] = texts()
      t.equal(count(tried!, EACH), 1, `the ${attempt} attempt`)
      t.match(again, APART)
      t.equal(count(again!, JOINED), 2, 'one join for the page, and one for the total')
      t.equal(count(again!, /from "bolt"/g), 2)
      t.strictSame(more, [])
    }
    await listOf(orm, each, `filter[kind]=more&${query}`)
    const [gathered, ...more] = texts()
    t.match(gathered, /_gathered" as materialized/)
    t.equal(count(gathered!, JOINED), 1)
    t.equal(count(gathered!, /from "bolt"/g), 1)
    t.strictSame(more, [])
    for (let request = 0; request < 60; request++) await listOf(orm, each, `filter[kind]=few&${query}`)
    t.equal(count(texts().at(-1)!, EACH), 1, 'after some requests it is tried again')
  })

  t.test('a number that one condition compares is tested in a set of keys', async (t) => {
    const crud = resource(Crate, options)
    statements.take()
    await listOf(orm, crud, 'filter[boltsCount]=2&fields=id')
    const [all] = texts()
    t.equal(count(all!, KEYS), 1, 'no other condition: its rows are all')
    t.equal(count(all!, EACH) + count(all!, JOINED), 0)
    await listOf(orm, crud, 'filter[kind]=few&filter[stampsCount]=2&fields=id')
    const [unindexed] = texts()
    t.equal(count(unindexed!, KEYS), 1, 'no index leads to the related rows')
    t.equal(count(unindexed!, EACH) + count(unindexed!, JOINED), 0)
  })

  t.test('records show the numbers of each row, where an index leads to its related rows', async (t) => {
    statements.take()
    const { items } = await listOf(orm, resource(Crate, options),
      'fields=id&include=boltsCount,boltsLengthMax,boltsExists,stampsCount&limit=40')
    t.equal(count(texts()[0]!, /cross join lateral/g), 1)
    const shown = await connection.execute(
      `select id, bolts::int as "boltsCount", longest as "boltsLengthMax", bolts > 0 as "boltsExists",
        stamps::int as "stampsCount" from numbers n order by id limit 40`
    )
    t.same(items, shown)
  })
})
