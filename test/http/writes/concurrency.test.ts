import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import t from 'tap'
import { CrudBase } from '../../../src/index.ts'
import { entities, Order, Plant, Shelf, Tag } from '../../fixtures/entities.ts'
import { customerId, seed } from '../../fixtures/seed.ts'
import { forEachDatabase, forPostgres } from '../../helpers/databases.ts'
import { until } from '../../helpers/until.ts'
import { column, countOf, resource, select, serve, verdict, writes } from '../helper.ts'

const MANY = Array.from({ length: 20 }, (_, index) => index)

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test("rolling back the caller's transaction undoes a write", async (t) => {
    const before = await select(orm, 'select * from tag order by id')
    const crud = new CrudBase({ model: Tag, writable: 'all' })
    const seen: unknown[] = []
    await t.rejects(
      orm.em.fork().transactional(async (em) => {
        const { id } = await crud.create(em as any, { name: 'gone' })
        await crud.createMany(em as any, [{ name: 'gone 2' }, { name: 'gone 3' }])
        await crud.update(em as any, 1, { name: 'gone 4' })
        await crud.delete(em as any, 2)
        seen.push((await crud.get(em as any, id))?.name, await crud.count(em as any),
          (await crud.get(em as any, 1))?.name)
        throw new Error('changed my mind')
      }),
      /changed my mind/
    )
    t.strictSame(seen, ['gone', 6, 'gone 4'], 'inside, all of it is there')
    t.strictSame(await select(orm, 'select * from tag order by id'), before)
  })

  t.test("a caller's transaction that continues after a refusal keeps the rest", async (t) => {
    const tags = new CrudBase({ model: Tag, writable: 'all' })
    const plants = new CrudBase({ model: Plant, writable: 'all' })
    await orm.em.fork().transactional(async (em) => {
      await tags.create(em as any, { name: 'kept' })
      // refused before anything is sent, and inside a separate savepoint
      await t.rejects(tags.create(em as any, { nmae: 'x' } as never), { code: 'FST_ERR_VALIDATION' })
      await t.rejects(plants.create(em as any, { name: 'x', supplier: 1, tags: [99] }), { code: 'FST_CRUD_CONFLICT' })
      await t.rejects(tags.update(em as any, 99, { name: 'x' }), { code: 'FST_CRUD_NOT_FOUND' })
    })
    t.equal((await select(orm, "select id from tag where name = 'kept'")).length, 1)
  })

  t.test('a batch stores nothing if the 50th of many records fails in the database', async (t) => {
    const before = await select(orm, 'select count(*)::int as count from shelf')
    const many = Array.from({ length: 100 }, (_, number) => ({ house: 'T', number }))
    many[49] = { house: 'A', number: 1 }
    await t.rejects(new CrudBase({ model: Shelf, writable: 'all' }).createMany(orm.em.fork(), many), {
      code: 'FST_CRUD_CONFLICT',
    })
    t.strictSame(await select(orm, 'select count(*)::int as count from shelf'), before)
    const plants = Array.from({ length: 100 },
      (_, index) => ({ name: `p${index}`, supplier: 1, tags: [1], sku: index === 49 ? 'LAV-001' : `N-${index}` }))
    await t.rejects(new CrudBase({ model: Plant, writable: 'all' }).createMany(orm.em.fork(), plants), {
      code: 'FST_CRUD_CONFLICT',
    }, 'through the unit of work, too')
    t.strictSame(await select(orm, "select id from plant where name like 'p%' and article_number like 'N-%'"), [])
  })
})

// PGlite runs one statement after the other
await forPostgres(t, 'PostgreSQL', { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/orders': resource(Order),
    '/plants': { crud: resource(Plant), allowHardDelete: true },
    '/tags': {
      crud: resource(Tag),
      operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'],
    },
  })
  const { created, patch, remove, restore, post, read } = writes(app)
  const tally = async (sent: Promise<Parameters<typeof verdict>[0]>[]): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {}
    for (const response of await Promise.all(sent)) counts[verdict(response)] = (counts[verdict(response)] ?? 0) + 1
    return counts
  }

  t.test('one of many updates of the same version wins, and nothing is lost', async (t) => {
    const { id } = await created('/orders', { customer: customerId(1) })
    const sent = MANY.map((index) => patch(`/orders/${id}`, { note: `by ${index}` }, { 'if-match': '"1"' }))
    t.strictSame(await tally(sent), { 200: 1, '412 FST_CRUD_PRECONDITION_FAILED': 19 })
    const winner = (await Promise.all(sent)).find(({ statusCode }) => statusCode === 200)!.json()
    t.strictSame(await read(`/orders/${id}`), winner)
    t.equal(winner.version, 2)
  })

  t.test('updates without a version are applied one after the other', async (t) => {
    const { id } = await created('/orders', { customer: customerId(1) })
    t.strictSame(await tally(MANY.map((index) => patch(`/orders/${id}`, { note: `by ${index}` }))), { 200: 20 })
    t.equal((await read(`/orders/${id}`)).version, 21)
  })

  t.test('clients that retry with the latest version do not overwrite each other', async (t) => {
    const { id } = await created('/orders', { customer: customerId(1), note: '' })
    const append = async (letter: string): Promise<void> => {
      for (;;) {
        const { version, note } = await read(`/orders/${id}`)
        const response = await patch(`/orders/${id}`, { note: note + letter }, { 'if-match': `"${version}"` })
        if (response.statusCode === 200) return
        if (response.statusCode !== 412) throw new Error(response.body)
      }
    }
    await Promise.all([...'abcdefgh'].map(append))
    t.strictSame([...(await read(`/orders/${id}`)).note].sort(), [...'abcdefgh'])
  })

  t.test('one of many deletes succeeds', async (t) => {
    t.strictSame(await tally(MANY.map(() => remove('/plants/3'))), { 200: 1, '404 FST_CRUD_NOT_FOUND': 19 })
    const { id } = await created('/plants', { name: 'x', supplier: 1 })
    t.strictSame(await tally(MANY.map(() => remove(`/plants/${id}?hard=true`))), {
      200: 1,
      '404 FST_CRUD_NOT_FOUND': 19,
    })
  })

  t.test('many restores give the same result', async (t) => {
    await remove('/plants/4')
    const [before] = await select(orm, 'select updated_at from plant where id = 4')
    t.strictSame(await tally(MANY.map(() => restore('/plants/4'))), { 200: 20 })
    // the time zone of the session may already be in the next day
    t.ok(Date.parse((await read('/plants/4')).updated_at) >= Date.parse(before.updated_at))
  })

  t.test('one of many creations with the same name succeeds', async (t) => {
    t.strictSame(await tally(MANY.map(() => post('/tags', { name: 'unique' }))), {
      201: 1,
      '409 FST_CRUD_CONFLICT /name': 19,
    })
  })

  t.test('sets replaced at the same time end as one of them', async (t) => {
    const { id } = await created('/plants', { name: 'x', supplier: 1, tags: [5] })
    const sets = [[1, 2], [3], [], [1, 2, 3, 5]]
    t.strictSame(await tally(MANY.map((index) => patch(`/plants/${id}`, { tags: sets[index % sets.length] }))), {
      200: 20,
    })
    const links = await column(orm, `select tag_id from plant_tags where plant_id = ${id} order by 1`)
    t.ok(sets.some((set) => JSON.stringify(set) === JSON.stringify(links)), JSON.stringify(links))
  })

  t.test('an update after a concurrent delete does not change the record', async (t) => {
    const { id } = await created('/plants', { name: 'x', supplier: 1 })
    await Promise.all(
      MANY.map((index) => index === 10 ? remove(`/plants/${id}`) : patch(`/plants/${id}`, { position: index }))
    )
    const [row] = await select(orm, `select deleted_at, updated_at from plant where id = ${id}`)
    t.ok(row.deleted_at)
    t.equal(verdict(await patch(`/plants/${id}`, { position: 99 })), '404 FST_CRUD_NOT_FOUND')
  })

  t.test('a client that goes away in the middle of a batch leaves nothing half-written', async (t) => {
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const gate = orm.em.fork()
    await gate.begin()
    // the batch waits for this name in the middle of its rows
    await gate.execute("insert into tag (name) values ('gate 30')")
    const body = JSON.stringify(Array.from({ length: 60 }, (_, index) => ({ name: `gate ${index}` })))
    const socket = net.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      'POST /tags HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ' +
        `${body.length}\r\n\r\n${body}`
    )
    const waiting = "select pid from pg_locks where not granted and locktype = 'transactionid'"
    await until(async () => (await select(orm, waiting)).length > 0)
    socket.destroy()
    await until(async () => (await select(orm, waiting)).length === 0)
    await gate.rollback()
    t.strictSame(await select(orm, "select name from tag where name like 'gate %'"), [])
    t.equal((await post('/tags', [{ name: 'gate 30' }])).statusCode, 201, 'the connection is of use to the next')
  })

  t.test('a batch that is not interrupted is complete', async (t) => {
    const batches = MANY.map((batch) =>
      post('/tags', Array.from({ length: 20 }, (_, index) => ({ name: `batch ${batch} ${index}` })))
    )
    t.strictSame(await tally(batches), { 201: 20 })
    t.equal(await countOf(orm, "tag where name like 'batch %'"), 400)
  })
})
