/**
 * The types of values. The column type decides, because the database enforces it. The declared JavaScript type only
 * tells numbers from strings if JSON could have either. A new entry causes type errors in `src/sql/wire-types.ts` and
 * in `src/schema/value-schemas.ts` until their tables also have one.
 */
import { arrayOf } from './array.ts'
import { blob } from './blob.ts'
import { boolean } from './boolean.ts'
import { date } from './date.ts'
import { datetime } from './datetime.ts'
import { decimal } from './decimal.ts'
import { float } from './float.ts'
import { bigint, integer } from './integer.ts'
import { json } from './json.ts'
import { other } from './other.ts'
import { range } from './range.ts'
import { enumeration, text } from './text.ts'
import { time } from './time.ts'
import { uuidType } from './uuid.ts'
import type { WireType } from './wire-type.ts'

/** An array, with the type of its elements. */
export interface ArrayType {
  readonly kind: 'array'
  readonly element: ValueType
}

const array: WireType<ArrayType> = arrayOf(wireTypeOf)

const ENTRIES = Object.freeze({
  integer,
  bigint,
  decimal,
  float,
  boolean,
  text,
  enum: enumeration,
  uuid: uuidType,
  date,
  datetime,
  time,
  json,
  blob,
  array,
  range,
  other,
})

/** A type of values, as plain data. */
export type ValueType = Parameters<(typeof ENTRIES)[keyof typeof ENTRIES]['abilities']>[0]

/** The name of a type. */
export type TypeName = ValueType['kind']

/** The value type with a name. */
export type TypeOf<Name extends TypeName> = Extract<ValueType, { readonly kind: Name }>

/** The entries by the names of their types. */
export const WIRE_TYPES: { readonly [Name in TypeName]: WireType<TypeOf<Name>> } = ENTRIES

/** The entry of a type. */
export function wireTypeOf<T extends ValueType> (type: T): WireType<T> {
  return WIRE_TYPES[type.kind] as unknown as WireType<T>
}
