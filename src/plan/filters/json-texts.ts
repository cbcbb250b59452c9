/** Checks the values of filters in JSON. Nothing is coerced: a number is not a text, and a text is no number. */
import type { TypeOf, ValueType } from '../../model/index.ts'
import { checkPattern, LIST_VALUES, type OperatorValue } from '../../operators/index.ts'
import { noteFilter, noteOf, type FilterParam, type JsonKind } from '../../query/index.ts'
import { TEXT, type ValueFacts } from './kind.ts'
import { refuseFilter, refuseForm, refuseValue, type PlannedErrors } from './planned.ts'

/** The kinds of JSON values that stand for a value, and the end of a sentence that says so. */
interface Expected {
  readonly kinds: readonly JsonKind[]
  readonly phrase: string
}

const TEXT_VALUE: Expected = { kinds: ['string'], phrase: 'a text' }
const BOOLEAN_VALUE: Expected = { kinds: ['boolean'], phrase: 'true or false' }
/** Numbers that JavaScript never rounds, or that are rounded in the column as well. */
const ROUNDED_VALUE: Expected = { kinds: ['number', 'inexact'], phrase: 'a number' }
/** Numbers that may have more digits than JavaScript keeps. */
const DIGITS: Expected = { kinds: ['number', 'string'], phrase: 'a number, or a text of its digits' }
const ANY_SCALAR: Expected = { kinds: ['string', 'number', 'boolean'], phrase: 'a text, a number or a boolean' }
const ANY_VALUE: Expected = { kinds: ['string', 'number', 'boolean', 'other'], phrase: 'a JSON value' }

function expectedOf (type: ValueType, custom: boolean): Expected {
  if (custom) return ANY_SCALAR
  switch (type.kind) {
    case 'integer':
    case 'float':
      return ROUNDED_VALUE
    case 'bigint':
      return DIGITS
    case 'decimal':
      return type.form === 'number' && !holdsRounded(type) ? ROUNDED_VALUE : DIGITS
    case 'boolean':
      return BOOLEAN_VALUE
    case 'enum':
      return type.items.every((item) => typeof item === 'number') ? ROUNDED_VALUE : TEXT_VALUE
    case 'array':
      return expectedOf(type.element, false)
    case 'range':
      return ANY_SCALAR
    case 'json':
      return ANY_VALUE
    default:
      return TEXT_VALUE
  }
}

/** Whether a column can hold numbers that JavaScript rounds. No value of another column is near such a number. */
const holdsRounded = ({ precision, scale = 0 }: TypeOf<'decimal'>): boolean =>
  precision === undefined || precision - scale > EXACT_DIGITS

/** JavaScript keeps all integers with as many digits. */
const EXACT_DIGITS = 15

/** What is expected whatever the type of the property. */
const EXPECTED: ReadonlyMap<string, Expected> = new Map([
  ['boolean', BOOLEAN_VALUE],
  ['text', TEXT_VALUE],
  ['search', TEXT_VALUE],
  ['any', ANY_SCALAR],
])

/**
 * Checks the value of a filter that was written as JSON.
 *
 * @param custom whether the application defines how the values are written
 * @returns the param, with texts as a URL has them, or the reason why the value is refused
 */
export function readKinds (
  param: FilterParam,
  takes: OperatorValue | 'search' | 'any',
  type: ValueType,
  custom = false
): FilterParam | PlannedErrors {
  const { kinds } = noteOf(param)
  if (kinds === undefined) return param
  const expected = EXPECTED.get(takes) ?? expectedOf(type, custom)
  const isList = LIST_VALUES.has(takes as OperatorValue)
  const isAlone = isList && typeof param.value === 'string'
  const wrong = kinds.findIndex((kind) => !expected.kinds.includes(kind))
  if (wrong === -1 && (!isAlone || mayStandAlone(param, takes))) {
    const read = expected === ANY_VALUE ? asJson(param, kinds) : param
    return isAlone ? withValue(read, [read.value].flat()) : read
  }
  const items = isAlone || typeof param.value !== 'string' ? 'a list, each item ' : ''
  const hint = wrong === -1 ? '' : hintOf(kinds[wrong]!, expected)
  return refuseValue(param, { expected: `${items}${expected.phrase}${hint}` })
}

/** Whether one item stands for a list of it, as in a URL: if its filter names no operator. */
const mayStandAlone = ({ operator }: FilterParam, takes: OperatorValue | 'search' | 'any'): boolean =>
  operator === undefined && takes !== 'pair'

/** Reads the text that a filter looks for in others: one value, in which no character has a meaning. */
export function readSearchedText (param: FilterParam, name: string): string | PlannedErrors {
  const read = readKinds(param, 'search', TEXT.type)
  if ('kind' in read) return read
  if (typeof read.value !== 'string') return refuseFilter(read, `The filter '${name}' takes one value.`)
  const wrong = checkPattern(read.value, 'literal')
  return wrong === undefined ? read.value : refuseForm(read, wrong.sentence, wrong.limit)
}

/** What else to write, after a value of this kind was refused. */
function hintOf (kind: JsonKind, expected: Expected): string {
  if (kind !== 'inexact') return ''
  return expected === ANY_VALUE
    ? '; JavaScript rounds a number from 2^53 on: filter by it in a query string'
    : '; JavaScript rounds a number from 2^53 on: write its digits as a text, such as "9007199254740993"'
}

/** The kinds of JSON values that stand for a value of a filter. */
export const jsonKindsOf = ({ type, codec }: ValueFacts): readonly JsonKind[] =>
  expectedOf(type, codec?.toDatabase !== undefined).kinds

/** The values as the text of JSON: a text gets its quotes. */
function asJson (param: FilterParam, kinds: readonly JsonKind[]): FilterParam {
  const textOf = (text: string, index: number): string => kinds[index] === 'string' ? JSON.stringify(text) : text
  return withValue(param, typeof param.value === 'string' ? textOf(param.value, 0) : param.value.map(textOf))
}

function withValue (param: FilterParam, value: FilterParam['value']): FilterParam {
  const other: FilterParam = { ...param, value }
  noteFilter(other, { ...noteOf(param), kinds: undefined })
  return other
}
