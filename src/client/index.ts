/**
 * The client of resources, for browsers, Node, Deno, Bun and workers. It needs `fetch` and nothing else: of the other
 * rooms it knows types only, and no other room imports it.
 */
export { createClient, etagOf } from './create-client.ts'
export { CrudError, isCrudError, type CrudErrorItem } from './error.ts'
export type { ClientOptions } from './request.ts'
export type { ApiOf } from './api-of.ts'
export type { CallOptions, Client, CursorPage, OffsetPage, Page, ResourceApi, WriteOptions } from './types.ts'
