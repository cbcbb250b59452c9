/** Applies a plan to MikroORM's QueryBuilder, for applications that continue with the builder. */
import { raw } from '@mikro-orm/core'
import { keyColumns, type EntityModel } from '../model/index.ts'
import {
  isCustomTerm, isNullableTerm, type KeysetPlan, type ListPlan, type OrderTerm, type RelatedNumber,
} from '../plan/index.ts'
import { equalColumns, tableAs } from './columns.ts'
import { conditionSql, conditionContext, noteKnown } from './condition.ts'
import { RANK, type ForeignOrder } from './foreign-order.ts'
import type { AnyQueryBuilder } from './foreign.ts'
import { EMPTY, join, name, sql, type Sql } from './fragment.ts'
import { rankOfRow } from './full-text.ts'
import { placeCondition } from './keyset.ts'
import { comparedNumber, numberOfNone } from './number-value.ts'
import { directionSql, termValue } from './order.ts'
import type { OrderExpression } from './order-expression.ts'
import { hasNamedKey } from './own-key.ts'
import type { Foreign } from './read.ts'
import { relatedRows } from './related.ts'
import { relatedVisibility, visibility, whereClause, type ConditionContext } from './visibility.ts'

/** The alias of the entity in the builder. */
export const ROOT_ALIAS = 'e0'

/** Parts of a plan that a builder may go without, for example to group its rows. */
export interface BuilderParts {
  /** Default: true. */
  readonly order?: boolean
  /** Default: true. */
  readonly limit?: boolean
}

/**
 * Adds the conditions, the order and the limits of a plan to a builder whose alias is `e0`. Conditions that MikroORM
 * compiles are compiled by themselves, as for a list: a callback may replace those of its builder, and joins to many
 * rows would multiply the rows. Rows before a cursor come in reversed order, the nearest first.
 */
export function applyPlan (
  qb: AnyQueryBuilder,
  plan: ListPlan | KeysetPlan,
  foreign: Pick<Foreign, 'filter' | 'constant' | 'unaccent' | 'order' | 'conditions'>,
  { order = true, limit = true }: BuilderParts
): AnyQueryBuilder {
  const context = conditionContext(plan, foreign)
  noteKnown(plan.model, ROOT_ALIAS, plan.conditions, context)
  context.names.table() // skips `e0`, the alias of the entity
  const conditions = [
    ...plan.conditions.map((condition) => conditionSql(condition, plan.model, ROOT_ALIAS, context)),
    ...visibility(plan.model, ROOT_ALIAS, plan.deleted, context.filter),
  ]
  const place = plan.kind === 'keyset' ? plan.place : undefined
  const terms = !order && place === undefined
    ? []
    : plan.order.flatMap((term): readonly OrderExpression[] =>
      isCustomTerm(term)
        ? customTerms(foreign.order(term, ROOT_ALIAS), plan.model)
        : [{
            value: orderValue(term, plan.model, context),
            direction: directionSql(term.descending, isNullableTerm(term), place?.side === 'before'),
          }]
    )
  if (plan.kind === 'keyset' && place !== undefined) {
    conditions.push(placeCondition({ ...plan, witness: false }, terms.map(({ value }) => value)))
  }
  conditions.push(...foreign.conditions(ROOT_ALIAS))
  if (conditions.length > 0) {
    // not `raw`, whose values MikroORM writes into the text, where it replaces their question marks as well
    const { text, params } = rawText(join(conditions, ' and '), plan.values)
    qb.andWhere(text, params)
  }
  // MikroORM replaces escaped question marks only in a query that has a value
  if ([...conditions, ...terms.map(({ value }) => value)].some(hasQuestionMark)) qb.andWhere('?', [true])
  if (order) {
    qb.orderBy(
      terms.map(({ value, direction }) => ({
        [orderKey(value, plan.values) as never]: directionOf(direction),
      })) as never
    )
  }
  const window = plan.kind === 'keyset' ? { limit: plan.limit, offset: undefined } : plan.window
  return (limit ? qb.limit(window.limit, window.offset) : qb) as AnyQueryBuilder
}

/** The values that a custom sort orders by. A rank is looked up by the row's key. */
function customTerms (order: ForeignOrder, model: EntityModel): readonly OrderExpression[] {
  if (order.kind === 'expressions') return order.expressions
  const rank = sql`(select ${name('@order', RANK)} from (${order.query}) as "@order" where ${
    hasNamedKey(keyColumns(model), '@order', ROOT_ALIAS)
  })`
  return [{ value: rank, direction: EMPTY }]
}

/** A direction in words of MikroORM's QueryBuilder, which always say `asc` or `desc`. */
function directionOf ({ pieces }: Sql): string {
  const words = pieces.join('').trim()
  return /^(?:asc|desc)\b/.test(words) ? words : `asc ${words}`.trim()
}

/** The value that a term sorts by. If the term leads through to-one relations, it is a value of the related row. */
function orderValue (term: OrderTerm, model: EntityModel, context: ConditionContext): Sql {
  const { operand } = term
  if (operand.kind === 'number') return numberOfRow(operand, context)
  if (operand.kind === 'relevance') return rankOfRow(operand.document, term.texts!, model, ROOT_ALIAS, context)
  let alias = ROOT_ALIAS
  let from: Sql | undefined
  const where: Sql[] = []
  for (const relation of term.relations) {
    const { join: by, target } = relation
    const to = context.names.table()
    const table = tableAs(target.table, to)
    const on = [equalColumns(alias, by.columns, to, by.targetColumns), ...relatedVisibility(relation, to, context)]
    if (from === undefined) where.push(...on)
    from = from === undefined ? table : sql`${from} inner join ${table} on ${join(on, ' and ')}`
    alias = to
  }
  const value = termValue({ ...term, operand }, alias)
  return from === undefined ? value : sql`(select ${value} from ${from}${whereClause(where)})`
}

/** The number about the related rows of one row. */
function numberOfRow ({ aggregate }: RelatedNumber, context: ConditionContext): Sql {
  const { relation, where } = aggregate
  const rows = relatedRows(relation, ROOT_ALIAS, where, context, 'kept')
  const { columns } = relation.join
  const own = join(rows.keys.map((key, index) => sql`${key} = ${name(ROOT_ALIAS, columns[index]!)}`), ' and ')
  const from = sql` from ${rows.table}${rows.where}`
  const value = sql`(select ${comparedNumber(aggregate, rows.alias)}${from} group by ${join(rows.keys)} having ${own})`
  const none = numberOfNone(aggregate)
  return none === undefined ? value : sql`coalesce(${value}, ${none})`
}

const hasQuestionMark = ({ pieces }: Sql): boolean =>
  pieces.some((piece) => typeof piece === 'string' && piece.includes('?'))

/** A fragment in the syntax of MikroORM's `raw`: `?` stands for a value, `\?` for a question mark. */
function rawText ({ pieces }: Sql, values: readonly unknown[]): { readonly text: string, readonly params: unknown[] } {
  const text = pieces.map((piece) => typeof piece === 'number' ? '?' : piece.replaceAll('?', '\\?')).join('')
  return { text, params: pieces.filter((piece) => typeof piece === 'number').map((slot) => values[slot]) }
}

/**
 * A value to sort by. MikroORM writes its values into the text, and then reads all question marks again. So those of
 * the text are escaped twice, and values have none.
 */
function orderKey (value: Sql, values: readonly unknown[]) {
  const { text, params } = rawText(value, values)
  if (params.length === 0) return raw(text)
  const written = params.map((param) => typeof param === 'string' && param.includes('?') ? literal(param) : param)
  return raw(text.replaceAll('\\?', '\\\\?'), written)
}

/** A text as a literal with escapes (PostgreSQL manual, section 4.1.2.2), in which question marks are codes. */
const literal = (text: string) =>
  raw(` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('?', '\\x3f')}'`)
