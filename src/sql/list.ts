/** The statements of lists: a page of rows, the included records, and the total. */
import { FACETS_COLUMN, facetsSql } from './facets.ts'
import type { Form } from './form.ts'
import { EMPTY, join, name, sql, trusted, type Sql } from './fragment.ts'
import type { OrderExpression } from './order-expression.ts'
import { carriedOrder, carry, orderBy, orderSql } from './order.ts'
import { projection, selectList, showsRelated, ROW, ROW_JSON } from './members.ts'
import { pageItem, pageQuery, type FindPageRows, type ListRows, type PageRows } from './page-rows.ts'
import { answerSql, shownRows, type Measured } from './record.ts'
import { rowsByKey } from './rows-by-key.ts'
import { directRows } from './rows-direct.ts'
import { gatheredRows } from './rows-gathered.ts'
import type { ListShape } from './shape.ts'
import { numberSql } from './size.ts'
import type { Source } from './source.ts'
import { whereClause } from './visibility.ts'
import { EXCESS_OF_BYTES } from './weight.ts'

const LIST_COLUMNS: readonly string[] = ['items', 'fetched', 'total']
/** The column that tells which limit a measured answer exceeds. */
export const EXCESS_COLUMN = 'excess'
const MEASURED_COLUMNS: readonly string[] = [...LIST_COLUMNS, EXCESS_COLUMN]

export function listColumns ({ limits }: Form, { facets }: Pick<ListShape, 'facets'>): readonly string[] {
  const columns = limits === 'measured' ? MEASURED_COLUMNS : LIST_COLUMNS
  return facets === undefined ? columns : [...columns, FACETS_COLUMN]
}

const FIND_ROWS: Readonly<Record<Form['rows'], FindPageRows>> = {
  direct: directRows,
  gathered: gatheredRows,
  all: gatheredRows,
}

function findRows (list: ListRows): PageRows {
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
  const rows = findRows({ plan, source, order, from, window })
  const { expressions, select, measured } = orderedRecords(plan, source, order, rows)
  const all = [...rows.expressions, ...expressions]
  const before = all.length === 0 ? EMPTY : sql`with ${join(all)} `
  const { total, facets, from: beside } = totals(plan, source, rows)
  const columns = answerColumns(plan, sql`${total} as "total"`, measured)
  return sql`${before}${columns}${facets} from ${joinedRows(plan, form, select)}${beside}`
}

/**
 * The total and the facets of a list, and what they need beside its rows. Facets that read gathered rows are counted
 * only if these are all rows: otherwise there is no answer.
 */
function totals (
  plan: ListShape,
  source: Source,
  { total, all }: PageRows
): { readonly total: Sql, readonly facets: Sql, readonly from: Sql } {
  if (plan.facets === undefined) return { total, facets: EMPTY, from: EMPTY }
  const facets = facetsSql(plan, source, all)
  const as = name(FACETS_COLUMN)
  if (all === undefined) return { total, facets: sql`, ${facets} as ${as}`, from: EMPTY }
  const known = name('@total', 'total')
  return {
    total: known,
    facets: sql`, case when ${known} is not null then ${facets} end as ${as}`,
    from: sql` cross join ${total} as "@total"("total")`,
  }
}

/** The members of the records as columns, in order, and the expressions that they need. */
function orderedRecords (
  plan: ListShape,
  { alias, context, form }: Source,
  order: readonly OrderExpression[],
  rows: PageRows
): { readonly expressions: readonly Sql[], readonly select: Sql, readonly measured?: Measured | undefined } {
  const { selection } = plan
  const page = context.names.expression('page')
  context.known.copy(alias, page)
  const parents = sql`${plan.fetchSlot}`

  if (!showsRelated(selection) && form.limits !== 'measured') {
    const { members } = answerSql(plan, form, page, true, context, parents)
    return { expressions: [], select: sql`select ${selectList(members)} from ${pageItem(page, rows)}` }
  }

  // joining included records may change the order of the page, so its rows carry the values they are ordered by
  const carried = orderBy(carriedOrder(order, carry(rows.columns, rows.sorts), page))
  const shown = form.total === 'exact' || plan.limits === undefined ? page : context.names.expression('shown')
  context.known.copy(page, shown)
  const { members, expressions, joins: includes, measured } = answerSql(plan, form, page, true, context, parents, shown)
  const fits = measured === undefined ? EMPTY : whereClause([measured.fits])
  if (expressions.length === 0) {
    return {
      expressions: [],
      select: sql`select ${selectList(members)} from ${pageItem(page, rows)}${includes}${carried}`,
    }
  }
  const pageSql = sql`${name(page)} as (${pageQuery(page, rows)})`
  const shownSql = shown === page ? [] : [shownRows(shown, page, sql`${carried} limit ${plan.limitSlot}`)]
  return {
    expressions: [pageSql, ...shownSql, ...expressions],
    select: sql`select ${selectList(members)} from ${name(page)}${includes}${fits}${carried}`,
    measured,
  }
}

/** The rows in order, joined into one text. A row beyond the limit is only counted. */
function joinedRows ({ limitSlot }: ListShape, { total }: Form, select: Sql): Sql {
  const items = sql`string_agg(${ROW_JSON}, ',')`
  if (total === 'exact') {
    return sql`(select ${items} as "items", count(*) as "fetched" from (${select}) as ${ROW}) as "@rows"`
  }
  const limited = sql`string_agg("item", ',') filter (where "number" <= ${limitSlot})`
  const numbered = sql`select ${ROW_JSON} as "item", row_number() over () as "number" from (${select}) as ${ROW}`
  return sql`(select ${limited} as "items", count(*) as "fetched" from (${numbered}) as "@numbered") as "@rows"`
}

/** The columns of the answer. */
function answerColumns ({ limits }: ListShape, total: Sql, measured: Measured | undefined): Sql {
  if (measured === undefined) return sql`select "items", "fetched", ${total}`
  const tooLong = sql`octet_length("items") > ${numberSql(limits!.maxBytes)}`
  const excess = sql`case when ${tooLong} then ${trusted(`'${EXCESS_OF_BYTES}'`)} else ${measured.excess} end`
  return sql`select case when not ${tooLong} then "items" end as "items", "fetched", ${total}, ${excess} as ${
    name(EXCESS_COLUMN)
  }`
}
