/**
 * The table of wire types: one entry for each type of values. A new type in `ValueType` causes type errors here, in
 * `src/sql/wire-types.ts` and in `src/schema/value-schemas.ts` until each table has an entry for it.
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
import type { TypeName, TypeOf, ValueType } from './value-type.ts'
import type { WireType } from './wire-type.ts'

export const WIRE_TYPES: { readonly [Name in TypeName]: WireType<TypeOf<Name>> } = Object.freeze({
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
  array: arrayOf(wireTypeOf),
  range,
  other,
})

/** The entry of a type. */
export function wireTypeOf<T extends ValueType> (type: T): WireType<T> {
  return WIRE_TYPES[type.kind] as unknown as WireType<T>
}
