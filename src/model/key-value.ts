/** Converts values of key columns, with the type of the column or the custom type of its property. */
import { comparable } from './codec.ts'
import { convert, fromJson } from './convert.ts'
import type { KeyColumn } from './entity-model.ts'
import type { Converted } from './types/converted.ts'
import { wireTypeOf } from './types/index.ts'

type KeyType = Pick<KeyColumn, 'type' | 'codec'>

/** Converts the text of a key in a path to a value to bind. */
export function keyFromText (text: string, { type, codec }: KeyType): Converted {
  return codec?.toDatabase?.(text) ?? wireTypeOf(type).fromKey?.(text) ?? convert(text, type)
}

/** Converts a key in a body to a value to bind. Nothing is coerced. */
export function keyFromJson (value: unknown, { type, codec }: KeyType): Converted {
  if (value === null || value === undefined) return { ok: false, expected: 'an id' }
  const converted = codec?.fromJson?.(value)
  return converted === undefined ? fromJson(value, type) : comparable(converted)
}
