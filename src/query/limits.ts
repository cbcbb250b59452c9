/** The limits of the grammar. The parser always refuses input that exceeds a limit, whatever the configuration. */

/**
 * Maximum number of the grammar's parameters in one query. In a query string, each occurrence of a repeated parameter
 * counts. In a body and in an object of a program, a list is one parameter.
 */
export const MAX_PARAMETERS = 100

/** Maximum length of a query in bytes, written as a query string. */
export const MAX_QUERY_BYTES = 8 * 1024

/** Maximum length in bytes of a query that is the body of a request. */
export const MAX_QUERY_BODY_BYTES = 64 * 1024

/** Maximum number of bracket levels after `filter`, without those of groups: a field and an operator. */
export const MAX_FILTER_DEPTH = 2

/** Maximum number of groups (`and`, `or` and `not`) around a condition. */
export const MAX_GROUP_DEPTH = 5

/** Maximum number of conditions in a query that has groups. */
export const MAX_CONDITIONS = 50

/** Maximum number of items in one list. */
export const MAX_LIST_ITEMS = 100

/** Maximum number of items in one list of a query that is the body of a request, or a tree of a program. */
export const MAX_BODY_LIST_ITEMS = 1_000

const RESERVED = /(?:^[-+ ]?|\.)(?:__proto__|constructor|prototype)(?:$|\.)/

/** Whether a name, or a segment of a dotted name, must never become the key of an object. */
export function isReserved (name: string): boolean {
  return RESERVED.test(name)
}

/**
 * Where a query comes from: a query string, parsed or not, an object of a program, or a body that is written like a
 * query string.
 */
export type QueryForm = 'string' | 'object' | 'body'

/** The maximum length of a query in bytes. */
export const maxBytesOf = (form: QueryForm): number => form === 'body' ? MAX_QUERY_BODY_BYTES : MAX_QUERY_BYTES
