/**
 * fastify-crud-kit: declare a MikroORM entity and a whitelist, get a REST resource at the speed of hand-written SQL.
 * This file exports the whole public interface.
 */
export { crudKit, crudKit as default, type CrudKitOptions } from '../plugins/crud-kit.ts'
export { crudAdvice } from '../plugins/advice.ts'
export { crudDatabase } from '../plugins/database.ts'
export { crudErrors } from '../plugins/errors.ts'
export { crudHealth, type CrudHealth, type HealthOptions } from '../plugins/health.ts'
export { crudRoutes } from '../plugins/crud-routes.ts'
export { crudAccess } from '../plugins/access.ts'
export { requestEm } from '../plugins/request-em.ts'
export { requestQueryParams } from '../plugins/query-params.ts'
export { serverTiming } from '../plugins/server-timing.ts'
export { CrudKitOptionsSchema, type CrudRoutesOptions, type RouteTransactions } from './http/index.ts'
export {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort,
  QueryBuilderConfig, QueryBuilderConfigSchema, type AggregateInclude, type AggregateOptions, type CountAggregate,
  type CustomFilterCallback, type CustomFilterContext, type CustomFilterValue, type CustomSortCallback, type DateGroup,
  type DateGroupOptions, type DateUnit, type FacetOptions, type GroupFunction, type IncludeOptions, type Pagination,
  type PaginationOptions, type QueryBuilderOptions, type QueryOperation, type SortDirection, type UpsertKeysOption,
} from './config/index.ts'
export {
  CrudBase, crudSchemas, type AfterContext, type CrudCreateOptions, type CrudDeleteManyOptions, type CrudDeleteOptions,
  type CrudFacetValue, type CrudGroups, type CrudOptions, type CrudPage, type CrudParams, type CrudQueryOptions,
  type CrudReadOptions, type CrudRecord, type CrudSchemas, type CrudStreamOptions, type CrudUpdateManyOptions,
  type CrudUpdateOptions, type CrudUpsertOptions, type UpsertResult, type CrudValues, type CrudWriteOptions,
  type RoleView, type RoleViewOptions, type WireBody, type WireId, type WirePage, type WireRecord, type WrittenRecord,
} from './crud/index.ts'
export type { CrudContext, CrudResult, CrudSession } from './resource/index.ts'
export {
  DatabaseFactory, HealthSchema, readOnly, SyncEngine, SyncSession, withRetry, withTimeout, withTransaction,
  type DatabaseOptions, type Health, type TransactionFunction, type TransactionOptions, type TransactionWrapper,
} from './database/index.ts'
export {
  readFromWriter, toCrudError, type QueryMessage, type Distribution, type ReplicaReport, type TableDistribution,
} from './run/index.ts'
export {
  BaseModel, distributedBy, IdempotencyRecord, primaryKey, softDelete, timestamps, uuid,
} from './entities/index.ts'
export {
  AbortedError, ConfigError, ConflictError, DatabaseError, DataValidationError, FieldValidationError,
  FilterValidationError, ForbiddenError, IdempotencyKeyError, IdempotencyMismatchError, IdempotencyRunningError,
  IncludeValidationError, NotFoundError, OutcomeUnknownError, OutOfScopeError, PaginationValidationError,
  PreconditionFailedError, PreconditionRequiredError, QueryValidationError, ReadOnlyViolationError,
  RequestValidationError, ScopeError, SortValidationError, TooLargeError, TooManyError, UnavailableError,
  UnsupportedMediaTypeError, type ErrorItem, type ErrorSource, type RequestError,
} from './base/errors.ts'
export type { Operator } from './operators/index.ts'
export {
  parseQueryParams, stringifyQueryParams, type FilterGroup, type FilterLevel, type FilterParam, type FilterTree,
  type FilterTreeCondition, type FilterTreeValue, type ParseOptions, type QueryParamError, type QueryParams,
  type QueryTree,
} from './query/index.ts'
export { defineAccess, type AccessOptions, type EntityRule, type RoleRules } from './access/index.ts'
export type { Id } from './plan/index.ts'
export type { ApiOf } from './client/index.ts'
