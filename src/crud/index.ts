/**
 * CrudBase: the stages put together. An EntityManager and QueryParams in, records or JSON text out. It refuses what
 * the planner refuses, and at start-up what a whitelist names in vain.
 */
export { closedBody } from './closed-body.ts'
export { CrudBase } from './crud-base.ts'
export type {
  CrudContext,
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
export { adviseIndexes, type IndexAdvice } from './index-advice.ts'
export { checkEstimates } from './estimates.ts'
export { entityTag } from './if-match.ts'
export { checkScope } from './scope.ts'
export { unguardedBehind, type Unguarded } from './unguarded.ts'
export { keyNames } from './update-data.ts'
export type { Resource } from './resource.ts'
export { crudSchemas, type CrudSchemas } from './schemas.ts'
export type { CamelCase, One, Wire, WireInput, WireProperty } from './wire-types.ts'
export type { CrudValues, WireBody, WireId, WirePage, WireRecord } from './wire-types.ts'
export { RequestSession } from './request-session.ts'
export type { CrudResult, CrudSession } from './steps.ts'
