/**
 * Advice at start-up: bound resources in, warnings out. `missing-indexes.ts` decides which indexes requests would use
 * and the database lacks. `src/comparison` finds the other differences. `unguarded.ts` decides which rows a scope
 * does not guard, and `guard-warning.ts` warns of them, and of rules of a role that lack `rows`.
 */
export type { AdvisedResource } from './advised-resource.ts'
export { differencesOf, warnOfDifferences } from './database-warning.ts'
export { checkShared, guardFindings, warnOfUnguarded } from './guard-warning.ts'
export { indexLineOf, missingIndexes, missingIndexesOf, warnOfMissingIndexes } from './missing-indexes.ts'
export { ownerColumns } from './owners.ts'
