/** Logins at a server that asks for passwords. The tests run their own server. */
import { p } from '@mikro-orm/core'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { crudKit, DatabaseFactory } from '../../src/index.ts'
import { findPostgres, startPostgres, temporaryFolder } from '../../scripts/postgres.ts'
import { newServer } from '../helpers/server.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Ledger = entity('Ledger', { id: p.integer().primary(), title: p.string() })
const entities = [Ledger]

t.test(
  'a server asks for passwords',
  { skip: await findPostgres() === undefined && 'no PostgreSQL binaries' },
  async (t) => {
    const rules = path.join(temporaryFolder('postgres-rules-'), 'pg_hba.conf')
    fs.writeFileSync(rules, 'host all postgres 127.0.0.1/32 trust\nhost all ada 127.0.0.1/32 scram-sha-256\n')
    const server = await startPostgres({ settings: { hba_file: rules } })
    t.teardown(() => server.stop())
    const owner = new DatabaseFactory({ databaseUrl: server.url, entities, schema: 'create' })
    t.teardown(() => owner.close())
    const { em } = await owner.getEngine()
    for (const sql of [
      "create role ada login password 'right'", 'grant all on ledger to ada', 'create database closed',
      'revoke connect on database closed from public',
    ]) await em.execute(sql)
    const urlOf = (credentials: string, database = 'postgres') =>
      `postgresql://${credentials}@127.0.0.1:${server.port}/${database}`

    t.test('start-up reports what to fix, without the password', async (t) => {
      for (const [url, message] of [
        [urlOf('ada:s3cret'),
          /refuses the login: password authentication failed for user "ada"\. Check user and password in databaseUrl/],
        [urlOf('ada'), /asks for a password, and databaseUrl has none\. Check user and password/],
        [urlOf('bob:s3cret'), /refuses the login: no pg_hba\.conf entry .*"bob"/],
        [urlOf('postgres:s3cret', 'nowhere'), /: database "nowhere" does not exist\. Create it, or correct its name/],
        [urlOf('postgres:s3cret', 'postgres?sslmode=require'),
          /\/postgres offers no TLS, which sslmode in databaseUrl demands\. Turn it on/],
        [urlOf('postgres:s3cret', 'postgres?sslmode=verify-full'), /offers no TLS/],
        [
          urlOf('postgres:s3cret', 'postgres?options=-c%20nope%3D1'),
          /refuses a setting: unrecognized configuration parameter "nope"\. Check options and the other parameters of databaseUrl/,
        ],
        [urlOf('postgres:s3cret', 'postgres?options=-c%20work_mem%3Dlots'),
          /refuses a setting: invalid value for parameter "work_mem"/],
        [urlOf('postgres:s3cret', 'postgres?options=-c%20max_connections%3D7'),
          /refuses a setting: parameter "max_connections" cannot be changed/],
        [urlOf('ada:right', 'closed'), /refuses the login: permission denied for database "closed"\. Grant it/],
      ] as const) {
        const factory = new DatabaseFactory({ databaseUrl: url, entities })
        const error: Error | undefined = await factory.getEngine().then(() => undefined, (error) => error)
        t.match(error, { code: 'FST_CRUD_CONFIG_INVALID', message }, url)
        t.ok(error!.cause instanceof Error)
        t.ok(error!.message.startsWith(`DatabaseFactory: postgresql://127.0.0.1:${server.port}/`))
        t.notMatch(error!.message, /s3cret/)
        await factory.close()
      }
    })

    t.test('a password that changes while the server runs is 503 until the pool has the new one', async (t) => {
      const app = newServer(t)
      await app.register(crudKit, {
        database: { databaseUrl: urlOf('ada:right'), entities },
        resources: { '/ledgers': resource(Ledger) },
      })
      t.equal((await app.inject('/ledgers')).statusCode, 200)
      await em.execute("alter role ada password 'rotated'")
      await em.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ada'")
      const response = await app.inject('/ledgers')
      t.strictSame([response.statusCode, response.json().code, response.headers['retry-after']], [
        503, 'FST_CRUD_UNAVAILABLE', '1',
      ])
      t.notMatch(response.body, /ada|password/)
      await em.execute("alter role ada password 'right'")
      t.equal((await app.inject('/ledgers')).statusCode, 200)
    })
  }
)
