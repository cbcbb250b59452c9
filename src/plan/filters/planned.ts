/** The results of planning one filter parameter, and the errors of filters. */
import type { RelationProperty } from '../../model/index.ts'
import type { ReadValue } from '../../operators/index.ts'
import { noteOf, type FilterParam, type QueryParamError } from '../../query/index.ts'
import { cited, excess, refusal } from '../refusal.ts'
import type { Condition, CustomCondition, Deleted } from '../condition-types.ts'

export const CODE = 'FST_CRUD_FILTER_INVALID'

/** A condition on a record that these relations lead to. */
export interface PlannedCondition {
  readonly kind: 'condition'
  readonly relations: readonly RelationProperty[]
  readonly condition: Condition
}

export interface PlannedErrors {
  readonly kind: 'errors'
  readonly errors: readonly QueryParamError[]
}

/** No condition, because every row satisfies the filter. */
export interface PlannedNothing {
  readonly kind: 'nothing'
}

export const NOTHING: PlannedNothing = { kind: 'nothing' }

export type Planned =
  | PlannedCondition
  | { readonly kind: 'custom', readonly custom: CustomCondition }
  | { readonly kind: 'deleted', readonly deleted: Deleted }
  | PlannedNothing
  | PlannedErrors

/** The name of a parameter as the client wrote it. In JSON, it is a pointer. */
export function parameterName (param: FilterParam): string {
  const { field, operator } = param
  const { pointer, groups = '', list } = noteOf(param)
  return pointer ??
    `filter${groups}[${cited(field)}]${operator === undefined ? '' : `[${cited(operator)}]`}${list ? '[]' : ''}`
}

export function refuseFilter (
  param: FilterParam,
  sentence: string,
  choice?: { readonly given?: string, readonly allowed: Iterable<string> }
): PlannedErrors {
  return { kind: 'errors', errors: [refusal(CODE, parameterName(param), sentence, choice)] }
}

/** Refuses a value that cannot be read for any type, or that exceeds a limit of the grammar. */
export function refuseForm (param: FilterParam, sentence: string, limit = false): PlannedErrors {
  const name = parameterName(param)
  return { kind: 'errors', errors: [(limit ? excess : refusal)(CODE, name, `${name}: ${sentence}`)] }
}

/** The parts of the error for a value that a filter refuses. */
interface WrongValue {
  readonly expected: string
  readonly allowed?: readonly string[] | undefined
  /** The wrong item of a list. */
  readonly item?: string | undefined
  /** The parameter, as errors name it. */
  readonly of?: string
  /** Whether to suggest the nearest of the allowed values. Default: true. */
  readonly suggests?: boolean
}

/** Refuses a value that is not valid for the property. */
export function refuseValue (
  param: FilterParam,
  { expected, allowed, item, of = parameterName(param), suggests = true }: WrongValue
): PlannedErrors {
  const what = item === undefined ? `The value of ${of}` : `The item '${cited(item)}' of ${of}`
  const given = item ?? (typeof param.value === 'string' ? param.value : undefined)
  const choice = allowed && { ...suggests && { given }, allowed }
  return refuseFilter(param, `${what} must be ${expected}.`, choice)
}

/**
 * Refuses a value that an operator could not read.
 *
 * @param suggests whether to suggest the nearest of the allowed values
 */
export function refuseRead (
  param: FilterParam,
  read: Extract<ReadValue, { readonly kind: 'invalid' | 'unreadable' }>,
  suggests: boolean
): PlannedErrors {
  if (read.kind === 'unreadable') return refuseForm(param, read.sentence, read.limit)
  return refuseValue(param, { ...read, suggests })
}
