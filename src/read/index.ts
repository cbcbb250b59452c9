/**
 * Reads of one resource: a page, a record, a number, a stream. In: a session and query parameters. Out: the JSON text
 * of the database. Errors: those of the planner.
 */
export { checkReturned, convertRecord, convertList, isFinal, jsonOf, parseRecords, type JsonAnswer } from './answer.ts'
export { changedColumns, streamColumns, type StreamColumn } from './columns.ts'
export { countOf, countRecords } from './count.ts'
export { readRecord, recordExists } from './get.ts'
export { readList, readingPage } from './list.ts'
export { sendAndWait, type Reading } from './reading.ts'
export {
  beginRead,
  readingRows,
  readingWithinLimits,
  type FoundRows,
  type PreparedRead,
  type Read,
} from './rows.ts'
export { readStream } from './stream.ts'
