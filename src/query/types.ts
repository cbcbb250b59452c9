/**
 * What the parser produces: the text of a query string, sorted into its parts. Nothing here has been looked up
 * in a whitelist or converted to a property's type; the planner does both and produces types of its own.
 */
import type { ErrorItem, QueryCode } from '../errors.ts'

/** One condition as written: `filter[price][gte]=100` is `{ field: 'price', operator: 'gte', value: '100' }`. */
export interface FilterParam {
  /** Text of the first bracket: a name, an alias, or a dotted path. */
  readonly field: string
  /** Text of the second bracket; absent when the filter's default operator is meant. */
  readonly operator?: string
  /** The text of one parameter, still to be split if its operator takes a list; or items to be taken literally. */
  readonly value: string | readonly string[]
}

/** Something in the query string that can't be read. */
export interface QueryParamError extends ErrorItem {
  readonly code: QueryCode
  /**
   * True for the limits of the grammar (number, length, depth, reserved names), and for a query nothing of which could
   * be read: never ignored, whatever the configuration.
   */
  readonly limit?: true
}

/** A query string, read. Deeply frozen; its objects have no prototype. */
export interface QueryParams {
  readonly filters: readonly FilterParam[]
  /**
   * Items as written, e.g. `['name', '-created_at']`: a name after `-`, `+`, a space (which `+` decodes to) or nothing.
   * Other whitespace around an item is dropped, so `a, -b` is `['a', '-b']`; but `a, b` is `['a', ' b']`.
   */
  readonly sort: readonly string[]
  readonly include: readonly string[]
  readonly fields: readonly string[]
  /** `fields[<path>]`: the key is the text in the brackets. */
  readonly fieldsByInclude: Readonly<Record<string, readonly string[]>>
  readonly page?: number
  readonly per_page?: number
  readonly limit?: number
  readonly offset?: number
  /** The empty string asks for the first page. */
  readonly cursor?: string
  /**
   * Names of parameters that are not part of this grammar and that the route's schema does not declare, in the order of the
   * query string: `title`, `where[title]`. The generated routes refuse them; other routes may read them.
   */
  readonly unknown: readonly string[]
  /** What could not be read, in the order of the query string. */
  readonly errors: readonly QueryParamError[]
}
