/** The rules of a route for its query strings. The whitelist has the names of filters, sorts, fields and includes. */
export interface QueryRules {
  /** Whether filters may be combined by `and`, `or` and `not`. Default: true. */
  readonly groups?: boolean
  /**
   * Whether to refuse all parameters that are not part of the query language, or only those that resemble one of it.
   * Default: false.
   */
  readonly refuseUnknown?: boolean
  /** Names of other parameters that the route takes. Errors list them as allowed. */
  readonly declared?: readonly string[]
  /** Names of parameters that are never ignored, in any spelling. Default: none. */
  readonly strict?: readonly string[]
}
