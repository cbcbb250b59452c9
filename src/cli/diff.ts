/** Shows how two texts differ, line by line. */

/** The number of unchanged lines that are shown around a change. */
const CONTEXT = 2

type Edit = readonly [sign: ' ' | '-' | '+', line: string]

/**
 * The lines that differ, each with its sign, and the lines around them. Empty if the texts are equal.
 *
 * @example
 * diffLines('a\nb', 'a\nc') // ['  a', '- b', '+ c']
 */
export function diffLines (old: string, young: string): string[] {
  if (old === young) return []
  const edits = editsOf(old.split('\n'), young.split('\n'))
  const isNear = (index: number): boolean =>
    edits.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([sign]) => sign !== ' ')
  return edits.flatMap(([sign, line], index) => {
    if (isNear(index)) return [`${sign} ${line}`.trimEnd()]
    return index > 0 && isNear(index - 1) ? ['...'] : []
  })
}

/** The shortest edits, by the longest common subsequence. */
function editsOf (old: readonly string[], young: readonly string[]): Edit[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(young.length + 1))
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = young.length - 1; j >= 0; j -= 1) {
      lengths[i]![j] = old[i] === young[j]
        ? lengths[i + 1]![j + 1]! + 1
        : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
    }
  }
  const edits: Edit[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < young.length) {
    if (i < old.length && j < young.length && old[i] === young[j]) {
      edits.push([' ', old[i]!])
      i += 1
      j += 1
    } else if (i < old.length && (j === young.length || lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      edits.push(['-', old[i]!])
      i += 1
    } else {
      edits.push(['+', young[j]!])
      j += 1
    }
  }
  return edits
}
