/**
 * Aggregates: numbers that are computed from related rows, such as a count. Like an included relation, an aggregate is
 * a common table expression grouped by the key of the parent. Other aggregates and included records therefore cannot
 * multiply the rows that it counts.
 */
import type { Aggregate } from '../plan/index.ts'
import type { ConditionContext } from './condition.ts'
import { join, name, sql, trusted, type Sql } from './fragment.ts'
import { column } from './json.ts'
import { joinParents, keyName, relatedRows } from './related.ts'
import { idOf } from './shape.ts'
import { jsonValue } from './wire-types.ts'

export interface AggregatesSql {
  /** The value of each aggregate by its name in records. */
  readonly members: ReadonlyArray<readonly [name: string, value: Sql]>
  readonly expressions: readonly Sql[]
  /** Joins of the expressions to the parents. */
  readonly joins: readonly Sql[]
}

/** Compiles aggregates. Those over the same rows share a common table expression. */
export function aggregatesSql (
  aggregates: readonly Aggregate[],
  parents: string,
  context: ConditionContext
): AggregatesSql {
  const members: [string, Sql][] = []
  const expressions: Sql[] = []
  const joins: Sql[] = []
  for (const group of Map.groupBy(aggregates, rowsOf).values()) {
    const { relation, where } = group[0]!
    const rows = relatedRows(relation, parents, where, context)
    const as = context.names.expression(`${relation.name}_values`)
    const columns = [
      ...rows.keys.map((value, index) => sql`${value} as ${name(keyName(index))}`),
      ...group.flatMap((aggregate, index) =>
        aggregate.function === 'exists' ? [] : [sql`${valueSql(aggregate, rows.alias)} as ${name(valueName(index))}`]
      ),
    ]
    expressions.push(
      sql`${name(as)} as (select ${join(columns)} from ${rows.table}${rows.where} group by ${join(rows.keys)})`
    )
    joins.push(joinParents(as, relation, parents))
    for (const [index, aggregate] of group.entries()) members.push([aggregate.name, memberSql(aggregate, as, index)])
  }
  return { members, expressions, joins }
}

const valueName = (index: number): string => `@value${index}`

/** A text that is equal for aggregates over the same rows. */
const rowsOf = ({ relation, where }: Aggregate): string => `${idOf(relation)} ${where === undefined ? '' : idOf(where)}`

/** The value of an aggregate over the rows of one parent. */
function valueSql ({ function: fn, property, type }: Aggregate, alias: string): Sql {
  if (property === undefined) return trusted('count(*)')
  const operand = column(property, alias)
  if (property.type.kind === 'float' && fn === 'sum') {
    return property.type.single
      ? singleSum(operand)
      : doubleSum(operand)
  }
  if (property.type.kind === 'float' && fn === 'avg') {
    return property.type.single
      ? singleMean(operand)
      : doubleMean(operand)
  }
  const value = sql`${trusted(fn)}(${operand})`
  if (fn !== 'avg') return value
  if (type.kind === 'float') return property.type.kind === 'decimal' ? toDouble(value) : sql`${value}::float8`
  // PostgreSQL pads the mean of integers and decimals with zeros, which are removed here
  return sql`regexp_replace(${value}::text, '(\\.[0-9]*[1-9])0+$|\\.0+$', '\\1')`
}

/*
 * Sums and means of floating-point numbers. PostgreSQL's avg also adds up squares, which overflow above 1e154. Its sum
 * and its division raise errors in cases for which IEEE 754 (sections 7.4 and 7.5) defines the results infinity and
 * zero. Clients could not avoid these errors, so numbers that may overflow are summed in a scale in which they don't. A
 * sum greater than all finite numbers is infinite. The mean of finite numbers is finite. NaN and infinities in rows
 * count as in PostgreSQL.
 */

const double = (value: number): Sql => trusted(`'${value}'::float8`)
const INFINITE = double(Infinity)
const MAX_SINGLE = double(3.4028234663852886e38)
/** Numbers that may overflow a sum are divided by this power of two, which changes none of their digits. */
const SCALE = double(2 ** 60)
const HUGE = double(1e290)
const MAX_SCALED = double(Number.MAX_VALUE / 2 ** 60)

/** A sum of 32-bit numbers in double precision. It cannot overflow and is rounded only once. */
const wideSum = (operand: Sql): Sql => sql`sum(${operand}::float8)`
const singleMean = (operand: Sql): Sql => sql`${wideSum(operand)} / count(${operand})`

function singleSum (operand: Sql): Sql {
  const sum = wideSum(operand)
  return sql`(case when abs(${sum}) > ${MAX_SINGLE} then ${sum} * ${INFINITE} else ${sum} end)::float4`
}

/**
 * The sum of the ordinary numbers (`usual`), of the huge ones in their scale (`huge`), and of both in that scale
 * (`scaled`). A sum without such numbers is null.
 */
function doubleSums (operand: Sql): { readonly usual: Sql, readonly huge: Sql, readonly scaled: Sql } {
  const usual = sql`sum(${operand}) filter (where abs(${operand}) < ${HUGE})`
  const huge = sql`sum(${operand} / ${SCALE}) filter (where abs(${operand}) >= ${HUGE})`
  // a sum below 1 does not change a sum of huge numbers, and its quotient may be too small for the type
  return { usual, huge, scaled: sql`(${huge} + case when abs(${usual}) >= 1 then ${usual} / ${SCALE} else 0 end)` }
}

function doubleSum (operand: Sql): Sql {
  const { usual, huge, scaled } = doubleSums(operand)
  const finite = sql`when abs(${scaled}) <= ${MAX_SCALED} then ${scaled} * ${SCALE}`
  return sql`case when ${huge} is null then ${usual} ${finite} else ${scaled} * ${INFINITE} end`
}

function doubleMean (operand: Sql): Sql {
  const { usual, huge, scaled } = doubleSums(operand)
  const count = sql`count(${operand})`
  const mean = sql`${scaled} / ${count}`
  // the quotient would round to zero, for which PostgreSQL raises an error
  const vanishes = sql`2 * abs(${usual}) <= ${double(Number.MIN_VALUE)} * ${count}`
  const ordinary = sql`when ${huge} is null then case when ${vanishes} then 0 else ${usual} / ${count} end`
  // rounding may raise the mean above the greatest finite number
  const greatest = sql`when abs(${mean}) < ${INFINITE} then sign(${mean}) * ${double(Number.MAX_VALUE)}`
  return sql`case ${ordinary} when abs(${mean}) <= ${MAX_SCALED} then ${mean} * ${SCALE} ${greatest} else ${mean} end`
}

/** A numeric in double precision. Numbers out of its range become infinity or zero. */
function toDouble (value: Sql): Sql {
  const size = sql`abs(${value})`
  const numeric = (number: number): Sql => trusted(`'${number}'::numeric`)
  return sql`case when ${size} > ${
    numeric(Number.MAX_VALUE)
  } then sign(${value})::float8 * ${INFINITE} when ${size} < ${
    numeric(Number.MIN_VALUE)
  } then 0 else ${value}::float8 end`
}

/** The value of an aggregate in wire form, also for parents without related rows. */
function memberSql ({ function: fn, property, type }: Aggregate, expression: string, index: number): Sql {
  const value = name(expression, valueName(index))
  if (fn === 'count') return sql`coalesce(${value}, 0)`
  if (fn === 'exists') return sql`${name(expression, keyName(0))} is not null`
  const read = property?.codec?.read
  return read === undefined ? jsonValue(value, type) : trusted(read(value.pieces.join('')))
}
