/** Whether conditions are meant to leave out rows. */
import { matchesEveryText } from '../../operators/index.ts'
import type { Condition } from '../types.ts'
import type { Values } from '../values.ts'

/**
 * Whether a condition is meant to leave out rows. A pattern that every text matches, as that of an empty search, leaves
 * out nulls at most.
 */
export const leavesOut = (condition: Condition, values: Values): boolean => !keepsAll(condition, values)

function keepsAll (condition: Condition, values: Values): boolean {
  switch (condition.kind) {
    case 'compare':
      return condition.slots.every((slot) => matchesEveryText(condition.operator, values.list[slot]))
    case 'related':
    case 'all':
      return condition.conditions.every((part) => keepsAll(part, values))
    case 'any':
      return condition.conditions.some((part) => keepsAll(part, values))
    case 'unless':
      return condition.conditions.some((part) => keepsNone(part, values))
    default:
      return false
  }
}

/** Whether a condition keeps no row: an empty list after `in`. A negation of it keeps all rows. */
function keepsNone (condition: Condition, values: Values): boolean {
  switch (condition.kind) {
    case 'compare':
      return condition.operator === 'in' && values.list[condition.slots[0]!] === '{}'
    case 'related':
    case 'all':
      return condition.conditions.some((part) => keepsNone(part, values))
    case 'any':
      return condition.conditions.every((part) => keepsNone(part, values))
    case 'unless':
      return condition.conditions.every((part) => keepsAll(part, values))
    default:
      return false
  }
}
