/** The routes for which hooks of an application run. */
import { p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import t from 'tap'
import { crudKit, crudRoutes, primaryKey } from '../../src/index.ts'
import { newServer } from '../helpers/server.ts'
import { resource } from './helper.ts'
import { entity } from '../helpers/entity.ts'

t.test('hooks added before the server is ready run for earlier routes, and in a plugin for its routes', async (t) => {
  const Note = entity('Note', { ...primaryKey, text: p.string() })
  const app = newServer(t)
  await app.register(crudKit, {
    orm: new MikroORM({ entities: [Note], dbName: 'none' }),
    resources: { '/notes': resource(Note) },
  })
  await app.register(crudRoutes, { prefix: '/others', crud: resource(Note) })
  await app.register(async (inner) => {
    await inner.register(crudRoutes, { prefix: '/inner', crud: resource(Note) })
    inner.addHook('onRequest', async (request, reply) => {
      await reply.code(402).send('inner')
    })
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers['x-pass'] === undefined) await reply.code(401).send('outer')
  })
  const status = async (url: string, pass: boolean) =>
    (await app.inject({ method: 'POST', url, payload: {}, headers: pass ? { 'x-pass': 'yes' } : {} })).statusCode
  for (const url of ['/notes', '/others']) t.equal(await status(url, false), 401, url)
  t.strictSame([await status('/notes', true), await status('/others', true), await status('/inner', true)], [
    400, 400, 402,
  ])
  t.equal(await status('/inner', false), 402, 'in the order in which they were added')
})

t.test('hooks that onRegister adds to the context of a resource run for all of its routes', async (t) => {
  const Note = entity('Note', { ...primaryKey, text: p.string(), deleted_at: p.datetime().nullable() })
  const app = newServer(t)
  app.addHook('onRegister', (instance, { prefix }: { readonly prefix?: string }) => {
    if (prefix !== '/notes') return
    instance.addHook('onRequest', async (request, reply) => {
      await reply.code(401).send(request.server.prefix)
    })
  })
  await app.register(crudKit, {
    orm: new MikroORM({ entities: [Note], dbName: 'none' }),
    resources: { '/notes': resource(Note) },
  })
  const routes = [
    ['GET', '/notes'], ['POST', '/notes'], ['PATCH', '/notes/1'], ['DELETE', '/notes/1'], ['POST', '/notes/1/restore'],
  ] as const
  for (const [method, url] of routes) {
    const { statusCode, body } = await app.inject({ method, url })
    t.strictSame([statusCode, body], [401, '/notes'], `${method} ${url}`)
  }
})
