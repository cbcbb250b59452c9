/** Reads the brackets of a filter's name: the groups around the filter, its field and its operator. */
import { isOperator } from '../base/operator-names.ts'
import { isReserved, MAX_FILTER_DEPTH, MAX_GROUP_DEPTH } from './limits.ts'

/** A word that combines filters: all of them hold, at least one of them does, or not all of them do. */
export type GroupWord = 'and' | 'or' | 'not'

/** Whether a name in brackets may be a group. */
export const isGroupWord = (name: string): name is GroupWord => name === 'and' || name === 'or' || name === 'not'

/** Whether a name stands for `or`, as other query languages write it. */
export const isOr = (name: string): boolean => /^[$_]?or$/i.test(name)

/** A group around a filter, and the number of the member that has the filter. The only member of a `not` is 0. */
export interface GroupStep {
  readonly word: GroupWord
  readonly index: number
}

/** What the brackets of a filter's name mean. */
export interface FilterName {
  /** The groups around the filter, the outermost first. */
  readonly path: readonly GroupStep[]
  readonly field: string
  readonly operator: string | undefined
}

const NO_PATH: readonly GroupStep[] = []
const FORM = 'Write filter[<field>]=<value> or filter[<field>][<operator>]=<value>.'
const IN_GROUP = 'Write filter[or][0][<field>]=<value>&filter[or][1][<field>]=<value>, or filter[not][<field>]=<value>.'

/** The error of a name whose brackets are not well-formed. */
export const UNREADABLE_FILTER = `This filter can't be read. ${FORM}`

/** The same inside of a group. */
export const UNREADABLE_IN_GROUP = `This filter can't be read. ${IN_GROUP}`

/** The number of a member of a group. No group has 100 members. */
const INDEX = /^(?:0|[1-9]\d?)$/

/** Whether a number stands before a name, as in a group that has members: `[0][status]`, but not `[0][eq]`. */
const isNumbered = (number: string, next: string | undefined): boolean =>
  next !== undefined && INDEX.test(number) && !isOperator(next)

/** Whether a group begins at a level. `filter[not][eq]` and `filter[or]` are filters with these names. */
const opensGroup = (word: string | undefined, next: string | undefined): word is GroupWord =>
  word !== undefined && next !== undefined && isGroupWord(word) && !isOperator(next)

/**
 * Reads the levels of brackets after `filter`, of which there is at least one.
 *
 * @returns a sentence if the name exceeds a limit, or is a part of a group that other filters do not make up for
 * @example
 * readFilterName(['or', '0', 'price', 'gte'])
 * // { path: [{ word: 'or', index: 0 }], field: 'price', operator: 'gte' }
 */
export function readFilterName (levels: readonly string[]): FilterName | string {
  const reserved = levels.some(isReserved)
  // nearly all filters are in no group
  if (!opensGroup(levels[0], levels[1])) {
    if (levels.length > MAX_FILTER_DEPTH) {
      const sentence = `This filter has more than ${MAX_FILTER_DEPTH} bracket levels.`
      return `${sentence} ${isOr(levels[0]!) ? IN_GROUP : FORM}`
    }
    return reserved ? RESERVED_NAME : { path: NO_PATH, field: levels[0]!, operator: levels[1] }
  }
  const path: GroupStep[] = []
  let at = 0
  while (opensGroup(levels[at], levels[at + 1])) {
    if (path.length === MAX_GROUP_DEPTH) return `This filter is in more than ${MAX_GROUP_DEPTH} groups.`
    const word = levels[at] as GroupWord
    if (word === 'not') {
      if (isNumbered(levels[at + 1]!, levels[at + 2])) return `A 'not' has no numbers. ${IN_GROUP}`
      path.push({ word, index: 0 })
      at++
    } else {
      const index = levels[at + 1]!
      if (!INDEX.test(index)) {
        return `The members of '${word}' have the numbers 0, 1, 2 and so on. ${IN_GROUP}`
      }
      path.push({ word, index: Number(index) })
      at += 2
    }
  }
  const [field, operator, ...more] = levels.slice(at)
  if (field === undefined) return `This group names no filter. ${IN_GROUP}`
  if (more.length > 0) {
    return `This filter has more than ${MAX_FILTER_DEPTH} bracket levels after its groups. ${IN_GROUP}`
  }
  return reserved ? RESERVED_NAME : { path, field, operator }
}

const RESERVED_NAME = 'This filter uses a reserved name.'

/** Whether a filter stands where leaving it out could add rows: inside of an `or` or a `not`. */
export const mayAddRows = (path: readonly GroupStep[]): boolean => path.some(({ word }) => word !== 'and')
