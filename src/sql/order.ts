/** Orders to SQL: nulls last in both directions, joins to what lies behind to-one relations. */
import type { OrderTerm } from '../plan/index.ts'
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

/** Compiles an order for the rows of an alias. A related row that is deleted or filtered out sorts as null. */
export function orderSql (terms: readonly OrderTerm[], alias: string, context: ConditionContext): Order {
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
    // nulls come last by themselves in an ascending order; where there are none, saying it would keep an index from being used
    const nullable = term.relations.length > 0 || term.operand.nullable || (term.operand.kind === 'scalar' && term.operand.formula !== undefined)
    const direction = trusted(term.descending ? nullable ? ' desc nulls last' : ' desc' : '')
    return { value: operand(term.operand, from), direction }
  })
  return { joins, expressions }
}

/** ` order by ...`. */
export function orderBy (expressions: readonly OrderExpression[]): Sql {
  return sql` order by ${join(expressions.map(({ value, direction }) => sql`${value}${direction}`))}`
}
