/** Whether conditions are meant to leave out rows. */
import { operatorFormOf } from '../../operators/index.ts'
import { firstTypeOf } from '../operand.ts'
import type { Condition } from '../condition-types.ts'
import type { Values } from '../values.ts'

/**
 * Whether a condition is meant to leave out rows. A value that all properties satisfy, as the pattern of an empty
 * search, leaves out nulls at most.
 */
export const leavesOut = (condition: Condition, values: Values): boolean => !keepsAll(condition, values)

function keepsAll (condition: Condition, values: Values): boolean {
  switch (condition.kind) {
    case 'compare':
      return satisfied(condition, values) === 'by all'
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

/** Whether a condition keeps no row, whatever the rows are. A negation of it keeps all rows. */
function keepsNone (condition: Condition, values: Values): boolean {
  switch (condition.kind) {
    case 'compare':
      return satisfied(condition, values) === 'by none'
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

function satisfied ({ operator, operand, slots }: Extract<Condition, { kind: 'compare' }>, { list }: Values) {
  return operatorFormOf(operator, firstTypeOf(operand)).satisfied?.(list[slots[0]!])
}
