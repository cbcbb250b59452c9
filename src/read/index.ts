/** Reads of one resource: a page, a record, a number, a stream. They refuse what the planner refuses. */
export { convertJson, convertListJson, type VersionedJson } from './records.ts'
export { Reader } from './reader.ts'
export { columnsOf, streamBatches } from './stream.ts'
