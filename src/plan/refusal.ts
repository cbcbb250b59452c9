/** Makes the planner's errors, which name the parameter, the mistake and what is allowed. */
import type { QueryCode } from '../base/errors.ts'
import type { QueryParamError } from '../query/index.ts'
import { didYouMean, listed, nearest } from '../base/suggest.ts'

interface Choice {
  /** The name that the client wrote. */
  readonly given?: string
  /** The name that the client probably meant, if the planner knows better than the nearest of the allowed names. */
  readonly meant?: string | undefined
  /** All names that the client could have written. */
  readonly allowed: Iterable<string>
}

/**
 * Makes an error for one parameter. With a choice, both the item and its sentence list the allowed names and suggest
 * the nearest one, so that the message alone says everything.
 */
export function refusal (code: QueryCode, parameter: string, sentence: string, choice?: Choice): QueryParamError {
  if (choice === undefined) return { source: { parameter }, code, detail: sentence }
  const names = [...choice.allowed]
  const allowed = listed(names)
  const suggestion = choice.meant ?? (choice.given === undefined ? undefined : nearest(choice.given, names))
  const list = allowed.length === 0 ? 'none' : allowed.join(', ') + (allowed.length < names.length ? ', ...' : '')
  return {
    source: { parameter },
    code,
    detail: `${didYouMean(sentence, suggestion)} Allowed: ${list}.`,
    allowed,
    ...(suggestion !== undefined && { suggestion }),
  }
}

/** Makes an error for a limit of the grammar, which is never ignored. */
export function excess (code: QueryCode, parameter: string, sentence: string): QueryParamError {
  return { source: { parameter }, code, detail: sentence, limit: true }
}

/** A text of the client for use in a sentence, shortened if it is long. */
export function cited (text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}
