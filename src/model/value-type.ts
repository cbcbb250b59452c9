/**
 * What a column holds, as plain data: enough to read a value from text (`convert.ts`), to write it as JSON
 * (`src/sql`) and to describe it in a schema (`src/schema`). The column type decides, since it is what the
 * database enforces; the declared JavaScript type only tells numbers from strings where JSON could have either.
 */

/** Precision of a wire number: JSON strings keep every digit, JSON numbers are what the property asked for. */
export type NumberForm = 'string' | 'number'

export type ValueType =
  | { readonly kind: 'integer', readonly min: number, readonly max: number }
  | { readonly kind: 'bigint', readonly form: NumberForm }
  | { readonly kind: 'decimal', readonly form: NumberForm, readonly precision?: number, readonly scale?: number }
  | { readonly kind: 'float', readonly single: boolean }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'text', readonly maxLength?: number }
  | { readonly kind: 'enum', readonly items: readonly (string | number)[], readonly native: boolean }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'date' }
  | { readonly kind: 'datetime', readonly zoned: boolean }
  | { readonly kind: 'time' }
  | { readonly kind: 'json', readonly binary: boolean }
  | { readonly kind: 'blob' }
  | { readonly kind: 'array', readonly element: ValueType }
  /** A type this package does not know: it is read as text and can only be tested for null. */
  | { readonly kind: 'other', readonly columnType: string }

/** What decides a value type, apart from the column type. */
export interface Declaration {
  /** MikroORM's `runtimeType`: the JavaScript type that the property was declared with. */
  readonly runtimeType?: string
  /** Members, when the property (or each element of it) is an enum. */
  readonly items?: readonly (string | number)[]
}

const INT16 = { kind: 'integer', min: -32_768, max: 32_767 } as const
const INT32 = { kind: 'integer', min: -2_147_483_648, max: 2_147_483_647 } as const

type Reader = (declared: Declaration, args: readonly number[]) => ValueType

const form = (declared: Declaration): NumberForm => declared.runtimeType === 'number' ? 'number' : 'string'
const int16: Reader = () => INT16
const int32: Reader = () => INT32
const bigint: Reader = (declared) => ({ kind: 'bigint', form: form(declared) })
const decimal: Reader = (declared, [precision, scale]) => ({
  kind: 'decimal',
  form: form(declared),
  precision,
  scale: precision === undefined ? undefined : scale ?? 0,
})
const single: Reader = () => ({ kind: 'float', single: true })
const double: Reader = () => ({ kind: 'float', single: false })
const boolean: Reader = () => ({ kind: 'boolean' })
const text: Reader = (_, [maxLength]) => ({ kind: 'text', maxLength })
const date: Reader = () => ({ kind: 'date' })
const time: Reader = () => ({ kind: 'time' })
const zoned: Reader = () => ({ kind: 'datetime', zoned: true })
const unzoned: Reader = () => ({ kind: 'datetime', zoned: false })

/** PostgreSQL's names for the types we know, aliases included (PostgreSQL manual, chapter 8, table 8.1). */
const READERS: Readonly<Record<string, Reader | undefined>> = {
  // @ts-expect-error a null prototype: no type is called 'constructor'
  __proto__: null,
  smallint: int16,
  int2: int16,
  smallserial: int16,
  integer: int32,
  int: int32,
  int4: int32,
  serial: int32,
  bigint,
  int8: bigint,
  bigserial: bigint,
  numeric: decimal,
  decimal,
  real: single,
  float4: single,
  'double precision': double,
  float8: double,
  boolean,
  bool: boolean,
  text,
  varchar: text,
  'character varying': text,
  char: text,
  character: text,
  bpchar: text,
  citext: text,
  uuid: () => ({ kind: 'uuid' }),
  date,
  time,
  'time without time zone': time,
  timestamptz: zoned,
  'timestamp with time zone': zoned,
  timestamp: unzoned,
  'timestamp without time zone': unzoned,
  json: () => ({ kind: 'json', binary: false }),
  jsonb: () => ({ kind: 'json', binary: true }),
  bytea: () => ({ kind: 'blob' }),
}

/**
 * The value type of a column.
 *
 * @param columnType as MikroORM's metadata has it, e.g. `numeric(10,2)`, `timestamptz(3)`, `text[]`
 * @example
 * valueTypeOf('varchar(40)', {}) // { kind: 'text', maxLength: 40 }
 */
export function valueTypeOf (columnType: string, declared: Declaration): ValueType {
  const name = columnType.toLowerCase().trim()
  if (name.endsWith('[]')) {
    const element = valueTypeOf(name.slice(0, -2), {
      ...declared,
      runtimeType: declared.runtimeType?.replace(/\[\]$/, ''),
    })
    return Object.freeze({ kind: 'array', element })
  }
  const match = /^([a-z0-9 ]+?) *(?:\(([0-9, ]+)\))?( with(?:out)? time zone)?$/.exec(name)
  const read = match && READERS[`${match[1]}${match[3] ?? ''}`]
  if (declared.items !== undefined && declared.items.length > 0) {
    return Object.freeze({ kind: 'enum', items: Object.freeze([...declared.items]), native: !read })
  }
  if (!match || !read) return Object.freeze({ kind: 'other', columnType })
  return Object.freeze(read(declared, match[2]?.split(',').map(Number) ?? []))
}

/** Whether patterns (`like`, `contains`, ...) make sense: the values are text in the database, too. */
export function isTextual (type: ValueType): boolean {
  return type.kind === 'text' ||
    (type.kind === 'enum' && !type.native && type.items.every((item) => typeof item === 'string'))
}

/** Whether `=` is defined for the column type, and a value can be read from text. */
export function isComparable (type: ValueType): boolean {
  switch (type.kind) {
    case 'blob':
    case 'array':
    case 'other':
      return false
    case 'json':
      return type.binary
    default:
      return true
  }
}

/** Whether `<` means something to a user of the API. */
export function isOrdered (type: ValueType): boolean {
  return isComparable(type) && type.kind !== 'json' && type.kind !== 'boolean'
}
