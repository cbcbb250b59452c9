/**
 * Writes of one resource. In: a session, a key, data by public name. Out: the JSON text of the database. A write is one
 * statement (`one-statement/`), and statements for its links, or uses MikroORM's unit of work if hooks or
 * cascades require it (`unit-of-work/`). Errors: data that bodies may not contain, and rows outside of the scope.
 */
export { checkChanges, checkNewBodies, checkUpserts } from './check-body.ts'
export { closedBody } from './write.ts'
export { createMany, createOne } from './create.ts'
export { deleteOne, restoreOne } from './delete.ts'
export { checkDistributed } from './distributed.ts'
export { deleteMany, missingHook, updateMany, type Affected } from './many.ts'
export { DIGEST_LENGTH, entityTag, refuseVersions } from './if-match.ts'
export type { Data } from './new-row.ts'
export { rightsOf } from './rights.ts'
export { checkStoredAnswers, StoredAnswers, type StoredAnswer } from './stored-answers.ts'
export { keyNames } from './update-data.ts'
export { updateOne } from './update.ts'
export { upsertBy, upsertMany, upsertOne } from './upsert.ts'
export type { UpsertData } from './upsert-data.ts'
