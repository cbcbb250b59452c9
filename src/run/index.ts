/**
 * The run stage. It takes a statement and a session, and returns rows. Only this stage uses connections and converts
 * errors of the driver.
 */
export { convertError, isDriverError, isReadOnlyServer, transienceOf } from './errors/convert-error.ts'
export { guardPool, type GuardOptions } from './pg/guard-pool.ts'
export { declaresReadOnly, type Demands } from './transaction/held-connection.ts'
export { demandsOf, ISOLATION_LEVELS, type IsolationLevel, type Work } from './transaction/perform.ts'
export { callsOf, type QueryCall, type QueryMessage, type QueryOperation } from './query-channel.ts'
export { enterStage, runAround, STAGES, StageTimes } from './stage-times.ts'
export { runOnPool, useNoNames, waitingFor } from './pg/pool.ts'
export { isThere } from './pg/server-socket.ts'
export { hasReplicas, readFromWriter, readingFrom, replicaReports } from './replicas/routing.ts'
export { ReplicaSet, type ReplicaSettings } from './replicas/replica-set.ts'
export type { ReplicaReport, ReplicaStatus } from './replicas/replica.ts'
export { limitStatements } from './pg/limit-statements.ts'
export { clientOf, isEmbedded, preparesConnections, read, run, runOutside, tellOf } from './session.ts'
export { Prepared, type BoundStatement } from './pg/statement.ts'
export { transact } from './transaction/transaction.ts'
export { BatchSize, streamRows, throwIfStopped, type Completion } from './stream.ts'
export { signalOf, type Cancellation } from './transaction/stop.ts'
export { preparedValues } from './pg/prepared-values.ts'
export { toCrudError } from './errors/to-crud-error.ts'
