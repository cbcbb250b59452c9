/** The planner's errors: a parameter, what is wrong with it, and what would have been right. */
import type { QueryCode } from '../errors.ts'
import type { QueryParamError } from '../query/index.ts'
import { didYouMean, listed, nearest } from '../suggest.ts'

interface Choice {
  /** What the client wrote. */
  readonly given?: string
  /** Everything it could have written. */
  readonly allowed: Iterable<string>
}

/**
 * An error of one parameter. With a choice, the allowed names are listed and the nearest one suggested, in the item
 * and in its sentence, so that the message alone says everything.
 */
export function refusal (code: QueryCode, parameter: string, sentence: string, choice?: Choice): QueryParamError {
  if (choice === undefined) return { source: { parameter }, code, detail: sentence }
  const names = [...choice.allowed]
  const allowed = listed(names)
  const suggestion = choice.given === undefined ? undefined : nearest(choice.given, names)
  const list = allowed.length === 0 ? 'none' : allowed.join(', ') + (allowed.length < names.length ? ', ...' : '')
  return {
    source: { parameter },
    code,
    detail: `${didYouMean(sentence, suggestion)} Allowed: ${list}.`,
    allowed,
    ...(suggestion !== undefined && { suggestion }),
  }
}

/** The same for a limit of the grammar, which no configuration lifts. */
export function excess (code: QueryCode, parameter: string, sentence: string): QueryParamError {
  return { source: { parameter }, code, detail: sentence, limit: true }
}

/** A client's text inside a sentence: short enough to read. */
export function cited (text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}
