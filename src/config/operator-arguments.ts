/** Reads the operators that an application allows for a filter, and says what was meant by something else. */
import { ConfigError } from '../base/errors.ts'
import { quoted, shown } from '../base/option-checks.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import { isOperator, OPERATOR_NAMES, type Operator } from '../operators/index.ts'
import { repeatedIn } from './entry-arguments.ts'

/** The error about a list of operators in place of the default operator. */
export function listBeforeDefault (what: string, field: string, given: readonly unknown[]): ConfigError {
  const operators = given.filter(isOperator)
  const example = operators.length === 0 ? ['eq', 'in'] : operators
  return new ConfigError(
    `${what}: the default operator comes before the list of allowed ones: ` +
      `new AllowedFilters('${field}', '${example[0]}', [${quoted(example)}]).`
  )
}

/** Words for operators in other languages. */
const WORDS: Readonly<Record<string, Operator>> = {
  '=': 'eq',
  '==': 'eq',
  equal: 'eq',
  equals: 'eq',
  is: 'eq',
  '!=': 'ne',
  '<>': 'ne',
  neq: 'ne',
  not: 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  min: 'gte',
  max: 'lte',
  includes: 'contains',
  startsWith: 'starts',
  endsWith: 'ends',
  notIn: 'nin',
  not_in: 'nin',
  range: 'between',
  null: 'isnull',
}

/** @throws {ConfigError} for something that is not the name of an operator, with the one that was probably meant */
export function readOperator (what: string, operator: unknown): Operator {
  if (isOperator(operator)) return operator
  const choice = `Operators: ${OPERATOR_NAMES.join(', ')}.`
  if (typeof operator !== 'string') {
    throw new ConfigError(`${what}: an operator is named by a text, got ${shown(operator)}. ${choice}`)
  }
  throw new ConfigError(
    didYouMean(
      `${what}: there is no operator '${operator}'`,
      Object.hasOwn(WORDS, operator) ? WORDS[operator] : nearest(operator, OPERATOR_NAMES),
      choice
    )
  )
}

/**
 * The allowed operators, in the order given. If none are given, only the default operator is allowed.
 *
 * @throws {ConfigError} for a list that repeats an operator or lacks the default
 */
export function readOperators (what: string, allowed: unknown, defaultOperator: Operator): readonly Operator[] {
  if (allowed === undefined) return Object.freeze([defaultOperator])
  if (!Array.isArray(allowed)) {
    const list = typeof allowed === 'string' ? ` Write ['${allowed}'].` : ''
    throw new ConfigError(`${what}: the allowed operators must be an array, got ${shown(allowed)}.${list}`)
  }
  const operators = allowed.map(operator => readOperator(what, operator))
  const repeated = repeatedIn(operators)
  if (repeated !== undefined) throw new ConfigError(`${what}: operator '${repeated}' is listed twice`)
  if (!operators.includes(defaultOperator)) {
    throw new ConfigError(
      `${what}: the allowed operators must hold the default, '${defaultOperator}': add it to [${quoted(operators)}], ` +
        'or make one of them the default.'
    )
  }
  return Object.freeze(operators)
}
