import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import {
  includeTree, listSchema, NOTHING_INCLUDED, recordSchema, totalsOf, valueSchema,
} from '../../src/schema/index.ts'
import {
  AuditEntry, Customer, Delivery, entities, Group, Label, Offer, Order, OrderItem, Parcel, Pickup, Plant, Shelf,
  Specimen, Supplier, Tag,
} from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { models } from '../plan/helper.ts'
import { resource, listOf } from '../sql/helper.ts'

for (const format of ['uuid', 'date', 'date-time']) {
  FormatRegistry.Set(format, (value) => format === 'uuid' ? value.length === 36 : !Number.isNaN(Date.parse(value)))
}

t.test('a schema has the names of records, without hidden ones', async (t) => {
  const properties = (entity: unknown) =>
    Object.keys(recordSchema(models.of(entity), { includes: NOTHING_INCLUDED }).properties)
  t.ok(properties(Plant).includes('sku'))
  for (const name of ['articleNumber', 'purchasePrice', 'selected']) t.notOk(properties(Plant).includes(name), name)
  t.notOk(properties(Supplier).includes('email'))
})

t.test('values of every type have a schema of their wire form', async (t) => {
  const cases: ReadonlyArray<
    readonly [type: Parameters<typeof valueSchema>[0], right: readonly unknown[], wrong: readonly unknown[]]
  > = [
    [{ kind: 'integer', min: -5, max: 5 }, [-5, 0, 5], [6, -6, 1.5, '1', null]],
    [{ kind: 'bigint', form: 'string' }, ['-9223372036854775808', '0'], [1, '1.0', '']],
    [{ kind: 'bigint', form: 'number' }, [1], ['1', 1.5]],
    [{ kind: 'decimal', form: 'string' }, ['1.50', '-1'], [1.5, '1e3', '.5']],
    [{ kind: 'decimal', form: 'number' }, [1.5], ['1.5']],
    [{ kind: 'float', single: false }, [1.5], ['1.5']],
    [{ kind: 'boolean' }, [true], ['true', 1]],
    [{ kind: 'text', maxLength: 2 }, ['', 'ab'], ['abc', 1]],
    [{ kind: 'uuid' }, ['00000000-0000-0000-0000-000000000000'], ['x']],
    [{ kind: 'date' }, ['2024-02-29'], ['x']],
    [{ kind: 'datetime', zoned: true }, ['2024-02-29T00:00:00.000Z'], ['x']],
    [{ kind: 'time' }, ['07:30:00'], [730]],
    [{ kind: 'json', binary: true }, [null, 1, {}, []], []],
    [{ kind: 'blob' }, ['AAEC'], [1]],
    [{ kind: 'array', element: { kind: 'boolean' } }, [[], [true], [null]], [['x'], true, null]],
    [{ kind: 'other', columnType: 'interval' }, ['1 day'], [1]],
  ]
  for (const [type, right, wrong] of cases) {
    const schema = valueSchema(type)
    for (const value of right) t.ok(Value.Check(schema, value), `${type.kind}: ${JSON.stringify(value)}`)
    for (const value of wrong) t.notOk(Value.Check(schema, value), `${type.kind}: ${JSON.stringify(value)}`)
  }
  const members = (items: (string | number)[]) => ({ ...valueSchema({ kind: 'enum', items, native: false }) })
  t.match(members(['a', 'b']), { enum: ['a', 'b'], type: 'string' })
  t.match(members([1, 2]), { enum: [1, 2], type: 'number' })
  t.notOk('type' in members(['a', 1]))
})

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('every page of every entity matches its schema', async (t) => {
    for (const entity of [
      AuditEntry, Customer, Delivery, Group, Label, Offer, Order, OrderItem, Parcel, Pickup, Plant, Shelf, Specimen,
      Supplier, Tag,
    ]) {
      const model = models.of(entity)
      const relations = [...model.properties.values()].filter((property) => property.kind === 'relation').map((
        { name }
      ) => name)
      const crud = resource(entity, { allowedIncludes: relations })
      const { model: bound, whitelist } = crud.bind(orm.em)
      const record = recordSchema(bound, { includes: includeTree(whitelist) })
      const list = listSchema(record, totalsOf(whitelist.pagination))
      for (const query of ['', 'limit=2', 'cursor=&per_page=1', `include=${relations.join()}`]) {
        const page = await listOf(orm, crud, query)
        t.ok(page.items.length > 0)
        const wrong = page.items.flatMap((item) => Object.entries(item)).filter(([name, value]) => {
          const schema = record.properties[name]
          // TypeBox's checker does not know `enum`, which the test above checks
          return schema === undefined || !(JSON.stringify(schema).includes('"enum"') || Value.Check(schema, value))
        })
        t.strictSame(wrong, [], `${model.name} ${query}`)
        const { items, ...info } = page
        t.ok(
          list.anyOf.some((schema: { properties: object }) =>
            Object.keys(schema.properties).join() === ['items', ...Object.keys(info)].join()
          ),
          `${model.name} ${query}`
        )
      }
    }
  })
})
