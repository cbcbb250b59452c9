/** Dates: `YYYY-MM-DD`. */
import { accept, fromString, refuse, type Converted } from './converted.ts'
import type { DateType } from './value-type.ts'
import { ORDERED, unchanged, type WireType } from './wire-type.ts'

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const STORED_DATE = /^(\d{4,7})-(\d\d)-(\d\d)( BC)?$/
/** The last year of PostgreSQL's dates, and the first complete year, which is before Christ (manual, table 8.9). */
const LAST_YEAR = 5_874_897
const FIRST_YEAR_BC = 4713

/** Infinite dates and times, which the database can hold but clients cannot write. */
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
  fromStored: (text) => INFINITE.has(text) || isStoredDate(text, LAST_YEAR) ? text : undefined,
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
  plainInJson: true,
}

function dateFromText (text: string): Converted {
  return isDate(text) ? accept(text) : refuse('a date, YYYY-MM-DD')
}

/** The day of a Date is that in UTC, and the time of a text is ignored, as the database does. */
function dateFromScope (value: unknown): Converted {
  if (value instanceof Date) return dateFromText(value.toISOString().slice(0, 10))
  const text = typeof value === 'string' ? value.trim() : ''
  if (INFINITE.has(text) || MOMENTS.has(text) || isStoredDate(text, LAST_YEAR)) return accept(text)
  return dateFromText(/^[T ]\d\d:\d\d/.test(text.slice(10)) ? text.slice(0, 10) : text)
}

/** Whether year, month and day exist in the proleptic Gregorian calendar (RFC 3339 section 5.7). */
export function isDate (text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? []
  return Number(year) >= 1 && isDay(Number(year), Number(month), Number(day))
}

/** Whether the database may write this text for a date of any year, before or after Christ. */
export function isStoredDate (text: string, lastYear: number): boolean {
  const [, years, month, day, era] = STORED_DATE.exec(text) ?? []
  const year = Number(years)
  if (!(year >= 1 && year <= (era === undefined ? lastYear : FIRST_YEAR_BC))) return false
  // the year before 1 is 1 BC
  return isDay(era === undefined ? year : 1 - year + 4800, Number(month), Number(day))
}

function isDay (year: number, month: number, day: number): boolean {
  // the calendar repeats itself every 400 years; day 0 of the next month is the last day of this one
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(2000 + year % 400, month, 0)).getUTCDate()
}
