/** Owned children on a Citus cluster, in tables that are named like types of PostgreSQL. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, type AfterContext } from '../../src/index.ts'
import { createClusterDatabase, openWithTables, skip } from './cluster.ts'
import { onOneNode, tasksOf } from './tasks.ts'

const key = { tenant_id: p.integer().primary(), id: p.uuid().primary().onCreate(() => crypto.randomUUID()) }

const Box = defineEntity({
  name: 'Box',
  tableName: 'box',
  properties: {
    ...key, name: p.string(), version: p.integer().version(), lines: () => p.oneToMany(Line).mappedBy('box'),
  },
})

const Line = defineEntity({
  name: 'Line',
  tableName: 'line',
  properties: {
    ...key,
    text: p.string(),
    box: () => p.manyToOne(Box).joinColumns('tenant_id', 'box_id').updateRule('no action').deleteRule('no action'),
  },
})

class Boxes extends CrudBase {
  readonly told: unknown[] = []

  constructor () {
    super({ model: Box, writable: ['name', { lines: ['text'] }], previous: ['name'] } as never)
  }

  override afterUpdate (_: unknown, { previous }: AfterContext): void {
    this.told.push(previous)
  }
}

await t.test('owned children on a cluster', { skip }, async (t) => {
  const database = await createClusterDatabase()
  t.teardown(database.drop)
  const orm = await openWithTables(
    database.url,
    [Box, Line],
    ['box', 'line'].map((table) =>
      `select create_distributed_table('${table}', 'tenant_id', colocate_with => 'default')`
    )
  )
  t.teardown(() => orm.close(true))
  const boxes = new Boxes()
  const options = { scope: { tenant_id: 1 } }
  const em = orm.em.fork()
  const made: any = await boxes.create(em, { name: 'a', lines: [{ text: '1' }, { text: '2' }] }, options)
  t.match(made, { version: 1, lines: [{ text: '1' }, { text: '2' }] })
  const id = { tenant_id: 1, id: made.id }
  const [one, two] = made.lines

  let changed: any
  const tasks = await tasksOf(orm, async () => {
    changed = await boxes.update(em, id as never, {
      name: 'b',
      lines: { add: [{ text: '3' }], update: [{ id: one.id, text: 'one' }], remove: [two.id] },
    }, options)
    return { statusCode: 200 }
  })
  t.ok(onOneNode(tasks), JSON.stringify(tasks))
  t.match(changed, { name: 'b', version: 2, lines: [{ text: '3' }, { text: 'one' }] })
  t.strictSame(boxes.told, [{ name: 'a' }])

  const texts = async (): Promise<string[]> =>
    (await em.execute<{ text: string }[]>('select text from line order by text')).map(({ text }) => text)
  for (const lines of [{ add: [{ text: '4' }], remove: [two.id] }, { update: [{ id: two.id, text: 'x' }] }]) {
    await t.rejects(boxes.update(em, id as never, { name: 'c', lines }, options), { code: 'FST_CRUD_CONFLICT' })
  }
  t.strictSame(await texts(), ['3', 'one'], 'nothing is half written')

  const write = (text: string) =>
    boxes.update(orm.em.fork(), id as never, { name: text, lines: { add: [{ text }] } }, options)
  await Promise.all(Array.from({ length: 8 }, (_, writer) => write(`by ${writer}`)))
  t.equal((await texts()).length, 10, 'no child is lost')
  t.match(await boxes.get(em, id as never), { version: 10 })
})
