/**
 * The whitelist: the filters, sorts, fields and includes that an application allows its clients.
 *
 * An application passes names of properties and options. The results are frozen instances with all defaults, which the
 * planner reads. Nothing here knows an entity's metadata or a request. The constructors throw a `ConfigError` if an
 * option is unknown or of the wrong type, a name is invalid, or two entries have the same name in the URL. Whether the
 * properties exist is checked when the CRUD class is bound to its ORM and, if the entity's type is given, by
 * TypeScript.
 */
export {
  AggregateInclude, AllowedInclude, checkDepth, MAX_INCLUDE_DEPTH, type AggregateFunction, type AggregateOptions,
  type IncludeOptions,
} from './allowed-include.ts'
export { AllowedAggregate, CountAggregate, type GroupFunction } from './allowed-aggregate.ts'
export { AllowedFacet, type FacetOptions } from './allowed-facet.ts'
export { AllowedField } from './allowed-field.ts'
export { AllowedGroup, DateGroup, type DateGroupOptions, type DateUnit } from './allowed-group.ts'
export { AllowedFilters, type JsonValueType, type OperatorsInUrl } from './allowed-filters.ts'
export { AllowedSort, type CustomSortCallback, type SortDirection } from './allowed-sort.ts'
export type {
  AnyKey, ConditionMistake, EntityCondition, IsAny, Key, KindOf, PathCheck, PathTarget, Target, Unsigned,
} from './paths.ts'
export {
  AnyOfFilter, CustomFilter, ScopeFilter, TrashedFilter, type CustomFilterCallback, type CustomFilterContext,
  type CustomFilterValue, type Filter,
} from './filter-kinds.ts'
export { FullTextFilter, PartialFilter, SearchFilter } from './text-filters.ts'
export { changed } from './base-filter.ts'
export type { InUrl } from './entry-arguments.ts'
export type { AliasOf, AliasOr, NameOf, RankedName, UrlName } from './entry-names.ts'
export {
  BODY_NAMES, CREATING, factsOf, formsOfBodies, isMany, MAX_AFFECTED, meantBy, neededFor, notAnOperation, OPERATIONS,
  QUERY_OPERATIONS, removes, sharingRoute, takesBodies, type BodyKind, type BodyName, type CrudOperation,
  type OperationFacts, type QueryOperation, type RowChange,
} from './crud-operations.ts'
export {
  QueryBuilderConfig, sortNames, type OnlyOptions, type Facet, type Field, type GroupAggregate, type GroupEntry,
  type Include, type QueryBuilderOptions, type Sort,
} from './query-builder-config.ts'
export { refuseMisplaced } from './option-places.ts'
export { readSignedName } from './signed-name.ts'
export { readUpsertKeys, type UpsertKeysConfig, type UpsertKeysOption, type UpsertOn } from './upsert-keys.ts'
export {
  readWritable, type ChildrenConfig, type WritableConfig, type WritableName, type WritableOption,
} from './writable-option.ts'
export { QueryBuilderConfigSchema, type Count, type Pagination, type PaginationOptions } from './whitelist-options.ts'
