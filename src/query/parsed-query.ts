/**
 * The types that the parser produces: the text of a query string, sorted into its parts. The text has not been looked
 * up in a whitelist or converted to a property's type. The planner does both, and has its own types for the result.
 */
import type { ErrorItem, QueryCode } from '../base/errors.ts'
import type { PageValues } from '../base/page-styles.ts'
import type { GroupWord } from './filter-names.ts'

/** One condition as written: `filter[price][gte]=100` is `{ field: 'price', operator: 'gte', value: '100' }`. */
export interface FilterParam {
  /** Text in the first brackets: a name, an alias or a dotted path. */
  readonly field: string
  /** Text in the second brackets. Absent if the client leaves it to the filter's default operator. */
  readonly operator?: string
  /** The text of one parameter, which is split later if its operator takes a list, or a list of literal items. */
  readonly value: string | readonly string[]
}

/** Filters and groups that must all hold. `QueryParams` is one, and each member of a group. */
export interface FilterLevel {
  /** The filters, in the order of the query string. */
  readonly filters: readonly FilterParam[]
  /**
   * The groups that hold beside the filters: `filter[or][0][status]=open` is
   * `{ word: 'or', members: [{ filters: [{ field: 'status', value: 'open' }], groups: [] }] }`.
   */
  readonly groups: readonly FilterGroup[]
}

/** A combination of filters: all members hold (`and`), at least one (`or`), or the only one does not (`not`). */
export interface FilterGroup {
  /** How the members are combined. */
  readonly word: GroupWord
  /** The members, at least one. */
  readonly members: readonly FilterLevel[]
}

/** An error in the query string. */
export interface QueryParamError extends ErrorItem {
  readonly code: QueryCode
  /**
   * True if the query exceeds a limit of the grammar (number, length, depth, reserved names), if nothing of it could be
   * read, or if the error is inside of `or` or `not`. These errors are never ignored, whatever the configuration.
   */
  readonly limit?: true
}

/** The parameters that ask for numbers about many records: those of aggregates, and the facets of a list. */
export const SUMMARY_PARAMETERS = ['group', 'aggregate', 'facets'] as const
export type SummaryParameter = typeof SUMMARY_PARAMETERS[number]

/**
 * The parts of a query string. The objects are deeply frozen and have no prototype. The members of the pagination are
 * `page`, `per_page`, `limit`, `offset`, `cursor` and `count`. The empty string as `cursor` asks for the first page.
 */
export interface QueryParams extends FilterLevel, PageValues {
  /**
   * Items as the client wrote them, e.g. `['name', '-created_at']`: a name after `-`, `+`, a space (to which `+` is
   * decoded) or nothing. Other whitespace around an item is dropped: `a, -b` is `['a', '-b']`, but `a, b` is
   * `['a', ' b']`.
   */
  readonly sort: readonly string[]
  /** The paths of relations and the names of aggregates to include. */
  readonly include: readonly string[]
  /** The keys of the resource's own records. */
  readonly fields: readonly string[]
  /** `fields[<path>]`: the key is the text in the brackets. */
  readonly fieldsByInclude: Readonly<Record<string, readonly string[]>>
  /** The groups of aggregates. Absent if the query string has none. */
  readonly group?: readonly string[]
  /** The numbers about groups. Absent if the query string has none. */
  readonly aggregate?: readonly string[]
  /** The facets of a list. Absent if the query string has none. */
  readonly facets?: readonly string[]
  /**
   * Names of parameters that are not part of this grammar and that the route's schema does not declare, such as `title`
   * and `where[title]`, in the order of the query string. The generated routes refuse them. Other routes may read them.
   */
  readonly unknown: readonly string[]
  /** The errors, in the order of the query string. */
  readonly errors: readonly QueryParamError[]
}
