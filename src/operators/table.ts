/**
 * The operators of filters, `filter[<name>][<operator>]=<value>`. Everything that the stages know about an operator is
 * in its entry. Errors and documentation list the operators in the order of this table.
 *
 * To add an operator, add its entry here, its name in `src/base/operator-names.ts`, its row in
 * `docs/query-language/filters.md` and its tests. If a member is missing, this file has a type error.
 */
import { OPERATOR_NAMES, type Operator } from '../base/operator-names.ts'
import { isComparable, isOrdered, isTextual, type ValueType } from '../model/index.ts'
import type { ComparisonForm, OperatorEntry, OperatorForm, OperatorValue } from './entry.ts'
import { containing, endingWith, startingWith } from './pattern.ts'
import {
  readArray, readEach, readExceptions, readLiteral, readNull, readOne, readPart, readPartial, readPattern, readUnpadded,
} from './read-operand.ts'

const comparable = (type: ValueType, custom: boolean): boolean => isComparable(type) || custom
const anything = (): boolean => true
/** Whether a type is an array whose items can be compared. */
const array = (type: ValueType): boolean =>
  type.kind === 'array' && isComparable(type.element) && type.element.kind !== 'json'

const one = (value: unknown): unknown => value
const two = (value: unknown, other: unknown): unknown => [value, other]
const several = (value: unknown, other: unknown): unknown => other === value ? [value] : [value, other]

const patternOfAll = (value: unknown) => /^%+$/.test(String(value)) ? 'by all' : undefined
const listOfAll = (value: unknown) => value === '{}' ? 'by all' : undefined
const listOfNone = (value: unknown) => value === '{}' ? 'by none' : undefined

export const OPERATORS = Object.freeze(
  {
    eq: {
      value: 'one',
      accepts: comparable,
      read: readOne,
      sql: '{column} = {value}',
      index: 'order',
      meaning: 'is the value',
      example: one,
    },
    ne: {
      value: 'one',
      accepts: comparable,
      read: readOne,
      sql: '{column} <> {value}',
      index: 'none',
      meaning: 'differs from the value and is not null',
      example: one,
    },
    lt: {
      value: 'one',
      accepts: isOrdered,
      read: readOne,
      sql: '{column} < {value}',
      index: 'order',
      meaning: 'is less than the value',
      example: one,
    },
    lte: {
      value: 'one',
      accepts: isOrdered,
      read: readOne,
      sql: '{column} <= {value}',
      index: 'order',
      meaning: 'is at most the value',
      example: one,
    },
    gt: {
      value: 'one',
      accepts: isOrdered,
      read: readOne,
      sql: '{column} > {value}',
      index: 'order',
      meaning: 'is greater than the value',
      example: one,
    },
    gte: {
      value: 'one',
      accepts: isOrdered,
      read: readOne,
      sql: '{column} >= {value}',
      index: 'order',
      meaning: 'is at least the value',
      example: one,
    },
    ieq: {
      value: 'one',
      accepts: (type) => type.kind === 'text',
      read: readUnpadded,
      sql: 'lower({column}) = lower({value})',
      unaccented: 'text',
      index: { kind: 'order', key: 'lower({column})' },
      meaning: 'is the value, in upper or lower case',
      example: one,
    },
    like: {
      value: 'text',
      accepts: isTextual,
      read: readPattern,
      sql: '{column} like {value}',
      satisfied: patternOfAll,
      unaccented: 'pattern',
      index: 'trigrams',
      meaning: 'matches the pattern: `%` and `_` are wildcards',
      example: () => 'te_t',
    },
    ilike: {
      value: 'text',
      accepts: isTextual,
      read: readPattern,
      sql: '{column} ilike {value}',
      satisfied: patternOfAll,
      unaccented: 'pattern',
      index: 'trigrams',
      meaning: 'matches the pattern, in upper or lower case: `%` and `_` are wildcards',
      example: () => 'te_t',
    },
    contains: {
      value: 'text',
      accepts: isTextual,
      read: readLiteral(containing),
      sql: '{column} ilike {value}',
      satisfied: patternOfAll,
      unaccented: 'pattern',
      index: 'trigrams',
      meaning: 'contains the text, in upper or lower case',
      example: one,
      onArray: {
        value: 'items',
        accepts: array,
        read: readArray,
        sql: '{column} @> {value}',
        satisfied: listOfAll,
        index: 'items',
        meaning: 'has all of the values',
        example: several,
      },
      onRange: {
        value: 'part',
        accepts: (type) => type.kind === 'range',
        read: readPart,
        sql: '{column} @> {value}',
        satisfied: (value) => value === 'empty' ? 'by all' : undefined,
        index: 'ranges',
        meaning: 'contains the value, or the whole of a range',
        example: one,
      },
    },
    starts: {
      value: 'text',
      accepts: isTextual,
      read: readLiteral(startingWith),
      sql: '{column} ilike {value}',
      satisfied: patternOfAll,
      unaccented: 'pattern',
      index: 'trigrams',
      meaning: 'starts with the text, in upper or lower case',
      example: one,
    },
    ends: {
      value: 'text',
      accepts: isTextual,
      read: readLiteral(endingWith),
      sql: '{column} ilike {value}',
      satisfied: patternOfAll,
      unaccented: 'pattern',
      index: 'trigrams',
      meaning: 'ends with the text, in upper or lower case',
      example: one,
    },
    in: {
      value: 'list',
      accepts: comparable,
      read: readArray,
      sql: '{column} = any({value})',
      satisfied: listOfNone,
      index: 'order',
      meaning: 'is one of the values',
      example: several,
    },
    nin: {
      value: 'list',
      accepts: comparable,
      read: readExceptions,
      sql: '{column} <> all({value})',
      index: 'none',
      meaning: 'is none of the values',
      example: several,
    },
    between: {
      value: 'pair',
      accepts: isOrdered,
      read: readEach,
      sql: '{column} between {low} and {high}',
      index: 'order',
      meaning: 'is between two values, or equals one of them; the lower value comes first',
      example: two,
    },
    overlap: {
      value: 'items',
      accepts: array,
      read: readArray,
      sql: '{column} && {value}',
      satisfied: listOfNone,
      index: 'items',
      meaning: 'has any of the values',
      example: several,
    },
    isnull: {
      value: 'boolean',
      accepts: anything,
      read: readNull,
      sql: { true: '{column} is null', false: '{column} is not null' },
      index: 'none',
      meaning: 'is null, or with `false`, is not null',
      example: () => true,
    },
  } as const satisfies Record<Operator, OperatorEntry>
)

/** The operators of partial filters. Unlike in the table, text without a `%` matches anywhere in the property. */
export const PARTIAL = Object.freeze(
  {
    like: {
      ...OPERATORS.like,
      read: readPartial,
      meaning: 'contains the text; with a `%` it is a pattern',
      example: one,
    },
    ilike: {
      ...OPERATORS.ilike,
      read: readPartial,
      meaning: 'contains the text, in upper or lower case; with a `%` it is a pattern',
      example: one,
    },
  } as const satisfies Partial<Record<Operator, OperatorForm>>
)

/** The name of an operator of partial filters. */
export type PartialOperator = keyof typeof PARTIAL

/** The names of the operators of partial filters. */
export const PARTIAL_NAMES: readonly PartialOperator[] = Object.freeze(['like', 'ilike'] as const)

/** The form of an operator for properties of a type, whether or not the operator accepts the type. */
export function operatorFormOf (operator: ComparisonOperator, type: ValueType): ComparisonForm
export function operatorFormOf (operator: Operator, type: ValueType): OperatorForm
export function operatorFormOf (operator: Operator, type: ValueType): OperatorForm {
  const entry: OperatorEntry = OPERATORS[operator]
  if (type.kind === 'array') return entry.onArray ?? entry
  return type.kind === 'range' ? entry.onRange ?? entry : entry
}

/** The operators that work on properties of a type. */
export function operatorsFor (type: ValueType, custom: boolean): readonly Operator[] {
  return OPERATOR_NAMES.filter((operator) => operatorFormOf(operator, type).accepts(type, custom))
}

/** The operators that compare with values. */
export type ComparisonOperator = {
  [Name in Operator]: OperatorValues[Name] extends 'boolean' ? never : Name
}[Operator]

/** How the value of each operator is written, as a type. */
export type OperatorValues = { readonly [Name in Operator]: (typeof OPERATORS)[Name]['value'] }
/** How the value of each operator is written for properties that are arrays. */
export type OperatorValuesOnArrays = {
  readonly [Name in Operator]: (typeof OPERATORS)[Name] extends {
    readonly onArray: { readonly value: infer Value extends OperatorValue },
  } ? Value
    : OperatorValues[Name]
}
