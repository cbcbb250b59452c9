/** Patterns of `like`: `%` and `_` are wildcards, `\` makes the next character literal (PostgreSQL manual, section 9.7.1). */

/** Characters of a pattern, and wildcards in it, at most: the time to match grows with both. */
export const MAX_PATTERN_LENGTH = 256
export const MAX_WILDCARDS = 8

/** The value as a pattern that matches itself. */
const literal = (value: string): string => value.replace(/[\\%_]/g, '\\$&')

export const containing = (value: string): string => `%${literal(value)}%`
export const startingWith = (value: string): string => `${literal(value)}%`
export const endingWith = (value: string): string => `%${literal(value)}`

/** A partial filter's value: the pattern itself when it has an unescaped `%`, else text that may stand anywhere. */
export function patternOf (value: string): string {
  return scan(value).percents > 0 ? value : containing(value)
}

/**
 * What is wrong with a value that becomes a pattern, or `undefined`.
 *
 * @param reading `pattern`: wildcards count and escapes must be whole; `literal`: every character is itself;
 *   `partial`: a pattern if it has an unescaped `%`, else literal
 */
export function checkPattern (
  value: string,
  reading: 'pattern' | 'literal' | 'partial'
): { readonly sentence: string, readonly limit: boolean } | undefined {
  if (value.length > MAX_PATTERN_LENGTH) {
    return {
      sentence: `A pattern has at most ${MAX_PATTERN_LENGTH} characters; this one has ${value.length}.`,
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
      sentence: 'A pattern can not end in a single backslash: it escapes the next character, and there is none.',
      limit: false,
    }
  }
  return undefined
}

/** Counts the wildcards that are not escaped, and says whether the last character is an escape without an object. */
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
