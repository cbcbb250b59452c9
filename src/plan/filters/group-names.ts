/** The names of the filters in groups. */
import { noteFilter, type FilterGroup, type FilterLevel, type FilterParam, type GroupWord } from '../../query/index.ts'

/** The brackets of a member of a group: `[or][0]`, or `[not]`. */
export const memberBrackets = (word: GroupWord, index: number): string =>
  word === 'not' ? '[not]' : `[${word}][${index}]`

/**
 * Notes where a filter stands, for its errors. A program may use one object in several places, so this happens each
 * time before a filter is named.
 */
export function placeFilter (param: FilterParam, groups: string): FilterParam {
  noteFilter(param, { groups })
  return param
}

/** The first filter of each group of a level, with its place noted. */
export function nameGroups ({ groups }: FilterLevel, brackets = ''): readonly FilterParam[] {
  return groups.flatMap((group) => firstOf(group, brackets))
}

function firstOf ({ word, members }: FilterGroup, brackets: string): readonly FilterParam[] {
  const [first] = members
  if (first === undefined) return []
  const inside = `${brackets}${memberBrackets(word, 0)}`
  const [filter] = first.filters
  return filter === undefined ? nameGroups(first, inside).slice(0, 1) : [placeFilter(filter, inside)]
}
