/** The error items of a query string. */
import type { QueryCode } from '../errors.ts'
import type { QueryParamError } from './types.ts'

/** Characters of a parameter's name that an error repeats, at most. */
const SHOWN_LENGTH = 100

/**
 * One thing in a query string that can't be read.
 *
 * @param code the kind of parameter it concerns
 * @param parameter the parameter as written, decoded; absent for an error of the whole query string
 * @param detail a sentence for people
 * @param more what else the item says
 */
export function queryError (
  code: QueryCode,
  parameter: string | undefined,
  detail: string,
  more?: Pick<QueryParamError, 'limit' | 'suggestion'>
): QueryParamError {
  if (parameter === undefined) return Object.freeze({ __proto__: null, code, detail, ...more })
  const source = Object.freeze({ __proto__: null, parameter: shown(parameter) })
  return Object.freeze({ __proto__: null, source, code, detail, ...more })
}

/** A name as an error shows it: cut when it is very long, and always valid text. */
export function shown (name: string): string {
  const start = name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH - 1)}…` : name
  return start.toWellFormed()
}
