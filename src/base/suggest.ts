/** Suggestions for unknown names. */
import leven, { closestMatch } from 'leven'

/** Largest number of names in an error: enough to choose from, without making the answer too long. */
export const ALLOWED_LIMIT = 50

/**
 * Returns the candidate nearest to `name` by edit distance, or `undefined` if none is near enough.
 *
 * @example
 * nearest('nmae', ['name', 'price']) // 'name'
 */
export function nearest (name: string, candidates: readonly string[]): string | undefined {
  if (name.length === 0 || name.length > 100) return undefined
  const sameLetters = candidates.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  if (sameLetters !== undefined) return sameLetters
  // among equally near candidates, prefer those with the same first letter, which is rarely mistyped
  const same = (candidate: string): number => Number(candidate[0] === name[0])
  const likely = candidates.filter((candidate) => mayMean(name, candidate))
  return closestMatch(name, likely.toSorted((a, b) => same(b) - same(a)), {
    maxDistance: Math.max(2, Math.floor(name.length / 3) + 1),
  })
}

/** Whether a name differs from another one by at most two letters, as a misspelt one does. */
export const isTypo = (name: string, meant: string): boolean => name !== meant && leven(name, meant) <= 2

/**
 * Returns a sentence that refuses a name, followed by the name that was probably meant.
 *
 * @param sentence with or without its full stop
 * @param near the name that was probably meant, the result of `nearest`
 * @param otherwise a sentence to add if no name is near, e.g. the list of allowed names
 * @example
 * didYouMean("there is no option 'scop'", 'scope') // "there is no option 'scop'. Did you mean 'scope'?"
 */
export function didYouMean (sentence: string, near: string | undefined, otherwise = ''): string {
  const hint = near === undefined ? otherwise : `Did you mean '${near}'?`
  return `${sentence}${sentence.endsWith('.') ? '' : '.'}${hint === '' ? '' : ` ${hint}`}`
}

/** Two edits turn a name of this length or less into almost any other one. */
const SHORT = 4

/** One edit turns a name of this length or less into almost any other one. */
const VERY_SHORT = 2

/**
 * In short names, only one mistake counts as near: a wrong letter, or two swapped neighbours. In very short names, a
 * wrong letter counts only if it is one too many or too few after the first. No name is near a single letter. Of two
 * paths that are as long, each name counts by itself: `agent.name` is far from `labels.name`.
 */
function mayMean (name: string, candidate: string): boolean {
  const [names, others] = [name.split('.'), candidate.split('.')]
  if (names.length > 1 && names.length === others.length) {
    return names.every((one, at) => one === others[at] || nearest(one, [others[at]!]) !== undefined)
  }
  const length = Math.min(name.length, candidate.length)
  if (length > SHORT) return true
  if (length > VERY_SHORT) return leven(name, candidate) < 2 || isSwap(name, candidate)
  if (candidate.length < VERY_SHORT) return false
  const lacksLetter = candidate[0] === name[0] && candidate.length !== name.length && leven(name, candidate) < 2
  return isSwap(name, candidate) || lacksLetter
}

function isSwap (name: string, candidate: string): boolean {
  const at = [...name].findIndex((letter, index) => letter !== candidate[index])
  return name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2) === candidate
}

/** The first of the sorted `names`, a list short enough for an error. */
export function listed (names: Iterable<string>): string[] {
  return [...names].sort().slice(0, ALLOWED_LIMIT)
}
