/** The SQL of facets: the values of properties beside a list, the most frequent first, as one JSON text. */
import type { PlannedFacet } from '../plan/index.ts'
import { operand } from './comparison.ts'
import { EMPTY, join, literal, name, numberSql, sql, trusted, type Sql } from './fragment.ts'
import { wireValue } from './groups.ts'
import type { ListShape } from './shape.ts'
import type { Source } from './source.ts'
import { tableRows } from './table-rows.ts'
import { ToOneJoins } from './to-one-joins.ts'
import { whereClause } from './visibility.ts'

/** The column of the facets in the rows of a list. */
export const FACETS_COLUMN = '@facets'

type FacetedShape = Pick<ListShape, 'facets' | 'conditions' | 'deleted' | 'filters'>

/**
 * The text of an object with a list of values for each facet.
 *
 * @param all the alias of an expression with all rows of the list, if there is one
 */
export function facetsSql (plan: FacetedShape, source: Source, all?: string): Sql {
  const members = plan.facets!.map((facet, index) => {
    const start = `${index === 0 ? '{' : '],'}${JSON.stringify(facet.term.name)}:[`
    return sql`${literal(start)} || ${valuesSql(index, plan, source, all)}`
  })
  return sql`${join(members, ' || ')} || ']}'`
}

/** The values of a facet as the inside of a JSON array. */
function valuesSql (index: number, plan: FacetedShape, source: Source, all: string | undefined): Sql {
  const facet = plan.facets![index]!
  const { term } = facet
  const isCarried = all !== undefined && facet.without.length === 0
  const { alias, table, where } = isCarried
    ? { alias: all, table: name(all), where: EMPTY }
    : rowsOf(facet, plan, source)
  const joins = new ToOneJoins(alias, source.context)
  const isOwn = term.relations.length === 0
  const value = isCarried && isOwn
    ? name(all, carriedName(index))
    : operand(term.operand, joins.aliasOf(term.relations))
  const counted = sql`select ${value} as ${VALUE}, count(*) as "count" from ${table}${joins.sql}${where} group by 1`
  const ordered = sql`select ${wireValue(VALUE, term)} as "value", "count" from (${counted}) as ${
    name('@counted')
  } order by "count" desc, ${VALUE} limit ${numberSql(term.limit)}`
  return sql`coalesce((select string_agg(row_to_json(${FACET}.*)::text, ',') from (${ordered}) as ${FACET}), '')`
}

/** Adds to the columns of an expression with all rows of a list what its facets need of them. */
export function carryFacets (columns: Map<string, Sql>, { facets = [] }: FacetedShape, alias: string): void {
  for (const [index, { term, without }] of facets.entries()) {
    if (without.length > 0) continue
    const [first] = term.relations
    if (first === undefined) columns.set(carriedName(index), operand(term.operand, alias))
    else for (const column of first.join.columns) columns.set(column, name(alias, column))
  }
}

/** The column of a facet's value, which no property has. */
const carriedName = (index: number): string => `@facet${index}`

const VALUE = name('@value')
const FACET = name('@facet')

/** The rows that a facet counts: those of the list, or those that the list would have without some conditions. */
function rowsOf (
  { without, instead }: PlannedFacet,
  { conditions: all, deleted, filters }: FacetedShape,
  source: Source
): Pick<Source, 'alias' | 'table' | 'where'> {
  if (without.length === 0) return source
  const { context, form, model } = source
  const alias = context.names.table()
  // the values that the list's rows have in common are not those of these rows
  const conditions = [...instead, ...all.filter((condition) => !without.includes(condition))]
  const rows = { conditions, deleted, filters }
  // there may be more of them than of the list's rows, which are gathered
  const numbers = form.numbers === 'each' ? 'kept' : form.numbers
  const found = tableRows(model, alias, rows, { ...form, numbers }, source.foreign, context)
  return { alias, table: found.table, where: whereClause(found.conditions) }
}

/** The facets of a keyset page, whose rows are records: in its first row, which has no record if there are none. */
export function besideRows (rows: Sql, columns: readonly string[], facets: Sql): Sql {
  const [list, number] = [name('@list'), name('@number')]
  const selected = join(columns.map((column) => sql`${list}.${name(column)}`))
  return sql`select ${selected}, case when coalesce(${list}.${number}, 1) = 1 then ${facets} end as ${
    name(FACETS_COLUMN)
  } from (select 1) as "@one" left join (select "@rows".*, row_number() over () as ${number} from (${rows}) as ${
    trusted('"@rows"')
  }) as ${list} on true`
}

/** The order of such rows. */
export const BESIDE_ORDER = sql` order by ${name('@list')}.${name('@number')}`
