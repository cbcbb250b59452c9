/**
 * Records as JSON: the properties of a selection, and its included relations.
 *
 * An included relation is a common table expression with the related records as JSON, by the key of their parent. It is
 * joined to the parents. It finds its rows with `in (select ... from <parents>)`, which every PostgreSQL-compatible
 * database can run, including distributed ones. Parents are never multiplied, and related rows are never cut off. If an
 * index leads to the related rows of one parent, a subquery finds them for each parent instead (`each-parent.ts`).
 */
import type { RelationProperty } from '../model/index.ts'
import type { AnswerLimits, Deleted, PlannedInclude, Selection } from '../plan/index.ts'
import { aggregatesSql } from './aggregate.ts'
import { keyName, namedKey } from './columns.ts'
import { EMPTY, join, name, numberSql, sql, type Sql } from './fragment.ts'
import {
  JSON_NAME, objectSql, ownMembers, projection, selectList, showsRelated, type Member, type ObjectSql,
} from './members.ts'
import type { OrderExpression } from './order-expression.ts'
import { carriedOrder, carry, orderList } from './order.ts'
import { ofEachParent } from './each-parent.ts'
import { forecastOf } from './forecast.ts'
import { formOfInclude, type Form } from './form.ts'
import { joinParents, relatedOrder, relatedRows, type RelatedRows } from './related.ts'
import type { GetShape } from './shape.ts'
import { whereClause, type ConditionContext } from './visibility.ts'
import { Measurement } from './weight.ts'

/** A selection on the rows of an expression. */
interface RecordSql {
  readonly members: readonly Member[]
  /** Common table expressions that the members need, in order. */
  readonly expressions: readonly Sql[]
  /** Joins to these expressions. With any, the rows may come in another order. */
  readonly joins: readonly Sql[]
}

/** Bounds that keep the records of an answer within its limits. */
interface Bounds {
  /**
   * Present if there may be more included records than the answer may have. An expression with the rows of a relation
   * has at most one row more. Rows that are found for each parent have the bound of `share` (`each-parent.ts`).
   */
  readonly counted?: AnswerLimits
  /** The form of an answer. Absent if related rows are grouped. */
  readonly form?: Form
  /** At most this many bytes for a value in the resource's own records. */
  readonly longest?: number
  readonly measurement?: Measurement
}

const UNBOUNDED: Bounds = {}

/** What a statement knows that measures its answer. */
export interface Measured {
  /** Whether the answer is within its limits. */
  readonly fits: Sql
  /** The limit that the answer exceeds, or null. */
  readonly excess: Sql
}

export interface AnswerSql extends RecordSql {
  /** Present if the statement measures its answer. */
  readonly measured?: Measured
}

/** JSON that is written only if the answer is within its limits. */
export function ifFits (json: Sql, measured: Measured | undefined): Sql {
  return measured === undefined ? json : sql`case when ${measured.fits} then ${json} end`
}

/**
 * The records of an answer, within its limits, from a projection of the table.
 *
 * @param shown the rows that the answer shows, if it has further rows: only their included records count
 */
export function answerSql (
  { selection, limits, deleted }: Pick<GetShape, 'selection' | 'limits' | 'deleted'>,
  form: Form,
  alias: string,
  context: ConditionContext,
  shown: string = alias
): AnswerSql {
  const bounds: Bounds = { form, ...boundsOf(form, selection, limits!, context) }
  const { weights, ...records } = recordsWithin(selection, alias, deleted, context, bounds, shown)
  const { measurement } = bounds
  if (measurement === undefined) return records
  measurement.end(selection, shown, weights)
  return { ...records, measured: measurement, expressions: [...measurement.expressions, ...records.expressions] }
}

/** @param limits present if the form has any */
function boundsOf (form: Form, selection: Selection, limits: AnswerLimits, { names }: ConditionContext): Bounds {
  if (form.limits === 'none') return UNBOUNDED
  const { countable, longest } = forecastOf(selection, limits)
  const counted = countable ? { counted: limits } : {}
  if (form.limits === 'measured') return { ...counted, measurement: new Measurement(selection, limits, names) }
  return { ...counted, ...(longest !== undefined && { longest }) }
}

/**
 * The rows that an answer shows. Without those that only tell whether there are more, the included records of such rows
 * take no place among the records that the answer may include.
 *
 * @param rest the clauses behind `from`
 */
export function shownRows (shown: string, page: string, rest: Sql): Sql {
  return sql`${name(shown)} as (select * from ${name(page)}${rest})`
}

interface WeightedSql extends RecordSql {
  /** The weights of the included records, if the answer is measured. */
  readonly weights: ReadonlyArray<ReturnType<Measurement['addLevel']>>
}

function recordsWithin (
  selection: Selection,
  alias: string,
  deleted: Deleted,
  context: ConditionContext,
  { longest, form, ...bounds }: Bounds,
  shown: string = alias
): WeightedSql {
  const members = [...ownMembers(selection, alias, true, deleted, longest)]
  if (!showsRelated(selection)) return { members, expressions: [], joins: [], weights: [] }
  const expressions: Sql[] = []
  const joins: Sql[] = []
  const weights: WeightedSql['weights'][number][] = []
  for (const include of selection.includes) {
    const { relation } = include
    const orEmpty = (json: Sql) => relation.many ? sql`coalesce(${json}, '[]'::json)` : json
    if (form !== undefined && formOfInclude(form, include) === 'each') {
      members.push([relation.publicName, orEmpty(ofEachParent(include, alias, context, bounds.counted))])
      continue
    }
    const included = groupedInclude(include, shown, context, bounds)
    expressions.push(...included.expressions)
    if (included.weight !== undefined) weights.push(included.weight)
    joins.push(joinParents(included.name, relation, alias))
    members.push([relation.publicName, orEmpty(name(included.name, JSON_NAME))])
  }
  const aggregates = aggregatesSql(selection.aggregates, alias, form?.related ?? 'grouped', context)
  return {
    members: [...members, ...aggregates.members],
    expressions: [...expressions, ...aggregates.expressions],
    joins: [...joins, ...aggregates.joins],
    weights,
  }
}

/** The name of a number inside the expression of an include. */
const NUMBER_NAME = '@number'

interface GroupedInclude {
  readonly name: string
  readonly expressions: readonly Sql[]
  readonly weight?: WeightedSql['weights'][number]
}

/**
 * The rows of a relation for all parents, as JSON by the key of their parent. Rows that show relations themselves are
 * the parents of the next level, so they are an expression, as are rows that are numbered or measured.
 */
function groupedInclude (
  include: PlannedInclude,
  parents: string,
  context: ConditionContext,
  bounds: Bounds
): GroupedInclude {
  const { relation, selection, rules } = include
  const rows = relatedRows(relation, parents, rules?.where, context)
  const as = context.names.expression(relation.name)
  const level = context.names.expression(`${relation.name}_rows`)
  context.known.copy(rows.alias, level)
  const { rowsOfLevel, order } = levelOf(include, rows, level, context, bounds)
  const { measurement } = bounds
  const ownKeys = rows.keys.map((_, index) => name(level, keyName(index)))
  const expression = sql`${name(level)} as (${rowsOfLevel})`
  measurement?.expressions.push(expression)
  const record = recordsWithin(selection, level, 'without', context, bounds)
  const weight = measurement?.addLevel(include, level, ownKeys, record.weights)
  const object = objectSql(record.members, context)
  const body = aggregate(relation, ownKeys, object, order)
  const fits = measurement === undefined ? EMPTY : whereClause([measurement.fits])
  const joins = join([...record.joins, object.join], '')
  const json = (from: Sql) => sql`${name(as)} as (select ${body.select} from ${from}${joins}${fits}${body.groupBy})`
  if (weight !== undefined) return { name: as, expressions: [...record.expressions, json(name(level))], weight }
  return showsRelated(selection) || rules?.limit !== undefined
    ? { name: as, expressions: [expression, ...record.expressions, json(name(level))] }
    : { name: as, expressions: [json(sql`(${rowsOfLevel}) as ${name(level)}`)] }
}

/** The rows of an include with the keys of their parents, and the order of the rows of each parent. */
function levelOf (
  include: PlannedInclude,
  rows: RelatedRows,
  level: string,
  context: ConditionContext,
  { counted }: Bounds
): { readonly rowsOfLevel: Sql, readonly order: readonly OrderExpression[] } {
  const { relation, selection, rules } = include
  const { joins, expressions: order } = relatedOrder(include, rows.alias, context)
  const columns = projection(selection, rows.alias)
  const keys = namedKey(rows.keys)
  const from = sql`${rows.table}${joins}${rows.where}`
  if (rules?.limit === undefined) {
    const carried = relation.many ? carriedOrder(order, carry(columns, order.map(({ value }) => value)), level) : []
    const limit = counted === undefined || !relation.many
      ? EMPTY
      : sql` limit ${numberSql(counted.maxIncluded + 1)}`
    return { rowsOfLevel: sql`select ${join([...keys, selectList(columns)])} from ${from}${limit}`, order: carried }
  }
  // numbered for each parent: a limit on all rows would leave some parents without any
  columns.set(NUMBER_NAME, sql`row_number() over (partition by ${join(rows.keys)} order by ${orderList(order)})`)
  return {
    rowsOfLevel: sql`select * from (select ${join([...keys, selectList(columns)])} from ${from}) as "@all" where ${
      name(NUMBER_NAME)
    } <= ${numberSql(rules.limit)}`,
    order: [{ value: name(level, NUMBER_NAME), direction: EMPTY }],
  }
}

/** To-many: the records of each parent as an array, in order. To-one: the record. */
function aggregate (
  relation: RelationProperty,
  keys: readonly Sql[],
  { json }: ObjectSql,
  order: readonly OrderExpression[]
) {
  return relation.many
    ? {
        select: sql`${join(namedKey(keys))}, json_agg(${json} order by ${orderList(order)}) as ${name(JSON_NAME)}`,
        groupBy: sql` group by ${join(keys)}`,
      }
    : { select: sql`${join(namedKey(keys))}, ${json} as ${name(JSON_NAME)}`, groupBy: EMPTY }
}
