/**
 * Dates with a time: ISO 8601 in UTC, with milliseconds, or with microseconds if a moment has any. A column without a
 * zone holds UTC.
 */
import type { DatetimeType } from './basic-types.ts'
import { accept, fromString, refuse, type Converted, type SqlValue } from './converted.ts'
import { INFINITE, isDay, MOMENTS } from './date.ts'
import { microsecondsBetween, millisecondsOf, momentOfDate, momentText } from './value-order.ts'
import { isTime } from './time.ts'
import { ORDERED, unchanged, type FromColumn, type WireType } from './wire-type.ts'

const STORED = /^(\d{4,6}-\d\d-\d\d) ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?)( BC)?$/
const WRITTEN = /^(\d{4,6}-\d\d-\d\d)(?:[Tt ](\d[\d:.]+)([Zz]|[+-]\d\d(?::?\d\d)?)?)?( BC)?$/
/** The last year of PostgreSQL's timestamps (manual, table 8.9). */
const LAST_YEAR = 294_276
/** The digits of a second that JavaScript and the wire form have for every datetime. */
const MILLISECONDS = 3

const columnOf = (zoned: boolean): FromColumn<DatetimeType> => (_, [precision]) =>
  precision === undefined || precision > MILLISECONDS
    ? { kind: 'datetime', zoned }
    : { kind: 'datetime', zoned, milliseconds: true }

export const datetime: WireType<DatetimeType> = {
  columns: {
    timestamptz: columnOf(true),
    'timestamp with time zone': columnOf(true),
    timestamp: columnOf(false),
    'timestamp without time zone': columnOf(false),
  },
  abilities: () => ORDERED,
  extremes: true,
  fromText: (text, { zoned }) => datetimeFromText(text, zoned),
  // in a URL, a plus sign means a space (WHATWG URL, section 5.1), so the offset would be lost
  adviceInUrl: () => 'write + as %2B',
  /** Also accepts a Date from the application. */
  fromJson: (value, { zoned }) =>
    value instanceof Date
      ? fromDate(value, zoned)
      : fromString(value, (text) => datetimeFromText(text, zoned)),
  /** The text is in UTC. */
  fromStored: (text, { zoned }) => INFINITE.has(text) ? text : datetimeFromStored(text, zoned),
  fromCondition: (value) => value instanceof Date && isCommon(value) ? value.toISOString() : undefined,
  toBody: unchanged,
  takesDates: true,
  fromScope: datetimeFromScope,
  canonical: (value) => momentText(String(value)),
  isSame: isSameMoment,
  inEntity: (value) => dateOf(String(value)),
  forSerializer: (json) => dateOf(String(json)),
  numeric: true,
  plainInPath: false,
  families: () => ['timestamp', 'date'],
  plainInJson: true,
}

/**
 * Accepts ISO 8601, and the other moments of the database: infinite ones, years after 9999, and ` BC` after the rest. A
 * date without a time is midnight, and a time without an offset is UTC. Microseconds are kept.
 */
function datetimeFromText (text: string, zoned: boolean): Converted {
  if (INFINITE.has(text)) return accept(text)
  const expected = refuse('an ISO 8601 date and time, such as 2024-05-31T09:30:00Z or 2024-05-31')
  const [, date, time = '00:00:00', zone = '', era = ''] = WRITTEN.exec(text) ?? []
  if (date === undefined || !isDay(`${date}${era}`, LAST_YEAR) || !isTime(time)) return expected
  const minutes = offsetMinutes(zone)
  if (minutes === undefined) return expected
  if (minutes === 0) return accept(`${date}T${time}${zoned ? 'Z' : ''}${era}`)
  const written = `${date}T${time}${zone}${era}`
  // a column without a zone holds UTC
  const inUtc = momentText(written)
  if (!isDay(inUtc.replace(/T.*Z/, ''), LAST_YEAR)) return expected
  return accept(zoned ? written : inUtc.replace(/(\.000)?Z/, ''))
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
  if (value instanceof Date) return fromDate(value, zoned)
  const text = typeof value === 'string' ? value.trim() : ''
  if (MOMENTS.has(text)) return accept(text)
  const converted = datetimeFromText(text, zoned)
  return converted.ok || typeof value === 'string' ? converted : refuse('a Date, or an ISO 8601 date and time')
}

/** A column of less precision rounds its values, so that moments of one second may become the same. */
function isSameMoment (one: SqlValue, other: SqlValue): boolean | undefined {
  if (MOMENTS.has(String(one)) || MOMENTS.has(String(other))) return undefined
  const distance = microsecondsBetween(String(one), String(other))
  return distance > -1_000_000n && distance < 1_000_000n ? undefined : false
}

/** Converts a Date. ISO 8601 writes the years 0 to 9999 with four digits, and others with a sign. */
function fromDate (value: Date, zoned: boolean): Converted {
  if (Number.isNaN(value.getTime())) return refuse('a valid Date')
  const written = isoText(value)
  const isCommon = written.length === 24 && !written.startsWith('0000')
  return isCommon
    ? accept(zoned ? written : written.slice(0, -1))
    : datetimeFromText(momentOfDate(value), zoned)
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
  if (!isDay(`${date}${era}`, LAST_YEAR)) return undefined
  return zoned ? `${date} ${time}+00${era}` : text
}

/**
 * The Date of a converted datetime, without its microseconds. It is invalid for a moment that is infinite, or after the
 * last Date.
 */
function dateOf (text: string): Date {
  return ISO.test(text) ? new Date(text.endsWith('Z') ? text : `${text}Z`) : new Date(millisecondsOf(text))
}

/** Whether a Date can hold a converted datetime, in the form that MikroORM writes. */
export function fitsDate (text: string, { milliseconds }: DatetimeType): boolean {
  return isCommon(dateOf(text)) && (milliseconds === true || !MICROSECONDS.test(momentText(text)))
}

const MICROSECONDS = /\.\d{6}Z/

/** Text without an offset that JavaScript reads. */
const ISO = /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z?$/

/** Whether ISO 8601 writes the year with four digits. It is false for an invalid Date. */
const isCommon = (date: Date): boolean => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999
