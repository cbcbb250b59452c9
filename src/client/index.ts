/**
 * The client of resources, for browsers, Node, Deno, Bun and workers. It needs only `fetch`. It imports nothing but
 * types from the other rooms, and no other room imports it.
 */
export { createClient, etagOf } from './create-client.ts'
export { CrudError, isCrudError, type CrudErrorItem } from './error.ts'
export type { ClientOptions, HeaderList } from './send-call.ts'
export type { ApiOf } from './api-of.ts'
export type {
  Client, CursorPage, ManyQuery, ManyWriteOptions, OffsetPage, Page, RepeatableOptions, ResourceApi,
  ResourceTraits, UpsertOptions, WriteOptions,
} from './client-types.ts'
export type { CallOptions } from './query-types.ts'
export type { FacetValue } from './group-types.ts'
export type { UpsertResult } from '../crud/index.ts'
export type { Affected } from '../write/index.ts'
