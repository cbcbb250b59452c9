/**
 * Writes of one resource. In: a session, a key, data by public name. Out: the JSON text of the database. A write is one
 * statement (`one-statement/`), or uses MikroORM's unit of work if hooks, cascades or links require it
 * (`unit-of-work/`). Errors: data that bodies may not contain, and rows outside of the scope.
 */
export { listOf } from './answer.ts'
export { checkChanges, checkNewBodies } from './check-body.ts'
export { closedBody } from './closed-body.ts'
export { beginCreate, completeRow, requireList, rowOfBody, withServerValues } from './create-data.ts'
export { createMany, createOne, isSingle } from './create.ts'
export { deleteOne, deletionTime, requireMark, restoreOne } from './delete.ts'
export { dataOfHook } from './hook-data.ts'
export { errorModelOf } from './error-model.ts'
export { entityTag } from './if-match.ts'
export { withOnCreate, type Data } from './new-row.ts'
export { planChange, planMark, planRemoval } from './one-statement/change.ts'
export { checkDistributed } from './distributed.ts'
export { canReorder } from './server-order.ts'
export { checksItself, chunksOf, planRows } from './one-statement/insert.ts'
export {
  areAllVisible,
  chunksOfKeys,
  earlierMissing,
  missingReference,
  presentQuestion,
  searchOf,
  visibleQuestion,
  wantedKeys,
  type Missing,
  type Search,
  type WantedKey,
} from './reference-questions.ts'
export {
  isRepeatable,
  isSameError,
  needsRules,
  pointed,
  rowErrorIn,
  searchRefused,
  type Part,
} from './point-error.ts'
export { pauseAfter } from './repeat.ts'
export {
  isImpossible,
  planRow,
  requireInScope,
  requireRow,
  scopeSearch,
  statementOfWrite,
  writtenRows,
} from './run-write.ts'
export { withRows } from './scope-row.ts'
export { reasonForUnitOfWork, type WriteKind } from './unit-of-work/reason.ts'
export { beginUpdate, finishChanges, isEmpty, keyNames, readChanges } from './update-data.ts'
export { updateOne } from './update.ts'
export {
  beginWrite,
  checksScope,
  entitiesOfWrite,
  filterTypeOf,
  withTarget,
  writtenOf,
  type Write,
  type Written,
} from './write.ts'
export { checkingItself, needsTransaction, searchesScope } from './written-scope.ts'
