/**
 * CrudBase: the stages put together. An EntityManager and QueryParams in, records or JSON text out. It refuses what
 * the planner refuses, and at start-up what a whitelist names in vain.
 */
export {
  CrudBase, type CrudContext, type CrudDeleteOptions, type CrudOptions, type CrudPage, type CrudReadOptions, type CrudRecord, type CrudWriteOptions,
} from './crud-base.ts'
export { entityTag } from './if-match.ts'
export { keyNames } from './update-data.ts'
export type { Resource } from './resource.ts'
export { crudSchemas, type CrudSchemas } from './schemas.ts'
export type { WireBody, WireId, WirePage, WireRecord } from './wire-types.ts'
