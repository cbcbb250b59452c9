/** Groups and numbers about them, in words and as the points of a chart. */
import type { GroupDescription, NumberDescription, ValueDescription } from '../../src/explorer/description.ts'
import { nextPeriod } from '../url/periods.ts'
import { countText, textOf, type Json } from './format.ts'
import { isNumeric, pathTitle, type Row } from './records.ts'

export const groupTitle = ({ name, period }: GroupDescription): string =>
  period === null ? pathTitle(name) : `${pathTitle(period.property)} (${period.unit})`

const FUNCTIONS: Readonly<Record<NumberDescription['function'], string>> = {
  count: 'Count',
  countDistinct: 'Different values of',
  sum: 'Sum of',
  avg: 'Mean of',
  min: 'Least',
  max: 'Greatest',
}

export function numberTitle ({ function: name, property }: NumberDescription): string {
  return property === null ? FUNCTIONS[name] : `${FUNCTIONS[name]} ${pathTitle(property).toLowerCase()}`
}

/** How many characters of its first day tell a period from others. */
const SHOWN = { day: 10, week: 10, month: 7, year: 4 } as const

/** The value of a group: a period by its first day, as far as it is needed. */
export function groupText (value: Json | undefined, { value: type, period }: GroupDescription): string {
  if (value === null || value === undefined) return 'null'
  if (period === null || typeof value !== 'string') return value === '' ? 'empty text' : textOf(value, type)
  return value.slice(0, value.length - 10 + SHOWN[period.unit])
}

const DIGITS = 4

/** A number with thin spaces, and with a few of the digits after its point. */
export function numberText (value: Json | undefined, type: ValueDescription): string {
  if (value === null || value === undefined) return 'null'
  if (!isNumeric({ value: type })) return textOf(value, type)
  const [whole = '', fraction = ''] = String(value).split('.')
  if (!/^-?\d+$/.test(whole) || !/^\d*$/.test(fraction)) return String(value)
  if (fraction.length > DIGITS) return numberText(Number(value).toFixed(DIGITS).replace(/0+$/, ''), type)
  return countText(whole) + (fraction === '' ? '' : `.${fraction}`)
}

export interface Point {
  readonly label: string
  /** `undefined` if there is nothing to draw. */
  readonly value: number | undefined
  readonly text: string
}

/** Periods that a chart adds at most, where groups have no records. */
const MOST_PERIODS = 400

/**
 * The points of a chart: a number of each group. If the groups are periods, they stand in the order of time.
 *
 * @param isWhole whether all groups are there, so that the periods between them have no records
 */
export function pointsOf (
  items: readonly Row[],
  groups: readonly GroupDescription[],
  number: NumberDescription,
  nameOf: (group: GroupDescription, value: Json | undefined) => string,
  isWhole: boolean
): Point[] {
  const point = (item: Row): Point => {
    const value = item[number.key]
    const drawn = value === null || value === undefined ? undefined : Number(value)
    return {
      label: groups.length === 0 ? 'All records' : groups.map((group) => nameOf(group, item[group.key])).join(' · '),
      value: Number.isFinite(drawn) ? drawn : undefined,
      text: numberText(value, number.value),
    }
  }
  const [first, ...more] = groups
  if (!first?.period) return items.map(point)
  const dateOf = (item: Row): string => String(item[first.key] ?? '')
  const inTime = [...items].sort((a, b) => dateOf(a) < dateOf(b) ? -1 : dateOf(a) > dateOf(b) ? 1 : 0)
  if (!isWhole || more.length > 0) return inTime.map(point)
  const { unit } = first.period
  const points: Point[] = []
  let next: string | undefined
  for (const item of inTime) {
    const date = dateOf(item)
    while (next !== undefined && next < date && points.length < MOST_PERIODS) {
      points.push({ label: groupText(next, first), value: undefined, text: 'no records' })
      next = nextPeriod(next, unit)
    }
    points.push(point(item))
    next = date === '' ? undefined : nextPeriod(date, unit)
  }
  return points
}

/**
 * Round numbers that divide the way from the least to the greatest value into a few parts.
 *
 * @param isWhole whether numbers between whole ones have no meaning
 */
export function ticksOf (low: number, high: number, isWhole: boolean): number[] {
  const span = high - low
  const rough = span / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(isWhole ? 1 : 0, power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10))
  const count = Math.floor(high / step) - Math.ceil(low / step) + 1
  return Array.from({ length: count }, (_, index) => Number(((Math.ceil(low / step) + index) * step).toPrecision(12)))
}
