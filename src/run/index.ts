/**
 * The run stage: a statement and a session in, rows and JSON text out. The only stage that touches a connection, and
 * the one that turns a driver's error into one of ours. It also makes the wire form of values that only JavaScript
 * can make.
 */
export { checkRecord, isDoubtful, tooLarge } from './answer-limits.ts'
export { convertError, isDriverError, isReadOnlyServer, transienceOf } from './convert-error.ts'
export { guardPool, type GuardOptions } from './guard-pool.ts'
export { declaresReadOnly, type Demands } from './held-connection.ts'
export { cursorInfo, readKeyset, type CursorInfo, type KeysetRows } from './keyset.ts'
export { pageInfo, pageJson, plannedTotal, totalOfPage, type OffsetInfo, type PageInfo } from './page.ts'
export { demandsOf, ISOLATION_LEVELS, type IsolationLevel, type Work } from './perform.ts'
export { callsOf, type QueryCall, type QueryMessage, type QueryOperation } from './query-channel.ts'
export { enterStage, runAround, STAGES, StageTimes } from './stage-times.ts'
export { runOnPool, useNoNames, waitingFor } from './pool.ts'
export { isThere } from './server-socket.ts'
export { hasReplicas, readFromWriter, readingFrom, replicaReports } from './replicas/routing.ts'
export { ReplicaSet, type ReplicaSettings } from './replicas/replica-set.ts'
export type { ReplicaReport, ReplicaStatus } from './replicas/replica.ts'
export { limitStatements } from './limit-statements.ts'
export { clientOf, isEmbedded, preparesConnections, read, run, runOutside, tellOf } from './session.ts'
export { Prepared, type BoundStatement, type Row } from './statement.ts'
export { transact } from './transaction.ts'
export { toWireOf, type JsonRecord, type ToWire } from './wire.ts'
export { BatchSize, streamRows, throwIfStopped, type Completion } from './stream.ts'
export { signalOf, type Cancellation } from './stop.ts'
export { preparedValues } from './values.ts'
export { toCrudError } from './to-crud-error.ts'
