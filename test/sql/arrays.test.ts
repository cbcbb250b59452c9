/** Items of arrays have the same wire form as single values, in any time zone of the session. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { forEachDatabase } from '../helpers/databases.ts'
import { resource, listOf } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Arrays = entity('Arrays', {
  id: p.integer().primary(),
  moments: p.array().columnType('timestamptz[]').nullable(),
  unzoned: p.array().columnType('timestamp[]').nullable(),
  huge: p.array().columnType('bigint[]').nullable(),
  exact: p.array().columnType('numeric[]').nullable(),
  bytes: p.array().columnType('bytea[]').nullable(),
  spans: p.array().columnType('interval[]').nullable(),
  texts: p.array().columnType('text[]').nullable(),
  numbers: p.array().columnType('int[]').nullable(),
  matrix: p.array().columnType('int[][]').nullable(),
  parent: () => p.manyToOne(Arrays).nullable(),
  children: () => p.oneToMany(Arrays).mappedBy('parent'),
})

const FULL = {
  id: 1, moments: ['2024-01-01T00:00:00.000Z', null, '1969-12-31T23:59:59.999Z'], unzoned: ['2024-01-01T00:00:00.123Z'],
  huge: ['9007199254740993', '-1'], exact: ['1.50', '12345678901234567890.5'], bytes: ['AAE=', ''], spans: ['1 day'],
  texts: ['b', 'a,"', null], numbers: [3, 1], matrix: [[1, 2], [3, 4]], parent: null,
}
const none = (id: number, value: unknown) => ({
  ...Object.fromEntries(Object.keys(FULL).map((name) => [name, value])), id, parent: 1,
})

await forEachDatabase(t, {
  entities: [Arrays],
  seed: (em) =>
    em.execute(`insert into arrays values
    (1, '{2024-01-01T05:45:00+05:45,null,1969-12-31T23:59:59.999Z}', '{2024-01-01T00:00:00.123}',
    '{9007199254740993,-1}', '{1.50,12345678901234567890.5}', '{"\\\\x0001",""}', '{1 day}', '{b,"a,\\"",null}',
    '{3,1}', '{{1,2},{3,4}}', null),
    (2, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', 1),
    (3, null, null, null, null, null, null, null, null, null, 1)`),
}, async (t, { orm }) => {
  const crud = resource(Arrays, { allowedIncludes: ['children'], allowedFields: ['id'] })

  t.test("items of a record's arrays are in wire form", async (t) => {
    t.strictSame((await listOf(orm, crud)).items, [FULL, none(2, []), none(3, null)])
    t.strictSame(await crud.get(orm.em.fork(), 1), FULL)
  })

  t.test("items of an included record's arrays are in wire form", async (t) => {
    t.strictSame((await listOf(orm, crud, 'fields=id&include=children&per_page=1')).items, [
      { id: 1, children: [none(2, []), none(3, null)] },
    ])
  })
})
