/** The values of numbers about related rows, over the rows of one parent. */
import type { Aggregate } from '../plan/index.ts'
import { trusted, sql, type Sql } from './fragment.ts'
import { column } from './json.ts'
import { comparedValue, sqlTypeOf } from './wire-types.ts'

/** The value as records show it, before it gets its wire form. */
export function shownNumber ({ function: fn, property }: Aggregate, alias: string): Sql {
  if (fn === 'exists') return trusted('(count(*) > 0)')
  if (property === undefined) return trusted('count(*)')
  const operand = column(property, alias)
  switch (fn) {
    case 'sum':
      return sqlTypeOf(property.type).sum!(operand, property.type)
    case 'avg':
      return sqlTypeOf(property.type).mean!(operand, property.type)
    default:
      return sql`${trusted(fn)}(${comparedValue(operand, property.type)})`
  }
}

/** The value as it is compared and sorted. A mean that records show as text is a number. */
export function comparedNumber (aggregate: Aggregate, alias: string): Sql {
  const { function: fn, property, type } = aggregate
  return fn === 'avg' && type.kind === 'decimal' ? sql`avg(${column(property!, alias)})` : shownNumber(aggregate, alias)
}

/** The value of a record without related rows, which rows that are grouped by their parent lack. Undefined for null. */
export function numberOfNone ({ function: fn }: Aggregate): Sql | undefined {
  if (fn === 'count') return trusted('0::bigint')
  return fn === 'exists' ? trusted('false') : undefined
}
