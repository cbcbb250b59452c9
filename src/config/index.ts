/**
 * The whitelist: the filters, sorts, fields and includes that an application allows its clients.
 *
 * An application passes names of properties and options. The results are frozen instances with all defaults, which the
 * planner reads. Nothing here knows an entity's metadata or a request. The constructors throw a `ConfigError` if an
 * option is unknown or of the wrong type, a name is invalid, or two entries have the same name in the URL. Whether the
 * properties exist is checked when the CRUD class is bound to its ORM and, if the entity's type is given, by
 * TypeScript.
 */
export { AggregateInclude, type AggregateFunction, type AggregateOptions } from './aggregate-include.ts'
export { AllowedField } from './allowed-field.ts'
export { AllowedFilters, type JsonValueType, type OperatorsInUrl } from './allowed-filters.ts'
export { AllowedInclude, type IncludeOptions } from './allowed-include.ts'
export { AllowedSort } from './allowed-sort.ts'
export type { Condition, ConditionMistake } from './condition.ts'
export type { SortDirection } from './sort-options.ts'
export { AnyOfFilter } from './any-of-filter.ts'
export type { CustomSortCallback } from './custom-sort.ts'
export {
  CustomFilter,
  type CustomFilterCallback,
  type CustomFilterContext,
  type CustomFilterValue,
} from './custom-filter.ts'
export type { InUrl } from './entry-options.ts'
export { checkDepth, MAX_INCLUDE_DEPTH } from './include-path.ts'
export { notAnOperation, OPERATIONS, type CrudOperation } from './operations.ts'
export { PartialFilter } from './partial-filter.ts'
export type { AnyKey, IsAny, Key, KindOf, PathCheck, PathTarget, Target } from './paths.ts'
export {
  QueryBuilderConfig,
  type OnlyOptions,
  type Field,
  type Filter,
  type Include,
  type QueryBuilderOptions,
  type Sort,
} from './query-builder-config.ts'
export { ScopeFilter } from './scope-filter.ts'
export { SearchFilter } from './search-filter.ts'
export { TrashedFilter } from './trashed-filter.ts'
export { readWritable, type WritableConfig, type WritableOption } from './writable.ts'
export { QueryBuilderConfigSchema, type Count, type Pagination, type PaginationOptions } from './schema.ts'
