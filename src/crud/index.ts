/**
 * CrudBase: the stages put together. An EntityManager and QueryParams in, records or JSON text out. It refuses what
 * the planner refuses, and at start-up what a whitelist names in vain.
 */
export { CrudBase } from './crud-base.ts'
export type {
  CrudCreateOptions,
  CrudDeleteOptions,
  CrudOptions,
  CrudPage,
  CrudReadOptions,
  CrudRecord,
  CrudStreamOptions,
  CrudUpdateOptions,
  CrudWriteOptions,
} from './crud-options.ts'
export { crudSchemas, type CrudSchemas } from './schemas.ts'
export type { CamelCase, One, Wire, WireInput, WireProperty } from './wire-types.ts'
export type { CrudValues, WireBody, WireId, WirePage, WireRecord } from './wire-types.ts'
