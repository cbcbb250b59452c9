/** A server asks its database at start-up whether it is distributed, and refuses resources that cannot work there. */
import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import {
  AllowedFilters, AllowedInclude, crudKit, CrudBase, DatabaseFactory, QueryBuilderConfig, type DatabaseOptions,
} from '../../src/index.ts'
import { newServer } from '../helpers/server.ts'
import { createClusterDatabase, execute, openWithTables, skip } from './cluster.ts'
import { distribute, entities, tasks } from './colocated.ts'
import * as single from './single-keys.ts'

await t.test('a cluster', { skip }, async (t) => {
  const database = await createClusterDatabase()
  t.teardown(database.drop)
  await (await openWithTables(database.url, entities, distribute)).close(true)

  await t.test('a factory says how tables are distributed', async (t) => {
    const factory = new DatabaseFactory({ databaseUrl: database.url, entities })
    t.equal(factory.distributed, undefined, 'before it is open')
    await factory.getEngine()
    t.match(factory.distributed, { extension: 'citus', version: /^1\d\./ })
    const { '"task"': task, '"project"': project } = factory.distributed!.tables
    t.match(task, { kind: 'distributed', column: 'tenant_id', group: Number })
    t.strictSame(project, task, 'co-located')
    t.strictSame(factory.distributed?.tables['"country"'], { kind: 'reference' })
    await factory.close()
    t.equal(factory.distributed, undefined, 'after it is closed')
  })

  await t.test('synchronous sessions write there, too', async (t) => {
    const factory = new DatabaseFactory({ databaseUrl: database.url, entities, useAsync: false })
    t.teardown(() => factory.close())
    const session = factory.getSessionMaker(factory.getEngine())()
    t.match(factory.distributed, { extension: 'citus' })
    const scope = { tenant_id: 7 }
    const made = tasks.createMany(session, [{ title: 'one' }, { title: 'two' }, { title: 'three' }], { scope })
    t.strictSame(made.map(({ title }) => title), ['one', 'two', 'three'])
    const id = { tenant_id: 7, id: made[0]!['id'] as string }
    t.equal(tasks.update(session, id, { title: 'changed' }, { scope })['title'], 'changed')
    const changed = tasks.get(session, id, undefined, { scope })!['changed']
    const ifMatch = `"${changed}"`
    t.equal(tasks.update(session, id, { title: 'matched' }, { scope, ifMatch })['title'], 'matched')
    t.throws(() => tasks.update(session, id, { title: 'stale' }, { scope, ifMatch: '"2020-01-01T00:00:00.000Z"' }), {
      code: 'FST_CRUD_PRECONDITION_FAILED',
    })
    t.throws(() => tasks.delete(session, id, { scope, ifMatch: '"x"' }), { code: 'FST_CRUD_PRECONDITION_FAILED' })
    t.equal(tasks.delete(session, id, { scope })['title'], 'matched')
  })

  await t.test('CrudBase on an EntityManager asks before its first write', async (t) => {
    const orm = await MikroORM.init({ clientUrl: database.url, entities })
    t.teardown(() => orm.close(true))
    const scope = { tenant_id: 1 }
    const made = await orm.em.transactional((em) => tasks.create(em, { title: 'x' }, { scope }))
    t.equal(made['title'], 'x')
    t.equal((await tasks.delete(orm.em.fork(), { tenant_id: 1, id: made['id'] as string }, { scope }))['title'], 'x')
  })

  /** The message with which a server refuses to start. */
  const refusal = async (t: Test, entity: any, tables: readonly string[], options: object = {}): Promise<string> => {
    await execute(database.url, ...tables)
    const app = newServer(t)
    const given: DatabaseOptions = { databaseUrl: database.url, entities: [entity] }
    await app.register(crudKit, {
      database: given,
      resources: { '/x': { crud: new CrudBase({ model: entity, writable: 'all' }), ...options } },
    })
    return await Promise.resolve(app.ready()).then(() => 'it starts', (error: Error) => error.message)
  }

  await t.test('a unique constraint needs the distribution column', async (t) => {
    const Coupon = defineEntity({
      name: 'Coupon',
      properties: {
        shop: p.integer().primary(), id: p.uuid().primary().onCreate(() => randomUUID()), code: p.string().unique(),
      },
    })
    const tables = [
      'create table coupon (shop int, id uuid, code text, primary key (shop, id))',
      "select create_distributed_table('coupon', 'shop')",
    ]
    t.match(
      await refusal(t, Coupon, tables),
      '"coupon" is distributed by "shop", so it cannot have a unique constraint on "code" alone. ' +
        'Add the property of "shop" to it, or make the table a reference table.'
    )
  })

  await t.test('a primary key needs the distribution column, too', async (t) => {
    const Parcel = defineEntity({
      name: 'Parcel',
      properties: { id: p.uuid().primary().onCreate(() => randomUUID()), shop: p.integer() },
    })
    const tables = [
      'create table parcel (id uuid, shop int, primary key (shop, id))',
      "select create_distributed_table('parcel', 'shop')",
    ]
    t.match(
      await refusal(t, Parcel, tables, { operations: ['list'] }),
      '"parcel" is distributed by "shop", so it cannot have a unique constraint on "id" alone. ' +
        'Add the property of "shop" to it, or make the table a reference table.'
    )
  })

  await t.test('the unit of work needs keys that the application makes', async (t) => {
    const entity = (name: string, key: any) =>
      defineEntity({
        name, hooks: { beforeCreate: [() => {}] },
        properties: { shop: p.integer().primary(), id: key, text: p.string() },
      })
    const Message = entity('Message', p.bigint('string').primary().autoincrement())
    const Letter = entity('Letter', p.uuid().primary().onCreate(() => randomUUID()))
    const tables = (name: string, type: string) => [
      `create table ${name} (shop int, id ${type}, text text, primary key (shop, id))`,
      `select create_distributed_table('${name}', 'shop')`,
    ]
    t.match(
      await refusal(t, Message, tables('message', 'bigserial')),
      "to create Message takes MikroORM's unit of work, because of its lifecycle hooks or a subscriber, " +
        'and the database makes its keys.'
    )
    t.equal(await refusal(t, Message, ['select 1'], { operations: ['list', 'get', 'update'] }), 'it starts')
    t.equal(await refusal(t, Letter, tables('letter', 'uuid')), 'it starts')
  })

  await t.test('keys that are counted as integers', async (t) => {
    const Shelf = defineEntity({
      name: 'Shelf',
      properties: { shop: p.integer().primary(), id: p.uuid().primary(), deleted_at: p.datetime().nullable() },
    })
    const Item = defineEntity({
      name: 'Item',
      properties: {
        shop: p.integer().primary(),
        id: p.integer().primary().autoincrement(),
        shelf: () => p.manyToOne(Shelf).joinColumns('shop', 'shelf_id').nullable(),
      },
    })
    await execute(database.url,
      'create table shelf (shop int, id uuid, deleted_at timestamptz, primary key (shop, id))',
      "select create_distributed_table('shelf', 'shop')",
      'create table item (shop int, id serial, shelf_id uuid, primary key (shop, id))',
      "select create_distributed_table('item', 'shop')")
    t.match(await refusal(t, Item, ['select 1']),
      /: the database counts the keys of Item as integers\..*'shelf' is hidden: make the key a bigint or a uuid\.$/)
  })
})

await t.test('tables by their own keys', { skip }, async (t) => {
  const database = await createClusterDatabase()
  t.teardown(database.drop)
  const orm = await openWithTables(database.url, single.entities, single.byOwnKeys, false)
  t.teardown(() => orm.close(true))

  /** The message with which a server refuses to start, or that it starts. */
  const start = async (t: Test, crud: object, operations: readonly string[] = ['list', 'get']): Promise<string> => {
    const app = newServer(t)
    await app.register(crudKit, { orm, resources: { '/x': { crud, operations } } as never })
    return await Promise.resolve(app.ready()).then(() => 'it starts', (error: Error) => error.message)
  }
  const allowing = (model: any, config: object, writable?: any) =>
    new CrudBase({ model, writable, queryConfig: new QueryBuilderConfig<any>(config) })
  const { Author, Book, Genre, Note } = single

  // `test/resource/co-location.test.ts` has all joins
  await t.test('joins of tables that are not co-located are refused', async (t) => {
    const include = await start(t, allowing(Book, { allowedIncludes: [new AllowedInclude('genres')] }))
    t.match(include, /joins "book_genres" to "genre" by "genre_id"\. "book_genres" is distributed by "book_id", and /)
    t.match(await start(t, allowing(Book, {}, ['genres']), ['update']), /to change 'genres' joins "book_genres"/)
  })

  await t.test('everything else is allowed', async (t) => {
    const filters = [AllowedFilters.exact('author.name'), AllowedFilters.exact('genres.name')]
    const allowedIncludes = [new AllowedInclude('author')]
    t.equal(await start(t, allowing(Book, { allowedFilters: filters, allowedIncludes })), 'it starts')
    t.equal(await start(t, allowing(Book, {}, ['title', 'genres']), ['list', 'create']), 'it starts')
    t.equal(await start(t, allowing(Author, { allowedIncludes: [AllowedInclude.sum('books.pages')] })), 'it starts')
    // the pivot table is distributed by the key of books
    t.equal(await start(t, allowing(Genre, { allowedIncludes: [new AllowedInclude('books')] })), 'it starts')
    t.equal(await start(t, allowing(Note, { allowedIncludes: [new AllowedInclude('book.author')] })), 'it starts')
  })
})
