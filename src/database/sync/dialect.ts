/** A Kysely dialect without a database. MikroORM uses it to compile statements, but can't run any. */
import {
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
} from 'kysely'
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { ConfigError } from '../../base/errors.ts'

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

/** Whether an ORM, or an EntityManager of it, has a connection. Those of a synchronous session have none. */
export function isConnected (orm: MikroORM | EntityManager): boolean {
  const config = orm.config as MikroORM['config']
  // MikroORM copies the dialect that it is given, so compare its functions
  return (config.get('driverOptions') as Partial<Dialect> | undefined)?.createDriver !== noConnection.createDriver
}
