/**
 * Lists as streams: batches of records in, NDJSON or CSV out. Loaded by servers that have a resource with `stream`. It
 * refuses what a list refuses, before the first record is sent.
 */
export { streamingOf, type Streaming, type StreamOptions } from './streaming.ts'
