/**
 * Compares two converted values whose order differs from the order of their texts. The result is less than 0, 0, or
 * more than 0. Moments may have any year that the database writes (` BC` marks years before 1), or be infinite.
 */

const DAY = 86_400_000
const DAY_MICROS = 86_400_000_000n
/** The calendar repeats itself every 400 years. */
const CYCLE_DAYS = 146_097
/** The day 2000-01-01, counted from 1970-01-01. */
const DAY_2000 = 10_957
const MOMENT = /^(\d+)-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?( BC)?$/

const sign = (difference: bigint): number => difference < 0n ? -1 : difference > 0n ? 1 : 0

export function compareIntegers (one: string, other: string): number {
  return sign(BigInt(one) - BigInt(other))
}

/** NaN is greater than all other numbers (PostgreSQL manual, section 8.1.2). */
export function compareDecimals (one: string, other: string): number {
  const rank = rankOf(one) - rankOf(other)
  if (rank !== 0 || rankOf(one) !== 0) return rank
  const [[whole = '', fraction = ''], [otherWhole = '', otherFraction = '']] = [one.split('.'), other.split('.')]
  const places = Math.max(fraction.length, otherFraction.length)
  return compareIntegers(whole + fraction.padEnd(places, '0'), otherWhole + otherFraction.padEnd(places, '0'))
}

const rankOf = (text: string): number => ['-Infinity', '', 'Infinity', 'NaN'].indexOf(/\d/.test(text) ? '' : text) - 1

/** Compares dates, or dates with times. */
export function compareMoments (one: string, other: string): number {
  return sign(microsecondsBetween(one, other))
}

/** The microseconds from one date, with or without a time, to an earlier one. */
export function microsecondsBetween (one: string, earlier: string): bigint {
  return microsecondsOf(one) - microsecondsOf(earlier)
}

/**
 * A converted moment as records show it: ISO 8601 in UTC with milliseconds, or with microseconds if it has any, and
 * ` BC` after a year before 1.
 */
export function momentText (moment: string): string {
  return MOMENT.test(moment) ? microsecondsText(microsecondsOf(moment)) : moment
}

/** @param micros the microseconds since 1970 */
function microsecondsText (micros: bigint): string {
  const ofDay = Number(((micros % DAY_MICROS) + DAY_MICROS) % DAY_MICROS)
  const [date = '', era = ''] = dayText(Number((micros - BigInt(ofDay)) / DAY_MICROS)).split(' ')
  const time = new Date(Math.floor(ofDay / 1000)).toISOString().slice(10, -1)
  const rest = ofDay % 1000
  return `${date}${time}${rest === 0 ? '' : String(rest).padStart(3, '0')}Z${era && ` ${era}`}`
}

/** The next day of any year. */
export function nextDay (day: string): string {
  return dayText(Number(microsecondsOf(day) / DAY_MICROS) + 1)
}

/** The text of a day, counted from 1970-01-01. */
function dayText (days: number): string {
  const cycles = Math.floor((days - DAY_2000) / CYCLE_DAYS)
  const [, years = '', rest = ''] = /^(\d+)(.{6})/.exec(new Date((days - cycles * CYCLE_DAYS) * DAY).toISOString())!
  const year = Number(years) + cycles * 400
  return year < 1 ? `${digits(1 - year)}${rest} BC` : `${digits(year)}${rest}`
}

const digits = (year: number): string => String(year).padStart(4, '0')

/** The moment of a Date of any year. */
export function momentOfDate (date: Date): string {
  return microsecondsText(BigInt(date.getTime()) * 1000n)
}

/** The milliseconds from 1970 to a converted moment, without its microseconds. */
export function millisecondsOf (moment: string): number {
  return Math.floor(Number(microsecondsOf(moment)) / 1000)
}

/** Microseconds since 1970. */
function microsecondsOf (text: string): bigint {
  const [, years, month, day, hours = 0, minutes = 0, seconds = 0, fraction = '', zone = '', era] = MOMENT.exec(text) ??
    []
  if (years === undefined) return text.startsWith('-') ? -(10n ** 30n) : 10n ** 30n
  // the year before 1 is 1 BC
  const year = era === undefined ? Number(years) : 1 - Number(years)
  const cycles = Math.floor(year / 400)
  const days = Date.UTC(2000 + year - cycles * 400, Number(month) - 1, Number(day)) / DAY + (cycles - 5) * CYCLE_DAYS
  const [, side, offsetHours = 0, offsetMinutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (side === '-' ? -1 : 1)
  const time = (Number(hours) * 60 + Number(minutes) - offset) * 60 + Number(seconds)
  return (BigInt(days) * 86_400n + BigInt(time)) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
}
