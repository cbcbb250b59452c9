/** Orders to SQL: nulls last in both directions, joins to what lies behind to-one relations. */
import { isNullableTerm, type OrderTerm } from '../plan/index.ts'
import { matching, operand, relatedVisibility, type ConditionContext } from './condition.ts'
import { EMPTY, join, name, sql, trusted, type Sql } from './fragment.ts'

/** A term with the expression that it sorts by. */
export interface OrderExpression {
  readonly value: Sql
  readonly direction: Sql
}

export interface Order {
  /** Joins to the sorted relations, to follow the table. */
  readonly joins: Sql
  readonly expressions: readonly OrderExpression[]
}

/**
 * Compiles an order for the rows of an alias. A related row that is deleted or filtered out sorts as null.
 *
 * @param reversed the same order from its end
 */
export function orderSql (terms: readonly OrderTerm[], alias: string, context: ConditionContext, reversed = false): Order {
  const aliases = new Map<string, string>()
  let joins: Sql = EMPTY
  const expressions = terms.map((term) => {
    let from = alias
    let path = ''
    for (const relation of term.relations) {
      const { join: by, target } = relation
      path += `.${relation.name}`
      let to = aliases.get(path)
      if (to === undefined) {
        to = context.names.table()
        aliases.set(path, to)
        const on = [matching(from, by.columns, to, by.targetColumns), ...relatedVisibility(relation, to, context)]
        joins = sql`${joins} left join ${trusted(target.table)} as ${name(to)} on ${join(on, ' and ')}`
      }
      from = to
    }
    return { value: termValue(term, from), direction: directionSql(term, reversed) }
  })
  return { joins, expressions }
}

/** What a term sorts by, of the row that its relations lead to. */
export function termValue ({ operand: property, column }: OrderTerm, alias: string): Sql {
  return column === undefined ? operand(property, alias) : name(alias, column.column)
}

/**
 * Nulls come last by themselves in an ascending order, and first in a descending one; where there are none, saying so
 * would keep an index from being used.
 */
function directionSql (term: OrderTerm, reversed: boolean): Sql {
  const nullable = isNullableTerm(term)
  if (reversed) return trusted(term.descending ? nullable ? ' nulls first' : '' : ' desc')
  return trusted(term.descending ? nullable ? ' desc nulls last' : ' desc' : '')
}

/** ` order by ...`. */
export function orderBy (expressions: readonly OrderExpression[]): Sql {
  return sql` order by ${orderList(expressions)}`
}

/** `a, b desc`. */
export function orderList (expressions: readonly OrderExpression[]): Sql {
  return join(expressions.map(({ value, direction }) => sql`${value}${direction}`))
}
