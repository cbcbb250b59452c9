/** The distributed example on one server: PGlite and PostgreSQL. test/citus has its test on a cluster. */
import t from 'tap'
import { buildApp } from '../../example/distributed/app.ts'
import { distributedDatabase } from '../../example/distributed/database.ts'
import { newDatabases, pgliteUrl } from '../helpers/databases.ts'
import { walk } from './distributed-walk.ts'

for (const { name, skip, open } of newDatabases) {
  t.test(name, { skip }, async (t) => {
    const { url, close } = await open()
    const database = distributedDatabase(url)
    const app = await buildApp(database)
    t.teardown(async () => {
      await app.close()
      await close()
    })

    await walk(t, async (method, url, headers, payload) => {
      const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
      return { status: response.statusCode, body: response.json() }
    })

    await t.test('the migrated tables match the entities, and no table is distributed', async (t) => {
      t.equal(await app.orm.schema.getUpdateSchemaSQL({ wrap: false }), '')
      t.equal(database.distributed, undefined)
    })
  })
}

t.test('in production the headers are ignored, and all requests are refused', async (t) => {
  const app = await buildApp(distributedDatabase(pgliteUrl(t)), {}, { NODE_ENV: 'production' })
  t.teardown(() => app.close())
  for (const headers of [{ 'x-tenant': '1' }, { 'x-role': 'operator' }]) {
    t.equal((await app.inject({ url: '/tasks', headers })).statusCode, 403)
    t.equal((await app.inject({ url: '/tenants', headers })).statusCode, 403)
  }
})
