/**
 * The statement of a page that starts at a place in the order. It returns the rows with the values they are sorted by.
 */
import { isComputed, isNullableTerm, typeOfTerm, type OrderTerm } from '../plan/index.ts'
import { plannedForValues } from './custom-plan.ts'
import { BESIDE_ORDER, besideRows, FACETS_COLUMN, facetsSql } from './facets.ts'
import { EMPTY, join, name, numberSql, render, sql, type Sql, type Statement } from './fragment.ts'
import type { OrderExpression } from './order-expression.ts'
import { carriedOrder, carry, orderBy, orderSql } from './order.ts'
import { placeSegments, type PlacedTerm } from './place.ts'
import { objectSql, projection, selectList } from './members.ts'
import { answerSql, ifFits, shownRows } from './record.ts'
import type { KeysetShape } from './shape.ts'
import type { Source } from './source.ts'
import { whereClause } from './visibility.ts'
import { comparedValue, sqlTypeOf } from './wire-types.ts'

/** The columns of an answer's rows. */
export const KEYSET_ROW = Object.freeze({
  item: 'item',
  excess: '@excess',
  value: (index: number): string => `@value${index}`,
})

export function keysetStatement (shape: KeysetShape, source: Source): Statement {
  const { rows, order, uniform } = keysetSql(shape, source)
  const columns = [
    KEYSET_ROW.item,
    ...shape.order.map((_, index) => KEYSET_ROW.value(index)),
    ...source.form.limits === 'measured' ? [KEYSET_ROW.excess] : [],
  ]
  if (uniform) return { ...render(sql`${rows}${order}`, shape.fixed), columns }
  const [from, end, shown] = shape.facets === undefined
    ? [rows, order, columns]
    : [besideRows(sql`${rows}${order}`, columns, facetsSql(shape, source)), BESIDE_ORDER, [...columns, FACETS_COLUMN]]
  const statement = render(sql`${from}${end}`)
  return { ...statement, columns: shown, namedText: plannedForValues(statement, render(end).text, shape.fetchSlot) }
}

interface KeysetSql {
  readonly rows: Sql
  readonly order: Sql
  /** Whether one plan suits all values: they only say where the page starts. Never with facets, which are counted. */
  readonly uniform: boolean
}

/**
 * A row for each record, nearest to the place first:
 * - `item`: the JSON of the record, or null for the row at the place, if the plan fetches that row.
 * - `@value0` and so on: the texts of the values it is sorted by.
 * - `@excess`: the limit that a measured answer exceeds.
 *
 * The order by clause comes last, after the rest of the statement.
 */
function keysetSql (plan: KeysetShape, source: Source): KeysetSql {
  const { alias, context, form } = source
  const order = orderSql(plan.order, alias, context, { reversed: plan.place?.side === 'before' })
  const columns = projection(plan.selection, alias)
  const sorts = carry(columns, order.expressions.map(({ value }) => value))

  const page = context.names.expression('page')
  context.known.copy(alias, page)
  // with the number in the text, PostgreSQL sees that one plan is as good as a plan for each run. For a parameter it
  // assumes that a tenth of the table is fetched
  const uniform = plan.usualFetch !== undefined && plan.facets === undefined &&
    source.conditions.every((condition) => isConstant(condition, plan))
  const fetched = uniform ? numberSql(plan.usualFetch!) : sql`${plan.fetchSlot}`
  const pageSql = rowsSql(plan, source, order.joins, columns, order.expressions, sorts, fetched)
  const carried = orderBy(carriedOrder(order.expressions, sorts, page))
  const shown = plan.limits === undefined || plan.spare === 0 ? page : context.names.expression('shown')
  context.known.copy(page, shown)
  const { members, expressions, joins, measured } = answerSql(plan, form, page, context, shown)
  const { json, join: row } = objectSql(members, context)
  const item = ifFits(sql`${json}::text`, measured)
  const answer = sql`select ${
    selectList([
      [KEYSET_ROW.item, plan.witness ? sql`case when ${isNoWitness(plan, page, sorts)} then ${item} end` : item],
      ...plan.order.map((
        term,
        index
      ): [string, Sql] => [KEYSET_ROW.value(index), storedText(name(page, sorts[index]!), term)]),
      ...measured === undefined ? [] : [[KEYSET_ROW.excess, measured.excess] as const],
    ])
  } from `
  if (expressions.length === 0) {
    const order = joins.length > 0 ? carried : EMPTY
    return { rows: sql`${answer}(${pageSql}) as ${name(page)}${join(joins, '')}${row}`, order, uniform }
  }
  const shownSql = shown === page
    ? []
    : [shownRows(shown, page, shownClauses(plan, page, sorts, sql`${carried} limit ${fetched}`))]
  return {
    rows: sql`with ${join([sql`${name(page)} as (${pageSql})`, ...shownSql, ...expressions])} ${answer}${name(page)}${
      join(joins, '')
    }${row}`,
    order: carried,
    uniform,
  }
}

/** Whether a condition has the same values in all requests. */
const isConstant = ({ pieces }: Sql, { fixed }: KeysetShape): boolean =>
  pieces.every((piece) => typeof piece === 'string' || fixed?.has(piece) === true)

/** Leaves out the witness and the spare row. */
function shownClauses (plan: KeysetShape, page: string, sorts: readonly string[], fetched: Sql): Sql {
  if (!plan.witness) return sql`${fetched} - 1`
  return sql`${whereClause([isNoWitness(plan, page, sorts)])}${fetched} - 2`
}

/** The rows of the page. They come from several segments of the order if one condition cannot bound an index. */
function rowsSql (
  plan: KeysetShape,
  { table, conditions, alias }: Source,
  joins: Sql,
  columns: ReadonlyMap<string, Sql>,
  order: readonly OrderExpression[],
  sorts: readonly string[],
  fetched: Sql
): Sql {
  const select = sql`select ${selectList(columns)} from ${table}${joins}`
  const limited = (segment: readonly Sql[]) =>
    sql`${select}${whereClause([...conditions, ...segment])}${orderBy(order)} limit ${fetched}`
  const segments = segmentsOf(plan, order.map(({ value }) => value))
  if (segments.length === 1) return limited(segments[0]!)
  const union = join(segments.map((segment) => sql`(${limited(segment)})`), ' union all ')
  return sql`select * from (${union}) as "@segments"${
    orderBy(carriedOrder(order, sorts, '@segments'))
  } limit ${fetched}`
}

function segmentsOf ({ place, order, witness }: KeysetShape, values: readonly Sql[]): readonly (readonly Sql[])[] {
  if (place === undefined) return [[]]
  const terms = order.map((term, index): PlacedTerm => ({
    value: comparedValue(values[index]!, typeOfTerm(term)),
    slot: place.slots[index]!,
    ascending: term.descending === (place.side === 'before'),
    nullable: isNullableTerm(term),
    indexable: term.relations.length === 0 && !isComputed(term.operand),
    repetitive: isRepetitive(term),
  }))
  return placeSegments(terms, { nullsLast: place.side === 'after', inclusive: place.inclusive || witness })
}

/** All rows of the page in one condition, which no index can serve. */
export function placeCondition (plan: KeysetShape, values: readonly Sql[]): Sql {
  return sql`(${join(segmentsOf(plan, values).map((segment) => sql`(${join(segment, ' and ')})`), ' or ')})`
}

/**
 * Whether many rows are likely to have the same value. If so, the rows with that value before the place should not be
 * read.
 */
function isRepetitive (term: OrderTerm): boolean {
  return term.operand.kind === 'relation' || sqlTypeOf(typeOfTerm(term)).repetitive
}

/** The text from which `readStored` restores the value. */
function storedText (value: Sql, term: OrderTerm): Sql {
  const type = typeOfTerm(term)
  return sqlTypeOf(type).stored(value, type)
}

/** Whether a row is not the one at the place. */
function isNoWitness ({ place, order }: KeysetShape, page: string, sorts: readonly string[]): Sql {
  const equal = (place?.slots ?? []).map((slot, index) => {
    const value = name(page, sorts[index]!)
    return slot === null ? sql`${value} is null` : sql`${comparedValue(value, typeOfTerm(order[index]!))} = ${slot}`
  })
  // a null never equals the value of a place
  return sql`(${join(equal, ' and ')}) is not true`
}
