/** Allowed filters meet the model. */
import type { CustomFilterCallback, Filter, Operator } from '../../config/index.ts'
import { ConfigError } from '../../errors.ts'
import { isComparable, isOrdered, isTextual, publicPath, resolvePath, type Converted, type EntityModel, type RelationProperty, type ValueType } from '../../model/index.ts'
import type { Operand } from '../types.ts'
import { describe, operandOf, valuesOf } from './operand.ts'

/** A filter by operators. */
export interface OperatorFilter {
  readonly kind: 'operators'
  readonly name: string
  readonly relations: readonly RelationProperty[]
  readonly operand: Operand
  readonly type: ValueType
  readonly convert: (text: string) => Converted
  readonly defaultOperator: Operator
  readonly operators: readonly Operator[]
  /** A value without a wildcard stands anywhere in the text. */
  readonly partial: boolean
}

/** A filter by callback. */
export interface CustomFilterEntry {
  readonly kind: 'custom'
  readonly name: string
  readonly callback: CustomFilterCallback
}

export type FilterEntry = OperatorFilter | CustomFilterEntry

export function filterEntry (filter: Filter, model: EntityModel): FilterEntry {
  if (filter.kind === 'custom') return customEntry(filter, model)
  const what = `AllowedFilters '${filter.field}'`
  const path = resolvePath(model, filter.field, what)
  const operand = operandOf(path, what)
  const { type, convert } = valuesOf(operand, what)
  const codec = operand.kind === 'scalar' ? operand.codec : undefined
  for (const operator of filter.operators) {
    if (!accepts(type, operator, codec?.toDatabase !== undefined)) {
      throw new ConfigError(`${what}: the operator '${operator}' does not work on a property of type ${describe(type)}.`)
    }
  }
  return {
    kind: 'operators',
    name: filter.alias ?? publicPath(path),
    relations: path.relations,
    operand,
    type,
    convert,
    defaultOperator: filter.defaultOperator,
    operators: filter.operators,
    partial: filter.kind === 'partial',
  }
}

/** The name of a custom filter is free, but it can't be that of a hidden property: it would say that there is one. */
function customEntry (filter: Extract<Filter, { kind: 'custom' }>, model: EntityModel): CustomFilterEntry {
  const name = filter.alias ?? filter.field
  if (model.properties.get(filter.field)?.hidden) resolvePath(model, filter.field, `AllowedFilters.custom '${filter.field}'`)
  return { kind: 'custom', name, callback: filter.callback }
}

function accepts (type: ValueType, operator: Operator, custom: boolean): boolean {
  switch (operator) {
    case 'isnull': return true
    case 'eq': case 'ne': case 'in': case 'nin': return isComparable(type) || custom
    case 'lt': case 'lte': case 'gt': case 'gte': case 'between': return isOrdered(type)
    default: return isTextual(type)
  }
}
