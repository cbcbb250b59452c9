/** Reads from replicas: a primary and two hot standbys of this test, one of which dies, hangs and lags. */
import { p, type EntityManager } from '@mikro-orm/postgresql'
import net, { type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import pg from 'pg'
import t, { type Test } from 'tap'
import { findPostgres, startPostgres } from '../../scripts/postgres.ts'
import { PRIMARY_SETTINGS, startStandby } from '../../scripts/standby.ts'
import {
  CrudBase, crudKit, DatabaseFactory, parseQueryParams, readFromWriter, type DatabaseOptions,
} from '../../src/index.ts'
import { until } from '../helpers/until.ts'
import { newServer } from '../helpers/server.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Note = entity('Note', {
  id: p.integer().primary().autoincrement(false),
  text: p.string(),
  server: p.string().formula("current_setting('cluster_name')"),
})
const entities = [Note]
const notes = resource(Note, { allowedFilters: ['text'] })

const refused = (message: RegExp) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('options are checked when constructed', async (t) => {
  const construct = (replicas: unknown, more: object = {}) => () =>
    new DatabaseFactory({ databaseUrl: 'postgresql://app:secret@db/shop', entities, replicas, ...more } as never)
  t.doesNotThrow(construct(['postgresql://r1/shop', 'postgresql://r2/shop']))
  t.doesNotThrow(construct({ urls: ['postgresql://r1/shop'], maxLag: false }))
  t.doesNotThrow(construct(undefined))
  t.throws(construct('postgresql://r1/shop'),
    refused(/replicas: expected a list of URLs or \{ urls, maxLag, checkInterval, checkTimeout \}, got 'postgresql/))
  t.throws(construct([]), refused(/replicas: urls: .*, got an empty array/))
  t.throws(construct([process.env.NO_SUCH_VARIABLE]), refused(/replicas: urls\[0\]: expected string, got undefined/))
  t.throws(construct({ urls: ['postgresql://r1/shop'], maxlag: 5 }),
    refused(/replicas: there is no option 'maxlag'. Did you mean 'maxLag'\?/))
  t.throws(construct({ urls: ['postgresql://r1/shop'], maxLag: true }),
    refused(/replicas: maxLag must be milliseconds, at least 1, or false, got true/))
  t.throws(construct({ urls: ['postgresql://r1/shop'], maxLag: 2_999 }),
    refused(/maxLag is 2999 ms, less than checkInterval \+ checkTimeout \(3000 ms/))
  t.throws(construct({ urls: ['postgresql://r1/shop'], checkInterval: 0 }),
    refused(/replicas: checkInterval: .*, got 0/))
  t.throws(construct(['mysql://r1/shop']), refused(/replicas\[0\] has the scheme 'mysql:'/))
  t.throws(construct(['postgresql://r1/shop', 'postgresql://app:secret@r2']),
    refused(/^(?!.*secret).*replicas\[1\] names no database/))
  t.throws(construct(['pglite://memory']), refused(/replicas\[0\] must be a postgresql:\/\/ URL/))
  t.throws(construct(['postgresql://DB:5432/shop']), refused(/replicas\[0\] is databaseUrl itself/))
  t.throws(construct(['postgresql://r/shop', 'postgresql://other@r:5432/shop']),
    refused(/replicas\[1\] is replicas\[0\] again/))
  t.throws(construct(['postgresql://r/shop'], { databaseUrl: 'pglite://memory' }), refused(/PGlite has none/))
  t.throws(construct(['postgresql://r/shop'], { ormOptions: { driverOptions: () => ({}) } }),
    refused(/ormOptions.driverOptions is a ready connection/))
  t.throws(construct(undefined, { ormOptions: { replicas: [] } }),
    refused(/ormOptions.replicas is set by the option 'replicas'/))
})

t.test('reads use replicas', {
  skip: await findPostgres() === undefined &&
    'no PostgreSQL binaries (PG_BIN, or those that npm ci installs): standbys are started from them',
}, async (t) => {
  const primary = await startPostgres({ settings: { ...PRIMARY_SETTINGS, cluster_name: 'writer' } })
  t.teardown(() => primary.stop())
  const writer = new pg.Client({ connectionString: primary.url })
  await writer.connect()
  await writer.query(
    "create table note (id int primary key, text varchar(255) not null); insert into note values (1, 'first')"
  )
  const [one, two] = await Promise.all(
    ['one', 'two'].map((name) => startStandby(primary, { name, settings: { cluster_name: name } }))
  )
  t.teardown(async () => {
    await writer.end()
    await Promise.all([one!.stop(), two!.stop()])
  })
  const urls = [one!.url, two!.url]

  const open = async (t: Test, replicas: DatabaseOptions['replicas'], more: Partial<DatabaseOptions> = {}) => {
    const factory = new DatabaseFactory(
      { databaseUrl: primary.url, entities, replicas, pool: { max: 4 }, ...more } as DatabaseOptions
    )
    t.teardown(() => factory.close())
    const engine = await factory.getEngine()
    return {
      factory, engine, session: factory.getSessionMaker(engine),
      states: () => factory.replicaReports().map(({ status }) => status).join(),
    }
  }
  const quick = { urls, checkInterval: 50, checkTimeout: 4_000, maxLag: 5_000 }

  const caughtUp = () =>
    until(async () => {
      const { rows } = await writer.query(
        'select count(*)::int as n from pg_stat_replication where replay_lsn = pg_current_wal_lsn()'
      )
      return rows[0].n === 2
    }, 'replicas have what was written')
  /** The server that answers. */
  const asked = async (em: EntityManager): Promise<string> => (await notes.get(em, 1))!.server!
  const serversOf = async (session: () => EntityManager): Promise<string> => {
    const servers = new Set<string>()
    for (let i = 0; i < 6; i++) servers.add(await asked(session()))
    return [...servers].sort().join()
  }
  await caughtUp()

  t.test('reads go to the replicas in turn', async (t) => {
    const { session, factory } = await open(t, urls)
    t.match(factory.replicaReports(),
      urls.map((url) => ({ url: url.replace('postgres://postgres@', 'postgresql://'), status: 'up', lag: Number })))
    t.equal(await serversOf(session), 'one,two')
    const em = session()
    const reads: Record<string, () => Promise<any>> = {
      get: () => notes.get(em, 1),
      list: async () => (await notes.list(em)).items[0],
      'a filtered list': async () => (await notes.list(em, parseQueryParams('filter[text]=first'))).items[0],
      'CrudBase.query': async () => (await notes.query(em)).execute('get'),
      'em.find': async () => (await em.fork().find(Note, {}))[0],
      'em.findOne': () => em.fork().findOneOrFail(Note, 1),
      'em.stream': () => first(em.stream(Note)),
      'CrudBase.stream': () => first(notes.stream(em)),
      'em.createQueryBuilder': async () => em.createQueryBuilder(Note).select('*').where({ id: 1 }).getSingleResult(),
      'em.execute that says so': async () =>
        (await em.execute("select current_setting('cluster_name') as server", [], { connectionType: 'read' }))[0],
    }
    for (const [name, read] of Object.entries(reads)) t.match((await read()).server, /^(one|two)$/, name)
    t.equal(await notes.count(em), 1)
    t.equal(await notes.exists(em, 1), true)
    t.equal(await em.count(Note), 1)
    t.match(await asked(em), /^(one|two)$/, 'nor has any of them tied the request to the writer')
  })

  t.test('a request that has used the writer continues to read from it, and so do its forks', async (t) => {
    const { session, engine } = await open(t, urls)
    const insert = { id: 2, text: 'mine' }
    const remove = () => writer.query('delete from note where id > 1')
    const uses: Record<string, (em: EntityManager) => unknown> = {
      create: (em) => notes.create(em, insert),
      'an update': (em) => notes.update(em, 1, { text: 'first' }),
      'a write that fails': (em) => notes.update(em, 99, { text: 'absent' }).catch(() => {}),
      'em.flush': (em) => em.persist(em.create(Note, insert as never)).flush(),
      'em.insert': (em) => em.insert(Note, insert as never),
      'em.insertMany': (em) => em.insertMany(Note, [insert as never]),
      'em.upsert': (em) => em.upsert(Note, insert as never),
      'em.nativeUpdate': (em) => em.nativeUpdate(Note, { id: 1 }, { text: 'first' }),
      'em.nativeDelete': (em) => em.nativeDelete(Note, { id: 99 }),
      'em.execute': (em) => em.execute("insert into note values (2, 'mine')"),
      'em.transactional': (em) =>
        em.transactional(async (em) => {
          await em.insert(Note, insert as never)
        }),
      'em.begin and commit': async (em) => {
        await em.begin()
        await em.insert(Note, insert as never)
        await em.commit()
      },
      'a query builder': (em) => em.createQueryBuilder(Note).insert(insert as never).execute(),
      'em.getKysely': (em) =>
        em.getKysely().deleteFrom('note' as never).where('id' as never, '=', 99 as never).execute(),
      'a fork': (em) => em.fork().insert(Note, insert as never),
      readFromWriter,
    }
    for (const [name, use] of Object.entries(uses)) {
      const em = session()
      t.match(await asked(em), /^(one|two)$/)
      await use(em)
      t.strictSame([await asked(em), await asked(em.fork()), (await em.fork().find(Note, { id: 1 }))[0]!.server], [
        'writer', 'writer', 'writer',
      ], name)
      await remove()
    }
    t.equal(await session().transactional((em) => asked(em)), 'writer', 'in a transaction')
    t.equal(await session().transactional((em) => asked(em), { readOnly: true }), 'writer')
    t.equal(await asked(engine.em as EntityManager), 'writer', 'the global EntityManager')
  })

  t.test('a request always sees its own writes', async (t) => {
    const app = newServer(t)
    const { factory, states } = await open(t, quick)
    app.post('/twice', async ({ em, body }) => {
      const { id } = await notes.create(em, body as Record<string, unknown>)
      return [await notes.get(em, id), await em.findOne(Note, id), (await notes.list(em) as any).total]
    })
    await app.register(crudKit, { database: factory, resources: { '/notes': notes } })
    t.match(await app.crudHealth(), {
      replicas: [{ url: String, status: /up|lagging/, reason: undefined }, { status: /up|lagging/ }],
    })
    for (let id = 2; id < 40; id++) {
      const response = await app.inject({ method: 'POST', url: '/twice', payload: { id, text: 'new' } })
      const record = { id, text: 'new', server: 'writer' }
      t.strictSame(response.json(), [record, record, id])
    }
    await caughtUp()
    await until(() => states() === 'up,up', 'both are up')
    t.match((await app.inject('/notes/39')).json().server, /^(one|two)$/)
    t.equal((await app.inject({ method: 'PATCH', url: '/notes/39', payload: { text: 'changed' } })).json().text,
      'changed')
    await writer.query('delete from note where id > 1')
  })

  t.test('what decides about a write reads from the writer', async (t) => {
    let seen: string[] = []
    const look = async (em: EntityManager): Promise<void> => {
      const [row] = await em.execute("select current_setting('cluster_name') as server", [], { connectionType: 'read' })
      seen.push(row!.server)
    }
    class Guarded extends CrudBase<any> {
      override async beforeUpdate (_: unknown, data: any, { em }: any): Promise<any> {
        await look(em)
        return data
      }
    }
    const guarded = new Guarded({ model: Note, writable: 'all' })
    const app = newServer(t)
    const { factory, session } = await open(t, urls)
    const asking = (answer: any) => async ({ em }: { em: EntityManager }) => {
      await look(em)
      return answer
    }
    await app.register(crudKit, {
      database: factory,
      resources: { '/notes': { crud: guarded, scope: asking({}) } },
      access: { role: asking('editor'), roles: { editor: { Note: { rows: asking({}) } } } } as never,
    })
    t.equal((await app.inject('/notes/1')).statusCode, 200)
    t.match(seen, [/^(one|two)$/, /^(one|two)$/, /^(one|two)$/], 'a read')
    seen = []
    t.equal((await app.inject({ method: 'PATCH', url: '/notes/1', payload: { text: 'first' } })).statusCode, 200)
    t.strictSame(seen, ['writer', 'writer', 'writer', 'writer'], 'a write: role, scope, rows and hook')
    seen = []
    const em = session()
    await look(em)
    await guarded.update(em, 1, { text: 'first' })
    t.match(seen, [/^(one|two)$/, /^writer$/], 'a method')
  })

  t.test('the writer runs what a replica cannot', async (t) => {
    const { session } = await open(t, urls)
    const onReplica = (sql: string) => session().getConnection('read').execute(sql)
    t.strictSame(await onReplica('select id from note where id = 1 for update'), [{ id: 1 }])
    await t.rejects(onReplica('select * from nowhere'), { code: '42P01' })
    await t.rejects(onReplica('select 1 / 0'), { code: '22012' })
    const em = session()
    t.equal(await notes.count(em, parseQueryParams('filter[text]=first')), 1)
    t.match(await asked(em), /^(one|two)$/, 'and the request is not tied to it')
  })

  t.test('a replica that dies under load is left out without a failed or stale read, and comes back', async (t) => {
    const { session, states, factory } = await open(t, quick)
    const stop = new AbortController()
    let reads = 0
    const failures: unknown[] = []
    const load = async (id: number): Promise<void> => {
      for (let i = 0; !stop.signal.aborted; i++) {
        const em = session()
        try {
          await asked(em)
          await em.findOneOrFail(Note, 1)
          await first(em.stream(Note, { where: { id: 1 } }))
          await first(notes.stream(em))
          await em.execute('select pg_sleep(0.002)', [], { connectionType: 'read' })
          if (id < 2) {
            const text = `load ${i}`
            await notes.update(em, 100 + id, { text })
            if ((await notes.get(em, 100 + id))!.text !== text) failures.push('a stale read')
          }
          reads++
        } catch (error) {
          failures.push(error)
        }
      }
    }
    await writer.query("insert into note values (100, 'load'), (101, 'load')")
    await caughtUp()
    await until(() => states() === 'up,up', 'both are up')
    const workers = [0, 1, 2, 3, 4, 5].map(load)
    await until(() => reads > 50, 'there is load')
    one!.kill()
    await until(() => states() === 'down,up', 'it is known')
    t.match(factory.replicaReports()[0], { status: 'down', lag: null, reason: String })
    const before = reads
    await until(() => reads > before + 50, 'reads go on')
    t.equal(await serversOf(session), 'two')
    await one!.start()
    // while reads of the load wait for its first connections, the other replica has fewer waiting reads
    await until(async () => await serversOf(session) === 'one,two', 'it is back')
    stop.abort()
    await Promise.all(workers)
    t.strictSame(failures, [])
    await writer.query('delete from note where id > 1')
  })

  t.test('a replica that lags is left out, and comes back', async (t) => {
    const { session, states, factory } = await open(t, quick)
    await until(() => states() === 'up,up', 'both are up')
    const replica = new pg.Client({ connectionString: two!.url })
    await replica.connect()
    t.teardown(() => replica.end())
    await writer.query('select pg_switch_wal()')
    await caughtUp()
    await replica.query('select pg_wal_replay_pause()')
    await until(
      async () => (await replica.query('select pg_get_wal_replay_pause_state() as state')).rows[0].state === 'paused'
    )
    const paused = Date.now()
    await until(() => Date.now() > paused + quick.maxLag + 100, 'longer than maxLag has passed')
    await until(() => states() === 'up,up', 'a system on which nothing happens does not lag, paused or not')

    await writer.query("create table fresh (id int); update note set text = 'changed'")
    t.strictSame(
      await Promise.all([0, 1, 2, 3].map(() => session().getConnection('read').execute('select * from fresh'))),
      [[], [], [], []],
      'a table that a replica has not got yet'
    )
    await until(() => states() === 'up,lagging', 'it lags')
    t.ok(factory.replicaReports()[1]!.lag! > quick.maxLag)
    t.equal((await notes.get(session(), 1))!.text, 'changed')
    t.equal(await serversOf(session), 'one')
    await replica.query('select pg_wal_replay_resume()')
    await until(() => states() === 'up,up', 'it is back')
    t.equal(await serversOf(session), 'one,two')
    await writer.query("update note set text = 'first'; drop table fresh")
  })

  t.test('reads that wait for a replica that hangs are answered by another', async (t) => {
    const proxy = await freezable(t, Number(new URL(one!.url).port))
    const { session, states } = await open(t, {
      ...quick, urls: [`postgresql://postgres@127.0.0.1:${proxy.port}/postgres`], checkTimeout: 2_000,
    })
    t.equal(await serversOf(session), 'one')
    proxy.freeze()
    const streamed = async (em: EntityManager) => (await first(em.stream(Note))).server
    const exported = async (em: EntityManager) => (await first(notes.stream(em)))['server']
    t.strictSame(
      await Promise.all([
        asked(session()), session().findOneOrFail(Note, 1).then(({ server }) => server), streamed(session()),
        exported(session()),
      ]),
      ['writer', 'writer', 'writer', 'writer']
    )
    t.equal(states(), 'down')
    proxy.thaw()
    await until(() => states() === 'up', 'it is back')
    t.equal(await serversOf(session), 'one')
  })

  t.test('the writer answers if no replica is up', async (t) => {
    const { session, states, factory } = await open(t, [
      'postgresql://postgres@127.0.0.1:1/postgres',
      primary.url.replace('127.0.0.1', 'localhost'),
    ])
    t.equal(states(), 'down,down')
    t.match(factory.replicaReports(), [{ reason: /ECONNREFUSED/ }, { reason: /not a standby/ }])
    t.equal(await serversOf(session), 'writer')
    const unmeasured = await open(t, { urls: [primary.url.replace('127.0.0.1', 'localhost')], maxLag: false })
    t.match(unmeasured.factory.replicaReports(), [{ status: 'up', lag: null }])
  })

  t.test("connections to replicas have the writer's settings, and are closed with them", async (t) => {
    const { session, factory, engine } = await open(t, [two!.url.replace('postgres@', '')], {
      databaseUrl: `${primary.url}?application_name=kit-replicas`,
      ormOptions: { driverOptions: { statement_timeout: 4321 } },
    })
    const [row] = await session().execute(
      "select current_user::text as me, current_setting('application_name') as name, " +
        "current_setting('statement_timeout') as timeout, current_setting('cluster_name') as server",
      [],
      { connectionType: 'read' }
    )
    t.strictSame(row, { me: 'postgres', name: 'kit-replicas', timeout: '4321ms', server: 'two' })
    const pool = await session().getConnection('read').getNativeClient() as unknown as pg.Pool
    t.not(pool, await engine.em.getConnection().getNativeClient())
    t.match(pool.options, { max: 4, connectionTimeoutMillis: 10_000 })
    await factory.close()
    t.strictSame(factory.replicaReports(), [])
    const replica = new pg.Client({ connectionString: two!.url })
    await replica.connect()
    t.teardown(() => replica.end())
    await until(
      async () =>
        (await replica.query("select 1 from pg_stat_activity where application_name = 'kit-replicas'")).rowCount === 0
    )
  })
})

async function first<Item> (items: AsyncIterable<Item>): Promise<Item> {
  const iterator = items[Symbol.asyncIterator]()
  const { value } = await iterator.next()
  await iterator.return?.()
  return value
}

/** A port forwarder that can be stopped like a broken network, without closing connections. */
async function freezable (t: Test, port: number) {
  const sockets = new Set<Socket>()
  let frozen = false
  const server = net.createServer((client) => {
    const upstream = net.connect(port, '127.0.0.1')
    for (const [from, to] of [[client, upstream], [upstream, client]] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (chunk) => to.write(chunk))
      if (frozen) from.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const set = (to: boolean) => {
    frozen = to
    for (const socket of sockets) frozen ? socket.pause() : socket.resume()
  }
  return { port: (server.address() as AddressInfo).port, freeze: () => set(true), thaw: () => set(false) }
}
