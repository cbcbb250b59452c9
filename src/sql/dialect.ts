/**
 * The form of statements. A distributed server differs in these places:
 *
 * - Reads: `formOf` (`form.ts`) finds rows, related records, numbers and JSON objects in other ways.
 * - Rows that a statement writes have known columns instead of names (`write.ts`, `many.ts`), since the server
 *   evaluates no function in `returning` that depends on settings. Its next version of a moment is `now()`
 *   (`assignments.ts`).
 * - Conditions of writes hide what may contradict the distribution column, and a version that is a moment is compared
 *   in another way (`write-target.ts`).
 * - The rows of a change of many are not locked first (`many.ts`).
 * - `isDistributed` (`src/write/distributed.ts`) says which steps of a write take other ways: references, upserts,
 *   children, and records of the unit of work. `checkDistributed` there refuses entities at start-up.
 * - Idempotency needs the table of its answers on one node (`src/write/kept-answers.ts`).
 */
export type Dialect = 'postgresql' | 'distributed'
