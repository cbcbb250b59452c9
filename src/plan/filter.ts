/** Filters: the text of `filter[...]` to conditions on resolved properties, with their values converted and bound. */
import { isOperator, OPERATORS, type Operator } from '../config/index.ts'
import { arrayLiteral, type RelationProperty, type SqlValue } from '../model/index.ts'
import { MAX_LIST_ITEMS, splitList, type FilterParam, type QueryParamError } from '../query/index.ts'
import { checkPattern, containing, endingWith, patternOf, startingWith } from './pattern.ts'
import { cited, excess, refusal } from './refusal.ts'
import type { Comparison, Condition, CustomCondition } from './types.ts'
import type { Values } from './values.ts'
import type { CustomFilterEntry, OperatorFilter, Whitelist } from './whitelist/index.ts'

const CODE = 'FST_CRUD_FILTER_INVALID'

const COMPARISONS = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const satisfies Partial<Record<Operator, Comparison>>

export interface PlannedFilters {
  readonly conditions: readonly Condition[]
  readonly customs: readonly CustomCondition[]
}

/** Plans all filters of a request; what is wrong with them goes to `errors`. */
export function planFilters (params: readonly FilterParam[], whitelist: Whitelist, values: Values, errors: QueryParamError[]): PlannedFilters {
  const tree = new ConditionTree()
  const customs: CustomCondition[] = []
  for (const param of params) {
    const entry = whitelist.filters.get(param.field)
    if (entry === undefined) {
      errors.push(refusal(CODE, nameOf(param), `The filter '${cited(param.field)}' is not allowed.`, { given: param.field, allowed: whitelist.filters.keys() }))
    } else if (entry.kind === 'custom') {
      const planned = planCustom(param, entry)
      if ('custom' in planned) customs.push(planned.custom)
      else errors.push(...planned.errors)
    } else {
      const planned = planFilter(param, entry, values)
      if ('condition' in planned) tree.add(entry.relations, planned.condition)
      else errors.push(...planned.errors)
    }
  }
  return { conditions: tree.conditions, customs }
}

function planCustom (param: FilterParam, { name, callback }: CustomFilterEntry): { readonly custom: CustomCondition } | { readonly errors: readonly QueryParamError[] } {
  const parameter = nameOf(param)
  if (param.operator !== undefined) return { errors: [refusal(CODE, parameter, `The filter '${name}' takes no operator.`, { allowed: [] })] }
  // no text in PostgreSQL holds it, whatever the callback compares the value with
  if ([param.value].flat().some((text) => text.includes('\0'))) return { errors: [refusal(CODE, parameter, `The value of ${parameter} must be text without NUL characters.`)] }
  return { custom: { parameter, callback, value: param.value } }
}

type Planned = { readonly condition: Condition } | { readonly errors: readonly QueryParamError[] }

function planFilter (param: FilterParam, entry: OperatorFilter, values: Values): Planned {
  const operator = operatorOf(param, entry)
  if (typeof operator !== 'string') return { errors: [operator] }
  switch (OPERATORS[operator]) {
    case 'list': return planList(operator as 'in' | 'nin' | 'between', param, entry, values)
    case 'boolean': return planNull(param, entry)
    case 'one': return planOne(operator, param, entry, values)
  }
}

/** The operator that is meant, if it is allowed; never another one. */
function operatorOf (param: FilterParam, entry: OperatorFilter): Operator | QueryParamError {
  const allowed = entry.operators
  if (param.operator !== undefined) {
    if (isOperator(param.operator) && allowed.includes(param.operator)) return param.operator
    return refusal(CODE, nameOf(param), `The operator '${cited(param.operator)}' is not allowed for the filter '${entry.name}'.`, { given: param.operator, allowed })
  }
  // without an operator, several values are a list where lists are allowed
  return typeof param.value !== 'string' && allowed.includes('in') ? 'in' : entry.defaultOperator
}

function planOne (operator: Operator, param: FilterParam, entry: OperatorFilter, values: Values): Planned {
  if (typeof param.value !== 'string') return refuse(param, `The operator '${operator}' takes one value.`)
  if (operator in COMPARISONS) {
    const converted = entry.convert(param.value)
    if (!converted.ok) return refuseValue(param, converted.expected, converted.allowed)
    const slot = values.add(converted.value)
    return { condition: { kind: 'compare', operand: entry.operand, comparison: COMPARISONS[operator as keyof typeof COMPARISONS], slot } }
  }
  const wrong = checkPattern(param.value, operator === 'like' || operator === 'ilike' ? entry.partial ? 'partial' : 'pattern' : 'literal')
  if (wrong !== undefined) return refuseForm(param, wrong.sentence, wrong.limit)
  const pattern = writePattern(operator, param.value, entry.partial)
  return { condition: { kind: 'pattern', operand: entry.operand, insensitive: operator !== 'like', slot: values.add(pattern) } }
}

function writePattern (operator: Operator, value: string, partial: boolean): string {
  switch (operator) {
    case 'contains': return containing(value)
    case 'starts': return startingWith(value)
    case 'ends': return endingWith(value)
    default: return partial ? patternOf(value) : value
  }
}

function planNull (param: FilterParam, entry: OperatorFilter): Planned {
  if (typeof param.value !== 'string') return refuse(param, "The operator 'isnull' takes one value.")
  if (param.value !== 'true' && param.value !== 'false') return refuseValue(param, 'true or false', ['true', 'false'])
  return { condition: { kind: 'null', operand: entry.operand, negated: param.value === 'false' } }
}

function planList (operator: 'in' | 'nin' | 'between', param: FilterParam, entry: OperatorFilter, values: Values): Planned {
  const list = typeof param.value === 'string' ? splitList(param.value) : { items: param.value } as const
  if (list.items === undefined) return refuseForm(param, list.error, list.limit)
  const { items } = list
  if (items.length > MAX_LIST_ITEMS) return { errors: [excess(CODE, nameOf(param), `${nameOf(param)} has ${items.length} items; at most ${MAX_LIST_ITEMS} are allowed.`)] }
  if (operator === 'between' && items.length !== 2) return refuse(param, `The operator 'between' takes exactly two values, low first; ${items.length} were given.`)
  const bound: SqlValue[] = []
  for (const item of items) {
    const converted = entry.convert(item)
    if (!converted.ok) return refuseValue(param, converted.expected, converted.allowed, `The item '${cited(item)}' of ${nameOf(param)}`)
    bound.push(converted.value)
  }
  // nothing to be different from: no condition, not even that there is a related row
  if (operator === 'nin' && bound.length === 0) return { errors: [] }
  if (operator === 'between') {
    return { condition: { kind: 'between', operand: entry.operand, low: values.add(bound[0]), high: values.add(bound[1]) } }
  }
  return { condition: { kind: 'list', operand: entry.operand, negated: operator === 'nin', slot: values.add(arrayLiteral(bound)) } }
}

/** The parameter as a client writes it. */
function nameOf ({ field, operator }: FilterParam): string {
  return operator === undefined ? `filter[${cited(field)}]` : `filter[${cited(field)}][${cited(operator)}]`
}

const refuse = (param: FilterParam, sentence: string): Planned => ({ errors: [refusal(CODE, nameOf(param), sentence)] })

/** A value that can't be read, whatever it should mean. */
function refuseForm (param: FilterParam, sentence: string, limit = false): Planned {
  const name = nameOf(param)
  return { errors: [(limit ? excess : refusal)(CODE, name, `${name}: ${sentence}`)] }
}

function refuseValue (param: FilterParam, expected: string, allowed?: readonly string[], what = `The value of ${nameOf(param)}`): Planned {
  const given = typeof param.value === 'string' ? param.value : undefined
  return { errors: [refusal(CODE, nameOf(param), `${what} must be ${expected}.`, allowed && { given, allowed })] }
}

/** Conditions, those on one relation path together: they hold for one and the same related row. */
class ConditionTree {
  readonly conditions: Condition[] = []
  readonly #related = new Map<RelationProperty, ConditionTree>()

  add (relations: readonly RelationProperty[], condition: Condition): void {
    const [relation, ...rest] = relations
    if (relation === undefined) {
      this.conditions.push(condition)
      return
    }
    let tree = this.#related.get(relation)
    if (tree === undefined) {
      tree = new ConditionTree()
      this.#related.set(relation, tree)
      this.conditions.push({ kind: 'related', relation, conditions: tree.conditions })
    }
    tree.add(rest, condition)
  }
}
