/** Clients, hooks and rows that could make a stream keep a connection or memory. */
import { p, raw } from '@mikro-orm/core'
import type { FastifyInstance, FastifyServerOptions, RouteOptions } from 'fastify'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Pool } from 'pg'
import t, { type Test } from 'tap'
import {
  AllowedFilters, AllowedSort, CrudBase, crudKit, parseQueryParams, type CrudRecord, type CrudRoutesOptions,
} from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { recordStatements } from '../helpers/statements.ts'
import { until } from '../helpers/until.ts'
import { whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Crate = entity('Crate', {
  id: p.integer().primary(), label: p.text(), items: () => p.oneToMany(Item).mappedBy('crate'),
})
const Item = entity('Item', { id: p.integer().primary(), text: p.text(), crate: () => p.manyToOne(Crate) })

const NDJSON = { accept: 'application/x-ndjson' }
const CSV = { accept: 'text/csv' }
// streams that are read slowly, on two databases, beside other tests
t.setTimeout(600_000)

const POOL = 10
/** More streams than the pool has connections. */
const MANY = 12
const SMALL = 3_000
const LARGE = 60
const MEGABYTE = 1_000_000

const queryConfig = whitelist({
  allowedFilters: [
    { id: ['lte', 'gte'] },
    AllowedFilters.custom('sleeps',
      (qb: any, value: unknown) => qb.andWhere(raw('(e0.id > 1 or pg_sleep(?) is not null)', [Number(value)]))),
    AllowedFilters.custom('breaks',
      (qb: any, value: unknown) => qb.andWhere(raw('1 / (e0.id - ?) is not null', [Number(value)]))),
  ],
  allowedSorts: [
    'id',
    AllowedSort.custom('length', (qb: any, direction: any) => qb.orderBy({ [raw('length(e0.label)')]: direction })),
  ],
  allowedIncludes: ['items'],
})
const crates = new CrudBase<any>({ model: Crate, queryConfig })

await forEachDatabase(
  t,
  { entities: [Crate, Item], orm: { pool: { min: 0, max: POOL } } },
  async (t, { orm, name, url }) => {
    const execute = (sql: string) => orm.em.getConnection().execute(sql)
    await execute(`insert into crate select i, 'crate ' || i from generate_series(1, ${SMALL}) as i`)
    // PGlite is slow with large values
    const size = name === 'pglite' ? MEGABYTE / 10 : MEGABYTE
    await execute(
      `insert into crate select i, repeat('x', ${size}) from generate_series(${SMALL + 1}, ${SMALL + LARGE}) as i`
    )
    await execute(
      `insert into item select i, 'item ' || i, 1 + i % ${SMALL} from generate_series(1, ${SMALL * 2}) as i`
    )
    const pool = name === 'postgres' ? await orm.em.getConnection().getNativeClient() as unknown as Pool : undefined

    interface Served {
      readonly app: FastifyInstance
      readonly port: number
    }
    const serve = async (
      t: Test,
      { options, stream = true, hooks, crud = crates }: {
        options?: FastifyServerOptions,
        stream?: CrudRoutesOptions['stream'],
        hooks?: Partial<RouteOptions>,
        crud?: CrudBase,
      } = {}
    ): Promise<Served> => {
      const app = newServer(t, options ?? {})
      await app.register(crudKit, {
        orm: orm as never,
        indexAdvice: false,
        resources: {
          '/crates': {
            crud, operations: ['list'], stream: stream!,
            ...(hooks !== undefined && { hooks: { list: hooks as never } }),
          },
        },
      })
      await app.listen({ port: 0, host: '127.0.0.1' })
      return { app, port: (app.server.address() as AddressInfo).port }
    }
    /** Waits until no connection is in use. */
    const free = (): Promise<boolean> => until(() => pool === undefined || pool.totalCount === pool.idleCount)
    /** Asserts that no connection is in use, that a stream works, and that the server closes. */
    const isWell = async (t: Test, { app }: Served, url = '/crates?filter[id][lte]=3'): Promise<void> => {
      t.ok(await free(), 'no connection is in use')
      const response = await app.inject({ url, headers: NDJSON })
      t.equal(response.body.split('\n').length, 4, response.body.slice(0, 200))
      await app.close()
    }
    const get = (port: number, path: string, headers: object = NDJSON): http.ClientRequest =>
      http.get({ port, path, headers: { ...headers }, agent: false }).on('error', () => {})
    const status = async (port: number, path: string, headers: object = NDJSON): Promise<number | undefined> => {
      const [response] = await once(get(port, path, headers), 'response') as [http.IncomingMessage]
      response.resume().on('error', () => {})
      return response.statusCode
    }

    t.test('clients that leave before their stream starts release its connection', async (t) => {
      let arrived = 0
      let go = (): void => {}
      const gate = new Promise<void>((resolve) => {
        go = resolve
      })
      let hold = true
      const all = Promise.withResolvers<void>()
      const served = await serve(t, {
        hooks: {
          onSend: async () => {
            if (!hold) return
            if (++arrived === POOL - 1) all.resolve()
            await gate
          },
        },
      })
      const requests = Array.from({ length: POOL - 1 }, () => get(served.port, '/crates'))
      await all.promise
      for (const request of requests) request.destroy()
      t.ok(await free(), 'before the hook is done')
      hold = false
      go()
      await isWell(t, served)
    })

    t.test('hooks that fail before the stream starts release its connection', async (t) => {
      const served = await serve(t, {
        hooks: {
          onSend: async ({ headers }) => {
            if (headers['x-fail'] !== undefined) throw new Error('no')
          },
        },
      })
      for (let i = 0; i < MANY; i++) t.equal(await status(served.port, '/crates', { ...NDJSON, 'x-fail': '1' }), 500)
      await isWell(t, served)
    })

    t.test('hooks that send something else release its connection', async (t) => {
      const served = await serve(t, {
        hooks: { onSend: async ({ headers }, _, payload) => headers['x-other'] === undefined ? payload : 'other' },
      })
      for (let i = 0; i < MANY; i++) {
        const response = await fetch(`http://127.0.0.1:${served.port}/crates`, {
          headers: { ...NDJSON, 'x-other': '1' },
        })
        t.strictSame([response.status, await response.text()], [200, 'other'])
      }
      await isWell(t, served)
    })

    t.test('hooks that answer themselves release its connection', async (t) => {
      const served = await serve(t, {
        hooks: {
          preHandler: (request, reply, done) => {
            if (request.headers['x-own'] !== undefined) {
              reply.hijack()
              reply.raw.end('own')
            }
            done()
          },
        },
      })
      for (let i = 0; i < MANY; i++) {
        t.equal(
          await (await fetch(`http://127.0.0.1:${served.port}/crates`, { headers: { ...NDJSON, 'x-own': '1' } }))
            .text(),
          'own'
        )
      }
      await isWell(t, served)
    })

    t.test(
      'a handler timeout that answers first releases its connection',
      { skip: name === 'pglite' && 'pg_sleep stops this process' },
      async (t) => {
        const served = await serve(t, { options: { handlerTimeout: 2_000 } })
        for (let i = 0; i < 2; i++) {
          t.strictSame(
            await Promise.all(Array.from({ length: POOL - 1 }, () => status(served.port, '/crates?filter[sleeps]=20'))),
            Array(POOL - 1).fill(503)
          )
        }
        await isWell(t, served)
      }
    )

    t.test('HEAD opens no stream', async (t) => {
      const served = await serve(t)
      for (let i = 0; i < MANY; i++) {
        t.equal((await fetch(`http://127.0.0.1:${served.port}/crates`, { method: 'HEAD', headers: NDJSON })).status,
          200)
      }
      await isWell(t, served)
    })

    t.test('pipelined requests whose client leaves release their connections', async (t) => {
      const warnings: string[] = []
      const warned = ({ name }: Error) => warnings.push(name)
      process.on('warning', warned)
      t.teardown(() => process.off('warning', warned))
      const served = await serve(t)
      const socket = net.connect(served.port, '127.0.0.1').on('error', () => {})
      socket.write('GET /crates HTTP/1.1\r\nHost: x\r\nAccept: application/x-ndjson\r\n\r\n'.repeat(2 * POOL + 10))
      await once(socket, 'readable')
      socket.destroy()
      await isWell(t, served)
      t.strictSame(warnings, [], 'nothing that looks like a leak of listeners')
    })

    t.test('an error after the first records breaks off the answer', async (t) => {
      const failing = new (class extends CrudBase {
        override afterRead (record: CrudRecord) {
          if (record['id'] === SMALL) throw new Error('not this one')
          return record
        }
      })({ model: Crate, queryConfig })
      const served = await serve(t, { crud: failing })
      for (const headers of [NDJSON, CSV]) {
        for (let i = 0; i < 2; i++) {
          const [response] = await once(get(served.port, '/crates', headers), 'response') as [http.IncomingMessage]
          t.equal(response.statusCode, 200)
          await t.rejects(
            (async () => {
              for await (const chunk of response) chunk.toString()
            })(),
            { code: 'ECONNRESET' }
          )
        }
      }
      // in HTTP/1.0, only the end of the connection ends an answer
      const socket = net.connect(served.port, '127.0.0.1')
      socket.write('GET /crates HTTP/1.0\r\nAccept: application/x-ndjson\r\n\r\n')
      await t.rejects(
        (async () => {
          for await (const chunk of socket) chunk.toString()
        })(),
        { code: 'ECONNRESET' }
      )
      await isWell(t, served)
    })

    t.test('HTTP/1.0 reads a stream to its end', async (t) => {
      const served = await serve(t)
      const socket = net.connect(served.port, '127.0.0.1')
      socket.write('GET /crates?filter[id][lte]=3 HTTP/1.0\r\nAccept: application/x-ndjson\r\n\r\n')
      let text = ''
      for await (const chunk of socket) text += chunk
      t.equal(text.split('\r\n\r\n')[1]!.split('\n').length, 4)
      await isWell(t, served)
    })

    t.test('a client that reads a little from time to time is disconnected at the time limit', async (t) => {
      const lines: string[] = []
      const served = await serve(t, {
        options: { logger: { level: 'warn', stream: { write: (line: string) => lines.push(line) } } },
        stream: { timeoutMillis: 3_000, stallTimeoutMillis: 60_000 },
      })
      const request = get(served.port, '/crates?sort=-id')
      const [response] = await once(request, 'response') as [http.IncomingMessage]
      response.on('error', () => {})
      // a client with unread data does not notice the end
      while (lines.length === 0) {
        response.read(1)
        await delay(50)
      }
      t.ok(await free())
      t.match(lines.join(''), /broken off: it has taken 3000 milliseconds/)
      request.destroy()
      if (name === 'pglite') return
      const late = await served.app.inject({ url: '/crates?filter[sleeps]=20', headers: NDJSON })
      t.strictSame([late.statusCode, late.json().code], [503, 'FST_CRUD_UNAVAILABLE'], 'also before the first record')
      await isWell(t, served)
    })

    t.test('a client that reads slowly and steadily is served, and one that stops reading is not', async (t) => {
      const served = await serve(t, { stream: { stallTimeoutMillis: 3_000 } })
      const [slow, none] = await Promise.all(
        ['/crates?filter[id][gte]=3050', '/crates?sort=-id'].map(async (path) =>
          (await once(get(served.port, path), 'response'))[0] as http.IncomingMessage
        )
      )
      none!.on('error', () => {})
      let bytes = 0
      const started = performance.now()
      for await (const chunk of slow! as AsyncIterable<Buffer>) {
        bytes += chunk.length
        // longer than the limit of a client that stops reading
        await delay(chunk.length / size * 500)
      }
      t.ok(bytes > 11 * size)
      t.ok(performance.now() - started > 4_000)
      t.ok(await free(), 'the other one has been disconnected')
      await isWell(t, served)
    })

    t.test('a server that closes gives open streams some time, and then ends them', async (t) => {
      const lines: string[] = []
      const served = await serve(t, {
        options: { logger: { level: 'info', stream: { write: (line: string) => lines.push(line) } } },
        stream: { closeTimeoutMillis: 500 },
      })
      const responses = await Promise.all(
        [1, 2].map(async () =>
          (await once(get(served.port, '/crates?sort=-id'), 'response'))[0] as http.IncomingMessage
        )
      )
      for (const response of responses) response.on('error', () => {})
      await served.app.close()
      t.ok(pool === undefined || pool.idleCount === pool.totalCount, 'no connection is in use')
      t.match(lines.join(''), /2 streams are open/)
      t.match(lines.join(''), /broken off: the server is closing/)
    })

    t.test('a batch has a limited size, also if large rows follow small ones', async (t) => {
      const inOwn = async (query: string) => {
        const sizes: number[] = []
        let count = 0
        for await (const batch of crates.streamJson(orm.em.fork() as never, parseQueryParams(query))) {
          count += batch.length
          sizes.push(batch.reduce((sum, json) => sum + json.length, 0))
        }
        t.equal(count, SMALL + LARGE, query)
        return Math.max(...sizes)
      }
      for (const query of ['', 'include=items', 'sort=-id', 'sort=length', 'sort=-length&include=items']) {
        const largest = await inOwn(query)
        // PGlite cannot stop in the middle of its rows
        if (name === 'postgres') t.ok(largest < 2.2 * MEGABYTE, `${query}: ${largest}`)
        else if (query.includes('-')) t.ok(largest < 20 * size, `${query}: ${largest}`)
      }
    })

    t.test('included records are read for some records at a time, from the snapshot of the first', {
      skip: name === 'pglite' && 'pages have a statement each',
    }, async (t) => {
      const recorder = await recordStatements(orm as never)
      t.teardown(recorder.stop)
      const stream = crates.stream(orm.em.fork() as never, parseQueryParams(`include=items&filter[id][lte]=${SMALL}`))
      const first = await stream.next()
      t.equal((first.value as CrudRecord)['items'].length, 2)
      const begun = recorder.take()
      const [declared, records] = [/^declare/, /"item"/].map((pattern) => begun.find(({ sql }) => pattern.test(sql)))
      t.notMatch(declared!.sql, /from "item"/)
      t.ok((records!.params[0] as string[]).length <= 16)
      await execute(`delete from item where crate_id = ${SMALL}; update item set text = 'changed'`)
      const rest: CrudRecord[] = []
      for await (const record of stream) rest.push(record)
      t.equal(rest.length, SMALL - 1)
      t.equal(rest.at(-1)!['items'].length, 2)
      t.notOk(rest.some(({ items }) => items.some(({ text }: CrudRecord) => text === 'changed')))
      t.ok(recorder.take().every(({ sql, params }) => !/any\(\$/.test(sql) || (params[0] as string[]).length <= 500))
    })

    t.test('three streams of large records fit into a process with little memory', {
      skip: name === 'pglite' && 'PGlite itself needs more',
    }, async (t) => {
      const script = fileURLToPath(new URL('stream-large-rows.ts', import.meta.url))
      const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=64', script, url!], {
        env: { ...process.env, NODE_OPTIONS: '' },
        maxBuffer: MEGABYTE,
      })
      t.strictSame(JSON.parse(stdout), Array(3).fill(LARGE))
    })
  }
)
