/** Owned children whose primary key is hidden: an update names them by their `uuid`. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, uuid } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { select, serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const List = entity('PackingList', {
  id: p.integer().primary(),
  items: () => p.oneToMany(Item).mappedBy('list'),
  stamps: () => p.oneToMany(Stamp).mappedBy('list'),
})

const child = {
  id: p.integer().primary().hidden(), ...uuid, list: () => p.manyToOne(List), text: p.string(),
}
const Item = entity('PackingItem', child)

/** Written through MikroORM's unit of work, because of its lifecycle hooks. */
const Stamp = entity('PackingStamp', child, { hooks: { beforeUpdate: [() => {}], beforeDelete: [() => {}] } })

await forEachDatabase(t, { entities: [List, Item, Stamp] }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/lists': {
      crud: new CrudBase({ model: List as any, writable: [{ items: ['text'], stamps: ['text'] }] as any }),
      operations: ['get', 'create', 'update', 'delete'],
    },
  })
  const { patch, created, updated } = writes(app)

  for (const [name, table] of [['items', 'packing_item'], ['stamps', 'packing_stamp']] as const) {
    t.test(`${name} are shown, changed and removed by their uuid`, async (t) => {
      const { id, [name]: [a, b, c] } = await created('/lists', { [name]: ['a', 'b', 'c'].map((text) => ({ text })) })
      t.strictSame(Object.keys(a), ['uuid', 'list', 'text'])
      const change = { add: [{ text: 'd' }], update: [{ uuid: b.uuid.toUpperCase(), text: 'B' }], remove: [a.uuid] }
      t.match(await updated(`/lists/${id}`, { [name]: change }), { [name]: [{ text: 'd' }, { ...b, text: 'B' }] })
      const { [name]: [foreign] } = await created('/lists', { [name]: [{ text: 'z' }] })

      for (const [refused, expected] of [
        [{ update: [{ id: 1, text: 'x' }] }, `400 FST_ERR_VALIDATION /${name}/update/0/id /${name}/update/0/uuid`],
        [{ remove: [1] }, `400 FST_ERR_VALIDATION /${name}/remove/0`],
        [{ update: [c, { ...c, uuid: c.uuid.toUpperCase() }].map(({ uuid }) => ({ uuid, text: 'x' })) },
          `400 FST_ERR_VALIDATION /${name}/update/1`],
        [{ remove: [a.uuid] }, `409 FST_CRUD_CONFLICT /${name}/remove/0`],
        [{ remove: [foreign.uuid] }, `409 FST_CRUD_CONFLICT /${name}/remove/0`],
        [{ update: [{ uuid: foreign.uuid, text: 'x' }] }, `409 FST_CRUD_CONFLICT /${name}/update/0/uuid`],
      ] as const) {
        t.equal(verdict(await patch(`/lists/${id}`, { [name]: refused })), expected, JSON.stringify(refused))
      }
      t.strictSame(await select(orm, `select list_id as list, text from ${table} order by text`), [
        { list: id, text: 'B' }, { list: id, text: 'c' }, { list: id, text: 'd' }, { list: foreign.list, text: 'z' },
      ])
    })
  }
})
