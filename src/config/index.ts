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
export {
  AllowedFilters,
  type AllowedFiltersOptions,
  type JsonValueType,
  type OperatorsInUrl,
} from './allowed-filters.ts'
export { AllowedInclude, type IncludeOptions } from './allowed-include.ts'
export { AllowedSort, type AllowedSortOptions, type SortDirection } from './allowed-sort.ts'
export { AnyOfFilter, type Alternative } from './any-of-filter.ts'
export { BaseFilter, type FilterText, type Ignoring } from './base-filter.ts'
export { CustomSort, type CustomSortCallback } from './custom-sort.ts'
export {
  CustomFilter,
  type CustomFilterCallback,
  type CustomFilterContext,
  type CustomFilterValue,
  type NarrowedQueryBuilder,
} from './custom-filter.ts'
export type { EntryOptions, InUrl } from './entry-options.ts'
export { checkDepth, MAX_INCLUDE_DEPTH } from './include-path.ts'
export { PartialFilter } from './partial-filter.ts'
export type { AnyKey, IsAny, Key, KindOf, PathCheck, PathTarget, PathHint, PathUse, Target } from './paths.ts'
export {
  QueryBuilderConfig,
  type OnlyOptions,
  type Field,
  type FieldOf,
  type Filter,
  type FilterOf,
  type Include,
  type IncludeOf,
  type QueryBuilderOptions,
  type Sort,
  type SortOf,
} from './query-builder-config.ts'
export { ScopeFilter, type ScopeOptions } from './scope-filter.ts'
export { SearchFilter } from './search-filter.ts'
export { TrashedFilter } from './trashed-filter.ts'
export {
  readWritable,
  type WritableConfig,
  type WritableName,
  type WritableNames,
  type WritableOption,
} from './writable.ts'
export { PaginationSchema, QueryBuilderConfigSchema, type Pagination, type PaginationOptions } from './schema.ts'
