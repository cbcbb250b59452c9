import { p, Utils } from '@mikro-orm/core'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import Fastify from 'fastify'
import { once } from 'node:events'
import { inspect } from 'node:util'
import t, { type Test } from 'tap'
import { DatabaseFactory } from '../../src/database/database-factory.ts'
import { crudKit } from '../../src/index.ts'
import type { DatabaseOptions } from '../../src/database/index.ts'
import { loadDriver } from '../../src/database/drivers.ts'
import { createDatabase, pgliteFolder, pgliteUrl, skipReasons } from '../helpers/databases.ts'
import { until } from '../helpers/until.ts'
import { entity } from '../helpers/entity.ts'

const Ledger = entity('Ledger', { id: p.integer().primary(), title: p.string() })
const entities = [Ledger]

const refused = (message: RegExp) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('options are checked when constructed', async (t) => {
  const construct = (options: unknown) => () => new DatabaseFactory(options as never)
  t.throws(construct(undefined), refused(/options: expected object, got undefined/))
  t.throws(construct({ entities, databaseURL: 'pglite://memory' }),
    refused(/there is no option 'databaseURL'. Did you mean 'databaseUrl'\?/))
  t.throws(construct({ entities, pool: { maximum: 3 } }),
    refused(/there is no option 'maximum' in 'pool'\. It has: min, max, /))
  t.throws(construct({ entities, pool: { max: 0 } }), refused(/pool\.max: .*, got 0/))
  t.throws(construct({ entities, pool: { min: 11 } }), refused(/pool.min is 11, more than pool.max, 10/))
  t.throws(construct({ entities, pool: { queueLimit: -1 } }), refused(/pool\.queueLimit: /))
  t.throws(construct({ entities, statementTimeoutMillis: -1 }), refused(/statementTimeoutMillis: .*, got -1/))
  t.throws(construct({ entities, applicationName: '' }), refused(/applicationName: /))
  t.throws(construct({ entities: [] }), refused(/entities: /))
  t.throws(construct({ entities: [Ledger, 'x'] }),
    refused(/entities\[1\] is 'x', which is not an entity: give its class or schema, not a name or a path/))
  t.throws(construct({ entities: [{}] }), refused(/entities\[0\] is an object, which is not an entity/))
  t.throws(construct({ entities: [null] }), refused(/entities\[0\] is null, which is not an entity/))
  t.throws(construct({ databaseUrl: 'pglite://memory' }), refused(/entities: /))
  t.throws(construct({ entities, databaseUrl: 5 }), refused(/databaseUrl: expected string/))
  t.throws(construct({ entities, databaseUrl: 'sqlite://x' }), refused(/scheme 'sqlite:'/))
  t.throws(construct({ entities, ormOptions: { clientUrl: 'x' } }),
    refused(/ormOptions.clientUrl is set by the option 'databaseUrl'/))
})

t.test('an unset environment variable does not mean a database in memory', async (t) => {
  t.throws(() => new DatabaseFactory({ databaseUrl: process.env.NO_SUCH_VARIABLE, entities }),
    refused(/databaseUrl is empty: is an environment variable not set\?/))
  t.throws(() => new DatabaseFactory({ databaseUrl: '', entities }), refused(/databaseUrl is empty/))
})

t.test('statements may be prepared by default', async (t) => {
  t.equal(new DatabaseFactory({ entities }).preparedStatements, true)
  t.equal(new DatabaseFactory({ entities, preparedStatements: false }).preparedStatements, false)
})

t.test('mistakes that only opening reveals are also mistakes of the options', async (t) => {
  const folder = t.testdir({ file: 'not a folder' })
  class Unmarked {}
  for (const [options, message] of [
    [{ databaseUrl: `pglite://${folder}/file` }, /file can't hold a PGlite database: it is a file, and not a folder/],
    [{ databaseUrl: `pglite://${folder}/file/inside` }, /inside can't hold a PGlite database: ENOTDIR/],
    [{ databaseUrl: `pglite://${folder}/file/further/inside` }, /inside can't hold a PGlite database: ENOTDIR/],
    // a file system that has folders and creates none
    ...(fs.existsSync('/proc/self')
      ? [[{ databaseUrl: 'pglite:///proc/nothing/inside' }, /inside can't hold a PGlite database: E\w+/] as const]
      : []),
    [{ entities: [Unmarked] }, /entities: Only abstract entities were discovered/],
    [{ entities: [entity('Keyless', { title: p.string() })] }, /entities: .*Keyless.*PrimaryKey/],
  ] as const) {
    await t.rejects(new DatabaseFactory({ entities, ...options } as DatabaseOptions).getEngine(), refused(message))
    t.throws(() => new DatabaseFactory({ entities, useAsync: false, ...options } as DatabaseOptions<false>).getEngine(),
      refused(message))
  }
})

t.test('a missing package is named with the command that installs it', async (t) => {
  const missing = (missing: string) => async () => {
    throw Object.assign(
      new Error(`Cannot find package '${missing}' imported from /somewhere/${missing}/@mikro-orm/pglite`),
      { code: 'ERR_MODULE_NOT_FOUND' }
    )
  }
  const version = Utils.getORMVersion()
  await t.rejects(loadDriver('pglite', missing('@mikro-orm/pglite')), {
    code: 'FST_CRUD_CONFIG_INVALID',
    message:
      `DatabaseFactory: pglite:// needs the package @mikro-orm/pglite: npm install @mikro-orm/pglite@${version}. ` +
      'All packages of MikroORM must have the same version: if npm lacks this one, install one that it has of all',
  })
  await t.rejects(loadDriver('postgresql', missing('@mikro-orm/postgresql')),
    refused(/npm install @mikro-orm\/postgresql@\d/))
  await t.rejects(loadDriver('pglite', missing('@electric-sql/pglite')), refused(/npm install @electric-sql\/pglite$/))
  const broken = async () => {
    throw new Error('broken')
  }
  await t.rejects(loadDriver('postgresql', broken), { message: 'broken' })
})

t.test('without a URL, the database is PGlite in memory, with one engine for all calls', async (t) => {
  const factory = new DatabaseFactory({ entities })
  t.teardown(() => factory.close())
  const [one, two] = await Promise.all([factory.getEngine(), factory.getEngine()])
  t.equal(one, two)
  t.equal(await factory.getEngine(), one)
  await one.schema.create()
  const session = factory.getSessionMaker(one)
  const em = session()
  t.not(em, session())
  em.create(Ledger, { id: 1, title: 'first' })
  await em.flush()
  t.equal(await session().count(Ledger), 1)
})

t.test('a folder keeps its rows, and is free again after close', async (t) => {
  const databaseUrl = pgliteUrl(t)
  const first = new DatabaseFactory({ databaseUrl, entities })
  const engine = await first.getEngine()
  await engine.schema.create()
  const em = first.getSessionMaker(engine)()
  em.create(Ledger, { id: 1, title: 'kept' })
  await em.flush()

  const second = new DatabaseFactory({ databaseUrl, entities })
  await t.rejects(second.getEngine(), refused(/is already open, in this process or in another one/))
  await first.close()
  await first.close()
  t.teardown(() => second.close())
  t.equal(await (await second.getEngine()).em.fork().count(Ledger, { title: 'kept' }), 1,
    'the failed attempt is tried again')
  const closing = second.close()
  t.equal(await (await second.getEngine()).em.fork().count(Ledger), 1, 'it is opened again when it has been closed')
  await closing
})

t.test('another process cannot open an open folder, and can after its owner has died', async (t) => {
  const folder = pgliteFolder(t)
  const url = new URL('../../src/database/folder-lock.ts', import.meta.url).href
  const script = `const { lockFolder } = await import(${JSON.stringify(url)}); console.log(await lockFolder(${
    JSON.stringify(folder)
  }) ? 'free' : 'taken'); process.kill(process.pid, 'SIGKILL')`
  const other = () =>
    spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout.trim()
  t.equal(other(), 'free')
  const factory = new DatabaseFactory({ databaseUrl: `pglite://${folder}`, entities })
  await factory.getEngine()
  t.equal(other(), 'taken')
  await factory.close()
  t.equal(other(), 'free')
})

t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const { url, drop } = await createDatabase()
  t.teardown(drop)

  const settings = async (t: Test, options: Partial<DatabaseOptions>, names: readonly string[]) => {
    const factory = new DatabaseFactory({ databaseUrl: url, entities, ...options })
    t.teardown(() => factory.close())
    const engine = await factory.getEngine()
    const [row] = await engine.em.fork().execute<Array<Record<string, unknown>>>(
      `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`
    )
    return { engine, values: names.map((name) => row?.[name]) }
  }

  t.test('the URL, its parameters, the pool and other options reach the driver', async (t) => {
    const { engine, values } = await settings(t, {
      databaseUrl: `${url}?application_name=kit-test&connect_timeout=7`,
      pool: { min: 1, max: 2, idleTimeoutMillis: 1234 },
      ormOptions: { schema: 'public', driverOptions: { statement_timeout: 1234 } },
    }, ['application_name', 'statement_timeout'])
    t.strictSame(values, ['kit-test', '1234ms'])
    t.match((await engine.em.getConnection().getNativeClient()).options, {
      min: 1, max: 2, idleTimeoutMillis: 1234, connectionTimeoutMillis: 7000, keepAlive: true,
    })
  })

  t.test('a shared factory is closed by its last user', async (t) => {
    const factory = new DatabaseFactory({ databaseUrl: url, entities })
    t.teardown(() => factory.close())
    const [one, two] = await Promise.all([factory.share(), factory.share()])
    t.equal(one.engine, two.engine)
    await one.release()
    await one.release()
    t.equal(await two.engine.isConnected(), true)
    await two.release()
    t.equal(await two.engine.isConnected(), false)

    const three = await factory.share()
    t.not(three.engine, two.engine, 'it can be opened again')
    await factory.close()
    t.equal(await three.engine.isConnected(), false, 'its owner may close it for all')
    const four = await factory.share()
    await three.release()
    t.equal(await four.engine.isConnected(), true, 'who shared what is closed has no say in what is open now')
    await four.release()
  })

  t.test('connections have an application name and a statement timeout, and the URL overrides both', async (t) => {
    const names = ['application_name', 'statement_timeout']
    t.strictSame((await settings(t, {}, names)).values, ['fastify-crud-kit', '30s'])
    t.strictSame((await settings(t, { statementTimeoutMillis: 0 }, names)).values, ['fastify-crud-kit', '0'],
      'left to the server')
    t.strictSame((await settings(t, { preparedStatements: false }, names)).values, ['fastify-crud-kit', '0'],
      'as PgBouncer needs it')
    const options = { applicationName: 'shop', statementTimeoutMillis: 2500 }
    t.strictSame((await settings(t, options, names)).values, ['shop', '2500ms'])
    t.strictSame(
      (await settings(
        t,
        { ...options, databaseUrl: `${url}?application_name=shop-canary&statement_timeout=900` },
        names
      )).values,
      ['shop-canary', '900ms']
    )
    t.match((await (await settings(t, { pool: {} }, names)).engine.em.getConnection().getNativeClient()).options, {
      connectionTimeoutMillis: 10_000,
    })
  })

  t.test("an application's own listener on the pool is kept", async (t) => {
    const pools: unknown[] = []
    const { engine } = await settings(t, {
      ormOptions: { driverOptions: { onPoolCreated: (pool: unknown) => pools.push(pool) } },
    }, ['port'])
    t.strictSame(pools.map((pool) => pool === pools[0]), [true])
    t.equal(await engine.em.getConnection().getNativeClient(), pools[0])
  })

  t.test('the schema of the URL is that of the tables', async (t) => {
    const { engine } = await settings(t, { databaseUrl: `${url}?schema=sales`, schema: 'create' }, ['port'])
    t.strictSame(
      await engine.em.fork().execute("select table_schema from information_schema.tables where table_name = 'ledger'"),
      [{ table_schema: 'sales' }]
    )
    await engine.schema.drop()
  })

  t.test('no visible representation of the factory shows the password', async (t) => {
    const withPassword = new URL(url)
    withPassword.password = 's3cret'
    const factory = new DatabaseFactory({ databaseUrl: withPassword.href, entities })
    t.teardown(() => factory.close())
    const engine = await factory.getEngine()
    t.notMatch(inspect(factory, { depth: 10, showHidden: true }), /s3cret/)
    t.notMatch(engine.config.get('clientUrl'), /s3cret/)
  })

  t.test('an exhausted pool fails after connectionTimeoutMillis', async (t) => {
    const factory = new DatabaseFactory({
      databaseUrl: url, entities, pool: { max: 1, connectionTimeoutMillis: 3_000 },
    })
    t.teardown(() => factory.close())
    const engine = await factory.getEngine()
    await engine.em.fork().transactional(async (em) => {
      await em.execute('select 1')
      await t.rejects(engine.em.fork().execute('select 2'), { message: /timeout exceeded/ })
    })
  })

  t.test('an aborted signal cancels the query in the server', async (t) => {
    const factory = new DatabaseFactory({ databaseUrl: url, entities })
    t.teardown(() => factory.close())
    const engine = await factory.getEngine()
    const session = factory.getSessionMaker(engine)
    const abort = new AbortController()
    const query = session({ signal: abort.signal }).execute('select pg_sleep(30)')
    const running = async () =>
      (await session().execute(
        "select 1 from pg_stat_activity where datname = current_database() and state = 'active' " +
          "and query like 'select pg_sleep%'"
      )).length
    await until(async () => await running() === 1)
    abort.abort()
    await t.rejects(query)
    // MikroORM continues before the server has received it
    await until(async () => await running() === 0)
  })

  t.test('a refused login is a mistake in the URL, and its message has no password', async (t) => {
    const { host, pathname } = new URL(url)
    const open = async (credentials: string) =>
      await t.rejects(
        new DatabaseFactory({ databaseUrl: `postgresql://${credentials}@${host}${pathname}`, entities }).getEngine(),
        refused(
          /^DatabaseFactory: postgresql:\/\/[^@]+ refuses the login: role "nobody_\w+" does not exist\. Check user and password in databaseUrl.*pg_hba\.conf/
        )
      )
    await open('nobody_here:s3cret')
    t.throws(
      () =>
        new DatabaseFactory({ databaseUrl: `postgresql://nobody_here@${host}${pathname}`, entities, useAsync: false })
          .getEngine(),
      refused(/refuses the login: role "nobody_here"/)
    )
    const app = Fastify()
    await t.rejects(async () => {
      await app.register(crudKit, {
        database: { databaseUrl: `postgresql://nobody_here:s3cret@${host}${pathname}`, entities },
      })
      await app.ready()
    }, refused(/refuses the login/))
    await app.close()
  })

  t.test('a missing database is not created, and is found once it exists', async (t) => {
    const name = `${new URL(url).pathname.slice(1)}_later`
    const factory = new DatabaseFactory({ databaseUrl: url.replace(/[^/]+$/, name), entities })
    await t.rejects(
      factory.getEngine(),
      refused(
        /_later: database "\w+_later" does not exist\. Create it, or correct its name in databaseUrl: opening does not create it/
      )
    )
    const admin = new DatabaseFactory({ databaseUrl: url, entities })
    const { em } = await admin.getEngine()
    await em.fork().execute(`create database ${name}`)
    t.strictSame(await (await factory.getEngine()).em.fork().execute('select current_database()::text as name'), [{
      name,
    }])
    await factory.close()
    await em.fork().execute(`drop database ${name}`)
    await admin.close()
  })
})

t.test('an unreachable server is unavailable, and its message has no password', async (t) => {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as net.AddressInfo
  probe.close()
  const factory = new DatabaseFactory({ databaseUrl: `postgresql://ada:s3cret@127.0.0.1:${port}/shop`, entities })
  const error = await factory.getEngine().then(() => undefined, (error: Error) => error)
  t.match(error, {
    code: 'FST_CRUD_UNAVAILABLE',
    message: new RegExp(`^postgresql://127.0.0.1:${port}/shop can't be reached: `),
  })
  t.notMatch(error?.message, /s3cret/)
  await factory.close()
})
