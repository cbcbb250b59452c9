/** The words that combine filters. */

/** A word that combines filters: all of them hold, at least one of them does, or not all of them do. */
export type GroupWord = 'and' | 'or' | 'not'

/** Whether a name in brackets may be a group. */
export const isGroupWord = (name: string): name is GroupWord => name === 'and' || name === 'or' || name === 'not'

/** Whether a name stands for `or`, as other query languages write it. */
export const isOr = (name: string): boolean => /^[$_]?or$/i.test(name)
