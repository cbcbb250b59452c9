/**
 * The text that the database itself writes for a value of a column (`column::text`), on its way back into a statement.
 * Every value that a column can hold passes, unlike in `convert.ts`, which says what clients may write: infinite dates
 * and numbers, years before 1 and after 9999, NaN. Since the text has been in a client's hands, nothing else passes:
 * what is accepted here causes no database error.
 */
import { convert, type SqlValue } from './convert.ts'
import type { ValueType } from './value-type.ts'

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]\d{1,3})?$/
const NUMERIC = /^-?\d+(?:\.\d+)?$/
const INT16 = { kind: 'integer', min: -32_768, max: 32_767 } as const
const INFINITE: ReadonlySet<string> = new Set(['infinity', '-infinity'])
const NOT_FINITE: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])
const DATE = /^(\d{4,7})-(\d\d)-(\d\d)( BC)?$/
const DATETIME = /^(\d{4,6}-\d\d-\d\d) ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?)( BC)?$/
const TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?|24:00:00)$/

/** The last years of PostgreSQL's types, and the first whole one, before Christ (manual, table 8.9). */
const LAST_YEAR = { date: 5_874_897, datetime: 294_276 } as const
const FIRST_YEAR_BC = 4713

/**
 * The value to bind, or `undefined` for a text that no column of the type has. A datetime's text is in UTC.
 *
 * @param computed the column is an expression, which may be of another type of number than it is declared to be
 * @example
 * readStored('2024-05-06 07:08:09.123456', { kind: 'datetime', zoned: true }) // '2024-05-06 07:08:09.123456+00'
 */
export function readStored (text: string, type: ValueType, computed = false): SqlValue | undefined {
  switch (type.kind) {
    case 'integer':
    case 'bigint':
      return computed ? ifAny(text, NUMBER, NOT_FINITE) : ifConverts(text, type)
    case 'decimal':
      return ifAny(text, computed ? NUMBER : NUMERIC, NOT_FINITE)
    case 'float':
      return NOT_FINITE.has(text) ? text : computed ? ifAny(text, NUMBER) : ifConverts(text, type)
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'enum':
      return readEnum(text, type)
    case 'uuid':
    case 'text':
    case 'json':
      return ifConverts(text, type)
    case 'date':
      return INFINITE.has(text) || isDate(text, LAST_YEAR.date) ? text : undefined
    case 'datetime':
      return INFINITE.has(text) ? text : readDatetime(text, type.zoned)
    case 'time':
      return TIME.test(text) ? text : undefined
    case 'blob':
    case 'array':
    case 'other':
      return undefined
  }
}

const ifConverts = (text: string, type: ValueType): string | undefined => convert(text, type).ok ? text : undefined

function ifAny (text: string, form: RegExp, names?: ReadonlySet<string>): string | undefined {
  return form.test(text) || names?.has(text) ? text : undefined
}

/** An enum that the database doesn't know as one may hold anything that its column can. */
function readEnum (text: string, { native, items }: Extract<ValueType, { kind: 'enum' }>): string | undefined {
  if (native) return items.some((item) => String(item) === text) ? text : undefined
  return ifConverts(text, items.every((item) => typeof item === 'number') ? INT16 : { kind: 'text' })
}

function readDatetime (text: string, zoned: boolean): string | undefined {
  const [, date = '', time, era = ''] = DATETIME.exec(text) ?? []
  if (!isDate(`${date}${era}`, LAST_YEAR.datetime)) return undefined
  return zoned ? `${date} ${time}+00${era}` : text
}

function isDate (text: string, lastYear: number): boolean {
  const [, years, months, days, era] = DATE.exec(text) ?? []
  const [year, month, day] = [Number(years), Number(months), Number(days)]
  if (!(year >= 1 && year <= (era === undefined ? lastYear : FIRST_YEAR_BC))) return false
  // the calendar repeats itself every 400 years; the year before 1 is 1 BC
  const leap = (era === undefined ? year : 1 - year + 4800) % 400
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(2000 + leap, month, 0)).getUTCDate()
}
