/** Dates: `YYYY-MM-DD`, or another day in the form of the database: `0044-03-15 BC`, `10000-01-01`, `infinity`. */
import type { DateType } from './basic-types.ts'
import { accept, fromString, refuse, type Converted } from './converted.ts'
import { ORDERED, unchanged, type WireType } from './wire-type.ts'

const DATE = /^(\d{4}|[1-9]\d{4,6})-(\d\d)-(\d\d)( BC)?$/
/** The last year of PostgreSQL's dates, and their first day, which is before Christ (manual, table 8.9). */
const LAST_YEAR = 5_874_897
const FIRST_DAY_BC = '4714-11-24'
export const LAST_DATE = `${LAST_YEAR}-12-31`

/** Infinite dates and times. */
export const INFINITE: ReadonlySet<string> = new Set(['infinity', '-infinity'])

/** Words that the database replaces by a day or a moment when it reads them (manual, table 8.13). */
export const MOMENTS: ReadonlySet<string> = new Set(['now', 'today', 'tomorrow', 'yesterday', 'epoch'])

export const date: WireType<DateType> = {
  columns: { date: () => ({ kind: 'date' }) },
  abilities: () => ORDERED,
  extremes: true,
  fromText: dateFromText,
  fromJson: (value) => fromString(value, dateFromText),
  bound: true,
  fromStored: (text) => isDate(text) ? text : undefined,
  fromCondition: (value) => typeof value === 'string' && isDate(value) ? value : undefined,
  fromScope: dateFromScope,
  // the day of a special word is known to the database only
  isSame: (one, other) => MOMENTS.has(String(one)) || MOMENTS.has(String(other)) ? undefined : false,
  insideJson: (type) => type,
  toBody: unchanged,
  takesDates: false,
  inEntity: 'json',
  numeric: true,
  plainInPath: false,
  families: () => ['date'],
  plainInJson: true,
}

function dateFromText (text: string): Converted {
  return isDate(text) ? accept(text) : refuse('a date, YYYY-MM-DD')
}

/** The day of a Date is that in UTC, and the time of a text is ignored, as the database does. */
function dateFromScope (value: unknown): Converted {
  if (value instanceof Date) return dateFromText(value.toISOString().slice(0, 10))
  const text = typeof value === 'string' ? value.trim() : ''
  if (MOMENTS.has(text)) return accept(text)
  return dateFromText(/^[T ]\d\d:\d\d/.test(text.slice(10)) ? text.slice(0, 10) : text)
}

const isDate = (text: string): boolean => INFINITE.has(text) || isDay(text, LAST_YEAR)

/**
 * Whether a day exists in the proleptic Gregorian calendar (RFC 3339 section 5.7), and the database can hold it.
 *
 * @param text a day of any year, before or after Christ
 */
export function isDay (text: string, lastYear: number): boolean {
  const [, years, month, day, era] = DATE.exec(text) ?? []
  const year = Number(years)
  if (era === undefined ? !(year >= 1 && year <= lastYear) : year < 1 || isBeforeFirst(year, text)) return false
  // the year before 1 is 1 BC, and the calendar repeats itself every 400 years
  const similar = 2000 + (era === undefined ? year : 1 - year + 4800) % 400
  // day 0 of the next month is the last day of this one
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 &&
    Number(day) <= new Date(Date.UTC(similar, Number(month), 0)).getUTCDate()
}

const isBeforeFirst = (yearBC: number, text: string): boolean =>
  yearBC > 4714 || (yearBC === 4714 && text.slice(0, 10) < FIRST_DAY_BC)
