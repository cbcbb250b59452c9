import { DatabaseFactory } from '../src/index.ts' // in an application: 'fastify-crud-kit'
import { entities } from './entities/index.ts'

/** The server at DATABASE_URL, or else a database in a folder: nothing to install, and the rows are kept. */
export function exampleDatabase (env: NodeJS.ProcessEnv = process.env): DatabaseFactory {
  return new DatabaseFactory({
    databaseUrl: env['DATABASE_URL'] || 'pglite://.data/example',
    entities,
    schema: 'create',
  })
}
