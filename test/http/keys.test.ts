/** Keys of every type: a record is found under the key that it shows, and by cursor in the order of the keys. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { forEachDatabase } from '../helpers/databases.ts'
import { bodyOf, resource, select, serve, verdict, writes, type Json } from './helper.ts'
import { entity } from '../helpers/entity.ts'

/** Column types, with keys in the order of the database. */
const KEYS: Readonly<Record<string, readonly unknown[]>> = {
  inet: ['10.0.0.2/8', '10.0.0.1/32', '::1/128', 'fe80::1/64'],
  cidr: ['10.0.0.0/8', '192.168.0.0/24'],
  macaddr: ['08:00:2b:01:02:03', '08:00:2b:01:02:04'],
  'bit(4)': ['0000', '0101', '1111'],
  varbit: ['0', '01', '1'],
  interval: ['-1 days', '00:00:01', '1 day', '2 mons 3 days'],
  bytea: ['AA==', 'AAH+/w==', '/w=='],
  timetz: ['09:30:00+00', '10:30:00.5+00'],
  'timestamptz(6)': ['-infinity', '0044-03-15T00:00:00.000Z BC', '2024-05-31T09:30:00.123456Z', 'infinity'],
  date: ['0044-03-15 BC', '2024-05-31', '10000-01-01', 'infinity'],
  numeric: ['-1.50', '0.000', '1000', '12345678901234567890.5'],
  uuid: ['00000000-0000-4000-8000-00000000000a', '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'],
  'time(6)': ['00:00:00', '09:30:00.123456', '24:00:00'],
  boolean: [false, true],
  int4range: ['empty', '[1,5)', '[1,)'],
}

const entities = Object.keys(KEYS).flatMap((column, index) => {
  const Item = entity(`Item${index}`, { code: p.string().columnType(column).primary(), name: p.text() }, {
    tableName: `item_${index}`,
  })
  const Part = entity(`Part${index}`, { id: p.integer().primary().autoincrement(), item: () => p.manyToOne(Item) }, {
    tableName: `part_${index}`,
  })
  return [[Item, Part]] as const
})

await forEachDatabase(t, { entities: entities.flat() }, async (t, { orm }) => {
  const app = await serve(
    t,
    orm,
    Object.fromEntries(entities.flatMap(([Item, Part], index) => [
      [`/items${index}`, { crud: resource(Item), operations: ['list', 'get', 'create', 'update', 'delete'] }],
      [`/parts${index}`, resource(Part)],
    ]))
  )
  const { post, patch, get, read, remove, created } = writes(app)

  for (const [index, [column, keys]] of Object.entries(KEYS).entries()) {
    const path = `/items${index}`
    t.test(column, async (t) => {
      const locations: string[] = []
      for (const code of keys) {
        const response = await post(path, { code, name: 'a' })
        t.equal(response.statusCode, 201, response.body)
        t.strictSame(bodyOf(response), { code, name: 'a' })
        locations.push(String(response.headers.location))
      }
      for (const [at, location] of locations.entries()) {
        t.strictSame(await read(location), { code: keys[at], name: 'a' }, location)
        t.strictSame(bodyOf(await patch(location, { name: 'b' })), { code: keys[at], name: 'b' })
        const part = await created(`/parts${index}`, { item: keys[at] })
        t.strictSame(part.item, keys[at])
      }
      const shown: unknown[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Json = await read(`${path}?per_page=1&cursor=${cursor}`)
        shown.push(...page.items.map((item: Json) => item.code))
        cursor = page.next_cursor
      }
      t.strictSame(shown, keys)
      // a record has one path, which is how it is shown: 1e3 is not 1000
      for (const code of ['x', '%00', '1e3']) {
        t.match(verdict(await get(`${path}/${code}`)), /^40[04] /, code)
        t.match(verdict(await remove(`${path}/${code}`)), /^40[04] /, code)
      }
      await select(orm, `delete from part_${index}`)
      for (const location of locations) {
        t.equal((await remove(location)).statusCode, 200)
        t.equal((await get(location)).statusCode, 404)
      }
    })
  }
})
