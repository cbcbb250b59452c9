import { parseQueryParams } from '../../src/query/index.ts'
import type { ParseOptions, QueryParams } from '../../src/query/index.ts'

/** A result as ordinary objects, for strict comparison with a literal. */
export function plain<T> (value: T): T {
  return JSON.parse(JSON.stringify(value))
}

/** The non-empty parts of a parsed query string. */
export function read (query: unknown, options?: ParseOptions): Partial<QueryParams> {
  const params = plain(parseQueryParams(query, options))
  return Object.fromEntries(
    Object.entries(params).filter(([, value]) => typeof value !== 'object' || Object.keys(value).length > 0)
  )
}

/** Each error as `code parameter`, the code without its common prefix. `!` after it marks a limit. */
export function refusals (query: unknown, options?: ParseOptions): string[] {
  return parseQueryParams(query, options).errors.map(({ code, source, limit }) => {
    const kind = code.replace(/^FST_CRUD_(.*)_INVALID$/, '$1')
    const parameter = source !== undefined && 'parameter' in source ? source.parameter : '-'
    return `${kind}${limit === true ? '!' : ''} ${parameter}`
  })
}
