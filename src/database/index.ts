/** The database layer: from a URL to a connected MikroORM instance and its sessions. */
export { DatabaseFactory, type SessionMaker, type SessionOptions, type SharedEngine } from './database-factory.ts'
export { checkDatabaseOptions, DatabaseOptionsSchema, type DatabaseOptions, type PoolOptions } from './database-options.ts'
