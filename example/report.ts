/**
 * npm run report -- 'filter[status]=active&sort=-price': prints categories of the example as a table, selected by a
 * query string. Nothing is awaited, because the session is synchronous. Start the example once before. If its database
 * is the folder, stop it first: PGlite serves one process at a time.
 */
import { DatabaseFactory, parseQueryParams } from '../src/index.ts' // in an application: 'fastify-crud-kit'
import { entities } from './entities/index.ts'
import { CategoryCrud } from './resources/categories.ts'

function report (query: string): void {
  const database = new DatabaseFactory({
    databaseUrl: process.env['DATABASE_URL'] || 'pglite://.data/example',
    entities,
    useAsync: false,
  })
  try {
    const session = database.getSessionMaker(database.getEngine())()
    const { items, total } = new CategoryCrud().list(session, parseQueryParams(`fields=name,status,price&${query}`))
    console.table(items)
    console.log(`${items.length} of ${total}`)
  } finally {
    database.close()
  }
}

try {
  report(process.argv[2] ?? 'sort=name')
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
