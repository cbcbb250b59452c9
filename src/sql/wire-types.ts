/**
 * The table of wire types in SQL: how values of a type leave the database. One entry for each type.
 */
import type { TypeName, TypeOf, ValueType } from '../model/index.ts'
import { name, sql, trusted, type Sql } from './fragment.ts'

export interface SqlType<T extends ValueType> {
  /** A value as something that `row_to_json` and its like write in wire form: the value itself, if they do so anyway. */
  json(value: Sql, type: T): Sql

  /** The text of a value from which `readStored` makes it again, whatever the settings of the session are. */
  stored(value: Sql, type: T): Sql

  /** Whether values can be so long that few of them make a large answer. */
  isLong(type: T): boolean

  /** Whether many rows are likely to have the same value. */
  readonly repetitive: boolean
}

/** Characters that a text may have and still count as short. It is the length of a varchar unless an application says otherwise. */
const SHORT = 255

/** Types that have no wire form of their own, but a short text. */
const SHORT_TYPES = /^(interval|inet|cidr|macaddr8?|money|oid|timetz|time with time zone)\b/

const itself = (value: Sql): Sql => value
const text = (value: Sql): Sql => sql`${value}::text`
const short = (): boolean => false
const long = (): boolean => true

/** Short values that PostgreSQL writes in wire form. */
const PLAIN = { json: itself, stored: text, isLong: short, repetitive: false } as const

/** 64-bit integers and decimals are strings unless the property is declared to be a number. */
const digits = (value: Sql, { form }: TypeOf<'bigint' | 'decimal'>): Sql => form === 'string' ? text(value) : value

const SQL_TYPES: { readonly [Name in TypeName]: SqlType<TypeOf<Name>> } = {
  integer: { ...PLAIN, repetitive: true },
  bigint: { ...PLAIN, json: digits },
  decimal: { ...PLAIN, json: digits, isLong: ({ precision }) => precision === undefined },
  float: PLAIN,
  boolean: { ...PLAIN, repetitive: true },
  text: { ...PLAIN, isLong: ({ maxLength }) => maxLength === undefined || maxLength > SHORT },
  enum: { ...PLAIN, repetitive: true },
  uuid: PLAIN,
  date: { ...PLAIN, repetitive: true },
  datetime: {
    ...PLAIN,
    // ISO 8601 in UTC, with milliseconds
    json: (value, type) => sql`to_char(${inUtc(value, type)}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    stored: (value, type) => text(inUtc(value, type)),
  },
  time: PLAIN,
  json: { ...PLAIN, isLong: long },
  blob: {
    ...PLAIN,
    json: (value) => sql`translate(encode(${value}, 'base64'), ${trusted("E'\\n'")}, '')`,
    isLong: long,
  },
  array: { ...PLAIN, json: arrayJson, isLong: long },
  range: { ...PLAIN, json: rangeJson, stored: rangeStored, isLong: ({ end }) => end.kind === 'decimal' },
  other: { ...PLAIN, json: text, isLong: ({ columnType }) => !SHORT_TYPES.test(columnType) },
}

/** The entry of a type. */
export function sqlTypeOf<T extends ValueType> (type: T): SqlType<T> {
  return SQL_TYPES[type.kind] as unknown as SqlType<T>
}

/** A value of a column (any expression) as something that `row_to_json` and its like write in wire form. */
export function jsonValue (value: Sql, type: ValueType): Sql {
  return sqlTypeOf(type).json(value, type)
}

/** Whether values of a type can be so long that few of them make a large answer. */
export function isLong (type: ValueType): boolean {
  return sqlTypeOf(type).isLong(type)
}

/** A datetime without its zone, as the UTC that a column without a zone holds. */
function inUtc (value: Sql, { zoned }: TypeOf<'datetime'>): Sql {
  return zoned ? sql`(${value} at time zone 'UTC')` : value
}

/** An array of one dimension whose items are not in wire form by themselves; any other is as the database writes it. */
function arrayJson (value: Sql, { element }: TypeOf<'array'>): Sql {
  const item = name('@item')
  const json = jsonValue(item, element)
  if (json === item || element.kind === 'array') return value
  const items =
    sql`select json_agg(${json} order by "@index") from unnest(${value}) with ordinality as "@items"("@item", "@index")`
  return sql`case when ${value} is not null then coalesce((${items}), '[]'::json) end`
}

/** Ranges of numbers are as PostgreSQL writes them; moments would depend on the session's time zone and style of dates. */
function rangeJson (value: Sql, { end }: TypeOf<'range'>): Sql {
  switch (end.kind) {
    case 'integer':
    case 'bigint':
    case 'decimal':
      return value
    case 'date':
      return rangeText(value, isoDate)
    case 'datetime':
      // milliseconds, and microseconds if there are any: an end that was cut off would be another range
      return rangeText(value, (moment) => {
        const iso = sql`to_char(${inUtc(moment, end)}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`
        return sql`coalesce('"' || regexp_replace(${iso}, '000$', '') || 'Z"', ${moment}::text)`
      })
  }
}

function rangeStored (value: Sql, { end }: TypeOf<'range'>): Sql {
  switch (end.kind) {
    case 'integer':
    case 'bigint':
    case 'decimal':
      return text(value)
    case 'date':
      return rangeText(value, isoDate)
    case 'datetime':
      return rangeText(value, (moment) => sql`${inUtc(moment, end)}::text`)
  }
}

const isoDate = (value: Sql): Sql => sql`(to_json(${value}) #>> '{}')`

/** The text of a range, its ends written in another way. */
function rangeText (value: Sql, end: (value: Sql) => Sql): Sql {
  const [lower, upper] = [end(sql`lower(${value})`), end(sql`upper(${value})`)]
  const open = sql`case when lower_inc(${value}) then '[' else '(' end`
  const close = sql`case when upper_inc(${value}) then ']' else ')' end`
  const ends = sql`${open} || coalesce(${lower}, '') || ',' || coalesce(${upper}, '') || ${close}`
  return sql`case when isempty(${value}) then 'empty' when not isempty(${value}) then ${ends} end`
}
