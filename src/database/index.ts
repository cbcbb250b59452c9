/** The database layer: from a URL to a connected MikroORM instance and its sessions. */
export { delayOf, wait, type Backoff } from './backoff.ts'
export {
  DatabaseFactory,
  type SessionMaker,
  type SessionOptions,
  type SharedEngine,
  type SyncSessionMaker,
} from './database-factory.ts'
export {
  checkDatabaseOptions,
  DatabaseOptionsSchema,
  type DatabaseOptions,
  type PoolOptions,
} from './database-options.ts'
export type { ReplicaOptions } from './replicas/replica-options.ts'
export { readOnly } from './read-only.ts'
export { isEntityManager, type TransactionFunction, type TransactionWrapper } from './run-transaction.ts'
export { checkTransactionOptions, TransactionOptionsSchema, type TransactionOptions } from './transaction-options.ts'
export { withRetry } from './with-retry.ts'
export { withTimeout } from './with-timeout.ts'
export { withTransaction } from './with-transaction.ts'
export {
  checkHealth,
  HealthSchema,
  HEALTH_TIMEOUT,
  type Health,
  type ReplicaHealth,
  type ServerHealth,
} from './health.ts'
export { isConnected, serverStarted, SyncEngine, SyncSession } from './sync/index.ts'
