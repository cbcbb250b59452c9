/** Suggestions for names that do not exist: what was probably meant. */
import leven, { closestMatch } from 'leven'

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
  const likely = candidates.filter((candidate) => mayMean(name, candidate))
  return closestMatch(name, likely.toSorted((a, b) => same(b) - same(a)), {
    maxDistance: Math.max(1, Math.floor(name.length / 3) + 1),
  })
}

/**
 * A sentence that refuses a name, followed by the name that was probably meant.
 *
 * @param sentence with or without its full stop
 * @param near the name that was probably meant, as `nearest` finds it
 * @param otherwise a sentence that follows when no name is near: what there is to choose from
 * @example
 * didYouMean("there is no option 'scop'", 'scope') // "there is no option 'scop'. Did you mean 'scope'?"
 */
export function didYouMean (sentence: string, near: string | undefined, otherwise = ''): string {
  const hint = near === undefined ? otherwise : `Did you mean '${near}'?`
  return `${sentence}${sentence.endsWith('.') ? '' : '.'}${hint === '' ? '' : ` ${hint}`}`
}

/** A name of up to so many letters becomes any other one by two changes. */
const SHORT = 4

/** Names that are short have one mistake: a letter, or two neighbours that changed places. */
function mayMean (name: string, candidate: string): boolean {
  return Math.min(name.length, candidate.length) > SHORT || leven(name, candidate) < 2 || isSwap(name, candidate)
}

function isSwap (name: string, candidate: string): boolean {
  const at = [...name].findIndex((letter, index) => letter !== candidate[index])
  return name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2) === candidate
}

/** The start of a sorted copy of `names`, short enough for an error. */
export function listed (names: Iterable<string>): string[] {
  return [...names].sort().slice(0, ALLOWED_LIMIT)
}
