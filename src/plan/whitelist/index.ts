/**
 * A configuration meets a model: every name of the whitelist is looked up once, at start-up, and what a request may
 * say is put into maps by the names that URLs use. What does not fit is a `ConfigError` with a suggestion.
 */
import type { Pagination, QueryBuilderConfig } from '../../config/index.ts'
import { ConfigError } from '../../errors.ts'
import type { EntityModel, Property } from '../../model/index.ts'
import type { FilterParam } from '../../query/index.ts'
import { checkDefault, filterEntry, type FilterEntry, type FilterList } from '../filters/index.ts'
import { Memo } from '../memo.ts'
import type { AnswerLimits, CustomTerm, OrderTerm, Selection } from '../types.ts'
import { resolveIncludes, type IncludeEntry } from './includes.ts'
import { defaultOrder, sortEntries, type DefaultTerm, type SortEntry } from './sorts.ts'

export { includePath } from './includes.ts'
export type { AggregateEntry, IncludeEntry, RelationEntry } from './includes.ts'
export type { CustomTarget, DefaultTerm, SortEntry, SortTarget } from './sorts.ts'

export interface Whitelist extends FilterList {
  readonly model: EntityModel
  /** The resource's own names, any of which may stand in `fields[<name>]`. */
  readonly names: Set<string>
  readonly sorts: ReadonlyMap<string, SortEntry>
  readonly defaultOrder: readonly DefaultTerm[]
  readonly fields: ReadonlyMap<string, Property>
  readonly includes: ReadonlyMap<string, IncludeEntry>
  readonly pagination: Pagination
  /** Of the answer to a list, of a single record, and of a batch of a stream. */
  readonly limits: AnswerLimits
  readonly limitsOfOne: AnswerLimits
  readonly limitsOfBatch: AnswerLimits
  readonly ignoreInvalidErrors: boolean
  /** What requests have asked for before. */
  readonly orders: Memo<ReadonlyArray<OrderTerm | CustomTerm>>
  readonly selections: Memo<Selection>
}

/** Rows of a batch of a stream, at most. */
export const MAX_STREAM_BATCH = 500

/**
 * Looks up everything that the configuration names.
 *
 * @param name of the resource in `fields[<name>]`: its table's unless it has another
 * @throws {ConfigError} for a name that the entity doesn't have, and for an operator, sort, field or include that
 *   can't work on the property it names
 */
export function resolveWhitelist (
  config: QueryBuilderConfig,
  model: EntityModel,
  name: string = model.tableName
): Whitelist {
  const { maxIncluded, maxBytes, maxPerPage } = config.pagination
  const sorts = byName('allowedSorts', config.allowedSorts.flatMap((sort) => sortEntries(sort, model)))
  const { fields, includes } = resolveIncludes(config.allowedIncludes, config.allowedFields, model)
  const filters = byName('allowedFilters', config.allowedFilters.map((filter) => filterEntry(filter, model)))
  return Object.freeze({
    model,
    names: new Set([name]),
    filters,
    defaults: defaultFilters(config, [...filters.values()]),
    sorts,
    defaultOrder: Object.freeze(config.defaultSort.flatMap((item) => defaultOrder(item, sorts, model))),
    fields,
    includes,
    pagination: config.pagination,
    limits: Object.freeze({ maxIncluded, maxBytes, maxRows: maxPerPage }),
    limitsOfOne: Object.freeze({ maxIncluded, maxBytes, maxRows: 1 }),
    limitsOfBatch: Object.freeze({ maxIncluded, maxBytes, maxRows: MAX_STREAM_BATCH }),
    ignoreInvalidErrors: config.ignoreInvalidErrors,
    orders: new Memo<ReadonlyArray<OrderTerm | CustomTerm>>(),
    selections: new Memo<Selection>(),
  })
}

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

/** @param entries in the order of `allowedFilters` */
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
