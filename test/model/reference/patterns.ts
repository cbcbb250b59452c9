/** Matches text against patterns and parts. */

/**
 * Upper and lower case of the letters A to Z only. The texts of the tests have the collation "C", for which PostgreSQL
 * knows no other pairs.
 */
export const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * `%` matches any text, `_` any character, and `\` makes the next character literal. The pattern must match the whole
 * text.
 */
export function like (text: string, pattern: string): boolean {
  return likeFrom([...text], [...pattern])
}

function likeFrom (text: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return text.length === 0
  if (first === '%') {
    for (let skipped = 0; skipped <= text.length; skipped++) if (likeFrom(text.slice(skipped), rest)) return true
    return false
  }
  if (text.length === 0) return false
  if (first === '_') return likeFrom(text.slice(1), rest)
  if (first === '\\') return text[0] === rest[0] && likeFrom(text.slice(1), rest.slice(1))
  return text[0] === first && likeFrom(text.slice(1), rest)
}

/** The wildcards without a backslash before them, and whether a backslash at the end escapes nothing. */
export function readPattern (pattern: string): { readonly wildcards: string[], readonly unfinished: boolean } {
  const wildcards: string[] = []
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === '\\') {
      i++
      if (i === pattern.length) return { wildcards, unfinished: true }
    } else if (pattern[i] === '%' || pattern[i] === '_') {
      wildcards.push(pattern[i]!)
    }
  }
  return { wildcards, unfinished: false }
}
