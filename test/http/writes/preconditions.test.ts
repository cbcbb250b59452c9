import { p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase } from '../../../src/index.ts'
import { timestamps } from '../../../src/entities/base-model.ts'
import { entities, Order, Plant } from '../../fixtures/entities.ts'
import { customerId, seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { bodyOf, resource, select, serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

/** An entity with a version and soft delete. */
const Draft = entity('Draft', {
  id: p.integer().primary().autoincrement(), ...timestamps, version: p.integer().version(), title: p.string(),
  deleted_at: p.datetime(3).nullable(),
})

/** An entity whose version is the time of the last change. */
const Page = entity('Page', {
  id: p.integer().primary().autoincrement(), title: p.string(), changed: p.datetime(6).version(),
})

const FAILED = '412 FST_CRUD_PRECONDITION_FAILED'
const REQUIRED = '428 FST_CRUD_PRECONDITION_REQUIRED'

await forEachDatabase(t, { entities: [...entities, Draft, Page], seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/orders': resource(Order), '/drafts': resource(Draft), '/pages': resource(Page), '/plants': resource(Plant),
    '/strict': { crud: resource(Draft), requireIfMatch: true },
  })
  const { get, post, patch, put, remove, restore, created, read } = writes(app)
  const ifMatch = (tag: string) => ({ 'if-match': tag })

  t.test('a record has its version as an entity tag', async (t) => {
    const response = await post('/orders', { customer: customerId(1), note: 'a' })
    t.strictSame([response.headers.etag, bodyOf(response).version], ['"1"', 1])
    const path = response.headers.location as string
    t.equal((await get(path)).headers.etag, '"1"')
    t.equal((await patch(path, { note: 'b' })).headers.etag, '"2"')
    t.equal((await put(path, { note: 'c' })).headers.etag, '"3"')
    const last = await remove(path)
    t.strictSame([last.headers.etag, bodyOf(last).version], ['"3"', 3])
    t.equal((await get('/plants/1')).headers.etag, undefined)
    t.equal((await patch('/plants/1', { position: 1 })).headers.etag, undefined)
  })

  t.test('If-Match with the current version lets the write through', async (t) => {
    const { id } = await created('/orders', { customer: customerId(1) })
    const path = `/orders/${id}`
    t.equal((await patch(path, { note: '1' }, ifMatch('"1"'))).headers.etag, '"2"')
    t.equal((await patch(path, { note: '2' }, ifMatch('"7", "2"'))).headers.etag, '"3"')
    t.equal((await put(path, { note: '3' }, ifMatch(' "3" '))).headers.etag, '"4"')
    t.equal((await patch(path, { note: '4' }, ifMatch('*'))).headers.etag, '"5"')
    t.equal((await patch(path, {}, ifMatch('"5"'))).headers.etag, '"5"', 'and nothing changes nothing')
    t.equal((await remove(path, ifMatch('"5"'))).statusCode, 200)
  })

  t.test('a stale, weak or unreadable tag fails, and changes nothing', async (t) => {
    const { id } = await created('/orders', { customer: customerId(1), note: 'kept' })
    const path = `/orders/${id}`
    await patch(path, { note: 'changed' })
    const before = await read(path)
    for (const tag of [
      '"1"', '"3"', 'W/"2"', 'W/"1", W/"2"', '2', '"2', "'2'", '', ' ', '""', '"02"', '" 2"', '"2" x', '*, "2"',
      '"1";"2"', 'null', '"null"', '"2\\"', '"é"', '"{2}"', '"1,2"', 'x"2"',
    ]) {
      t.equal(verdict(await patch(path, { note: 'Never' }, ifMatch(tag))), FAILED, tag)
      t.equal(verdict(await put(path, { note: 'Never' }, ifMatch(tag))), FAILED, tag)
      t.equal(verdict(await patch(path, {}, ifMatch(tag))), FAILED, `${tag}: of nothing`)
      t.equal(verdict(await remove(path, ifMatch(tag))), FAILED, tag)
    }
    t.strictSame(await read(path), before)
    t.strictSame(bodyOf(await patch(path, { note: 'x' }, ifMatch('"1"'))), {
      statusCode: 412,
      code: 'FST_CRUD_PRECONDITION_FAILED',
      error: 'Precondition Failed',
      message: 'The record has changed since the version named in If-Match.',
      detail: 'The record has changed since the version named in If-Match.',
      errors: [{
        code: 'FST_CRUD_PRECONDITION_FAILED',
        detail: 'The record has changed since the version named in If-Match.',
      }],
    })
  })

  t.test('the answer says why no version matches', async (t) => {
    const { id } = await created('/orders', { customer: customerId(1) })
    const detailOf = async (path: string, tag: string) => bodyOf(await patch(path, {}, ifMatch(tag))).detail
    const form = 'If-Match takes entity tags in double quotes, without W/ before them, such as "1".'
    for (const tag of ['1', 'W/"1"', '"1', '']) t.equal(await detailOf(`/orders/${id}`, tag), form, tag)
    t.equal(await detailOf('/plants/1', '"1"'), 'These records have no version, so that only * matches in If-Match.')
  })

  t.test('an absent record is a 404, whatever the tag', async (t) => {
    for (const tag of ['"1"', '*', 'W/"1"']) {
      t.equal(verdict(await patch('/orders/99', { note: 'x' }, ifMatch(tag))), '404 FST_CRUD_NOT_FOUND')
      t.equal(verdict(await remove('/orders/99', ifMatch(tag))), '404 FST_CRUD_NOT_FOUND')
    }
  })

  t.test('only * matches an entity without a version', async (t) => {
    t.equal((await patch('/plants/1', { position: 1 }, ifMatch('*'))).statusCode, 200)
    for (const tag of ['"1"', '""', '"null"', 'W/"1"']) {
      t.equal(verdict(await patch('/plants/1', { name: 'Never' }, ifMatch(tag))), FAILED, tag)
      t.equal(verdict(await patch('/plants/1', {}, ifMatch(tag))), FAILED, tag)
      t.equal(verdict(await remove('/plants/1', ifMatch(tag))), FAILED, tag)
    }
    t.strictSame(await select(orm, "select id from plant where name = 'Never' or (id = 1 and deleted_at is not null)"),
      [])
  })

  t.test('deleting and restoring also check versions', async (t) => {
    const { id } = await created('/drafts', { title: 'x' })
    const path = `/drafts/${id}`
    t.equal(verdict(await remove(path, ifMatch('"2"'))), FAILED)
    t.equal((await remove(path, ifMatch('"1"'))).headers.etag, '"2"')
    t.equal(verdict(await restore(path, ifMatch('"1"'))), FAILED)
    t.equal((await restore(path, ifMatch('"2"'))).headers.etag, '"3"')
    t.equal((await restore(path, ifMatch('"3"'))).headers.etag, '"3"', 'there was nothing to restore')
    t.equal(verdict(await restore(path, ifMatch('"2"'))), FAILED)
  })

  t.test('a time version has a different tag after each change', async (t) => {
    const first = await post('/pages', { title: 'a' })
    const path = first.headers.location as string
    t.match(first.headers.etag, /^"\d{4}-/)
    t.equal((await get(path)).headers.etag, first.headers.etag)
    const second = await patch(path, { title: 'b' }, ifMatch(first.headers.etag as string))
    t.equal(second.statusCode, 200)
    t.equal(second.headers.etag, (await get(path)).headers.etag)
    t.equal(verdict(await patch(path, { title: 'c' }, ifMatch('"2001-01-01T00:00:00.000Z"'))), FAILED)
    t.equal(verdict(await post('/pages', { title: 'a', changed: '2024-01-01' })), '400 FST_ERR_VALIDATION /changed')
  })

  t.test('requireIfMatch refuses writes without If-Match', async (t) => {
    const { id } = await created('/strict', { title: 'x' })
    const path = `/strict/${id}`
    for (const response of [
      await patch(path, { title: 'y' }), await put(path, { title: 'y' }), await remove(path),
      await patch('/strict/99', {}),
    ]) t.equal(verdict(response), REQUIRED)
    t.match((await patch(path, { title: 'y' })).json(), {
      statusCode: 428,
      message: 'The header If-Match is required.',
    })
    t.equal((await patch(path, { title: 'y' }, ifMatch('"1"'))).statusCode, 200)
    t.equal((await patch(path, { title: 'y' }, ifMatch('*'))).statusCode, 200)
    t.equal((await remove(path, ifMatch('"3"'))).statusCode, 200)
    t.equal((await restore(path)).statusCode, 200, 'of which nobody can have read the version')
    t.equal((await get(path)).statusCode, 200)
  })

  t.test('methods of CrudBase take a version', async (t) => {
    const crud = new CrudBase({ model: Order, writable: 'all' })
    const em = orm.em.fork()
    const { id } = await crud.create(em, { customer: customerId(2) })
    t.equal((await crud.update(em, id, { note: 'x' }, { ifMatch: '"1"' })).version, 2)
    await t.rejects(crud.update(em, id, { note: 'x' }, { ifMatch: '"1"' }), { code: 'FST_CRUD_PRECONDITION_FAILED' })
    await t.rejects(crud.delete(em, id, { ifMatch: '"1"' }), { code: 'FST_CRUD_PRECONDITION_FAILED' })
    t.equal((await crud.delete(em, id, { ifMatch: '"2"' })).version, 2)
  })
})
