/** Makes the error items of a query string. */
import type { ErrorItem, QueryCode } from '../base/errors.ts'
import type { QueryParamError } from './parsed-query.ts'

/** Maximum number of characters of a parameter's name that an error repeats. */
const SHOWN_LENGTH = 100

/**
 * Makes the error item for a part of a query string that cannot be read.
 *
 * @param code the code for the kind of parameter
 * @param parameter the decoded name as the client wrote it, or `undefined` if the error concerns the whole query string
 * @param detail a sentence for people
 * @param more further members of the item
 */
export function queryParamError (
  code: QueryCode,
  parameter: string | undefined,
  detail: string,
  more?: Pick<QueryParamError, 'limit' | 'suggestion' | 'allowed'>
): QueryParamError {
  if (parameter === undefined) return Object.freeze({ __proto__: null, code, detail, ...more })
  const source = Object.freeze({ __proto__: null, parameter: shownName(parameter) })
  return Object.freeze({ __proto__: null, source, code, detail, ...more })
}

/** The same error with a place in JSON: `sort` becomes `/sort`. What is a place already stays one. */
export function pointed<Item extends ErrorItem> (error: Item): Item {
  if (error.source === undefined || 'pointer' in error.source) return error
  const pointer = pointerOf(error.source.parameter)
  return Object.freeze({ __proto__: null, ...error, source: Object.freeze({ __proto__: null, pointer }) })
}

/** The place of a parameter in JSON. What is a place already stays one. */
export function pointerOf (parameter: string): string {
  if (parameter.startsWith('/')) return parameter
  return `/${parameter.replace(/^fields\[/, 'fieldsByInclude[').replaceAll('[', '/').replaceAll(']', '')}`
}

/** A name as an error shows it: well-formed Unicode, and shortened if it is very long. */
export function shownName (name: string): string {
  const start = name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH - 1)}…` : name
  return start.toWellFormed()
}
