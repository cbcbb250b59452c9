/**
 * CrudBase, which combines the stages. An EntityManager and QueryParams in, records or JSON text out. Errors: those of
 * the planner, and at start-up names in a whitelist that the entity does not have.
 */
export type { AfterContext } from './after-context.ts'
export type { CrudParams } from './check-call.ts'
export { CrudBase, isOwnMethod } from './crud-base.ts'
export { entityName } from './check-options.ts'
export type {
  CountParameter, CrudCreateOptions, CrudDeleteManyOptions, CrudDeleteOptions, CrudFacetValue, CrudGroups, CrudOptions,
  CrudPage, CrudQueryOptions, CrudReadOptions, CrudRecord, CrudStreamOptions, CrudUpdateManyOptions, CrudUpdateOptions,
  CrudUpsertOptions, CrudWriteOptions, TotalOf, UpsertResult,
} from './crud-options.ts'
export type { RoleView, RoleViewOptions } from './role-view.ts'
export { crudSchemas, type CrudSchemas } from './schemas.ts'
export {
  type CamelCase, type CrudValues, type One, type Wire, type WireBody, type WireId, type WireInput, type WirePage,
  type WireRecord, type WrittenRecord,
} from './record-types.ts'
