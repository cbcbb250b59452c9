/**
 * npm run report -- 'filter[status]=active&sort=-price': categories of the example as a table, asked for in its query
 * language. Nothing is awaited: the session is a synchronous one. Start the example once before, and stop it when its
 * database is the folder: PGlite serves one process at a time.
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
