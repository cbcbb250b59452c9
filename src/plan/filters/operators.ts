/** Filters by operators. Finds the operator of a parameter, and reads its value. */
import type { AllowedFilters, JsonValueType, PartialFilter } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import { publicPath, resolvePath, type Converted, type EntityModel, type ValueType } from '../../model/index.ts'
import {
  isOperator, LIST_VALUES, OPERATOR_NAMES, operatorFormOf, OPERATORS, operatorsFor, type ComparisonOperator,
  type Operator, type OperatorForm, type OperatorValue,
} from '../../operators/index.ts'
import {
  MAX_BODY_LIST_ITEMS, MAX_LIST_ITEMS, noteOf, splitList, type FilterParam, type QueryParamError,
} from '../../query/index.ts'
import { withAlias } from '../alias.ts'
import { checkNumber } from '../missing-number.ts'
import { comparableOf, describe, valuesOf } from '../operand.ts'
import { cited, excess, refusal } from '../refusal.ts'
import type { Comparable } from '../condition-types.ts'
import { Values } from '../values.ts'
import { withoutIgnored } from './ignored.ts'
import { readKinds } from './json-texts.ts'
import {
  BOOLEAN, SEARCHED_TEXT, type Compared, type EntryBase, type FilterFacts, type FilterKind, type FilterTarget,
  type InputFacts, unaccentOf,
} from './kind.ts'
import { meantParam, withMeant } from './meant-param.ts'
import {
  CODE, parameterName, NOTHING, refuseFilter, refuseForm, refuseRead, type PlannedCondition, type PlannedErrors,
  type PlannedNothing,
} from './planned.ts'

/** A filter by operators, or a partial filter. */
export interface OperatorFilter<
  Kind extends 'operators' | 'partial' = 'operators' | 'partial'
> extends EntryBase, FilterTarget {
  readonly kind: Kind
  readonly type: ValueType
  /** Reads a value. If the property is an array, it reads an item. */
  readonly convert: (text: string) => Converted
  readonly defaultOperator: Operator
  /** The operators that are allowed, in the order of the whitelist. */
  readonly operators: ReadonlyMap<Operator, OperatorForm>
}

type PlannedOperator = PlannedCondition | PlannedErrors | PlannedNothing

/** The members of this kind, which partial filters and OR groups also use. */
interface OperatorKind {
  readonly resolve: FilterKind<AllowedFilters<string>, OperatorFilter<'operators'>>['resolve']
  readonly plan: (param: FilterParam, entry: OperatorFilter, values: Values) => PlannedOperator
  readonly compared: (entry: OperatorFilter) => readonly Compared[]
  readonly describe: (entry: OperatorFilter) => FilterFacts
  readonly takesOperators: true
}

export const operators: OperatorKind = {
  takesOperators: true,

  resolve (filter, model, numbers) {
    const number = numbers.get(filter.field)
    if (number !== undefined && filter.type === undefined) {
      const target = { operand: number, relations: [], name: filter.field }
      return resolveOperators(filter, target, operatorFormOf)
    }
    checkNumber(filter.field, model, `AllowedFilters '${filter.field}'`)
    const { json } = resolvePath(model, filter.field, `AllowedFilters '${filter.field}'`)
    if (filter.type !== undefined && (json === undefined || json.member !== undefined)) {
      throw new ConfigError(
        `AllowedFilters '${filter.field}': the option 'type' is for values inside of a JSON column, and the type of ` +
          `'${filter.field}' is known; leave the option out.`
      )
    }
    return resolveOperators(filter, targetOf(filter.field, model, filter.type), operatorFormOf)
  },

  plan (given, entry, values) {
    const operator = operatorOf(given, entry)
    if (typeof operator !== 'string') return { kind: 'errors', errors: [operator] }
    // operatorOf returns only allowed operators
    const form = entry.operators.get(operator)!
    const meant = withoutIgnored(given, entry.ignored, LIST_VALUES.has(form.value))
    if (meant === undefined) return NOTHING
    const param = readKinds(meant, form.value, entry.type, isCustom(entry.operand))
    if ('kind' in param) return param
    const texts = textsOf(param, operator, form.value)
    if ('kind' in texts) return texts
    const read = form.read(texts, entry.convert, entry.type)
    const { operand, relations, unaccent } = entry
    switch (read.kind) {
      case 'values': {
        const slots = read.values.map((value) => values.add(value))
        const compare = { kind: 'compare', operator: operator as ComparisonOperator, operand, slots } as const
        const ignoresAccents = unaccent !== undefined && form.unaccented !== undefined
        return { kind: 'condition', relations, condition: ignoresAccents ? { ...compare, unaccent } : compare }
      }
      case 'null':
        return { kind: 'condition', relations, condition: { kind: 'null', operand, negated: read.negated } }
      case 'nothing':
        return NOTHING
      case 'invalid':
      case 'unreadable': {
        const other = meantParam(given, (meant) => operators.plan(meant, entry, new Values()).kind === 'condition')
        return withMeant(refuseRead(param, read, other === undefined), other)
      }
    }
  },

  compared: ({ relations, operand, operators, unaccent }) => [
    { relations, operand, by: [...operators.keys()], unaccent },
  ],

  describe (entry) {
    const { name, operators, defaultOperator } = entry
    return {
      looks: 'operators',
      sentence: `Records whose \`${name}\` matches.`,
      target: entry,
      inputs: [...new Set([defaultOperator, ...operators.keys()])].map((operator) => inputOf(entry, operator)),
    }
  },
}

/** Describes the value of an operator. */
export function inputOf ({ operand, type, operators }: OperatorFilter, operator: Operator): InputFacts {
  const { value: takes, meaning, example } = operators.get(operator)!
  const item = type.kind === 'array' ? type.element : type
  const codec = operand.kind === 'relation'
    ? operand.key[0]?.codec
    : operand.kind === 'scalar'
      ? operand.codec
      : undefined
  return {
    operator,
    takes,
    value: takes === 'boolean' ? BOOLEAN : takes === 'text' ? SEARCHED_TEXT : { type: item, codec },
    meaning,
    example: { type: item, of: example },
  }
}

/** Whether the application defines how values of a property are written. */
const isCustom = (operand: Comparable): boolean => operand.kind === 'scalar' && operand.codec?.toDatabase !== undefined

/** Looks up the property of a filter. */
export function targetOf (
  field: string,
  model: EntityModel,
  jsonType: JsonValueType | undefined
): FilterTarget & { readonly name: string } {
  const what = `AllowedFilters '${field}'`
  const path = resolvePath(model, field, what)
  return { operand: comparableOf(path, jsonType, what), relations: path.relations, name: publicPath(path) }
}

/**
 * Looks up the forms of the operators of a filter for the property's type.
 *
 * @throws {ConfigError} for an operator that does not work on the property's type
 */
export function resolveOperators<
  Filter extends AllowedFilters<string> | PartialFilter<string>,
  Name extends Filter['operators'][number]
> (
  filter: Filter & { readonly operators: readonly Name[] },
  { operand, relations, name }: FilterTarget & { readonly name: string },
  formOf: (operator: Name, type: ValueType) => OperatorForm
): OperatorFilter<Filter['kind']> {
  const what = `AllowedFilters '${filter.field}'`
  const { type, convert } = valuesOf(operand, what)
  const custom = isCustom(operand)
  const operators = new Map<Operator, OperatorForm>()
  for (const operator of filter.operators) {
    const form = formOf(operator, type)
    if (!form.accepts(type, custom)) {
      throw new ConfigError(
        `${what}: the operator '${operator}' does not work on a property of type ${describe(type)}. ` +
          `Operators for it: ${operatorsFor(type, custom).join(', ')}.`
      )
    }
    operators.set(operator, form)
  }
  const unaccent = unaccentOf(filter)
  if (unaccent !== undefined && ![...operators.values()].some(({ unaccented }) => unaccented !== undefined)) {
    throw new ConfigError(
      `${what}: 'unaccent' has no effect on ${[...operators.keys()].join(', ')}. It is for operators that look for ` +
        `texts: ${UNACCENTED.join(', ')}.`
    )
  }
  return {
    kind: filter.kind,
    ...withAlias(filter.alias, name),
    relations,
    operand,
    type,
    convert,
    defaultOperator: filter.defaultOperator,
    operators,
    unaccent,
  }
}

/** The operators that can ignore accents. */
const UNACCENTED: readonly Operator[] = OPERATOR_NAMES.filter((operator) => 'unaccented' in OPERATORS[operator])

/** The operator of a parameter, or an error if the operator is not allowed. */
function operatorOf (param: FilterParam, entry: OperatorFilter): Operator | QueryParamError {
  const { operators, defaultOperator } = entry
  if (param.operator !== undefined) {
    if (isOperator(param.operator) && operators.has(param.operator)) return param.operator
    return refuseOperator(param, param.operator, entry)
  }
  // if there are several values and no operator, `in` replaces a default operator that takes one value
  const several = typeof param.value !== 'string' && !LIST_VALUES.has(operators.get(defaultOperator)!.value)
  return several && operators.has('in') ? 'in' : defaultOperator
}

/**
 * The error of an operator that is not allowed.
 *
 * @param meant the filter that was probably meant. Default: the nearest operator
 */
export const refuseOperator = (
  param: FilterParam,
  operator: string,
  { name, operators }: OperatorFilter,
  meant?: string
): QueryParamError =>
  refusal(
    CODE,
    parameterName(param),
    `The operator '${cited(operator)}' is not allowed for the filter '${name}'.`,
    { given: operator, meant, allowed: operators.keys() }
  )

/** The text of the value, or the texts of a list's items. */
function textsOf (param: FilterParam, operator: Operator, kind: OperatorValue): readonly string[] | PlannedErrors {
  if (!LIST_VALUES.has(kind)) {
    return typeof param.value === 'string'
      ? [param.value]
      : refuseFilter(param, `The operator '${operator}' takes one value.`)
  }
  const most = noteOf(param).inBody ? MAX_BODY_LIST_ITEMS : MAX_LIST_ITEMS
  const list = typeof param.value === 'string' ? splitList(param.value, most) : { items: param.value } as const
  if (list.items === undefined) return refuseForm(param, list.error, list.limit)
  const { length } = list.items
  if (length > most) {
    const name = parameterName(param)
    const error = excess(CODE, name, `${name} has ${length} items; at most ${most} are allowed.`)
    return { kind: 'errors', errors: [error] }
  }
  if (kind === 'pair' && length !== 2) {
    return refuseFilter(param, `The operator '${operator}' takes exactly two values, low first; ${length} were given.`)
  }
  return list.items
}
