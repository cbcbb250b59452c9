/** A kind of filter, and what the kinds have in common. */
import type { AnyOfFilter, CustomFilter, ScopeFilter, SearchFilter } from '../../config/index.ts'
import { resolvePath, type EntityModel, type RelationProperty } from '../../model/index.ts'
import type { Operator } from '../../operators/index.ts'
import type { FilterParam } from '../../query/index.ts'
import type { Comparable } from '../types.ts'
import type { Values } from '../values.ts'
import type { Planned } from './planned.ts'

/**
 * All that planning needs to know of a kind of filter. Its configuration is in `src/config`, its documentation in
 * `src/http/docs/filter-parameters.ts`, and what clients write for it in `src/client/values.ts`: in tables of kinds, too.
 */
export interface FilterKind<Config, Entry> {
  /**
   * Looks up the properties that a filter of the whitelist names.
   *
   * @throws {ConfigError} for names, operators and types that do not fit the entity
   */
  readonly resolve: (filter: Config, model: EntityModel) => Entry
  /** Plans a parameter. Kinds without operators are given no operator, and no values that the filter ignores. */
  readonly plan: (param: FilterParam, entry: Entry, values: Values) => Planned
  /** The properties that the filter compares, with the operators that it compares them by. */
  readonly compared: (entry: Entry) => readonly Compared[]
}

/** A property to compare, behind relations or not. */
export interface FilterTarget {
  readonly relations: readonly RelationProperty[]
  readonly operand: Comparable
}

/** A property that a filter compares, and the operators that requests may use. */
export interface Compared extends FilterTarget {
  readonly by: readonly Operator[]
}

/** What the entries of all kinds have. */
export interface EntryBase {
  /** In the URL. */
  readonly name: string
  /** Values that filter nothing. */
  readonly ignored?: ReadonlySet<string>
}

/**
 * The URL name of a filter whose name is free. It cannot be that of a hidden property, because it would disclose that
 * the property exists.
 */
export function freeName (filter: CustomFilter | SearchFilter | ScopeFilter | AnyOfFilter, model: EntityModel): string {
  if (model.properties.get(filter.field)?.hidden) {
    resolvePath(model, filter.field, `AllowedFilters.${filter.kind} '${filter.field}'`)
  }
  return filter.alias ?? filter.field
}
