/** Numbers about many rows: about the related rows of a record, and about the rows of a group. */
import type { AggregateFunction, Entity, Row, Value, ValueType, Where, World } from './description.ts'
import { propertyOf, relatedRows } from './entities.ts'
import { aggregateKey, type AggregateInclude } from './selection.ts'
import { compareValues, scaleOf, toInteger } from './values.ts'

/** The related rows that fulfil the condition of an entry. */
export const matching = (rows: readonly Row[], where: Where | undefined): readonly Row[] =>
  where === undefined ? rows : rows.filter((row) => row[where.property] === where.equals)

/** The number that a record shows about its related rows. */
export function relatedNumber (world: World, entity: Entity, row: Row, aggregate: AggregateInclude): Value {
  const { relation, property } = aggregateKey(aggregate)
  const rows = matching(relatedRows(world, entity, row, relation), aggregate.where)
  if (property === undefined) return numberAbout(aggregate.function, rows, 'json')
  const { type } = propertyOf(world, world.entities[entity.relations[relation]!.target]!, property)
  return numberAbout(aggregate.function, rows.map((row) => row[property]).filter((value) => value !== null), type)
}

/** A number about values that are not null. Without values, all but the first two are null. */
export function numberAbout (fn: AggregateFunction, values: readonly Value[], type: ValueType): Value {
  if (fn === 'count') return values.length
  if (fn === 'exists') return values.length > 0
  if (values.length === 0) return null
  switch (fn) {
    case 'min':
      return values.reduce((a, b) => compareValues(b, a, type) < 0 ? b : a)
    case 'max':
      return values.reduce((a, b) => compareValues(b, a, type) > 0 ? b : a)
    case 'sum':
      return sum(values, type)
    case 'avg':
      return sum(values, 'integer') / values.length
  }
}

/** The sum of numbers is a number. The sum of values that are written as text is exact, and text. */
function sum (values: readonly Value[], type: ValueType): Value {
  if (type === 'integer') return values.reduce((a, b) => a + b)
  const { total, decimals } = exactSum(values)
  return decimalText(total, decimals)
}

function exactSum (values: readonly Value[]): { readonly total: bigint, readonly decimals: number } {
  const texts = values.map(String)
  const decimals = Math.max(...texts.map(scaleOf))
  return { total: texts.map((value) => toInteger(value, decimals)).reduce((a, b) => a + b), decimals }
}

/** -150 with 2 decimals is `-1.50`. */
function decimalText (scaled: bigint, decimals: number): string {
  if (decimals === 0) return scaled.toString()
  const digits = scaled.toString().replace('-', '').padStart(decimals + 1, '0')
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

const MEAN_DECIMALS = 16

/**
 * The mean of exact numbers as a text with at most 16 digits after the point. The database divides with at least 16
 * digits, which it counts in groups of four. Of a large mean, it finds fewer digits after the point.
 */
export function exactMean (values: readonly Value[]): string | null {
  if (values.length === 0) return null
  const { total, decimals } = exactSum(values)
  const [sum, count] = [groupsOfDigits(total, decimals), groupsOfDigits(BigInt(values.length), 0)]
  const groups = sum.groups - count.groups - (sum.first <= count.first ? 1 : 0)
  const found = Math.max(16 - 4 * groups, decimals, 0)
  const mean = rounded(total * 10n ** BigInt(found), 10n ** BigInt(decimals) * BigInt(values.length))
  const shown = Math.min(found, MEAN_DECIMALS)
  const text = decimalText(rounded(mean, 10n ** BigInt(found - shown)), shown)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** How many groups of four digits a number has before the point, less one, and the first group that is not zero. */
function groupsOfDigits (scaled: bigint, decimals: number): { readonly groups: number, readonly first: number } {
  if (scaled === 0n) return { groups: 0, first: 0 }
  const [whole, fraction = ''] = decimalText(scaled < 0n ? -scaled : scaled, decimals).split('.')
  const padded = whole!.padStart(Math.ceil(whole!.length / 4) * 4, '0') +
    fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0')
  const first = /^(?:0000)*/.exec(padded)![0].length
  return { groups: Math.ceil(whole!.length / 4) - 1 - first / 4, first: Number(padded.slice(first, first + 4)) }
}

/** A quotient as the nearest integer. A half is rounded away from zero. */
function rounded (dividend: bigint, divisor: bigint): bigint {
  const size = dividend < 0n ? -dividend : dividend
  const quotient = (2n * size + divisor) / (2n * divisor)
  return dividend < 0n ? -quotient : quotient
}
