/** Pages deep in a list, whose keys are found first: they have the same rows as pages that are read in one step. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedSort } from '../../src/config/index.ts'
import { Plant } from '../fixtures/entities.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { resource, listOf, statementOf } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Press = entity('Press', { id: p.integer().primary(), town: p.text(), deleted_at: p.datetime(3).nullable() })
const Sheet = entity('Sheet', {
  id: p.integer().primary(), size: p.integer().nullable(), title: p.text(), note: p.text(), colour: p.text(),
  shop: p.integer(), deleted_at: p.datetime(3).nullable(), press: () => p.manyToOne(Press).nullable(),
})
const Proof = entity('Proof', {
  batch: p.integer().primary(), number: p.integer().primary(), title: p.text(), note: p.text(), colour: p.text(),
})

const FILL = [
  "insert into press select i, 'town ' || i % 3, case when i = 2 then now() end from generate_series(1, 5) i",
  `insert into sheet (id, size, title, note, colour, shop, deleted_at, press_id) select i,
    case when i % 3 > 0 then i * 7 % 50 end, 'title ' || i * 31 % 997, 'note', 'red', i % 2,
    case when i % 50 = 0 then now() end, case when i % 4 > 0 then i % 5 + 1 end from generate_series(1, 10000) i`,
  "insert into proof select i % 10, i, 'title ' || i * 31 % 97, 'note', 'red' from generate_series(1, 5000) i",
]

const options = {
  allowedFilters: [{ id: ['gte'] }],
  allowedSorts: [
    'id', 'size', 'title', 'press.town',
    AllowedSort.custom<any>('length', (qb, direction) => qb.orderBy({ note: direction, title: direction })),
  ],
  allowedIncludes: ['press'],
}

await forOneDatabase(t, { entities: [Press, Sheet, Proof] }, async (t, { orm }) => {
  for (const statement of FILL) await orm.em.getConnection().execute(statement)
  const sheets = resource(Sheet, options)
  const uncounted = resource(Sheet, { ...options, pagination: { count: 'none' } })
  const proofs = resource(Proof, { allowedSorts: ['title'] })

  for (const [crud, query, scope] of [
    [sheets, ''], [sheets, 'sort=-id'], [sheets, 'sort=size'], [sheets, 'sort=-size'], [sheets, 'sort=-size,title'],
    [sheets, 'sort=press.town,-title'], [sheets, 'sort=-press.town'], [sheets, 'sort=length'],
    [sheets, 'sort=title&filter[id][gte]=100'], [sheets, 'sort=-size&include=press'],
    [sheets, 'sort=press.town&include=press', { id: { $gt: 10 } }], [uncounted, 'sort=-size'],
    [uncounted, 'sort=-size&include=press'], [proofs, 'sort=-title'],
  ] as const) {
    await t.test(`${crud === proofs ? 'a composite key' : query || 'no sort'}`, async (t) => {
      const given = scope === undefined ? undefined : { scope }
      // a page of 100 rows is not deep at this offset
      for (const offset of [4_000, 4_990]) {
        const wide = await listOf(orm, crud, `${query}&limit=100&offset=${offset}`, given)
        const deep = await listOf(orm, crud, `${query}&limit=20&offset=${offset}`, given)
        t.strictSame(deep.items, wide.items.slice(0, 20))
        t.ok(deep.items.length >= 10)
        t.equal(deep.total, wide.total)
      }
      const end = await listOf(orm, crud, `${query}&limit=20&offset=20000`, given)
      t.strictSame(end.items, [])
    })
  }
})

t.test('the statement of a deep page', async (t) => {
  const names = ['id', 'name', 'status', 'description', 'slug', 'price']
  const textOf = (query: string) => statementOf(query, { allowedFields: names, allowedSorts: ['price'] }, Plant).text
  t.match(
    textOf('fields=id,name,status,description,slug&sort=-price&limit=20&offset=4000'),
    'from (select "e0"."id" as "@key0", "e0"."price" as "@sort0" from "plant" as "e0" ' +
      'where "e0"."deleted_at" is null order by "e0"."price" desc nulls last, "e0"."id" limit $1 offset $2) ' +
      'as "@keys" cross join lateral (select '
  )
  t.notMatch(textOf('limit=20&offset=3999'), '"@keys"', 'a page that is not deep')
  t.notMatch(textOf('limit=21&offset=4000'), '"@keys"', 'a page that is long for its depth')
  t.notMatch(textOf('fields=id,name,status&sort=price&limit=20&offset=4000'), '"@keys"', 'rows of few columns')
})
