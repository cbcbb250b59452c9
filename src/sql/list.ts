/** The statements of lists: a page of rows, the included records, and the total. */
import { FACETS_COLUMN, facetsSql } from './facets.ts'
import type { Form } from './form.ts'
import { EMPTY, join, name, numberSql, sql, trusted, type Sql } from './fragment.ts'
import type { OrderExpression } from './order-expression.ts'
import { carriedOrder, carry, orderBy, orderSql } from './order.ts'
import { projection, selectList, ROW, ROW_JSON, type Member } from './members.ts'
import { FETCHED, pageItem, pageQuery, type FindPageRows, type ListRows, type PageRows } from './page-rows.ts'
import { answerSql, shownRows, type Measured } from './record.ts'
import { rowsByKey } from './rows-by-key.ts'
import { directRows } from './rows-direct.ts'
import { gatheredRows } from './rows-gathered.ts'
import type { ListShape } from './shape.ts'
import type { Source } from './source.ts'
import { whereClause } from './visibility.ts'
import { EXCESS_OF_BYTES } from './weight.ts'

/** The column that tells which limit a measured answer exceeds. */
export const EXCESS_COLUMN = 'excess'

export function listColumns (
  { limits }: Pick<Form, 'limits'>,
  { facets }: Pick<ListShape, 'facets'>
): readonly string[] {
  return [
    'items',
    'fetched',
    'total',
    ...facets === undefined ? [] : [FACETS_COLUMN],
    ...limits === 'measured' ? [EXCESS_COLUMN] : [],
  ]
}

const FIND_ROWS: Readonly<Record<Form['rows'], FindPageRows>> = {
  direct: directRows,
  gathered: gatheredRows,
  all: gatheredRows,
}

function findPageRows (list: ListRows): PageRows {
  const { plan, source: { alias, form } } = list
  const find = FIND_ROWS[form.rows]
  return form.columns === 'keys' ? rowsByKey(list, find) : find(list, projection(plan.selection, alias))
}

/**
 * `items`: the records as the inside of a JSON array, or null if there are none. `fetched`: the number of rows.
 * `total`: the number of all records, or null if there are more rows than the statement gathers. `@facets`: the facets
 * that the request asks for.
 */
export function listSql (plan: ListShape, source: Source): Sql {
  const { alias, table, where, context, form } = source
  const { joins, expressions: order } = orderSql(plan.order, alias, context, { custom: source })
  const from = sql` from ${table}${joins}${where}`
  const window = sql` limit ${plan.fetchSlot} offset ${plan.offsetSlot}`
  const rows = findPageRows({ plan, source, order, from, window })
  const { expressions, select, measured } = orderedRecords(plan, source, order, rows)
  const beside = totals(plan, source, rows)
  const all = [...rows.expressions, ...beside.expressions, ...expressions]
  const before = all.length === 0 ? EMPTY : sql`with ${join(all)} `
  const answer = joinedRows(plan, form, select, selectList([['total', beside.total], ...beside.facets]))
  return sql`${before}${measured === undefined ? answer : measuredAnswer(plan, answer, measured)}`
}

/**
 * The total and the facets of a list, and the expressions that they need. Facets are counted in gathered rows only if
 * these are all rows: otherwise the statement has no answer.
 */
function totals (
  plan: ListShape,
  source: Source,
  { total, all }: PageRows
): { readonly total: Sql, readonly facets: readonly Member[], readonly expressions: readonly Sql[] } {
  if (plan.facets === undefined) return { total, facets: [], expressions: [] }
  const facets = facetsSql(plan, source, all)
  if (all === undefined) return { total, facets: [[FACETS_COLUMN, facets]], expressions: [] }
  const known = sql`(select "total" from "@total")`
  return {
    total: known,
    facets: [[FACETS_COLUMN, sql`case when ${known} is not null then ${facets} end`]],
    expressions: [sql`"@total" as (select ${total} as "total")`],
  }
}

/** The members of the records as columns, in order, and the expressions that they need. */
function orderedRecords (
  plan: ListShape,
  { alias, context, form }: Source,
  order: readonly OrderExpression[],
  rows: PageRows
): { readonly expressions: readonly Sql[], readonly select: Sql, readonly measured?: Measured | undefined } {
  const page = context.names.expression('page')
  context.known.copy(alias, page)
  const shown = form.total === 'exact' || plan.limits === undefined ? page : context.names.expression('shown')
  context.known.copy(page, shown)
  const { members, expressions, joins, measured } = answerSql(plan, form, page, context, shown)
  const select = sql`select ${selectList(members)} from `
  if (expressions.length === 0 && joins.length === 0) {
    return { expressions: [], select: sql`${select}${pageItem(page, rows)}` }
  }
  // joins may change the order of the page, so its rows carry the values they are ordered by
  const carried = orderBy(carriedOrder(order, carry(rows.columns, rows.sorts), page))
  const joined = join(joins, '')
  if (expressions.length === 0) {
    return { expressions: [], select: sql`${select}${pageItem(page, rows)}${joined}${carried}` }
  }
  const fits = measured === undefined ? EMPTY : whereClause([measured.fits])
  const pageSql = sql`${name(page)} as (${pageQuery(page, rows)})`
  const shownSql = shown === page ? [] : [shownRows(shown, page, sql`${carried} limit ${plan.limitSlot}`)]
  return {
    expressions: [pageSql, ...shownSql, ...expressions],
    select: sql`${select}${name(page)}${joined}${fits}${carried}`,
    measured,
  }
}

/**
 * The rows in order, joined into one text. A row beyond the limit is only counted.
 *
 * With `offset 0`, PostgreSQL plans the members by themselves. Without it, they would become a part of the expression
 * that writes the row, and take longer to plan.
 *
 * @param beside further columns
 */
function joinedRows ({ limitSlot }: ListShape, { total }: Form, select: Sql, beside: Sql): Sql {
  const items = sql`string_agg(${ROW_JSON}, ',')`
  const records = sql`(${select} offset 0) as ${ROW}`
  if (total === 'exact') return sql`select ${items} as "items", ${FETCHED} as "fetched", ${beside} from ${records}`
  const limited = sql`string_agg("item", ',') filter (where "number" <= ${limitSlot})`
  const numbered = sql`select ${ROW_JSON} as "item", row_number() over () as "number" from ${records}`
  return sql`select ${limited} as "items", ${FETCHED} as "fetched", ${beside} from (${numbered}) as "@numbered"`
}

/** The answer without its records if they are too large, and with the limit that it exceeds. */
function measuredAnswer (plan: ListShape, answer: Sql, { excess }: Measured): Sql {
  const tooLong = sql`octet_length("items") > ${numberSql(plan.limits!.maxBytes)}`
  const changed = new Map([
    ['items', sql`case when not ${tooLong} then "items" end`],
    [EXCESS_COLUMN, sql`case when ${tooLong} then ${trusted(`'${EXCESS_OF_BYTES}'`)} else ${excess} end`],
  ])
  const columns = listColumns({ limits: 'measured' }, plan)
  const selected = columns.map((column): Member => [column, changed.get(column) ?? name(column)])
  return sql`select ${selectList(selected)} from (${answer}) as "@rows"`
}
