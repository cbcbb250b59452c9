/** Encrypted connections to this test's own server. */
import { p } from '@mikro-orm/core'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { DatabaseFactory } from '../../src/database/index.ts'
import { run } from '../../src/run/index.ts'
import { findPostgres, startPostgres, type PostgresServer } from '../../scripts/postgres.ts'
import { startProxy } from '../helpers/proxy.ts'
import { until } from '../helpers/until.ts'
import { entity } from '../helpers/entity.ts'

const Ledger = entity('Ledger', { id: p.integer().primary(), title: p.string() })
const certificates = path.resolve(import.meta.dirname, '../fixtures/tls')
const CA = path.join(certificates, 'ca.pem')
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** A server that offers TLS, or the reason why it cannot start. */
async function startEncrypted (t: Test): Promise<PostgresServer | string> {
  if (await findPostgres() === undefined) return 'no PostgreSQL binaries'
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postgres-tls-'))
  fs.chmodSync(folder, 0o755)
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }))
  for (const name of ['server.pem', 'server.key']) {
    fs.copyFileSync(path.join(certificates, name), path.join(folder, name))
  }
  fs.chmodSync(path.join(folder, 'server.key'), 0o600)
  // a key must belong to the user who runs the server: the user `nobody` if the tests run as root
  if (process.getuid?.() === 0) fs.chownSync(path.join(folder, 'server.key'), 65534, 65534)
  try {
    const server = await startPostgres({
      settings: {
        ssl: 'on', ssl_cert_file: path.join(folder, 'server.pem'), ssl_key_file: path.join(folder, 'server.key'),
        unix_socket_directories: os.tmpdir(),
      },
    })
    t.teardown(server.stop)
    return server
  } catch (error) {
    if (/SSL is not supported by this build/.test((error as Error).message)) return 'this PostgreSQL has no TLS'
    throw error
  }
}

// the warning is emitted once per process, from the first connection on
const warnings: Error[] = []
process.on('warning', (warning) => {
  warnings.push(warning)
})

const server = await startEncrypted(t)

t.test('TLS', { skip: typeof server === 'string' && server }, async (t) => {
  const { port } = server as PostgresServer
  const open = (t: Test, databaseUrl: string) => {
    const factory = new DatabaseFactory({ databaseUrl, entities: [Ledger], pool: { max: 2 } })
    t.teardown(() => factory.close())
    return factory
  }
  const isEncrypted = async (factory: DatabaseFactory) => {
    const { em } = await factory.getEngine()
    const [row] = await em.fork().execute<Array<{ ssl: boolean }>>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()'
    )
    return row?.ssl
  }
  const at = (host: string, parameters: string) => `postgresql://postgres@${host}:${port}/postgres?${parameters}`

  for (const [host, parameters, encrypted] of [
    ['127.0.0.1', '', false],
    ['127.0.0.1', 'sslmode=disable', false],
    ['127.0.0.1', 'sslmode=no-verify', true],
    ['127.0.0.1', `sslmode=verify-full&sslrootcert=${CA}`, true],
    ['localhost', `sslmode=require&sslrootcert=${CA}`, true],
    ['127.0.0.1', 'sslmode=require&uselibpqcompat=true', true],
    ['127.0.0.1', `sslnegotiation=direct&sslmode=verify-full&sslrootcert=${CA}`, true],
  ] as const) {
    t.test(`${host} with '${parameters.replace(CA, 'ca.pem')}' is ${encrypted ? '' : 'not '}encrypted`, async (t) => {
      t.equal(await isEncrypted(open(t, at(host, parameters))), encrypted)
    })
  }

  t.test('a certificate without a trusted issuer is refused', async (t) => {
    for (const parameters of ['sslmode=require', 'sslmode=verify-full', 'ssl=true']) {
      await t.rejects(open(t, at('127.0.0.1', parameters)).getEngine(), {
        code: 'FST_CRUD_UNAVAILABLE',
        message: /can't be reached: .*certificate/,
      }, parameters)
    }
  })

  t.test('pg emits no warning about the chosen mode', async (t) => {
    t.strictSame(warnings.filter(({ message }) => message.includes('SSL')), [])
  })

  for (const negotiation of ['postgres', 'direct']) {
    t.test(`cancellations are also encrypted: ${negotiation}`, async (t) => {
      const proxy = await startProxy(t, { host: '127.0.0.1', port })
      const factory = open(
        t,
        `postgresql://postgres@127.0.0.1:${proxy.port}/postgres?sslmode=verify-full&sslrootcert=${CA}` +
          `&sslnegotiation=${negotiation}`
      )
      const { em } = await factory.getEngine()
      const abort = new AbortController()
      const slow = run(em.fork({ signal: abort.signal }), { text: 'select pg_sleep(60)', values: [] }).then(
        () => undefined,
        (error: Error) => error
      )
      const runs = async () =>
        (await em.fork().execute(
          "select 1 from pg_stat_activity where state = 'active' and query = 'select pg_sleep(60)'"
        )).length === 1
      await until(runs)
      abort.abort()
      t.match(await slow, { code: 'FST_CRUD_ABORTED' })
      t.equal(await runs(), false)
      t.equal(proxy.greetings.length, 3, 'two connections and the cancellation')
      for (const greeting of proxy.greetings) {
        if (negotiation === 'postgres') t.strictSame(greeting, SSL_REQUEST)
        else t.equal(greeting[0], 22, 'the handshake of TLS')
      }
    })
  }

  t.test('a socket folder is a host', { skip: process.platform === 'win32' && 'needs socket folders' }, async (t) => {
    const factory = open(t, `postgresql:///postgres?host=${os.tmpdir()}&port=${port}&user=postgres`)
    const { em } = await factory.getEngine()
    t.strictSame(await em.fork().execute('select inet_client_addr() is null as local'), [{ local: true }])
    const abort = new AbortController()
    const slow = run(em.fork({ signal: abort.signal }), { text: 'select pg_sleep(61)', values: [] }).then(
      () => undefined,
      (error: Error) => error
    )
    await until(async () =>
      (await em.fork().execute(
        "select 1 from pg_stat_activity where state = 'active' and query = 'select pg_sleep(61)'"
      )).length > 0
    )
    abort.abort()
    t.match(await slow, { code: 'FST_CRUD_ABORTED' })
  })
})
