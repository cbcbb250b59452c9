/** OR groups, which keep the records that at least one of several filters keeps. */
import type { AnyOfFilter } from '../../config/index.ts'
import type { QueryParamError } from '../../query/index.ts'
import { refusal } from '../refusal.ts'
import { freeName, plainFacts, TEXT, type EntryBase, type FilterKind, type ValueFacts } from './kind.ts'
import { inputOf, operators, type OperatorFilter } from './operators.ts'
import { partial } from './partial.ts'
import { CODE, parameterName, NOTHING, type PlannedCondition } from './planned.ts'
import { anyOf } from './tree.ts'

export interface AnyOfEntry extends EntryBase {
  readonly kind: 'anyOf'
  readonly filters: readonly OperatorFilter[]
}

export const anyOfFilters: FilterKind<AnyOfFilter<string>, AnyOfEntry> = {
  takesOperators: false,

  resolve: (filter, model, numbers) => ({
    kind: 'anyOf',
    name: freeName(filter, model),
    filters: filter.filters.map((one) =>
      one.kind === 'partial' ? partial.resolve(one, model, numbers) : operators.resolve(one, model, numbers)
    ),
  }),

  /** Compares a value only with the properties that can hold it. A value that no property can hold is an error. */
  plan (param, { filters }, values) {
    const conditions: PlannedCondition[] = []
    const errors: QueryParamError[] = []
    for (const filter of filters) {
      const planned = operators.plan(param, filter, values)
      if (planned.kind === 'nothing') return NOTHING
      if (planned.kind === 'condition') conditions.push(planned)
      else errors.push(...planned.errors)
    }
    const excesses = errors.filter(({ limit }) => limit)
    if (excesses.length > 0) return { kind: 'errors', errors: excesses.slice(0, 1) }
    if (conditions.length > 0) return { kind: 'condition', relations: [], condition: anyOf(conditions) }
    const details = [...new Set(errors.map(({ detail }) => detail))]
    const allowed = [...new Set(errors.flatMap((error) => error.allowed ?? []))]
    const error = refusal(CODE, parameterName(param), details.join(' '))
    return { kind: 'errors', errors: [allowed.length === 0 ? error : { ...error, allowed }] }
  },

  compared: ({ filters }) => filters.flatMap((filter) => operators.compared(filter)),

  /** A group takes what the first filter takes. Its values are texts, unless all filters have one type. */
  describe ({ filters }) {
    const [first, ...others] = filters.map((filter) => inputOf(filter, filter.defaultOperator))
    const { takes, value, example } = first!
    const same = others.every((other) => typeOf(other.value) === typeOf(value))
    const names = filters.map(({ name }) => `\`${name}\``).join(', ')
    return plainFacts('anyOf', `Records that match the value in at least one of: ${names}.`, {
      takes,
      value: same ? value : TEXT,
      example,
    })
  },
}

const typeOf = (value: ValueFacts | undefined): string =>
  value?.codec === undefined ? JSON.stringify(value?.type) : 'custom'
