/** OR groups: what any of several filters keeps. */
import type { FilterParam, QueryParamError } from '../../query/index.ts'
import { refusal } from '../refusal.ts'
import type { Values } from '../values.ts'
import type { AnyOfEntry } from '../whitelist/index.ts'
import { planOperator } from './operators.ts'
import {
  CODE,
  nameOf,
  NOTHING,
  refuse,
  type PlannedCondition,
  type PlannedErrors,
  type PlannedNothing,
} from './planned.ts'
import { anyOf } from './tree.ts'

/** A value that one of the properties can't hold is not found there; one that none can hold is an error. */
export function planAnyOf (
  param: FilterParam,
  { name, filters }: AnyOfEntry,
  values: Values
): PlannedCondition | PlannedErrors | PlannedNothing {
  if (param.operator !== undefined) return refuse(param, `The filter '${name}' takes no operator.`)
  const conditions: PlannedCondition[] = []
  const errors: QueryParamError[] = []
  for (const filter of filters) {
    const planned = planOperator(param, filter, values)
    if (planned.kind === 'nothing') return NOTHING
    if (planned.kind === 'condition') conditions.push(planned)
    else errors.push(...planned.errors)
  }
  const excesses = errors.filter(({ limit }) => limit)
  if (excesses.length > 0) return { kind: 'errors', errors: excesses.slice(0, 1) }
  if (conditions.length > 0) return { kind: 'condition', relations: [], condition: anyOf(conditions) }
  const details = [...new Set(errors.map(({ detail }) => detail))]
  const allowed = [...new Set(errors.flatMap((error) => error.allowed ?? []))]
  const error = refusal(CODE, nameOf(param), details.join(' '))
  return { kind: 'errors', errors: [allowed.length === 0 ? error : { ...error, allowed }] }
}
