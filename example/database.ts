import { DatabaseFactory } from '../src/index.ts' // in an application: 'fastify-crud-kit'
import { entities } from './entities/index.ts'

/**
 * The server at DATABASE_URL, or else a PGlite database in a folder, which needs no installation and keeps the rows.
 */
export function exampleDatabase (): DatabaseFactory {
  return new DatabaseFactory({
    databaseUrl: process.env['DATABASE_URL'] || 'pglite://.data/example',
    entities,
    schema: 'create',
  })
}
