/**
 * Compiles orders to SQL. Nulls come last in both directions, except in custom sorts, which place nulls themselves.
 * Properties of to-one relations are joined.
 */
import { keyColumns } from '../model/index.ts'
import { isCustomTerm, isNullableTerm, type CustomTerm, type Operand, type OrderTerm } from '../plan/index.ts'
import { operand } from './comparison.ts'
import { RANK } from './foreign-order.ts'
import { EMPTY, join, name, sql, trusted, type Sql } from './fragment.ts'
import { rankSql } from './full-text.ts'
import type { OrderExpression } from './order-expression.ts'
import { hasNamedKey } from './own-key.ts'
import type { Source } from './source.ts'
import { ToOneJoins } from './to-one-joins.ts'
import type { ConditionContext } from './visibility.ts'

export interface Order {
  /** Joins to the relations that are sorted by. They follow the table. */
  readonly joins: Sql
  readonly expressions: readonly OrderExpression[]
}

/** A term that sorts by a property. */
type PropertyTerm = Pick<OrderTerm, 'column'> & { readonly operand: Operand }

interface OrderOptions {
  /** Reverses the order. Default: false. */
  readonly reversed?: boolean
  /** Compiles custom sorts. Only the order of a list has them. */
  readonly custom?: Pick<Source, 'model' | 'order'>
}

/**
 * Compiles an order for the rows of an alias. A related row that is deleted or filtered out sorts as null.
 * `joinNumbers` must have noted the numbers about related rows that the terms sort by.
 */
export function orderSql (
  terms: readonly (OrderTerm | CustomTerm)[],
  alias: string,
  context: ConditionContext,
  { reversed = false, custom }: OrderOptions = {}
): Order {
  const joins = new ToOneJoins(alias, context)
  joins.add(context.numbers.get(alias)?.ofOrder ?? EMPTY)
  const expressions = terms.flatMap((term): readonly OrderExpression[] => {
    if (isCustomTerm(term)) {
      if (custom === undefined) throw new TypeError('only the order of a list has custom sorts')
      const order = custom.order(term, alias)
      if (order.kind === 'expressions') return order.expressions
      const to = context.names.expression('order')
      const isOfRow = hasNamedKey(keyColumns(custom.model), to, alias)
      joins.add(sql` left join (${order.query}) as ${name(to)} on ${isOfRow}`)
      return [{ value: name(to, RANK), direction: EMPTY }]
    }
    return [{
      value: orderedValue(term, alias, joins, context),
      direction: directionSql(term.descending, isNullableTerm(term), reversed),
    }]
  })
  return { joins: joins.sql, expressions }
}

/** The value that a term sorts by. It joins the other rows that it needs. `joinNumbers` has joined numbers. */
function orderedValue (term: OrderTerm, alias: string, joins: ToOneJoins, context: ConditionContext): Sql {
  const { operand, relations, texts } = term
  switch (operand.kind) {
    case 'number':
      return context.numbers.get(alias)!.values.get(operand.aggregate)!
    case 'relevance':
      return rankSql(operand.document, texts!, joins, context)
    default:
      return termValue({ ...term, operand }, joins.aliasOf(relations))
  }
}

/** The value that a term sorts by, from the row that its relations lead to. */
export function termValue ({ operand: property, column }: PropertyTerm, alias: string): Sql {
  return column === undefined ? operand(property, alias) : name(alias, column.column)
}

/**
 * The direction of an expression, with nulls last. PostgreSQL puts them last in an ascending order, and first in a
 * descending one. A column that cannot be null gets no `nulls last`: PostgreSQL could not use its index otherwise.
 */
export function directionSql (descending: boolean, nullable: boolean, reversed = false): Sql {
  if (reversed) return trusted(descending ? nullable ? ' nulls first' : '' : ' desc')
  return trusted(descending ? nullable ? ' desc nulls last' : ' desc' : '')
}

/**
 * Lets rows carry the values that they are sorted by, so that the rows of an expression can be sorted again. A value
 * that is one of the columns is not carried twice: a row with only the columns of its table takes less time.
 *
 * @param columns the columns of the rows, by name. The values that they lack are added.
 * @returns the names of the columns with the values
 */
export function carry (columns: Map<string, Sql>, values: readonly Sql[]): readonly string[] {
  const names = [...columns].map(([column, value]) => [value, column] as const)
  return values.map((value, index) => {
    const same = names.find(([other]) => isSame(other, value))?.[1]
    if (same !== undefined) return same
    let as = `@sort${index}`
    while (columns.has(as)) as = `@${as}`
    columns.set(as, value)
    return as
  })
}

const isSame = ({ pieces }: Sql, { pieces: others }: Sql): boolean =>
  pieces.length === others.length && pieces.every((piece, index) => piece === others[index])

/** The order by the sort values that the rows of an expression carry. */
export function carriedOrder (
  order: readonly OrderExpression[],
  names: readonly string[],
  alias: string
): readonly OrderExpression[] {
  return order.map(({ direction }, index) => ({ value: name(alias, names[index]!), direction }))
}

/** ` order by ...`. */
export function orderBy (expressions: readonly OrderExpression[]): Sql {
  return sql` order by ${orderList(expressions)}`
}

/** `a, b desc`. */
export function orderList (expressions: readonly OrderExpression[]): Sql {
  return join(expressions.map(({ value, direction }) => sql`${value}${direction}`))
}
