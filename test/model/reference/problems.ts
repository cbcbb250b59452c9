/** The reasons for refusing a request. All are collected, and the answer has the code of the first kind. */

export type ProblemKind = 'filter' | 'sort' | 'field' | 'include' | 'pagination' | 'query'

export interface Problem {
  readonly kind: ProblemKind
  /** The parameter as written in the URL. An error of the whole query string has none. */
  readonly parameter?: string
  /** The allowed names, if a name is not allowed. */
  readonly allowed?: readonly string[]
  /** One of the limits that a resource never ignores. */
  readonly limit?: boolean
}

const CODES: Readonly<Record<ProblemKind, string>> = {
  filter: 'FST_CRUD_FILTER_INVALID', sort: 'FST_CRUD_SORT_INVALID', field: 'FST_CRUD_FIELD_INVALID',
  include: 'FST_CRUD_INCLUDE_INVALID', pagination: 'FST_CRUD_PAGINATION_INVALID', query: 'FST_CRUD_QUERY_INVALID',
}

export interface Refusal {
  readonly status: 400 | 404
  readonly code: string
  /** The named parameters, each once, sorted. */
  readonly parameters: readonly string[]
  /** The allowed alternatives of a parameter's errors, if names are wrong. */
  readonly allowed: Readonly<Record<string, readonly string[]>>
}

/** A 400 with all problems, or nothing without problems. */
export function refuse (problems: readonly Problem[]): Refusal | undefined {
  const first = Object.keys(CODES).find((kind) => problems.some((problem) => problem.kind === kind))
  if (first === undefined) return undefined
  const allowed: Record<string, string[]> = {}
  for (const problem of problems) {
    if (problem.parameter !== undefined && problem.allowed) {
      allowed[problem.parameter] = [...new Set(problem.allowed)].sort()
    }
  }
  return {
    status: 400, code: CODES[first as ProblemKind],
    parameters: [...new Set(problems.flatMap(({ parameter }) => parameter ?? []))].sort(), allowed,
  }
}

/**
 * The problems that remain at a resource that ignores invalid filters, sorts, fields and includes: pagination, the
 * query string as a whole, and limits.
 */
export function unforgiven (problems: readonly Problem[]): Problem[] {
  return problems.filter(({ kind, limit }) => kind === 'pagination' || kind === 'query' || limit === true)
}
