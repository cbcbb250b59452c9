/**
 * The run stage. It takes a statement and a session, and returns rows. Only this stage uses connections and converts
 * errors of the driver.
 */
export { convertError, isInTheWay, SEVERAL_RECORDS } from './errors/convert-error.ts'
export {
  isDriverError, isReadOnlyServer, isServerError, isUnreadable, sqlStateOf, transienceOf, type ServerError,
} from './errors/driver-errors.ts'
export { guardPool } from './pg/guard-pool.ts'
export { declaresReadOnly, type Demands } from './transaction/held-connection.ts'
export { demandsOf, ISOLATION_LEVELS } from './transaction/perform.ts'
export { originsOf, PreparedText, preparedValues, type BoundStatement, type QueryOrigin } from './pg/statement.ts'
export { recorded, type QueryMessage, type RecordedStatement } from './query-channel.ts'
export { enterStage, runAround, STAGES, StageTimes } from './stage-times.ts'
export { waitingFor, type Cancellation } from './pg/connections.ts'
export { runOnPool } from './pg/pool.ts'
export { isThere } from './pg/server-socket.ts'
export { hasReplicas, readFromWriter, readingFrom, replicaReports } from './replicas/routing.ts'
export { ReplicaSet, type ReplicaSettings } from './replicas/replica-set.ts'
export type { ReplicaReport } from './replicas/replica.ts'
export { clientOf, isPglite, limitStatements, preparesConnections } from './pg/client.ts'
export {
  askDistribution, askDistributionAgain, dialectOf, distributionOf, distributedTable, isDistributionKnown, mayReorder,
  type DistributedTable, type Distribution, type TableDistribution,
} from './distribution.ts'
export { columnsOfRule, noteRules, RULES } from './rules.ts'
export { quotedInSql } from './table-names.ts'
export { read, run, runOutside, tellOf } from './session.ts'
export { followCommit, workNow } from './transaction/after-commit.ts'
export { Deferred, SAVEPOINT_PREFIX, workOf } from './transaction/deferred.ts'
export { transact } from './transaction/transaction.ts'
export { BatchSize, type Completion } from './streams/read-cursor.ts'
export { streamRows } from './streams/stream-rows.ts'
export { signalOf, throwIfStopped } from './transaction/stop.ts'
export { mayRepeatKeys, noteRepeatedKeys } from './repeated-keys.ts'
export { areTriggersKnown, changesLate, isPlainTable, noteTriggers, TRIGGERS } from './triggers.ts'
export { askUnaccent, isUnaccentKnown, missingForText, schemaOfUnaccent, type TextNeeds } from './unaccent.ts'
export { toCrudError } from './errors/to-crud-error.ts'
