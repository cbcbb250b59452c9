/** The stack of an error leads from the statement of an operation back to its route. */
import { p } from '@mikro-orm/core'
import Fastify from 'fastify'
import t from 'tap'
import { CrudBase, crudKit } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'

const Lost = entity('Lost', {
  id: p.integer().primary().autoincrement(), name: p.string(), deleted_at: p.datetime(3).nullable(),
})

const HANDLERS = 'http/routes/handlers'
const STACKS = [
  ['GET', '/lost', ['run/session', 'read/rows', 'read/list', HANDLERS]],
  ['GET', '/lost/1', ['run/session', 'read/rows', 'read/get', HANDLERS]],
  ['POST', '/lost', ['run/session', 'write/one-statement/insert', 'write/create', HANDLERS]],
  ['PATCH', '/lost/1', ['run/session', 'write/one-statement/change', 'write/update', HANDLERS]],
  ['DELETE', '/lost/1', ['run/session', 'write/one-statement/change', 'write/delete', HANDLERS]],
] as const

const { stackTraceLimit } = Error
Error.stackTraceLimit = 50
t.teardown(() => {
  Error.stackTraceLimit = stackTraceLimit
})

await forEachDatabase(t, { entities: [Lost] }, async (t, { orm }) => {
  const app = Fastify()
  t.teardown(() => app.close())
  let stack = ''
  app.addHook('onError', async (request, reply, error) => {
    stack = error.stack!
  })
  await app.register(crudKit, {
    orm, indexAdvice: false, resources: { '/lost': new CrudBase<any>({ model: Lost, writable: 'all' }) },
  })
  await orm.em.getConnection().execute('drop table lost')
  for (const [method, url, expected] of STACKS) {
    const payload = method === 'POST' || method === 'PATCH' ? { name: 'x' } : undefined
    t.equal((await app.inject({ method, url, ...(payload && { payload }) })).statusCode, 500, `${method} ${url}`)
    const files = [...stack.matchAll(/src\/([\w/-]+)\.ts:/g)].map(([, file]) => file!)
    const way = expected.map((file) => files.indexOf(file))
    t.ok(way.every((place, index) => place > (way[index - 1] ?? -1)), `${expected.join(', ')} in ${stack}`)
  }
})
