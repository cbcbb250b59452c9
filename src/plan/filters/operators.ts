/** Filters by operators: the operator that is meant, and its value. */
import { isOperator, OPERATORS, type Operator } from '../../config/index.ts'
import { arrayLiteral, type ScalarProperty, type SqlValue } from '../../model/index.ts'
import { MAX_LIST_ITEMS, splitList, type FilterParam, type QueryParamError } from '../../query/index.ts'
import { cited, excess, refusal } from '../refusal.ts'
import type { Comparison, Condition } from '../types.ts'
import type { Values } from '../values.ts'
import type { OperatorFilter } from '../whitelist/index.ts'
import { withoutIgnored } from './ignored.ts'
import { checkPattern, containing, endingWith, patternOf, startingWith } from './pattern.ts'
import {
  CODE,
  nameOf,
  NOTHING,
  refuse,
  refuseForm,
  refuseValue,
  type PlannedCondition,
  type PlannedErrors,
  type PlannedNothing,
} from './planned.ts'

const COMPARISONS = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const satisfies Partial<
  Record<Operator, Comparison>
>

type PlannedOperator = PlannedCondition | PlannedErrors | PlannedNothing

/** Plans what a filter by operators makes of a parameter. */
export function planOperator (given: FilterParam, entry: OperatorFilter, values: Values): PlannedOperator {
  const operator = operatorOf(given, entry)
  if (typeof operator !== 'string') return { kind: 'errors', errors: [operator] }
  const array = entry.type.kind === 'array' && operator !== 'isnull'
  const param = withoutIgnored(given, entry.ignored, array || OPERATORS[operator] === 'list')
  if (param === undefined) return NOTHING
  // of an array, a list is contained
  if (array) return planArray(operator === 'contains' ? 'all' : 'any', param, entry, values)
  switch (OPERATORS[operator]) {
    case 'list':
      return planList(operator as 'in' | 'nin' | 'between', param, entry, values)
    case 'boolean':
      return planNull(param, entry)
    case 'one':
      return planOne(operator, param, entry, values)
  }
}

/** The operator that is meant, if it is allowed; never another one. */
function operatorOf (param: FilterParam, entry: OperatorFilter): Operator | QueryParamError {
  const allowed = entry.operators
  if (param.operator !== undefined) {
    if (isOperator(param.operator) && allowed.includes(param.operator)) return param.operator
    return refusal(
      CODE,
      nameOf(param),
      `The operator '${cited(param.operator)}' is not allowed for the filter '${entry.name}'.`,
      { given: param.operator, allowed }
    )
  }
  // several values without an operator: `in` stands in for a default that takes one value, never for another list
  if (typeof param.value !== 'string' && !takesList(entry.defaultOperator, entry) && allowed.includes('in')) return 'in'
  return entry.defaultOperator
}

/** Whether an operator takes several values: all but `isnull` do on an array. */
const takesList = (operator: Operator, { type }: OperatorFilter): boolean =>
  OPERATORS[operator] === 'list' || (type.kind === 'array' && operator !== 'isnull')

function planOne (operator: Operator, param: FilterParam, entry: OperatorFilter, values: Values): PlannedOperator {
  if (typeof param.value !== 'string') return refuse(param, `The operator '${operator}' takes one value.`)
  if (operator in COMPARISONS) {
    const converted = entry.convert(param.value)
    if (!converted.ok) return refuseValue(param, converted.expected, converted.allowed)
    const slot = values.add(converted.value)
    return found(entry, {
      kind: 'compare',
      operand: entry.operand,
      comparison: COMPARISONS[operator as keyof typeof COMPARISONS],
      slot,
    })
  }
  const wrong = checkPattern(
    param.value,
    operator === 'like' || operator === 'ilike' ? entry.partial ? 'partial' : 'pattern' : 'literal'
  )
  if (wrong !== undefined) return refuseForm(param, wrong.sentence, wrong.limit)
  const pattern = writePattern(operator, param.value, entry.partial)
  return found(entry, {
    kind: 'pattern',
    operand: entry.operand,
    insensitive: operator !== 'like',
    slot: values.add(pattern),
  })
}

function writePattern (operator: Operator, value: string, partial: boolean): string {
  switch (operator) {
    case 'contains':
      return containing(value)
    case 'starts':
      return startingWith(value)
    case 'ends':
      return endingWith(value)
    default:
      return partial ? patternOf(value) : value
  }
}

function planNull (param: FilterParam, entry: OperatorFilter): PlannedOperator {
  if (typeof param.value !== 'string') return refuse(param, "The operator 'isnull' takes one value.")
  if (param.value !== 'true' && param.value !== 'false') return refuseValue(param, 'true or false', ['true', 'false'])
  return found(entry, { kind: 'null', operand: entry.operand, negated: param.value === 'false' })
}

/** The items of a list, converted. */
function readItems (
  param: FilterParam,
  { convert }: OperatorFilter,
  check: (items: readonly string[]) => PlannedErrors | undefined = () => undefined
): readonly SqlValue[] | PlannedErrors {
  const list = typeof param.value === 'string' ? splitList(param.value) : { items: param.value } as const
  if (list.items === undefined) return refuseForm(param, list.error, list.limit)
  const { items } = list
  if (items.length > MAX_LIST_ITEMS) {
    return {
      kind: 'errors',
      errors: [
        excess(
          CODE,
          nameOf(param),
          `${nameOf(param)} has ${items.length} items; at most ${MAX_LIST_ITEMS} are allowed.`
        ),
      ],
    }
  }
  const wrong = check(items)
  if (wrong !== undefined) return wrong
  const values: SqlValue[] = []
  for (const item of items) {
    const converted = convert(item)
    if (!converted.ok) {
      return refuseValue(param, converted.expected, converted.allowed, `The item '${cited(item)}' of ${nameOf(param)}`)
    }
    values.push(converted.value)
  }
  return values
}

function planList (
  operator: 'in' | 'nin' | 'between',
  param: FilterParam,
  entry: OperatorFilter,
  values: Values
): PlannedOperator {
  const items = readItems(param, entry, ({ length }) =>
    operator === 'between' && length !== 2
      ? refuse(param, `The operator 'between' takes exactly two values, low first; ${length} were given.`)
      : undefined)
  if ('kind' in items) return items
  // nothing to be different from: no condition, not even that there is a related row
  if (operator === 'nin' && items.length === 0) return NOTHING
  if (operator === 'between') {
    return found(entry, {
      kind: 'between',
      operand: entry.operand,
      low: values.add(items[0]),
      high: values.add(items[1]),
    })
  }
  return found(entry, {
    kind: 'list',
    operand: entry.operand,
    negated: operator === 'nin',
    slot: values.add(arrayLiteral(items)),
  })
}

function planArray (wants: 'all' | 'any', param: FilterParam, entry: OperatorFilter, values: Values): PlannedOperator {
  const items = readItems(param, entry)
  if ('kind' in items) return items
  return found(entry, {
    kind: 'array',
    operand: entry.operand as ScalarProperty,
    wants,
    slot: values.add(arrayLiteral(items)),
  })
}

const found = ({ relations }: OperatorFilter, condition: Condition): PlannedCondition => ({
  kind: 'condition',
  relations,
  condition,
})
