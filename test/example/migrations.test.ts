/** The example about migrations: a start migrates the database, also with other servers starting. */
import t from 'tap'
import { buildApp } from '../../example/migrations/app.ts'
import { migratedDatabase } from '../../example/migrations/database.ts'
import { applyPending } from '../../example/migrations/migrate.ts'
import { createDatabase, newDatabases, skipReasons } from '../helpers/databases.ts'

const NAMES = ['20260105090000-create-customers', '20260212143000-country-of-customers']

for (const { name, skip, open } of newDatabases) {
  t.test(name, { skip }, async (t) => {
    const { url, close } = await open()
    const database = migratedDatabase(url)
    t.teardown(async () => {
      await database.close()
      await close()
    })
    const orm = await database.getEngine()

    t.test('a data migration fills its column for existing rows', async (t) => {
      await orm.migrator.up({ to: NAMES[0]! })
      await orm.em.getConnection().execute(`insert into customers (name, phone)
        values ('Ada', '+44 20'), ('Blaise', '+33 1'), ('Emmy', '+49 9131'), ('Nobody', null)`)
      t.strictSame(await applyPending(orm), [NAMES[1]])
      const rows = await orm.em.getConnection().execute('select name, country from customers order by name')
      t.strictSame(rows, [{ name: 'Ada', country: 'GB' }, { name: 'Blaise', country: 'FR' }, {
        name: 'Emmy',
        country: 'DE',
      }, { name: 'Nobody', country: 'GB' }])
    })

    t.test('the migrated tables match the entities', async (t) => {
      t.equal(await orm.schema.getUpdateSchemaSQL({ wrap: false }), '')
    })

    t.test('the application serves the tables, and a second start has nothing to do', async (t) => {
      t.strictSame(await applyPending(orm), [])
      const app = await buildApp(database)
      t.match((await app.inject('/customers?filter[country][in]=FR,DE&sort=name')).json(), {
        total: 2,
        items: [{ name: 'Blaise' }, { name: 'Emmy' }],
      })
      t.match(
        (await app.inject({ method: 'POST', url: '/customers', payload: { name: 'Srinivasa', country: 'IN' } }))
          .statusCode,
        201
      )
      t.match((await app.inject({ method: 'POST', url: '/customers', payload: { name: 'Srinivasa' } })).json(), {
        errors: [{ source: { pointer: '/country' } }],
      })
    })

    t.test('down reverts the last migration', async (t) => {
      t.strictSame((await orm.migrator.down()).map(({ name }) => name), [NAMES[1]])
      t.strictSame((await orm.migrator.getPending()).map(({ name }) => name), [NAMES[1]])
    })
  })
}

t.test('servers that start at the same time migrate once', { skip: skipReasons.postgres }, async (t) => {
  const { url, drop } = await createDatabase()
  const factories = Array.from({ length: 3 }, () => migratedDatabase(url))
  t.teardown(async () => {
    await Promise.all(factories.map((factory) => factory.close()))
    await drop()
  })
  const applied = await Promise.all(factories.map(async (factory) => await applyPending(await factory.getEngine())))
  t.strictSame(applied.flat(), NAMES, 'one of them does it all')
})
