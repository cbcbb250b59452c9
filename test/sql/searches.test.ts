/** Alternatives through to-many relations: one set of keys, which a database can join. */
import t from 'tap'
import { AllowedFilters } from '../../src/config/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { oneLine, resource, unlimitedStatementOf as statementOf } from './helper.ts'

const search = (...fields: string[]) => ({
  allowedFields: ['id'],
  allowedFilters: [AllowedFilters.search('q', fields)],
})
const conditionOf = (...fields: string[]) =>
  / from "plant" as "e0" where (.*?) and "e0"\."deleted_at" is null/.exec(
    statementOf('fields=id&filter[q]=a', search(...fields), Plant).text
  )![1]!.replace(/\$\d+/g, '?')

t.test('a search of the rows and of to-one relations stays a list of conditions', async (t) => {
  t.equal(
    conditionOf('name', 'supplier.name'),
    oneLine(`
    ("e0"."name" ilike ? or "e0"."supplier_id" in (select "e1"."id" from "supplier" as "e1"
    where "e1"."deleted_at" is null and "e1"."name" ilike ?))`)
  )
})

t.test('a search of to-many relations is one set of keys', async (t) => {
  t.equal(
    conditionOf('name', 'supplier.name', 'offers.title', 'tags.name'),
    oneLine(`
    "e0"."id" in (
    select "e4"."id" from "plant" as "e4" where ("e4"."name" ilike ? or "e4"."supplier_id" in (select "e5"."id"
    from "supplier" as "e5" where "e5"."deleted_at" is null and "e5"."name" ilike ?))
    union all select "e1"."plant_id" from "offer" as "e1" where "e1"."title" ilike ?
    union all select "e3"."plant_id" from "plant_tags" as "e3" where "e3"."tag_id" in (select "e2"."id"
    from "tag" as "e2" where "e2"."deleted_at" is null and "e2"."name" ilike ?))`)
  )
})

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const ids = async (options: object, query: string, more?: object) =>
    (await resource(Plant, options).list(orm.em.fork(), parseQueryParams(`fields=id&per_page=100&${query}`), more))
      .items
      .map(({ id }) => id)
  const paths = ['name', 'supplier.name', 'offers.title', 'tags.name', 'group.parent.name']

  t.test('a search finds the rows that its properties find one by one', async (t) => {
    const own = { allowedFields: ['id'], allowedFilters: paths.map((path) => new AllowedFilters(path, 'contains')) }
    for (const text of ['a', 'e', 'o', 'ro', 'sun', 'zzz', '%', 'new']) {
      const each = await Promise.all(paths.map((path) => ids(own, `filter[${path}]=${encodeURIComponent(text)}`)))
      const expected = [...new Set(each.flat())].sort((a, b) => a - b)
      t.strictSame(await ids(search(...paths), `filter[q]=${encodeURIComponent(text)}`), expected, text)
      const scope = { id: { $lte: 3 } }
      t.strictSame(await ids(search(...paths), `filter[q]=${encodeURIComponent(text)}`, { scope }),
        expected.filter((id) => id <= 3), `${text} in a scope`)
    }
  })
})
