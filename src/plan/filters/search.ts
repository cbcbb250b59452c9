/** Searches: a text in any of several properties. */
import type { FilterParam } from '../../query/index.ts'
import type { Values } from '../values.ts'
import type { SearchEntry } from '../whitelist/index.ts'
import { checkPattern, containing } from './pattern.ts'
import { refuse, refuseForm, type PlannedCondition, type PlannedErrors } from './planned.ts'
import { anyOf } from './tree.ts'

export function planSearch (
  param: FilterParam,
  { name, targets }: SearchEntry,
  values: Values
): PlannedCondition | PlannedErrors {
  if (param.operator !== undefined) return refuse(param, `The filter '${name}' takes no operator.`)
  if (typeof param.value !== 'string') return refuse(param, `The filter '${name}' takes one value.`)
  const wrong = checkPattern(param.value, 'literal')
  if (wrong !== undefined) return refuseForm(param, wrong.sentence, wrong.limit)
  const slot = values.add(containing(param.value))
  const alternatives = targets.map(({ relations, operand }) => ({
    relations,
    condition: { kind: 'pattern', operand, insensitive: true, slot } as const,
  }))
  return { kind: 'condition', relations: [], condition: anyOf(alternatives) }
}
