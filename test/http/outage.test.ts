/** The database stops and starts again under load, on its own server with a persistent disk. */
import { p } from '@mikro-orm/core'
import Fastify, { type LightMyRequestResponse } from 'fastify'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { crudKit, DatabaseFactory } from '../../src/index.ts'
import { findPostgres, startPostgres, type PostgresServer } from '../../scripts/postgres.ts'
import { bodyOf, resource } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Entry = entity('Entry', {
  id: p.integer().primary().autoincrement(), name: p.string().unique(), batch: p.string().nullable(),
  value: p.integer(),
})

const WORKERS = 16
const BATCH = [1, 2, 3]

t.test('a load of 1 000 requests during two outages ends with no lost write and no hung request', {
  skip: await findPostgres() === undefined && 'no PostgreSQL binaries',
}, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postgres-outage-'))
  fs.chmodSync(folder, 0o755)
  const settings = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', max_connections: 20 }
  let server = await startPostgres({ dataDir: path.join(folder, 'data'), settings })
  const { port, dataDir, url } = server
  /** Starts on the same data and port. After a crash, retries until the last old process has exited. */
  const restart = async (): Promise<PostgresServer> => {
    for (;;) {
      try {
        return await startPostgres({ dataDir, port, settings })
      } catch (error) {
        if (!/still in use|lock file/.test((error as Error).message)) throw error
      }
    }
  }

  const database = new DatabaseFactory({
    databaseUrl: url, entities: [Entry], schema: 'create', pool: { max: 8, connectionTimeoutMillis: 20_000 },
  })
  const app = Fastify()
  await app.register(crudKit, {
    database,
    resources: {
      '/entries': {
        crud: resource(Entry, { allowedFilters: ['batch'] }),
        operations: ['list', 'get', 'create', 'createMany', 'update'],
      },
    },
  })
  t.teardown(async () => {
    await app.close()
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  let phase: 'up' | 'changing' | 'down' = 'up'
  const counts = { up: 0, changing: 0, down: 0 }
  const stop = new AbortController()
  const surprises: string[] = []
  /**
   * Sends a request, and returns whether it succeeded. The answer must fit the state of the server during the request.
   */
  const send = async (
    method: 'GET' | 'POST' | 'PATCH',
    url: string,
    payload?: object
  ): Promise<LightMyRequestResponse | undefined> => {
    const before = phase
    const response = await app.inject({ method, url, ...(payload && { payload }) })
    const during = before === phase ? phase : 'changing'
    counts[during]++
    const done = response.statusCode === 200 || response.statusCode === 201
    const refused = response.statusCode === 503 && response.headers['retry-after'] === '1' &&
      bodyOf(response).code === 'FST_CRUD_UNAVAILABLE'
    if ((!done && !refused) || (during === 'up' && !done) || (during === 'down' && !refused)) {
      surprises.push(`${during}: ${method} ${url} ${response.statusCode} ${response.body}`)
    }
    // a refused client does not retry at once
    if (refused) await sleep(10)
    return done ? response : undefined
  }

  const created: string[] = []
  const batches: string[] = []
  const values = new Map<string, { acknowledged: number, tried: number }>()
  const work = async (worker: number): Promise<void> => {
    const own = await send('POST', '/entries', { name: `own-${worker}`, value: 0 })
    const { id, name } = bodyOf(own!)
    const value = { acknowledged: 0, tried: 0 }
    values.set(name, value)
    for (let i = 0; !stop.signal.aborted; i++) {
      const unique = `${worker}-${i}`
      if (await send('POST', '/entries', { name: unique, value: i }) !== undefined) created.push(unique)
      await send('GET', `/entries?filter[batch]=${unique}`)
      value.tried = i
      if (await send('PATCH', `/entries/${id}`, { value: i }) !== undefined) value.acknowledged = i
      if (
        await send('POST', '/entries', BATCH.map((n) => ({ name: `${unique}-${n}`, batch: unique, value: n }))) !==
          undefined
      ) batches.push(unique)
      await send('GET', `/entries/${id}`)
    }
  }
  const more = async (of: keyof typeof counts, count: number): Promise<void> => {
    const end = counts[of] + count
    while (counts[of] < end && surprises.length === 0) await sleep(5)
  }

  const load = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)))
  await more('up', 250)
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    phase = 'changing'
    process.kill(server.pid, signal)
    await server.stop()
    // connections that are still being served belong to the change
    await more('changing', WORKERS)
    while ((await app.inject('/entries/1')).statusCode !== 503);
    phase = 'down'
    await more('down', 150)
    phase = 'changing'
    server = await restart()
    phase = 'up'
    await more('up', 250)
  }
  stop.abort()
  await load

  t.strictSame(surprises.slice(0, 5), [])
  t.ok(counts.up >= 750 && counts.down >= 300, JSON.stringify(counts))

  const em = (await database.getEngine()).em.fork()
  const entries = await em.find(Entry, {})
  const names = new Set(entries.map(({ name }) => name))
  t.strictSame(created.filter((name) => !names.has(name)), [], 'no acknowledged record is missing')
  const sizes = new Map<string, number>()
  for (const { batch } of entries) if (batch != null) sizes.set(batch, (sizes.get(batch) ?? 0) + 1)
  t.strictSame(batches.filter((batch) => !sizes.has(batch)), [], 'no acknowledged batch is missing')
  t.strictSame([...sizes].filter(([, size]) => size !== BATCH.length), [], 'no batch is there in part')
  for (const { name, value } of entries) {
    const known = values.get(name)
    if (known !== undefined && (value < known.acknowledged || value > known.tried)) t.fail(`${name} is ${value}`, known)
  }
  t.equal(values.size, WORKERS)
})
