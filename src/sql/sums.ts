/** The SQL of sums and means. The entries of the table of wire types use them. */
import type { TypeOf } from '../model/index.ts'
import { sql, trusted, type Sql } from './fragment.ts'

export const sum = (operand: Sql): Sql => sql`sum(${operand})`

/** A mean of integers in double precision. */
export const meanOfIntegers = (operand: Sql): Sql => sql`avg(${operand})::float8`

/** Decimals of at most this many digits are in the range of double precision, and so are their means. */
const MOST_DIGITS = 200

/** A mean of decimals in double precision. */
export function meanOfDecimals (operand: Sql, { precision = Infinity, scale = 0 }: TypeOf<'decimal'>): Sql {
  const mean = sql`avg(${operand})`
  return Math.max(precision, scale, precision - scale) <= MOST_DIGITS ? sql`${mean}::float8` : toDouble(mean)
}

/** A mean as text with all its digits. */
export const meanAsText = (operand: Sql): Sql => meanText(sql`avg(${operand})`)

/** The text of a mean. PostgreSQL pads the mean of integers and decimals with zeros. */
export const meanText = (mean: Sql): Sql => sql`regexp_replace(${mean}::text, '(\\.[0-9]*[1-9])0+$|\\.0+$', '\\1')`

/** A mean with at most 16 digits after the point. */
export const exactMean = (operand: Sql): Sql => sql`round(avg(${operand}), 16)`

/*
 * Floating-point numbers. PostgreSQL's avg also adds up squares, which overflow above 1e154. Its sum
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
export const singleMean = (operand: Sql): Sql => sql`${wideSum(operand)} / count(${operand})`

export function singleSum (operand: Sql): Sql {
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

export function doubleSum (operand: Sql): Sql {
  const { usual, huge, scaled } = doubleSums(operand)
  const finite = sql`when abs(${scaled}) <= ${MAX_SCALED} then ${scaled} * ${SCALE}`
  return sql`case when ${huge} is null then ${usual} ${finite} else ${scaled} * ${INFINITE} end`
}

export function doubleMean (operand: Sql): Sql {
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
