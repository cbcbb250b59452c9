/**
 * Compares two converted values whose order differs from the order of their texts. The result is less than 0, 0, or
 * more than 0. Moments may have any year that the database writes (` BC` marks years before 1), or be infinite.
 */

const DAY = 86_400_000
const CYCLE_DAYS = 146_097
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

/** A converted moment of the years 1 to 9999 as ISO 8601 in UTC, with milliseconds, or microseconds if it has any. */
export function momentText (moment: string): string {
  const micros = microsecondsOf(moment)
  const rest = ((micros % 1000n) + 1000n) % 1000n
  const text = new Date(Number((micros - rest) / 1000n)).toISOString()
  return rest === 0n ? text : `${text.slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}

/** Microseconds since 1970. */
function microsecondsOf (text: string): bigint {
  const [, years, month, day, hours = 0, minutes = 0, seconds = 0, fraction = '', zone = '', era] = MOMENT.exec(text) ??
    []
  if (years === undefined) return text.startsWith('-') ? -(10n ** 30n) : 10n ** 30n
  // the year before 1 is 1 BC; the calendar repeats itself every 400 years
  const year = era === undefined ? Number(years) : 1 - Number(years)
  const cycles = Math.floor(year / 400)
  const days = Date.UTC(2000 + year - cycles * 400, Number(month) - 1, Number(day)) / DAY + (cycles - 5) * CYCLE_DAYS
  const [, side, offsetHours = 0, offsetMinutes = 0] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (side === '-' ? -1 : 1)
  const time = (Number(hours) * 60 + Number(minutes) - offset) * 60 + Number(seconds)
  return (BigInt(days) * 86_400n + BigInt(time)) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
}
