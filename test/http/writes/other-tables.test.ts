/** Writes of links and children whose tables have triggers that change the record. */
import { defineEntity, p } from '@mikro-orm/core'
import t, { type Test } from 'tap'
import { forEachDatabase } from '../../helpers/databases.ts'
import { resource, select, serve, writes, type Json } from '../helper.ts'

const id = p.integer().primary().autoincrement()
const Tag: any = defineEntity({ name: 'Tag', properties: { id, name: p.string() } })
const Part: any = defineEntity({ name: 'Part', properties: { id, name: p.string(), kit: () => p.manyToOne(Kit) } })
const Kit: any = defineEntity({
  name: 'Kit',
  properties: {
    id,
    version: p.integer().version(),
    changes: p.integer().default(0),
    tags: () => p.manyToMany(Tag).owner().pivotTable('kit_tags'),
    parts: () => p.oneToMany(Part).mappedBy('kit'),
  },
})

await forEachDatabase(t, { entities: [Tag, Part, Kit] }, async (t, { orm }) => {
  await select(orm, "insert into tag (name) values ('a'), ('b')")
  for (const table of ['kit_tags', 'part']) {
    await select(orm,
      `create function count_${table}() returns trigger language plpgsql as $$ begin
        update kit set changes = changes + 1, version = version + 1 where id = new.kit_id;
        return new;
      end $$`)
    await select(orm,
      `create trigger counted after insert on ${table} for each row execute function count_${table}()`)
  }
  const app = await serve(t, orm, {
    '/kits': {
      crud: resource(Kit, {}, { writable: ['tags', { parts: ['name'] }] }),
      operations: ['get', 'create', 'createMany', 'update'],
    },
  })
  const { patch, post, read } = writes(app)

  /** Compares an answer, and its entity tag, with the row. */
  const isStored = async (t: Test, response: Awaited<ReturnType<typeof post>>, changes: number) => {
    const record: Json = response.json()
    t.equal(record.changes, changes)
    const stored = await read(`/kits/${record.id}`)
    t.strictSame({ ...record, parts: undefined }, { ...stored, parts: undefined })
    t.equal(response.headers['etag'], `"${stored.version}"`)
    return record
  }

  t.test('the answer and its version are those after triggers of the links', async (t) => {
    const { id } = await isStored(t, await post('/kits', { tags: [1] }), 1)
    await isStored(t, await patch(`/kits/${id}`, { tags: [1, 2] }), 2)
    const records: Json = (await post('/kits', [{ tags: [1, 2] }, { tags: [2] }])).json()
    t.strictSame(records.map(({ changes }: Json) => changes), [2, 1])
  })

  t.test('the answer and its version are those after triggers of the children', async (t) => {
    const { id } = await isStored(t, await post('/kits', { parts: [{ name: 'a' }] }), 1)
    await isStored(t, await patch(`/kits/${id}`, { parts: { add: [{ name: 'b' }] } }), 2)
  })
})
