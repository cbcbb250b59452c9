/**
 * Lists as streams: batches of records in, NDJSON or CSV out. Only servers that have a resource with `stream` load it.
 * Errors: those of a list, before the first record is sent.
 */
export { streamingOf, type Streaming } from './streaming.ts'
