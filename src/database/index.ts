/** The database layer: from a URL to a connected MikroORM instance and its sessions. */
export { DatabaseFactory, type SessionMaker, type SessionOptions, type SharedEngine } from './database-factory.ts'
export { checkDatabaseOptions, DatabaseOptionsSchema, type DatabaseOptions, type PoolOptions } from './database-options.ts'
export { readOnly } from './read-only.ts'
export { type TransactionFunction, type TransactionWrapper } from './run-transaction.ts'
export { checkTransactionOptions, TransactionOptionsSchema, type TransactionOptions } from './transaction-options.ts'
export { withRetry } from './with-retry.ts'
export { withTimeout } from './with-timeout.ts'
export { withTransaction } from './with-transaction.ts'
