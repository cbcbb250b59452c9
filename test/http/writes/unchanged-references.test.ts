/**
 * A reference that a record already has is not a change, so it is not looked up again. A list of links contains only
 * the links that the client sees, and the others stay.
 */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, crudKit, crudRoutes, primaryKey, softDelete } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { column, select, verdict, writes, type Json } from '../helper.ts'

const own = { name: 'own', cond: (args: Json) => ({ tenant: args['tenant'] }) }
const Author = defineEntity({
  name: 'Author',
  tableName: 'author',
  filters: { own: { ...own, default: true } } as never,
  properties: { ...primaryKey, ...softDelete, tenant: p.integer().default(1), name: p.string() },
})
const Topic = defineEntity({
  name: 'Topic', tableName: 'topic', filters: { own: { ...own, default: true } } as never,
  properties: {
    ...primaryKey,
    ...softDelete,
    tenant: p.integer().default(1),
    name: p.string(),
    texts: () => p.manyToMany(Text).mappedBy('topics'),
    leader: () => p.manyToOne(Author).nullable(),
  },
})
const Area = defineEntity({
  name: 'Area',
  tableName: 'area',
  properties: {
    country: p.string().length(2).primary(), code: p.integer().primary(), deleted_at: p.datetime().nullable(),
  },
})
const columns = {
  ...primaryKey, title: p.string(), revision: p.integer().version(), author: () => p.manyToOne(Author).nullable(),
  editor: () => p.manyToOne(Author).nullable(),
}
const Text = defineEntity({
  name: 'Text',
  tableName: 'text',
  properties: {
    ...columns,
    area: () => p.manyToOne(Area).joinColumns('area_country', 'area_code').nullable(),
    topics: () => p.manyToMany(Topic).owner().pivotTable('text_topics'),
    areas: () => p.manyToMany(Area).owner().pivotTable('text_areas'),
    led: () => p.manyToMany(Topic).owner().pivotTable('text_led').where({ leader: { name: 'live' } }),
    steps: () => p.manyToMany(Topic).owner().pivotTable('text_steps').fixedOrder(),
  },
})
/** Written by MikroORM's unit of work. */
const Memo = defineEntity({ name: 'Memo', tableName: 'memo', hooks: { beforeUpdate: [() => {}] }, properties: columns })

await forEachDatabase(t, { entities: [Author, Topic, Area, Text, Memo] }, async (t, { orm }) => {
  await select(
    orm,
    "insert into author (name, tenant, deleted_at) values ('live', 1, null), ('deleted', 1, now()), " +
      "('foreign', 2, null), ('other', 1, null)"
  )
  await select(
    orm,
    "insert into topic (name, tenant, deleted_at) values ('a', 1, null), ('b', 1, null), ('deleted', 1, now()), " +
      "('foreign', 2, null), ('foreign 2', 2, null)"
  )
  await select(orm,
    "insert into area (country, code, deleted_at) values ('AT', 1, null), ('AT', 2, now()), ('DE', 1, null)")
  const texts = new CrudBase({ model: Text, writable: 'all' })
  const memos = new CrudBase({ model: Memo, writable: 'all' })
  const app = newServer(t)
  await app.register(crudKit, { orm, indexAdvice: false })
  app.addHook('onRequest', async ({ em }) => {
    em.setFilterParams('own', { tenant: 1 })
  })
  await app.register(crudRoutes, { prefix: '/texts', crud: texts, readonlyProperties: 'ignore' })
  await app.register(crudRoutes, { prefix: '/scoped', crud: texts, scope: () => ({ title: { $ne: 'never' } }) })
  await app.register(crudRoutes, { prefix: '/memos', crud: memos, readonlyProperties: 'ignore' })
  await app.register(crudRoutes, { prefix: '/topics', crud: new CrudBase({ model: Topic, writable: 'all' }) })
  const { created, patch, put, read, updated } = writes(app)
  const insert = async (table: string, values: string): Promise<number> =>
    (await select(
      orm,
      `insert into ${table} (title, revision, author_id, editor_id) values ('x', 1, ${values}) returning id`
    ))[0].id

  for (const [path, table] of [['/texts', 'text'], ['/scoped', 'text'], ['/memos', 'memo']] as const) {
    t.test(`${path}: the current id is not looked up`, async (t) => {
      const id = await insert(table, '2, 3')
      t.match(await updated(`${path}/${id}`, { author: 2, editor: 3, title: 'y' }), {
        title: 'y', author: 2, editor: 3,
      })
      t.match(await updated(`${path}/${id}`, { author: 2 }), { author: 2 })
      if (path !== '/scoped') {
        t.equal((await put(`${path}/${id}`, { ...await read(`${path}/${id}`), title: 'sent back' })).json().title,
          'sent back')
      }
    })

    t.test(`${path}: any other id is looked up`, async (t) => {
      const id = await insert(table, '2, 3')
      for (const [body, pointer] of [
        [{ author: 3 }, '/author'],
        [{ editor: 2 }, '/editor'],
        [{ author: 3, editor: 3 }, '/author'],
        [{ author: 99 }, '/author'],
        [{ author: 2, editor: 2 }, '/editor'],
      ] as const) {
        t.equal(verdict(await patch(`${path}/${id}`, body)), `409 FST_CRUD_CONFLICT ${pointer}`, JSON.stringify(body))
      }
      t.match(await updated(`${path}/${id}`, { author: 1, editor: 4 }), { author: 1, editor: 4 })
      t.equal(verdict(await patch(`${path}/${id}`, { author: 2 })), '409 FST_CRUD_CONFLICT /author',
        'it was the present one')
    })
  }

  t.test('a composite key is compared as a whole', async (t) => {
    const id = await insert('text', 'null, null')
    await select(orm, `update text set area_country = 'AT', area_code = 2 where id = ${id}`)
    t.match(await updated(`/texts/${id}`, { area: { country: 'AT', code: 2 }, title: 'y' }), { title: 'y' })
    t.match(await updated(`/texts/${id}`, { area: { country: 'DE', code: 1 } }), { area: { country: 'DE', code: 1 } })
    t.equal(verdict(await patch(`/texts/${id}`, { area: { country: 'AT', code: 2 } })), '409 FST_CRUD_CONFLICT /area')
  })

  const links = async (id: number) =>
    await column(orm, `select topic_id from text_topics where text_id = ${id} order by 1`)
  const linked = async (...topics: number[]): Promise<number> => {
    const id = await insert('text', '1, 1')
    for (const topic of topics) {
      await select(orm, `insert into text_topics (text_id, topic_id) values (${id}, ${topic})`)
    }
    return id
  }

  t.test('a list of links replaces only links that the client sees', async (t) => {
    for (const [present, list, expected] of [
      [[1, 3, 4], [], [3, 4]], [[1, 3, 4], [2], [2, 3, 4]], [[1, 3, 4], [1], [1, 3, 4]], [[1, 2], [2], [2]],
      [[3, 4, 5], [1, 2], [1, 2, 3, 4, 5]],
    ] as const) {
      for (const path of ['/texts', '/scoped']) {
        const id = await linked(...present)
        await updated(`${path}/${id}`, { topics: list, title: 'y' })
        t.strictSame(await links(id), expected, `${path} ${present} ${list}`)
      }
    }
  })

  t.test('a hidden link is not confirmed by sending its id', async (t) => {
    const id = await linked(1, 3, 4)
    for (const topic of [3, 4, 5, 99]) {
      t.equal(verdict(await patch(`/texts/${id}`, { topics: [1, topic] })), '409 FST_CRUD_CONFLICT /topics',
        String(topic))
    }
    t.strictSame(await links(id), [1, 3, 4])
  })

  t.test('the other side of the relation behaves the same', async (t) => {
    const [one, two] = [await linked(1), await linked(1)]
    await updated('/topics/1', { texts: [two] })
    t.strictSame([await links(one), await links(two)], [[], [1]])
  })

  t.test('a relation with a condition on other records keeps the links that it does not show', async (t) => {
    // the leader of the second topic has the name as well, and a filter hides it
    await select(orm, "insert into author (name, tenant) values ('live', 2)")
    await select(orm,
      "update topic set leader_id = (select id from author where name = 'live' and tenant = topic.id) where id < 3")
    const led = async (id: number) =>
      await column(orm, `select topic_id from text_led where text_id = ${id} order by 1`)
    const { id } = await created('/texts', { title: 'new', led: [1, 2] })
    t.strictSame(await led(id), [1, 2])
    for (const [list, expected] of [[[], [2]], [[1], [1, 2]], [[1, 2], [1, 2]], [[2], [2]]] as const) {
      await updated(`/texts/${id}`, { led: list })
      t.strictSame(await led(id), expected, JSON.stringify(list))
    }
    t.equal(verdict(await patch(`/texts/${id}`, { led: [1, 3] })), '409 FST_CRUD_CONFLICT /led')
  })

  t.test('links with an order have that of the body', async (t) => {
    const steps = async (
      id: number
    ) => (await select(orm, `select id, topic_id from text_steps where text_id = ${id} order by id`))
    const { id } = await created('/texts', { title: 'new', steps: [2, 1] })
    t.strictSame((await steps(id)).map(({ topic_id: topic }) => topic), [2, 1])
    await select(orm, `insert into text_steps (text_id, topic_id) values (${id}, 4)`)
    const before = await steps(id)
    await updated(`/texts/${id}`, { steps: [2, 1] })
    t.strictSame(await steps(id), before)
    await updated(`/texts/${id}`, { steps: [1, 2] })
    t.strictSame((await steps(id)).map(({ topic_id: topic }) => topic), [4, 1, 2])
  })

  t.test('links by composite keys behave the same', async (t) => {
    const id = await insert('text', '1, 1')
    await select(orm, `insert into text_areas select ${id}, country, code from area`)
    await updated(`/texts/${id}`, { areas: [{ country: 'DE', code: 1 }] })
    const made = await created('/texts', {
      title: 'new',
      areas: [{ country: 'AT', code: 1 }, { country: 'DE', code: 1 }],
    })
    t.equal((await select(orm, `select * from text_areas where text_id = ${made.id}`)).length, 2)
    t.strictSame(
      await column(orm, `select area_country || area_code as area from text_areas where text_id = ${id} order by 1`),
      ['AT2', 'DE1']
    )
  })
})
