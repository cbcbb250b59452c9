/** Suggestions for names that do not exist: what was probably meant. */
import { closestMatch } from 'leven'

/** Names listed in an error, at most: enough to choose from, too few to flood an answer. */
export const ALLOWED_LIMIT = 50

/**
 * The candidate nearest to `name` by edit distance, or `undefined` when none is near enough to be meant.
 *
 * @example
 * nearest('nmae', ['name', 'price']) // 'name'
 */
export function nearest (name: string, candidates: readonly string[]): string | undefined {
  if (name.length === 0 || name.length > 100) return undefined
  // of two that are as near: the first letter is seldom the mistake
  const same = (candidate: string): number => Number(candidate[0] === name[0])
  return closestMatch(name, candidates.toSorted((a, b) => same(b) - same(a)), { maxDistance: Math.max(1, Math.floor(name.length / 3) + 1) })
}

/** The start of a sorted copy of `names`, short enough for an error. */
export function listed (names: Iterable<string>): string[] {
  return [...names].sort().slice(0, ALLOWED_LIMIT)
}
