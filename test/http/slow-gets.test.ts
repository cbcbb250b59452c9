/** Gets that wait in the database, beside gets of other clients. Real sockets, because `inject` cannot abort. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { crudKit } from '../../src/index.ts'
import { entities, Plant, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { lacks } from '../helpers/capabilities.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { until } from '../helpers/until.ts'
import { resource } from './helper.ts'

/** Seconds after which a get counts as delayed. What delays it lasts longer. */
const PATIENCE = 60

await forEachDatabase(t, { entities, seed }, async (t, { orm, name, url }) => {
  const skip = name === 'pglite'
    ? 'PGlite runs in this process, a statement at a time: nothing runs beside a slow one'
    : await lacks('activityView', 'cancelBackend')
  if (skip) return t.pass(skip)

  const app = newServer(t, { forceCloseConnections: true })
  const plants = resource(Plant, { allowedFields: ['id', 'name'] })
  await app.register(crudKit, { orm, resources: { '/plants': plants, '/tags': resource(Tag) } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo

  const agent = new http.Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const send = (path: string): { readonly status: Promise<number>, readonly leave: () => void } => {
    const request = http.get({ port, path, agent })
    const status = once(request, 'response').then(async ([response]: http.IncomingMessage[]) => {
      await once(response!.resume(), 'end')
      return response!.statusCode!
    })
    status.catch(() => {})
    return { status, leave: () => request.destroy() }
  }
  /** Gets of two plants by many clients, and between them the get of a tag. The requests arrive at the same time. */
  const together = () => {
    const quick = [1, 2, 1, 2, 1].map((id) => send(`/plants/${id}?fields=id,name`))
    const tag = send('/tags/1')
    quick.push(...[2, 1, 2, 1, 2].map((id) => send(`/plants/${id}?fields=id,name`)))
    return { tag, plants: Promise.all(quick.map(({ status }) => status)) }
  }
  const allFound = Array.from({ length: 10 }, () => 200)
  const orDelayed = async (plants: Promise<number[]>) =>
    await Promise.race([plants, sleep(PATIENCE * 1000, 'delayed', { ref: false })])

  const [locker, watcher] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  for (const client of [locker, watcher]) {
    await client.connect()
    t.teardown(() => client.end())
  }
  const waiting = async (): Promise<number> => {
    const where = "wait_event_type = 'Lock' and datname = current_database()"
    return (await watcher.query(`select from pg_stat_activity where ${where}`)).rowCount!
  }

  // gets of both tables are quick, and share messages
  for (let round = 0; round < 40; round++) {
    const { tag, plants } = together()
    t.strictSame([await tag.status, ...await plants], [200, ...allFound])
  }

  t.beforeEach(async () => {
    await locker.query('begin; lock table tag in access exclusive mode')
  })
  t.afterEach(async () => {
    await locker.query('rollback')
  })

  t.test('a get that waits for a lock delays no other get', async (t) => {
    const tags: Array<Promise<number>> = []
    for (let round = 0; round < 3; round++) {
      const { tag, plants } = together()
      tags.push(tag.status)
      t.strictSame(await orDelayed(plants), allFound)
    }
    await locker.query('rollback')
    t.strictSame(await Promise.all(tags), [200, 200, 200], 'and it gets its answer')
  })

  t.test('a client that goes away cancels its get, also if it began together with others', async (t) => {
    for (let round = 0; round < 12; round++) {
      const { tag, plants } = together()
      await until(async () => await waiting() === 1, 'the get waits for the lock')
      tag.leave()
      await until(async () => await waiting() === 0, 'the get is cancelled')
      t.strictSame(await orDelayed(plants), allFound)
    }
  })
})
