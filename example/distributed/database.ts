import { Migrator } from '@mikro-orm/migrations'
import { DatabaseFactory } from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { entities } from './entities.ts'
import { CreateAndDistribute } from './migrations/migration-20260301100000-create-and-distribute.ts'

const migrationsList = [{ name: '20260301100000-create-and-distribute', class: CreateAndDistribute }]

/** A Citus cluster, a PostgreSQL server, or PGlite. The application is the same. */
export function distributedDatabase (databaseUrl: string): DatabaseFactory {
  return new DatabaseFactory({
    databaseUrl,
    entities,
    ormOptions: { extensions: [Migrator], migrations: { migrationsList, snapshot: false, silent: true } },
  })
}
