/** The brackets of a parameter's name. */

/** `filter[price][in][]` has the levels `price` and `in`, and is a list. */
export interface Brackets {
  readonly levels: readonly string[]
  /** Whether the name ends in `[]`, which is no level of its own. */
  readonly list: boolean
}

const NONE: Brackets = { levels: [], list: false }

/**
 * Reads what follows the root of a name.
 *
 * @param name the whole name, decoded
 * @param open index of its first `[`, or -1 when it has none
 * @returns `undefined` when the brackets aren't well-formed: unclosed, nested in each other, followed by text, or
 * empty anywhere but at the end
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
