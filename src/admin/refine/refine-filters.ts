/** Translates the filters of refine, which are lists of conditions with operators. */
import type { CrudFilter, CrudOperators, LogicalFilter } from '@refinedev/core'
import { filterOf, NO_RULES, type AdminCondition, type ClientFilter, type FilterRules } from '../filter.ts'

type Translate = (field: string, value: unknown) => AdminCondition

const as = (operator: string): Translate => (field, value) => ({ field, operator, value })
const asList = (operator: string): Translate => (field, value) => ({
  field,
  operator,
  value: value === undefined || Array.isArray(value) ? value : [value],
})
const asNull = (isNull: boolean): Translate => (field) => ({ field, operator: 'isnull', value: isNull })
/** A pattern for `like`, which respects upper and lower case. */
const asPattern = (before: string, after: string): Translate => (field, value) => ({
  field,
  operator: 'like',
  value: value === undefined ? value : before + String(value).replace(/[\\%_]/g, '\\$&') + after,
})
/** A condition that must not apply, which a resource with groups can express. */
const asNot = (translate: Translate): Translate => (field, value) => ({
  word: 'not',
  members: [[translate(field, value)]],
})

/** The operators that the API can express, apart from `and` and `or`. The types of refine 5.0 lack two of them. */
const OPERATORS: ReadonlyMap<string, Translate> = new Map<CrudOperators | 'eqs' | 'nes', Translate>([
  ['eq', as('eq')],
  ['eqs', as('eq')],
  ['ne', as('ne')],
  ['nes', as('ne')],
  ['lt', as('lt')],
  ['lte', as('lte')],
  ['gt', as('gt')],
  ['gte', as('gte')],
  ['in', asList('in')],
  ['nin', asList('nin')],
  ['ina', asList('contains')],
  ['between', as('between')],
  ['null', asNull(true)],
  ['nnull', asNull(false)],
  ['contains', as('contains')],
  ['startswith', as('starts')],
  ['endswith', as('ends')],
  ['containss', asPattern('%', '%')],
  ['startswiths', asPattern('', '%')],
  ['endswiths', asPattern('%', '')],
  ['nina', asNot(asList('contains'))],
  ['nbetween', asNot(as('between'))],
  ['ncontains', asNot(as('contains'))],
  ['nstartswith', asNot(as('starts'))],
  ['nendswith', asNot(as('ends'))],
  ['ncontainss', asNot(asPattern('%', '%'))],
  ['nstartswiths', asNot(asPattern('', '%'))],
  ['nendswiths', asNot(asPattern('%', ''))],
])

/** The operators that stand for none on a filter without operators. refine's hooks search with `contains`. */
const WITHOUT_OPERATOR: ReadonlySet<string> = new Set(['eq', 'contains'])

/**
 * Returns the conditions of a list, for the client.
 *
 * @param rules the resource's relations to records with composite keys, and its filters without operators
 * @throws {TypeError} for an operator that the API does not have
 * @example
 * filterOfRefine([{ field: 'price', operator: 'gte', value: 100 }]) // { price: { gte: 100 } }
 */
export function filterOfRefine (filters: readonly CrudFilter[] = [], rules: FilterRules = NO_RULES): ClientFilter {
  return filterOf(filters.flatMap((filter) => conditionsOf(filter, rules.plainFilters)), rules.references)
}

function conditionsOf (filter: CrudFilter, plain: ReadonlySet<string>): AdminCondition[] {
  if (isLogical(filter)) return [conditionOf(filter, plain)]
  const { operator, value } = filter
  return operator === 'and' ? value.flatMap((one) => conditionsOf(one, plain)) : eitherOf(value, plain)
}

function conditionOf ({ field, operator, value }: LogicalFilter, plain: ReadonlySet<string>): AdminCondition {
  if (plain.has(field)) {
    if (WITHOUT_OPERATOR.has(operator)) return { field, value }
    throw new TypeError(`The filter '${field}' takes no operator: use 'eq' or 'contains', which are left out.`)
  }
  const translate = OPERATORS.get(operator)
  if (translate === undefined) {
    throw new TypeError(
      `The filter '${field}': the API has no operator for '${operator}', but for ${[...OPERATORS.keys()].join(', ')}.`
    )
  }
  return translate(field, value)
}

/** An `or`: a list of values for one field, which needs no group, or a group. */
function eitherOf (filters: readonly CrudFilter[], plain: ReadonlySet<string>): AdminCondition[] {
  const [first, ...others] = filters
  if (first !== undefined && others.length === 0) return conditionsOf(first, plain)
  const choices = filters.filter(isLogical).filter(({ operator }) => ['eq', 'eqs', 'in'].includes(operator))
  const { field } = choices[0] ?? {}
  const isChoice = field !== undefined && !plain.has(field) && choices.length === filters.length &&
    choices.every((choice) => choice.field === field)
  return isChoice
    ? [{ field, operator: 'in', value: choices.flatMap(({ value }) => value) }]
    : [{ word: 'or', members: filters.map((filter) => conditionsOf(filter, plain)) }]
}

const isLogical = (filter: CrudFilter): filter is LogicalFilter => filter.operator !== 'and' && filter.operator !== 'or'
