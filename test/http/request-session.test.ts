/** An EntityManager is forked for a request only on first use, and all callers get the same one. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import {
  AllowedFilters, BaseModel, CrudBase, crudKit, crudRoutes, type CrudContext, type CrudRecord,
} from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { resource, whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Jar = entity('Jar', { label: p.string() }, { extends: BaseModel })
const Lid = entity('Lid', { id: p.integer().primary().autoincrement(), size: p.integer() }, {
  filters: { own: { name: 'own', cond: (args: { size: number }) => ({ size: args.size }), default: true } },
})

await forEachDatabase(t, { entities: [Jar, Lid] }, async (t, { orm }) => {
  let forks = 0
  const fork = orm.em.fork.bind(orm.em)
  orm.em.fork = (...args) => {
    forks++
    return fork(...args)
  }
  t.teardown(() => {
    orm.em.fork = fork
  })
  const seen: unknown[] = []
  class Watched extends CrudBase<any> {
    override afterRead (record: CrudRecord, { em, request }: CrudContext): CrudRecord {
      seen.push(em === request?.em)
      return record
    }
  }
  const app = newServer(t)
  await app.register(crudKit, { orm, indexAdvice: false })
  app.addHook('onRequest', async (request) => {
    if (request.headers['x-size'] !== undefined) {
      request.em.setFilterParams('own', { size: Number(request.headers['x-size']) })
    }
  })
  const operations = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const
  await app.register(crudRoutes, { prefix: '/jars', crud: resource(Jar), operations })
  await app.register(crudRoutes, {
    prefix: '/watched',
    crud: new Watched({
      model: Jar,
      writable: 'all',
      queryConfig: whitelist({
        allowedFilters: [AllowedFilters.custom('x', (qb, value, { em, request }) => {
          seen.push(em === (request as { em?: unknown } | undefined)?.em)
          return qb
        })],
      }),
    }),
  })
  await app.register(crudRoutes, { prefix: '/lids', crud: resource(Lid) })
  await app.ready()
  const ask = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
    headers: Record<string, string> = {}
  ) => {
    forks = 0
    const answer = await app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
    return [answer.statusCode, forks]
  }

  // the compilation at the first request must not use a fork either
  for (let time = 0; time < 2; time++) {
    t.strictSame(await ask('POST', '/jars', { label: 'plum' }), [201, 0])
    t.strictSame(await ask('POST', '/jars', [{ label: 'fig' }, { label: 'pear' }]), [201, 0])
    t.strictSame(await ask('GET', '/jars'), [200, 0])
    t.strictSame(await ask('GET', '/jars/1'), [200, 0])
    t.strictSame(await ask('PATCH', '/jars/1', { label: 'plums' }), [200, 0])
    t.strictSame(await ask('DELETE', '/jars/1'), [200, 0])
    t.strictSame(await ask('POST', '/jars/1/restore'), [200, 0])
    t.strictSame(await ask('GET', '/jars/99'), [404, 0])
  }
  t.strictSame(await ask('GET', '/watched?filter[x]=1'), [200, 1])
  t.ok(seen.length > 1 && seen.every((same) => same === true),
    'hooks and custom filters have the EntityManager of the request')
  t.strictSame(await ask('GET', '/lids', undefined, { 'x-size': '3' }), [200, 1], 'parameters were set on it')
  t.strictSame(await ask('GET', '/lids'), [500, 1], 'and a filter that misses them is asked on it')
})
