/** Finds the operator that a client has written in a value, as other languages have it. */
import { isOperator, type Operator } from '../../operators/index.ts'
import { noteFilter, noteOf, type FilterParam } from '../../query/index.ts'
import { parameterName, type PlannedErrors } from './planned.ts'

/** `>=100`, `gte:100`, `gte.100`, `$gte:100` */
const WITH_OPERATOR = /^(?:(?<sign>[<>]=?|!?=)|\$?(?<word>[a-z]+)[:.]) *(?<rest>.+)$/s
const SIGNS: Readonly<Record<string, Operator>> = {
  '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte', '=': 'eq', '!=': 'ne',
}

/**
 * The parameter that was probably meant by one without an operator, whose filter refuses its value: that of the
 * operator in the value, or of `in` for a list.
 *
 * @param fits whether the filter accepts a parameter
 */
export function meantParam (param: FilterParam, fits: (meant: FilterParam) => boolean): FilterParam | undefined {
  const { operator, value } = param
  const note = noteOf(param)
  if (operator !== undefined || typeof value !== 'string' || note.pointer !== undefined) return undefined
  const { sign, word = value.includes(',') ? 'in' : '', rest = value } = WITH_OPERATOR.exec(value)?.groups ?? {}
  const name = sign === undefined ? word : SIGNS[sign]!
  if (!isOperator(name)) return undefined
  const meant: FilterParam = { ...param, operator: name, value: rest }
  noteFilter(meant, note)
  return fits(meant) ? meant : undefined
}

/** Adds to the errors of a value what was probably meant. */
export function withMeant (refused: PlannedErrors, meant: FilterParam | undefined): PlannedErrors {
  if (meant === undefined) return refused
  const suggestion = parameterName(meant)
  const errors = refused.errors.map((error) => ({
    ...error,
    detail: `${error.detail} Did you mean '${suggestion}'?`,
    suggestion,
  }))
  return { kind: 'errors', errors }
}
