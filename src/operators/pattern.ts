/**
 * Patterns of `like`. `%` and `_` are wildcards, and `\` makes the next character literal (PostgreSQL manual,
 * section 9.7.1).
 */

/** Maximum number of characters in a pattern. The time to match grows with it. */
export const MAX_PATTERN_LENGTH = 256

/** Maximum number of wildcards in a pattern. The time to match also grows with it. */
export const MAX_WILDCARDS = 8

/** Escapes a value, so that it becomes a pattern that matches only that value. */
const literal = (value: string): string => value.replace(/[\\%_]/g, '\\$&')

export const containing = (value: string): string => `%${literal(value)}%`
export const startingWith = (value: string): string => `${literal(value)}%`
export const endingWith = (value: string): string => `%${literal(value)}`

/** The pattern of a partial filter: the value itself if it has an unescaped `%`, otherwise "contains the value". */
export function patternOf (value: string): string {
  return scan(value).percents > 0 ? value : containing(value)
}

/**
 * Checks a value that becomes a pattern.
 *
 * @param reading `pattern`: wildcards count, and escapes must be complete. `literal`: every character is literal.
 *   `partial`: a pattern if it has an unescaped `%`, otherwise literal.
 * @returns the sentence about the error, or `undefined` if there is no error
 */
export function checkPattern (
  value: string,
  reading: 'pattern' | 'literal' | 'partial'
): { readonly sentence: string, readonly limit: boolean } | undefined {
  const length = charactersIn(value)
  if (length > MAX_PATTERN_LENGTH) {
    return {
      sentence: `A pattern has at most ${MAX_PATTERN_LENGTH} characters; this one has ${length}.`,
      limit: true,
    }
  }
  if (value.includes('\0') || !value.isWellFormed()) {
    return { sentence: 'A pattern must be text without NUL characters or halves of surrogate pairs.', limit: false }
  }
  if (reading === 'literal') return undefined
  const { percents, underscores, open } = scan(value)
  if (reading === 'partial' && percents === 0) return undefined
  const wildcards = percents + underscores
  if (wildcards > MAX_WILDCARDS) {
    return { sentence: `A pattern has at most ${MAX_WILDCARDS} wildcards; this one has ${wildcards}.`, limit: true }
  }
  if (open) {
    return {
      sentence: 'A pattern cannot end in a single backslash. Write two backslashes to match one.',
      limit: false,
    }
  }
  return undefined
}

/** The number of characters, as the database and JSON Schema count them. Some take two UTF-16 units. */
const charactersIn = (value: string): number => value.length > MAX_PATTERN_LENGTH ? [...value].length : value.length

/** Counts the wildcards that are not escaped. `open`: the last character is a backslash, which escapes nothing. */
function scan (value: string): { percents: number, underscores: number, open: boolean } {
  let percents = 0
  let underscores = 0
  let escaped = false
  for (let i = 0; i < value.length; i++) {
    const char = value[i]
    if (escaped) escaped = false
    else if (char === '\\') escaped = true
    else if (char === '%') percents++
    else if (char === '_') underscores++
  }
  return { percents, underscores, open: escaped }
}
