/** An application's own methods in place of those of CrudBase are called by the routes. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, crudKit, type CrudReadOptions, type CrudRecord } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Jar = entity('Jar', {
  id: p.integer().primary().autoincrement(), version: p.integer().version(), label: p.string(),
  deleted_at: p.datetime(3).nullable(),
})

const METHODS = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const
const calls: string[] = []
const requests: unknown[] = []

/** Each method does its usual work, and records that it was called, and whether with an EntityManager. */
function jarCrud (): CrudBase {
  const crud = resource(Jar)
  for (const method of METHODS) {
    const original = crud[method] as (...args: unknown[]) => Promise<CrudRecord | CrudRecord[] | null>
    const own = async (em: { persist?: unknown }, ...rest: unknown[]) => {
      calls.push(`${method} ${typeof em.persist === 'function' ? 'em' : 'other'}`)
      requests.push((rest.at(-1) as CrudReadOptions).context?.['request'])
      const result = await original.call(crud, em, ...rest)
      return Array.isArray(result)
        ? result.map((record: CrudRecord) => ({ ...record, by: method }))
        : result && { ...result, by: method }
    }
    Object.assign(crud, { [method]: own })
  }
  return crud
}

await forEachDatabase(t, { entities: [Jar] }, async (t, { orm }) => {
  const app = newServer(t)
  await app.register(crudKit, {
    orm, indexAdvice: false, resources: { '/jars': { crud: jarCrud(), operations: METHODS } },
  })
  const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
    calls.length = 0
    const answer = await app.inject({ method, url, ...(payload !== undefined && { payload }) })
    return {
      status: answer.statusCode, etag: answer.headers.etag, location: answer.headers.location, body: answer.json(),
      calls: [...calls],
    }
  }

  t.match(await ask('POST', '/jars', { label: 'plum' }), {
    status: 201, etag: '"1"', location: '/jars/1', body: { id: 1, label: 'plum', by: 'create' }, calls: ['create em'],
  })
  t.match(await ask('POST', '/jars', [{ label: 'fig' }]), {
    status: 201, body: [{ id: 2, label: 'fig', by: 'createMany' }], calls: ['createMany em'],
  })
  t.match(await ask('GET', '/jars'), {
    status: 200, body: { items: [{ id: 1 }, { id: 2 }], total: 2, by: 'list' }, calls: ['list em'],
  })
  t.match(await ask('GET', '/jars/1'), {
    status: 200, etag: '"1"', body: { label: 'plum', by: 'get' }, calls: ['get em'],
  })
  t.match(await ask('GET', '/jars/9'), { status: 404, calls: ['get em'] })
  const texts = resource(Jar)
  Object.assign(texts, {
    getJson: async () => '{"id":1,"version":7,"label":"of text"}',
    listJson: async () => '{"items":[]}',
  })
  await t.resolves(async () => {
    const other = newServer(t)
    await other.register(crudKit, { orm, indexAdvice: false, resources: { '/jars': texts } })
    const one = await other.inject('/jars/1')
    t.match([one.json(), one.headers.etag], [{ label: 'of text' }, '"7"'])
    t.strictSame((await other.inject('/jars')).json(), { items: [] })
  })
  t.match(await ask('PATCH', '/jars/1', { label: 'pear' }), {
    status: 200, etag: '"2"', body: { label: 'pear', by: 'update' }, calls: ['update em'],
  })
  t.match(await ask('DELETE', '/jars/1'), { status: 200, body: { by: 'delete' }, calls: ['delete em'] })
  t.match(await ask('POST', '/jars/1/restore'), {
    status: 200, body: { by: 'restore', deleted_at: null }, calls: ['restore em'],
  })
  t.ok(requests.length > 7 && requests.every((request) => request !== undefined), 'they can read the request')
})
