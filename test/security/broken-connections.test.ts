/**
 * A connection that breaks, or a client that goes away, at each message of a request: no connection of the pool stays
 * in use, and no transaction stays open. The tests use real sockets and a network that breaks on command.
 */
import { p } from '@mikro-orm/core'
import Fastify from 'fastify'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import t from 'tap'
import { CrudBase, crudKit, withTransaction } from '../../src/index.ts'
import { until } from '../helpers/until.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { startProxy } from '../helpers/proxy.ts'
import { whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Crate: any = entity('Crate', {
  id: p.integer().primary(), label: p.string(), items: () => p.oneToMany(Item).mappedBy('crate'),
  tags: () => p.manyToMany(Tag),
})
const Item: any = entity('Item', { id: p.integer().primary(), crate: () => p.manyToOne(Crate) })
const Tag: any = entity('Tag', { id: p.integer().primary(), name: p.string() })

const crates = new CrudBase<any>({
  model: Crate,
  writable: ['label', 'tags'],
  queryConfig: whitelist({ allowedFilters: [{ id: ['lte'] }], allowedIncludes: ['items'] }),
})

/** More messages than any request sends to the server. */
const MESSAGES = 14

await forEachDatabase(t, { entities: [Crate, Item, Tag] }, async (t, { orm, name, url }) => {
  if (name === 'pglite') return t.pass('it has no connections')
  await orm.em.getConnection().execute("insert into crate select i, 'crate ' || i from generate_series(1, 200) as i")
  await orm.em.getConnection().execute("insert into tag select i, 'tag ' || i from generate_series(1, 5) as i")
  const server = new URL(url!)
  const proxy = await startProxy(t, { host: server.hostname, port: Number(server.port) })
  server.host = `127.0.0.1:${proxy.port}`
  const app = Fastify({ forceCloseConnections: true })
  await app.register(crudKit, {
    database: {
      databaseUrl: server.href, entities: [Crate, Item, Tag], applicationName: 'broken',
      pool: { max: 3, connectionTimeoutMillis: 5_000 },
    },
    indexAdvice: false,
    resources: { '/crates': { crud: crates, stream: true } },
  })
  app.post('/serializable', async ({ em }) =>
    await withTransaction(em, async (em) => {
      await crates.get(em, 1)
      return await crates.update(em, 1, { label: 'new' })
    }, { isolationLevel: 'serializable', retries: 0 }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const pool = await app.orm.em.getConnection().getNativeClient() as unknown as Pool

  /** Sends a request, and settles when it has ended in any way. */
  const send = (
    method: string,
    path: string,
    body?: object
  ): { readonly ended: Promise<string>, readonly leave: () => void } => {
    const { promise: ended, resolve } = Promise.withResolvers<string>()
    const request = http.request({
      port, method, path,
      headers: {
        ...(method === 'GET' && { accept: 'application/x-ndjson' }),
        ...(body && { 'content-type': 'application/json' }),
      },
      agent: false,
    }, (response) => {
      response.resume()
      response.once('close', () => resolve(response.complete ? String(response.statusCode) : 'broken'))
      response.on('error', () => {})
    })
    request.on('error', () => resolve('broken'))
    request.end(body && JSON.stringify(body))
    return { ended, leave: () => request.destroy() }
  }
  const isAtRest = async () => pool.totalCount === pool.idleCount && pool.waitingCount === 0
  const open = async () =>
    await orm.em.getConnection().execute(
      "select query from pg_stat_activity where application_name = 'broken' and state <> 'idle'"
    )

  const requests: ReadonlyArray<readonly [what: string, method: string, path: string, body?: object]> = [
    ['a stream', 'GET', '/crates'],
    ['a stream with includes', 'GET', '/crates?include=items'],
    ['a transaction', 'POST', '/serializable', {}],
    ['a write with links', 'PATCH', '/crates/1', { label: 'other', tags: [1, 2, 3] }],
    ['a new record with links', 'POST', '/crates', { label: 'other', tags: [1, 2, 3] }],
  ]
  for (const [what, ...request] of requests) {
    t.test(`${what}: the pool recovers if the connection breaks`, async (t) => {
      for (let at = 0; at < MESSAGES; at++) {
        // so that an idle connection exists
        await send('GET', '/crates?filter[id]=1').ended
        let count = 0
        proxy.onSend(() => {
          if (count++ === at) return 'break'
        })
        await send(...request).ended
        proxy.onSend(undefined)
        await t.resolves(until(isAtRest), `at message ${at}`)
      }
      await t.resolves(until(async () => (await open()).length === 0), 'the server has noticed it')
    })

    t.test(`${what}: the pool recovers if the client goes away`, async (t) => {
      for (let at = 0; at < MESSAGES; at++) {
        await send('GET', '/crates?filter[id]=1').ended
        let count = 0
        const { ended, leave } = send(...request)
        proxy.onSend(() => {
          if (count++ === at) leave()
        })
        await ended
        await t.resolves(until(isAtRest), `at message ${at}`)
        proxy.onSend(undefined)
      }
      await t.resolves(until(async () => (await open()).length === 0), 'the server has noticed it')
    })
  }

  t.test('the server closes afterwards', async (t) => {
    await t.resolves(app.close())
  })
})
