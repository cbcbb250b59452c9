/** What conditions and sorts need from related rows: numbers, and whether they lead to many rows. */
import {
  isComputed, isCustomTerm, type Aggregate, type Condition, type CustomTerm, type OrderTerm,
} from '../plan/index.ts'
import { idOf } from './shape.ts'

/** Whether a condition compares a number about related rows. */
export function comparesNumber (condition: Condition): boolean {
  if ('operand' in condition && condition.operand.kind === 'number') return true
  return 'conditions' in condition && condition.conditions.some(comparesNumber)
}

/** Whether a condition compares the value of a formula. */
export function hasFormula (condition: Condition): boolean {
  if (condition.kind === 'match') return condition.document.fields.some(({ operand }) => isComputed(operand))
  if ('operand' in condition) {
    const { operand } = condition
    const property = operand.kind === 'json' ? operand.property : operand
    return property.kind === 'scalar' && isComputed(property)
  }
  return 'conditions' in condition && condition.conditions.some(hasFormula)
}

/** The numbers that an order is by. */
export const sortedNumbers = (order: readonly (OrderTerm | CustomTerm)[]): readonly Aggregate[] =>
  order.flatMap((term) =>
    isCustomTerm(term) || term.operand.kind !== 'number' ? [] : [term.operand.aggregate]
  )

/** Whether a condition, or an alternative in it, leads to many rows. */
export function leadsToMany (condition: Condition): boolean {
  if (condition.kind === 'related') return condition.relation.many || condition.conditions.some(leadsToMany)
  return (condition.kind === 'any' || condition.kind === 'all') && condition.conditions.some(leadsToMany)
}

/**
 * The numbers that conditions compare in the rows that they apply to, as often as they do. Alternatives that lead to
 * many rows are not among them: `conditionSql` looks for their keys in other rows of the table.
 */
export function comparedNumbers (conditions: readonly Condition[]): readonly Aggregate[] {
  return conditions.flatMap(numbersOfCondition)
}

function numbersOfCondition (condition: Condition): readonly Aggregate[] {
  switch (condition.kind) {
    case 'compare':
    case 'null':
      return condition.operand.kind === 'number' ? [condition.operand.aggregate] : []
    case 'any':
      return condition.conditions.some(leadsToMany) ? [] : comparedNumbers(condition.conditions)
    case 'all':
    case 'unless':
    case 'not':
      return comparedNumbers(condition.conditions)
    case 'key':
    case 'match':
    case 'related':
      return []
  }
}

/** A text that is equal for numbers about the same rows. */
export const relatedRowsKey = ({ relation, where }: Aggregate): string =>
  `${idOf(relation)} ${where === undefined ? '' : idOf(where)}`
