/** Dates with a time: ISO 8601 in UTC, with milliseconds. A column without a zone holds UTC. */
import { accept, fromString, refuse, type Converted, type SqlValue } from './converted.ts'
import { INFINITE, isDate, isStoredDate, MOMENTS } from './date.ts'
import { microsecondsBetween } from './order.ts'
import { isTime } from './time.ts'
import type { DatetimeType } from './value-type.ts'
import { ORDERED, unchanged, type FromColumn, type WireType } from './wire-type.ts'

const ZONE = /(Z|[+-]\d\d(?::?\d\d)?)$/i
const STORED = /^(\d{4,6}-\d\d-\d\d) ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?)( BC)?$/
/** The last year of PostgreSQL's timestamps (manual, table 8.9). */
const LAST_YEAR = 294_276

const zoned: FromColumn<DatetimeType> = () => ({ kind: 'datetime', zoned: true })
const unzoned: FromColumn<DatetimeType> = () => ({ kind: 'datetime', zoned: false })

export const datetime: WireType<DatetimeType> = {
  columns: {
    timestamptz: zoned,
    'timestamp with time zone': zoned,
    timestamp: unzoned,
    'timestamp without time zone': unzoned,
  },
  abilities: () => ORDERED,
  extremes: true,
  fromText: (text, { zoned }) => datetimeFromText(text, zoned),
  // in a URL, a plus sign means a space (WHATWG URL, section 5.1), so the offset would be lost
  adviceInUrl: () => 'write + as %2B',
  /** Accepts a Date from the application, too. */
  fromJson: (value, { zoned }) =>
    value instanceof Date && !Number.isNaN(value.getTime())
      ? fromDate(value, zoned)
      : fromString(value, (text) => datetimeFromText(text, zoned)),
  /** The text is in UTC. */
  fromStored: (text, { zoned }) => INFINITE.has(text) ? text : datetimeFromStored(text, zoned),
  fromCondition: (value) => value instanceof Date && isCommon(value) ? value.toISOString() : undefined,
  toBody: unchanged,
  takesDates: true,
  fromScope: datetimeFromScope,
  isSame: isSameMoment,
  inEntity: (value) => dateOf(String(value)),
  forSerializer: (json) => new Date(json as string),
  numeric: true,
  plainInPath: false,
  plainInJson: true,
}

/** Accepts ISO 8601. A date without a time is midnight, and a time without an offset is UTC. Microseconds are kept. */
function datetimeFromText (text: string, zoned: boolean): Converted {
  const expected = refuse('an ISO 8601 date and time, such as 2024-05-31T09:30:00Z or 2024-05-31')
  const [date = '', clock] = [text.slice(0, 10), text.length > 10 ? text.slice(11) : undefined]
  if (!isDate(date)) return expected
  if (clock === undefined) return accept(zoned ? `${date}T00:00:00Z` : `${date}T00:00:00`)
  const separator = text[10]
  if (separator !== 'T' && separator !== 't' && separator !== ' ') return expected
  const zone = ZONE.exec(clock)?.[1] ?? ''
  const time = zone === '' ? clock : clock.slice(0, -zone.length)
  if (!isTime(time)) return expected
  const minutes = offsetMinutes(zone)
  if (minutes === undefined) return expected
  // answers show the moment in UTC, in which the year must still have four digits
  const year = new Date(Date.parse(`${date}T${time}Z`) - minutes * 60_000).getUTCFullYear()
  if (!(year >= 1 && year <= 9999)) return expected
  if (zoned) return accept(`${date}T${time}${zone === '' || minutes === 0 ? 'Z' : zone}`)
  if (minutes === 0) return accept(`${date}T${time}`)
  // a column without a zone holds UTC: shift the minutes, keep the fraction of the second
  const [clockTime = '', fraction = ''] = (time.length === 5 ? `${time}:00` : time).split('.')
  const shifted = new Date(Date.parse(`${date}T${clockTime}Z`) - minutes * 60_000)
  if (shifted.getUTCFullYear() < 1 || shifted.getUTCFullYear() > 9999) return expected
  return accept(shifted.toISOString().slice(0, 19) + (fraction && `.${fraction}`))
}

/**
 * Minutes east of UTC, or `undefined` for an offset that no clock has (RFC 3339 section 5.6; PostgreSQL accepts less
 * than 16 hours).
 */
function offsetMinutes (zone: string): number | undefined {
  if (zone === '' || zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || 0)
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function datetimeFromScope (value: unknown, { zoned }: DatetimeType): Converted {
  if (value instanceof Date) return isCommon(value) ? fromDate(value, zoned) : refuse('a Date of the years 1 to 9999')
  const text = typeof value === 'string' ? value.trim() : ''
  if (INFINITE.has(text) || MOMENTS.has(text)) return accept(text)
  const converted = datetimeFromText(text, zoned)
  return converted.ok || typeof value === 'string' ? converted : refuse('a Date, or an ISO 8601 date and time')
}

/** A column of less precision rounds its values, so that moments of one second may become the same. */
function isSameMoment (one: SqlValue, other: SqlValue): boolean | undefined {
  if (MOMENTS.has(String(one)) || MOMENTS.has(String(other))) return undefined
  const distance = microsecondsBetween(String(one), String(other))
  return distance === 0n ? true : distance > -1_000_000n && distance < 1_000_000n ? undefined : false
}

/** Converts a Date. Every valid Date exists, so only a year outside of 1 to 9999 has to be checked. */
function fromDate (value: Date, zoned: boolean): Converted {
  const written = isoText(value)
  const hasYear = written.length === 24 && !written.startsWith('0000')
  return hasYear ? accept(zoned ? written : written.slice(0, -1)) : datetimeFromText(written, zoned)
}

/**
 * The last Date and its text. The rows of a request often have the same time, and formatting it would cost as much as
 * everything else.
 */
let [lastTime, lastText] = [0, new Date(0).toISOString()]

function isoText (value: Date): string {
  const time = value.getTime()
  if (time !== lastTime) [lastTime, lastText] = [time, value.toISOString()]
  return lastText
}

function datetimeFromStored (text: string, zoned: boolean): SqlValue | undefined {
  const [, date = '', time, era = ''] = STORED.exec(text) ?? []
  if (!isStoredDate(`${date}${era}`, LAST_YEAR)) return undefined
  return zoned ? `${date} ${time}+00${era}` : text
}

/** The Date of a converted datetime. Its offset may lack minutes, and without an offset it is UTC. */
function dateOf (text: string): Date {
  const [offset = '', hours, minutes = '00'] = /([+-]\d\d):?(\d\d)?$/.exec(text.slice(11)) ?? []
  if (hours !== undefined) return new Date(`${text.slice(0, -offset.length)}${hours}:${minutes}`)
  return new Date(text.endsWith('Z') ? text : `${text}Z`)
}

/** Whether ISO 8601 writes the year with four digits. It is false for an invalid Date. */
const isCommon = (date: Date): boolean => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999
