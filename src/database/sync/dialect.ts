/** A Kysely dialect without a database. MikroORM uses it to compile statements, but can't run any. */
import {
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
} from 'kysely'
import type { MikroORM } from '@mikro-orm/postgresql'
import { ConfigError } from '../../errors.ts'

class NoDriver extends DummyDriver {
  override async acquireConnection (): Promise<DatabaseConnection> {
    throw new ConfigError(
      'This EntityManager belongs to a synchronous session (useAsync: false) and has no connection: use the ' +
        'methods of CrudBase, or session.execute.'
    )
  }
}

export const noConnection: Dialect = {
  createDriver: () => new NoDriver(),
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
}

/** Whether an ORM has a connection. The ORM of a synchronous session has none. */
export function isConnected (orm: MikroORM): boolean {
  // MikroORM copies the dialect that it is given, so compare its functions
  return (orm.config.get('driverOptions') as Partial<Dialect> | undefined)?.createDriver !== noConnection.createDriver
}
