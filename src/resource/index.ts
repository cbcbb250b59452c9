/**
 * A resource bound to its ORM: its model and whitelist looked up, its statements kept by shape, and the conditions of
 * one request. Errors: mistakes of the configuration, when the resource is bound, and values that are not certainly
 * conditions.
 */
export { activeFilters, filtersOfEntity, switchedFilters } from './active-filters.ts'
export { BoundResources } from './bound-resources.ts'
export { callFor, childCall, perform, resourceFor, whitelistOfCall, type Call, type OperationOptions } from './call.ts'
export { actFor, actForSync, callerOf } from './caller.ts'
export { afterContext, crudContext, type AnyAfterContext, type CrudContext } from './context.ts'
export { checkCoLocation } from './co-location.ts'
export { checkEstimates } from './estimates.ts'
export { foreignOf } from './foreign.ts'
export {
  filtersBehind, NO_FILTERS, type ActiveFilters, type RequestConditions, type SwitchedFilters,
} from './request-conditions.ts'
export { HOOK_NAMES, rememberLog, reportHook, WRITE_HOOKS, type CrudClass, type CrudHooks } from './hooks.ts'
export { accessFor, modelsOf } from './models.ts'
export { queryBuilderOf } from './query-builder.ts'
export { RequestSession, type Caller, type CheckedQuery } from './request-session.ts'
export { Resource, type WriteConfig, type ReadFilters } from './resource.ts'
export { waitForFilteredRows, withRows } from './role-rows.ts'
export { readScope, scopeRulesOf, toBody, type ScopeRules } from './scope.ts'
export {
  afterCommitOf, hasSessionContext, inTransaction, isInTransaction, knowRules, knowServer, knowTriggers, knowUnaccent,
  openedEmOf, readStatement, requirePromises, runStatement, sharedEmOf, type CrudResult, type CrudSession,
} from './crud-session.ts'
export type { CompiledRead } from './kept-statements.ts'
export { checkTextNeeds } from './text-needs.ts'
export { readConstantFilter } from './whitelisted.ts'
