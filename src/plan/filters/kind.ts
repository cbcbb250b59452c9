/** The interface of filter kinds, and the members that all kinds have in common. */
import type { AnyOfFilter, CustomFilter, ScopeFilter, SearchFilter } from '../../config/index.ts'
import { resolvePath, type EntityModel, type RelationProperty } from '../../model/index.ts'
import type { Operator } from '../../operators/index.ts'
import type { FilterParam } from '../../query/index.ts'
import type { Comparable } from '../types.ts'
import type { Values } from '../values.ts'
import type { Planned } from './planned.ts'

/**
 * Everything that the planner needs to know about a kind of filter. `src/config` has the configuration of a kind,
 * `src/http/schemas/filter-parameters.ts` its documentation, and `src/client/values.ts` the values that clients write.
 */
export interface FilterKind<Config, Entry> {
  /**
   * Looks up the properties that a filter of the whitelist names.
   *
   * @throws {ConfigError} for unknown names, and for operators and types that do not fit the property
   */
  readonly resolve: (filter: Config, model: EntityModel) => Entry
  /** Plans a parameter. For kinds without operators, it has no operator and no values that the filter ignores. */
  readonly plan: (param: FilterParam, entry: Entry, values: Values) => Planned
  /** Returns the properties that the filter compares, each with its operators. */
  readonly compared: (entry: Entry) => readonly Compared[]
  /** Whether a parameter may name an operator: entries of the kind have a map of them. */
  readonly takesOperators: Entry extends { readonly operators: unknown } ? true : false
}

/** A property that a filter compares, and the relations that lead to it. */
export interface FilterTarget {
  readonly relations: readonly RelationProperty[]
  readonly operand: Comparable
}

/** A property that a filter compares, and the operators that requests may use. */
export interface Compared extends FilterTarget {
  readonly by: readonly Operator[]
}

/** The members that the entries of all kinds have. */
export interface EntryBase {
  /** The name of the filter in the URL. */
  readonly name: string
  /** The values that the filter ignores. */
  readonly ignored?: ReadonlySet<string>
}

/**
 * Returns the URL name of a filter that can have any name, except that of a hidden property. Such a name would disclose
 * that the property exists.
 *
 * @throws {ConfigError} for the name of a hidden property
 */
export function freeName (filter: CustomFilter | SearchFilter | ScopeFilter | AnyOfFilter, model: EntityModel): string {
  if (model.properties.get(filter.field)?.hidden) {
    resolvePath(model, filter.field, `AllowedFilters.${filter.kind} '${filter.field}'`)
  }
  return filter.alias ?? filter.field
}
