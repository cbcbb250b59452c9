/**
 * Numbers about relations. Like an included relation, an aggregate is computed in a common table expression by the key
 * of the parent, so that neither other aggregates nor included records multiply what it counts.
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

/** Aggregates of the same rows share an expression. */
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

/** Equal for aggregates of the same rows. */
const rowsOf = ({ relation, where }: Aggregate): string => `${idOf(relation)} ${where === undefined ? '' : idOf(where)}`

/** Over the rows of one parent. */
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
  // the mean of integers and decimals has as many digits as PostgreSQL thinks fit, most of them zeros
  return sql`regexp_replace(${value}::text, '(\\.[0-9]*[1-9])0+$|\\.0+$', '\\1')`
}

/*
 * Sums and means of floating-point numbers. PostgreSQL's avg also adds up squares, which overflow above 1e154, and its sum
 * and its quotient fail where IEEE 754 (sections 7.4 and 7.5) has an infinity or a zero. No request could avoid these
 * errors, so numbers that may overflow are summed up in a scale in which they don't. A sum that is greater than all finite
 * numbers is infinite, a mean of finite numbers is finite. NaN and infinities in rows count as in PostgreSQL.
 */

const double = (value: number): Sql => trusted(`'${value}'::float8`)
const INFINITE = double(Infinity)
const MAX_SINGLE = double(3.4028234663852886e38)
/** Numbers that may overflow a sum are divided by this power of two, which changes none of their digits. */
const SCALE = double(2 ** 60)
const HUGE = double(1e290)
const MAX_SCALED = double(Number.MAX_VALUE / 2 ** 60)

/** Sums of 32-bit numbers in double precision neither overflow nor round more often than once. */
const wideSum = (operand: Sql): Sql => sql`sum(${operand}::float8)`
const singleMean = (operand: Sql): Sql => sql`${wideSum(operand)} / count(${operand})`

function singleSum (operand: Sql): Sql {
  const sum = wideSum(operand)
  return sql`(case when abs(${sum}) > ${MAX_SINGLE} then ${sum} * ${INFINITE} else ${sum} end)::float4`
}

/** The sum of all numbers but the huge ones, and of the huge ones in their scale; null where there are no such numbers. */
function doubleSums (operand: Sql): { readonly usual: Sql, readonly huge: Sql, readonly scaled: Sql } {
  const usual = sql`sum(${operand}) filter (where abs(${operand}) < ${HUGE})`
  const huge = sql`sum(${operand} / ${SCALE}) filter (where abs(${operand}) >= ${HUGE})`
  // less than 1 has no part in a sum of huge numbers, and its quotient may be too small for the type
  return { usual, huge, scaled: sql`(${huge} + case when abs(${usual}) >= 1 then ${usual} / ${SCALE} else 0 end)` }
}

function doubleSum (operand: Sql): Sql {
  const { usual, huge, scaled } = doubleSums(operand)
  return sql`case when ${huge} is null then ${usual} when abs(${scaled}) <= ${MAX_SCALED} then ${scaled} * ${SCALE} else ${scaled} * ${INFINITE} end`
}

function doubleMean (operand: Sql): Sql {
  const { usual, huge, scaled } = doubleSums(operand)
  const count = sql`count(${operand})`
  const mean = sql`${scaled} / ${count}`
  // a quotient that rounds to zero
  const vanishes = sql`2 * abs(${usual}) <= ${double(Number.MIN_VALUE)} * ${count}`
  const ordinary = sql`when ${huge} is null then case when ${vanishes} then 0 else ${usual} / ${count} end`
  // rounding may have passed the greatest number
  return sql`case ${ordinary} when abs(${mean}) <= ${MAX_SCALED} then ${mean} * ${SCALE} when abs(${mean}) < ${INFINITE} then sign(${mean}) * ${
    double(Number.MAX_VALUE)
  } else ${mean} end`
}

/** A numeric in double precision, which holds fewer numbers. */
function toDouble (value: Sql): Sql {
  const size = sql`abs(${value})`
  const numeric = (number: number): Sql => trusted(`'${number}'::numeric`)
  return sql`case when ${size} > ${
    numeric(Number.MAX_VALUE)
  } then sign(${value})::float8 * ${INFINITE} when ${size} < ${
    numeric(Number.MIN_VALUE)
  } then 0 else ${value}::float8 end`
}

/** In wire form, for a parent that may have no rows. */
function memberSql ({ function: fn, property, type }: Aggregate, expression: string, index: number): Sql {
  const value = name(expression, valueName(index))
  if (fn === 'count') return sql`coalesce(${value}, 0)`
  if (fn === 'exists') return sql`${name(expression, keyName(0))} is not null`
  const read = property?.codec?.read
  return read === undefined ? jsonValue(value, type) : trusted(read(value.pieces.join('')))
}
