/** The table of wire types in SQL: how values of a type leave the database, and what statements do with them. */
import type { TypeName, TypeOf, ValueType } from '../model/index.ts'
import { literal, name, sql, trusted, type Sql } from './fragment.ts'
import {
  doubleMean, doubleSum, meanAsText, meanOfDecimals, meanOfIntegers, singleMean, singleSum, sum,
} from './sums.ts'

interface SqlType<T extends ValueType> {
  /** A value in a form that `row_to_json` and similar functions write in wire form. */
  json(value: Sql, type: T): Sql

  /** A value as operators, `min` and `max` take it. */
  compared(value: Sql, type: T): Sql

  /** The text from which `readStored` restores a value. It does not depend on the settings of the session. */
  stored(value: Sql, type: T): Sql

  /** Whether values can be so long that few of them make a large answer. */
  isLong(type: T): boolean

  /** Whether values that are equal in one column are also equal in a column that refers to it. */
  isExact(type: T): boolean

  /** Whether many rows are likely to have the same value. */
  readonly repetitive: boolean

  /**
   * The bytes of a value as it is stored, without reading the value. A compressed value counts with its compressed
   * size.
   *
   * @param computed whether the value is that of an expression, not of a column
   */
  size(value: Sql, computed: boolean): Sql

  /** Whether the JSON of a column is a text in SQL. A `case` can return it or another text. */
  readonly isText: boolean

  /** The sum of values. Absent if `sum` is absent in the entry of `src/model/types`. */
  readonly sum: ((operand: Sql, type: T) => Sql) | undefined

  /** The mean of values, in the type that `mean` in `src/model/types` returns. Absent if it is absent there. */
  readonly mean: ((operand: Sql, type: T) => Sql) | undefined

  /** The value that follows a version. MikroORM allows versions that are numbers or times. */
  nextVersion(value: Sql): Sql

  /** A column of a value in `json_populate_recordset`, which gets JSON as a string. */
  fromRecordset(value: Sql): Sql
}

/** At most this many characters count as a short text. It is the default length of a varchar in MikroORM. */
const SHORT = 255

/** Types without a wire form whose text is short. */
const SHORT_TYPES = /^(interval|inet|cidr|macaddr8?|money|oid|timetz|time with time zone)\b/

const itself = (value: Sql): Sql => value
const text = (value: Sql): Sql => sql`${value}::text`
const short = (): boolean => false
const long = (): boolean => true
const exact = (): boolean => true

/** `octet_length` of a text and `pg_column_size` of any value take the size from the header of a stored value. */
const sizeOfBytes = (value: Sql): Sql => sql`octet_length(${value})`
const sizeOfAny = (value: Sql): Sql => sql`pg_column_size(${value})`

/**
 * A value in the type that its domain is based on. PostgreSQL has no operators for domains of enum types, while domains
 * of other types have the operators of their base. A `case` beside a null has the base type, and the planner replaces
 * it by the value before it looks for an index.
 */
const withoutDomain = (value: Sql): Sql => sql`(case when true then ${value} end)`

/** Short values that PostgreSQL writes in wire form. They have no sum. */
const PLAIN = {
  json: itself,
  compared: itself,
  stored: text,
  isLong: short,
  isExact: (): boolean => false,
  repetitive: false,
  size: sizeOfAny,
  isText: false,
  sum: undefined,
  mean: undefined,
  nextVersion: (value: Sql): Sql => sql`${value} + 1`,
  fromRecordset: itself,
} as const

/** Means have the form of their numbers: a string with all digits, or a number in double precision. */
const meanInForm =
  <T extends TypeOf<'bigint' | 'decimal'>>(asNumber: (operand: Sql, type: T) => Sql) => (operand: Sql, type: T): Sql =>
    type.form === 'string' ? meanAsText(operand) : asNumber(operand, type)

/** 64-bit integers and decimals are strings unless the property is declared to be a number. */
const digits = (value: Sql, { form }: TypeOf<'bigint' | 'decimal'>): Sql => form === 'string' ? text(value) : value

const SQL_TYPES: { readonly [Name in TypeName]: SqlType<TypeOf<Name>> } = {
  integer: { ...PLAIN, isExact: exact, repetitive: true, sum, mean: meanOfIntegers },
  bigint: { ...PLAIN, isExact: exact, json: digits, sum, mean: meanInForm(meanOfIntegers) },
  decimal: {
    ...PLAIN,
    json: digits,
    isLong: ({ precision }) => precision === undefined,
    sum,
    mean: meanInForm(meanOfDecimals),
  },
  float: {
    ...PLAIN,
    sum: (operand, { single }) => single ? singleSum(operand) : doubleSum(operand),
    mean: (operand, { single }) => single ? singleMean(operand) : doubleMean(operand),
  },
  boolean: { ...PLAIN, repetitive: true },
  text: {
    ...PLAIN,
    isLong: ({ maxLength }) => maxLength === undefined || maxLength > SHORT,
    // character ignores trailing blanks, and citext ignores case, but the column of the other table may not
    isExact: ({ padded, folded }) => padded !== true && folded !== true,
    size: (value, computed) => computed ? sizeOfAny(value) : sizeOfBytes(value),
    isText: true,
  },
  // a column whose type is unknown here may have a domain of an enum type
  enum: { ...PLAIN, compared: (value, { native }) => native ? withoutDomain(value) : value, repetitive: true },
  uuid: { ...PLAIN, isExact: exact },
  date: { ...PLAIN, repetitive: true },
  datetime: {
    ...PLAIN,
    json: (value, type) => sql`coalesce(${finiteMoment(value, type)}, ${value}::text)`,
    stored: (value, type) => text(inUtc(value, type)),
    nextVersion: () => trusted('clock_timestamp()'),
  },
  time: PLAIN,
  // JSON is bound as text, so a recordset contains it as a string
  json: { ...PLAIN, isLong: long, fromRecordset: (value) => sql`(${value} #>> '{}')::json` },
  blob: {
    ...PLAIN,
    json: (value) => sql`translate(encode(${value}, 'base64'), ${trusted("E'\\n'")}, '')`,
    isLong: long,
    size: sizeOfBytes,
  },
  array: { ...PLAIN, json: arrayJson, isLong: long },
  range: { ...PLAIN, json: rangeJson, stored: rangeStored, isLong: ({ end }) => end.kind === 'decimal' },
  other: { ...PLAIN, json: text, isLong: ({ columnType }) => !SHORT_TYPES.test(columnType) },
}

/** The entry of a type. */
export function sqlTypeOf<T extends ValueType> (type: T): SqlType<T> {
  return SQL_TYPES[type.kind] as unknown as SqlType<T>
}

/** A value of a column (any expression) in a form that `row_to_json` and similar functions write in wire form. */
export function jsonValue (value: Sql, type: ValueType): Sql {
  return sqlTypeOf(type).json(value, type)
}

/** A value of a column (any expression) as operators, `min` and `max` take it. */
export function comparedValue (value: Sql, type: ValueType): Sql {
  return sqlTypeOf(type).compared(value, type)
}

/** Whether values of a type can be so long that few of them make a large answer. */
export function isLong (type: ValueType): boolean {
  return sqlTypeOf(type).isLong(type)
}

/**
 * A datetime in UTC, without its zone. A column without a zone already holds UTC. PostgreSQL would look up the name of
 * a zone for each value, so an offset takes less time.
 */
function inUtc (value: Sql, { zoned }: TypeOf<'datetime'>): Sql {
  return zoned ? sql`(${value} at time zone interval '0')` : value
}

/**
 * ISO 8601 in UTC, with milliseconds, or with microseconds if there are any. ` BC` marks years before 1. Null for
 * infinite datetimes.
 */
function finiteMoment (value: Sql, type: TypeOf<'datetime'>): Sql {
  const moment = inUtc(value, type)
  const isBC = sql`${value} < '0001-01-01Z'`
  // most lists have such columns, and a choice of two constants takes the least time to plan
  if (type.milliseconds) {
    return sql`to_char(${moment}, case when ${isBC} then ${format('.MS"Z BC"')} else ${format('.MS"Z"')} end)`
  }
  const column = trusted(type.zoned ? 'timestamptz(3)' : 'timestamp(3)')
  const form = sql`case when ${value}::${column} = ${value} then ${format('.MS"Z"')} else ${format('.US"Z"')} end`
  return sql`to_char(${moment}, ${form}) || case when ${isBC} then ' BC' else '' end`
}

const format = (end: string): Sql => literal(`YYYY-MM-DD"T"HH24:MI:SS${end}`)

/**
 * The JSON of an array. The database writes it, unless its items need a conversion. An array of more than one dimension
 * then has the texts of its items, or its moments in the time zone of the session.
 */
function arrayJson (value: Sql, { element }: TypeOf<'array'>): Sql {
  const item = name('@item')
  const json = jsonValue(item, element)
  if (json === item) return value
  // not in the from clause, where an item of a composite type would be expanded into its fields
  const items = sql`select json_agg(${json}) from (select unnest(${value}) as ${item}) as "@items"`
  const flat = sql`when ${value} is not null then coalesce((${items}), '[]'::json)`
  const nested = element.kind === 'datetime' ? value : sql`${value}::text[]`
  return sql`case when array_ndims(${value}) > 1 then to_json(${nested}) ${flat} end`
}

/**
 * The JSON of a range. PostgreSQL writes ranges of numbers, but its text of moments would depend on the time zone and
 * date style of the session.
 */
function rangeJson (value: Sql, { end }: TypeOf<'range'>): Sql {
  switch (end.kind) {
    case 'integer':
    case 'bigint':
    case 'decimal':
      return value
    case 'date':
      return rangeText(value, isoDate)
    case 'datetime':
      return rangeText(value, (moment) => sql`coalesce('"' || ${finiteMoment(moment, end)} || '"', ${moment}::text)`)
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

/** The text of a range, with its ends written by a function. */
function rangeText (value: Sql, end: (value: Sql) => Sql): Sql {
  const [lower, upper] = [end(sql`lower(${value})`), end(sql`upper(${value})`)]
  const open = sql`case when lower_inc(${value}) then '[' else '(' end`
  const close = sql`case when upper_inc(${value}) then ']' else ')' end`
  const ends = sql`${open} || coalesce(${lower}, '') || ',' || coalesce(${upper}, '') || ${close}`
  return sql`case when isempty(${value}) then 'empty' when not isempty(${value}) then ${ends} end`
}
