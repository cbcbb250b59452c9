/** Reads the brackets in a parameter's name. */

/** The brackets of a name. `filter[price][in][]` has the levels `price` and `in`, and is a list. */
interface Brackets {
  readonly levels: readonly string[]
  /** Whether the name ends in `[]`, which does not count as a level. */
  readonly list: boolean
}

const NONE: Brackets = { levels: [], list: false }

/**
 * Reads the brackets that follow the root of a name.
 *
 * @param name the whole name, decoded
 * @param open index of the first `[` in the name, or -1 if the name has no brackets
 * @returns `undefined` if the brackets are not well-formed: unclosed, nested, followed by text, or empty anywhere
 * except at the end
 */
export function readBrackets (name: string, open: number): Brackets | undefined {
  if (open === -1) return NONE
  const levels: string[] = []
  while (open < name.length) {
    const close = name.indexOf(']', open)
    if (name[open] !== '[' || close === -1) return undefined
    const level = name.slice(open + 1, close)
    open = close + 1
    if (level === '') return open === name.length ? { levels, list: true } : undefined
    if (level.includes('[')) return undefined
    levels.push(level)
  }
  return { levels, list: false }
}
