/**
 * A resource bound to its ORM: its model and whitelist looked up, its statements kept by shape, and the conditions of
 * one request. It refuses what is misconfigured, when the resource meets its ORM, and conditions that are not certainly
 * conditions.
 */
export type { CrudContext } from './context.ts'
export { checkEstimates } from './estimates.ts'
export { filtersOfEntity } from './entity-filters.ts'
export { foreignOf, type ActiveFilters, type ReadOptions } from './foreign.ts'
export { schemaOf } from './models.ts'
export { RequestSession } from './request-session.ts'
export { Resource } from './resource.ts'
export { checkScope, readScope, toBody, type ScopeRules } from './scope.ts'
export * from './session.ts'
export type { CompiledRead } from './statements.ts'
