/** Periods of time, by which numbers are grouped. A period has the name of its first day. */

type PeriodUnit = 'day' | 'week' | 'month' | 'year'

const DAY = 86_400_000

/** The first day of the period after the one that begins at a date. */
export function nextPeriod (date: string, unit: PeriodUnit): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  const next = new Date(0)
  next.setUTCFullYear(
    year + Number(unit === 'year'),
    month - 1 + Number(unit === 'month'),
    day + (unit === 'day' ? 1 : unit === 'week' ? 7 : 0)
  )
  return next.toISOString().slice(0, 10)
}

/**
 * The first moment of a day in a time zone: `2026-03-31T22:00:00Z` for the first of April in Berlin. Where clocks skip
 * midnight, it is the moment after the gap, and where they repeat it, the earlier one.
 *
 * @returns `undefined` if the browser does not know the time zone, or the date
 */
export function startOfDay (date: string, timeZone: string): string | undefined {
  const midnight = Date.parse(date)
  // clocks are set at most once between these moments, so that one of the two differences to UTC holds at midnight
  const moments = [midnight - DAY, midnight + DAY].map((near) => midnight - (localTime(near, timeZone) - near))
  const first = Math.min(...moments.filter((moment) => localTime(moment, timeZone) >= midnight))
  return Number.isFinite(first) ? new Date(first).toISOString().replace('.000', '') : undefined
}

/** The time that clocks in a time zone show at a moment, read as UTC. `NaN` if the browser does not know it. */
function localTime (moment: number, timeZone: string): number {
  try {
    // the Swedish form is that of ISO 8601
    return Date.parse(`${new Date(moment).toLocaleString('sv', { timeZone }).replace(' ', 'T')}Z`)
  } catch (error) {
    if (error instanceof RangeError) return NaN
    throw error
  }
}

/** Whether the text of a moment names its time zone. Without one, it is in UTC. */
export const hasZone = (text: string): boolean => /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10))

/** The moment that a text of a filter stands for, in milliseconds. */
export const momentOf = (text: string): number => Date.parse(text.length > 10 && !hasZone(text) ? `${text}Z` : text)
