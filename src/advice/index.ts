/**
 * Advice at start-up: bound resources in, warnings out. `missing-indexes.ts` decides which indexes requests would use
 * and the database lacks. `src/comparison` finds the other differences. `unguarded.ts` decides which rows a scope
 * does not guard, and `forgotten-rows.ts` decides which rules of a role lack `rows`. The files named `*-warning.ts`
 * contain the messages.
 */
export type { AdvisedResource } from './advised-resource.ts'
export { warnOfDifferences } from './database-warning.ts'
export { checkShared, warnOfUnguarded } from './guard-warning.ts'
export { missingIndexes, warnOfMissingIndexes } from './missing-indexes.ts'
export { ownerColumns } from './owners.ts'
