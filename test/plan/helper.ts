/** Plans as short texts, and whitelists of the nursery's entities, without a database. */
import type { ErrorItem } from '../../src/base/errors.ts'
import { OPERATORS, type ComparisonOperator } from '../../src/operators/index.ts'
import {
  planList, resolveWhitelist, type Comparable, type Condition, type ListPlan, type Selection, type Whitelist,
} from '../../src/plan/index.ts'
import type { PlanOptions } from '../../src/plan/plan-rows.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { Plant } from '../fixtures/entities.ts'
import { modelsOf } from '../helpers/models.ts'
import { whitelist, type Names } from '../helpers/resource.ts'

export const models = modelsOf()

/** The whitelist of an entity, by default the plant. */
export function whitelistOf (names: Names, entity: unknown = Plant): Whitelist {
  return resolveWhitelist(whitelist(names), models.of(entity))
}

/** The plan of a query string. */
export function planOf (query: string, whitelist: Whitelist, options?: PlanOptions): ListPlan {
  return planList(parseQueryParams(query), whitelist, options) as ListPlan
}

/** The mistakes of a query string: the items of its errors, or an empty list. */
export function errorsOf (query: string, whitelist: Whitelist): readonly ErrorItem[] {
  try {
    planOf(query, whitelist)
    return []
  } catch (error) {
    return (error as { errors: readonly ErrorItem[] }).errors
  }
}

/** Message of the first error, or `undefined`. */
export function messageOf (fn: () => unknown): string | undefined {
  try {
    fn()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Conditions as texts, e.g. `price >= 10`, `tags(name = sun; weight > 1)`. */
export function conditionsOf (
  plan: { readonly conditions: readonly Condition[], readonly values: readonly unknown[] }
): string[] {
  return plan.conditions.map((condition) => written(condition, plan.values))
}

function nameOf (operand: Comparable): string {
  switch (operand.kind) {
    case 'scalar':
      return operand.column
    case 'relation':
      return operand.key.map(({ column }) => column).join('+')
    case 'json':
      return [operand.property.column, ...operand.keys].join('->')
    case 'number':
      return operand.name
  }
}

/** Comparisons by operator; lists and patterns without the quotes of a JSON text. */
const COMPARISONS: Readonly<Record<ComparisonOperator, string>> = {
  eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=', ieq: '= in lower case', like: 'like', ilike: 'ilike',
  contains: 'ilike', starts: 'ilike', ends: 'ilike', in: 'in', nin: 'not in', between: 'between', overlap: 'has any of',
}

function comparison (
  { operator, operand, slots }: Extract<Condition, { kind: 'compare' }>,
  values: readonly unknown[]
): string {
  const isArray = operand.kind === 'scalar' && operand.type.kind === 'array'
  const how = isArray && operator === 'contains' ? 'has all of' : COMPARISONS[operator]
  const quoted = ['one', 'pair'].includes(OPERATORS[operator].value)
  const texts = slots.map((slot) => quoted ? JSON.stringify(values[slot]) : String(values[slot]))
  return `${nameOf(operand)} ${how} ${texts.join(' and ')}`
}

function written (condition: Condition, values: readonly unknown[]): string {
  const value = (slot: number) => JSON.stringify(values[slot])
  switch (condition.kind) {
    case 'compare':
      return comparison(condition, values)
    case 'any':
      return `(${condition.conditions.map((inner) => written(inner, values)).join(' or ')})`
    case 'all':
      return `(${condition.conditions.map((inner) => written(inner, values)).join(' and ')})`
    case 'unless':
      return `unless (${condition.conditions.map((inner) => written(inner, values)).join(' and ')})`
    case 'not':
      return `not (${condition.conditions.map((inner) => written(inner, values)).join(' and ')})`
    case 'null':
      return `${nameOf(condition.operand)} is ${condition.negated ? 'not ' : ''}null`
    case 'match':
      return `words of ${value(condition.slot)}`
    case 'key':
      return `key ${condition.column.column} = ${value(condition.slot)}`
    case 'related':
      return `${condition.relation.name}(${condition.conditions.map((inner) => written(inner, values)).join('; ')})`
  }
}

/** Terms as texts, e.g. `supplier.name desc`. */
export function orderOf ({ order }: Pick<ListPlan, 'order'>): string[] {
  return order.map((term) => {
    if ('callback' in term) return term.sort + (term.descending ? ' desc' : '')
    const { relations, operand, descending } = term
    return [...relations.map(({ name }) => name), operand.name].join('.') + (descending ? ' desc' : '')
  })
}

/** A selection as nested arrays: names of properties, and of includes with their selection. */
export function selectionOf ({ properties, includes }: Selection): unknown[] {
  return [
    ...properties.map(({ name }) => name),
    ...includes.map(({ relation, selection }) => ({ [relation.name]: selectionOf(selection) })),
  ]
}
