/**
 * Looks up every name of a whitelist in the model, once, at start-up. The result is maps by the names that URLs use. A
 * name that does not fit the entity is a `ConfigError` with a suggestion.
 */
import type { Pagination, QueryBuilderConfig } from '../../config/index.ts'
import { ConfigMistakes } from '../../base/config-mistakes.ts'
import { ConfigError } from '../../base/errors.ts'
import { MAX_STREAM_BATCH } from '../../base/page-styles.ts'
import type { EntityModel, Property } from '../../model/index.ts'
import type { FilterParam } from '../../query/index.ts'
import { checkDefault, comparedBy, filterEntry, type FilterEntry, type FilterList } from '../filters/index.ts'
import { Memo } from '../memo.ts'
import type { CustomTerm, OrderTerm } from '../condition-types.ts'
import type { AnswerLimits, FacetTerm, Grouping, GroupNumber, GroupTerm, Selection } from '../plan-types.ts'
import { checkItemKeys, facetTerm, groupNumbers, groupTerms } from './groups.ts'
import { type IncludeEntry, relatedNumbers, resolveIncludes } from './includes.ts'
import { defaultOrder, relevanceEntries, sortEntries, type DefaultTerm, type SortEntry } from './sorts.ts'

export { type AggregateEntry, type IncludeEntry, namesOfInclude, type RelationEntry } from './includes.ts'

export interface Whitelist extends FilterList {
  readonly model: EntityModel
  /** The names of the resource. Clients may use each of them in `fields[<name>]`. */
  readonly names: ReadonlySet<string>
  readonly sorts: ReadonlyMap<string, SortEntry>
  /** Whether a sort is by relevance. */
  readonly isRanked: boolean
  /** Whether a filter needs the extension unaccent. */
  readonly needsUnaccent: boolean
  readonly defaultOrder: readonly DefaultTerm[]
  readonly fields: ReadonlyMap<string, Property>
  readonly includes: ReadonlyMap<string, IncludeEntry>
  readonly facets: ReadonlyMap<string, FacetTerm>
  /** The groups of aggregates, and the numbers about them. */
  readonly groups: ReadonlyMap<string, GroupTerm>
  readonly numbers: ReadonlyMap<string, GroupNumber>
  readonly pagination: Pagination
  /** The pages of aggregates. */
  readonly groupPagination: Pagination
  /** The limits of the answer to a list. */
  readonly limits: AnswerLimits
  /** The limits of the answer with a single record. */
  readonly limitsOfOne: AnswerLimits
  /** The limits of one batch of a stream. */
  readonly limitsOfBatch: AnswerLimits
  readonly ignoreInvalidErrors: boolean
  /** Orders and selections that were planned for earlier requests. */
  readonly orders: Memo<ReadonlyArray<OrderTerm | CustomTerm>>
  readonly selections: Memo<Selection>
  readonly groupings: Memo<Grouping>
}

/**
 * Looks up everything that the configuration names.
 *
 * @param names of the resource in `fields[<name>]`. Default: that of its table.
 * @throws {ConfigError} for all names that the entity does not have, and for all operators, sorts, fields and includes
 *   that do not work on the property that they name
 */
export function resolveWhitelist (
  config: QueryBuilderConfig,
  model: EntityModel,
  names: ReadonlySet<string> = new Set([model.tableName])
): Whitelist {
  const { maxIncluded, maxBytes, maxPerPage } = config.pagination
  const mistakes = new ConfigMistakes()
  const { fields, includes } = resolveIncludes(config.allowedIncludes, config.allowedFields, model, mistakes)
  const related = relatedNumbers(includes)
  const filterList = mistakes.lookUp(config.allowedFilters, (filter) => filterEntry(filter, model, related))
  const sortList = mistakes.lookUp(config.allowedSorts, (sort) => sortEntries(sort, model, related))
  const facetList = mistakes.lookUp(config.allowedFacets, (facet) => facetTerm(facet, model))
  const groupList = mistakes.lookUp(config.allowedGroups, (group) => groupTerms(group, model))
  const numberList = mistakes.lookUp(config.allowedAggregates, (entry) => groupNumbers(entry, model))
  mistakes.throw()
  const filters = byName('allowedFilters', filterList)
  const ranked = filterList.flatMap(relevanceEntries)
  const sorts = byName('allowedSorts', [...sortList, ...ranked])
  const groups = byName('allowedGroups', groupList)
  const numbers = byName('allowedAggregates', numberList)
  checkItemKeys([...groups.values(), ...numbers.values()])
  return Object.freeze({
    model,
    names,
    filters,
    defaults: defaultFilters(config, [...filters.values()]),
    sorts,
    isRanked: ranked.length > 0,
    needsUnaccent: [...filters.values()].some((filter) => comparedBy(filter).some(({ unaccent }) => unaccent === true)),
    defaultOrder: Object.freeze(config.defaultSort.flatMap((item) => defaultOrder(item, sorts, model, related))),
    fields,
    includes,
    facets: byName('allowedFacets', facetList),
    groups,
    numbers,
    pagination: config.pagination,
    groupPagination: Object.freeze({ ...config.pagination, ...GROUP_PAGES }),
    limits: Object.freeze({ maxIncluded, maxBytes, maxRows: maxPerPage }),
    limitsOfOne: Object.freeze({ maxIncluded, maxBytes, maxRows: 1 }),
    limitsOfBatch: Object.freeze({ maxIncluded, maxBytes, maxRows: MAX_STREAM_BATCH }),
    ignoreInvalidErrors: config.ignoreInvalidErrors,
    orders: new Memo<ReadonlyArray<OrderTerm | CustomTerm>>(),
    selections: new Memo<Selection>(),
    groupings: new Memo<Grouping>(),
  })
}

/** The same whitelist, for routes that call the resource by these names. Routes may share a resource. */
export const withNames = (whitelist: Whitelist, names: ReadonlySet<string>): Whitelist =>
  Object.freeze({ ...whitelist, names, selections: new Memo<Selection>() })

/** The pages of aggregates. Groups are small, and diagrams show many. */
export const GROUP_PAGES = { defaultPerPage: 20, maxPerPage: 1_000, count: 'exact', countParameter: false } as const

/** The entries by their names in URLs. An entry with an alias has that name only, and no longer its property's. */
function byName<Entry extends { readonly name: string }> (
  list: string,
  entries: readonly Entry[]
): ReadonlyMap<string, Entry> {
  const map = new Map<string, Entry>()
  for (const entry of entries) {
    if (map.has(entry.name)) {
      throw new ConfigError(`${list}: two entries are '${entry.name}' in the URL; remove one, or give it an alias.`)
    }
    map.set(entry.name, Object.freeze(entry))
  }
  return map
}

/** @param entries the entries in the order of `allowedFilters` */
function defaultFilters (
  { allowedFilters }: QueryBuilderConfig,
  entries: readonly FilterEntry[]
): FilterList['defaults'] {
  return allowedFilters.flatMap(({ defaultValue }, index) => {
    if (defaultValue === undefined) return []
    const entry = entries[index]!
    const param: FilterParam = { field: entry.name, value: defaultValue }
    checkDefault(param, entry)
    return [Object.freeze({ entry, param })]
  })
}
