/**
 * Reads of one resource: a page, a record, a number, a stream. In: a session and query parameters. Out: the JSON text
 * of the database. Errors: those of the planner.
 */
export { convertRecord, convertRecords, convertList, type JsonAnswer } from './answer.ts'
export { countRecords } from './count.ts'
export { readGroups } from './groups.ts'
export { readRecord, recordExists } from './get.ts'
export { readList } from './list.ts'
export { readStream } from './stream.ts'
