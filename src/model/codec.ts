/** Conversions by a custom type or a serializer, between the database's JSON, the wire and a query string. */
import {
  BigIntType, CharacterType, isRaw, StringType, TextType, Type, UuidType, type EntityProperty, type Platform,
} from '@mikro-orm/core'
import { convert, fromJson } from './convert.ts'
import type { Codec, KeyColumn, ScalarProperty } from './entity-model.ts'
import { withNumbers } from './exact-json.ts'
import { RAW, type Converted } from './types/converted.ts'
import { wireTypeOf, type ValueType } from './types/index.ts'

type CustomType = Type<unknown, unknown>

/** Whether a query string cannot contain values of the type. Only the database reads their text. */
const isOpaque = (type: ValueType): boolean => wireTypeOf(type).fromText === undefined

/**
 * The custom type of a property. MikroORM's own types are excluded, because `src/sql/wire-types.ts` defines their wire
 * form.
 */
function customTypeOf (property: EntityProperty): CustomType | undefined {
  const type = property.customType as CustomType | undefined
  return type !== undefined && Type.getOrmType(type.constructor as never) === undefined ? type : undefined
}

/** MikroORM's types that, without options, convert a value to its text or leave it unchanged. */
const TEXTS: ReadonlySet<unknown> = new Set([BigIntType, UuidType, StringType, TextType, CharacterType])

/** Whether MikroORM binds values in conditions on the property unchanged, or as their text. */
export function isVerbatim ({ customType }: EntityProperty): boolean {
  if (customType === undefined) return true
  if (customType.convertToDatabaseValueSQL !== undefined) return false
  if (customType.convertToDatabaseValue === Type.prototype.convertToDatabaseValue) return true
  const { trim, case: letters } = (customType as StringType).options ?? {}
  return TEXTS.has(customType.constructor) && !trim && letters === undefined
}

/** The value that MikroORM would pass to a serializer. */
function hydrate (value: unknown, type: ValueType, runtimeType: string): unknown {
  const { forSerializer } = wireTypeOf(type)
  return value === null || forSerializer === undefined ? value : forSerializer(value, runtimeType)
}

/** The codec of a property, or `undefined` if the database alone produces its wire form. */
export function codecOf (property: EntityProperty, type: ValueType, platform: Platform): Codec | undefined {
  const custom = customTypeOf(property)
  const serializer = property.serializer
  if (custom === undefined && serializer === undefined) return undefined

  const toWire = (given: unknown): unknown => {
    const value = withNumbers(given)
    const hydrated = custom === undefined
      ? hydrate(value, type, property.runtimeType)
      : value === null
        ? null
        : custom.convertToJSValue(value, platform)
    if (serializer !== undefined) return serializer(hydrated, {})
    return custom === undefined || hydrated === null ? hydrated : custom.toJSON(hydrated, platform)
  }
  const oneWay = serializer !== undefined && { oneWay: true as const }
  if (custom === undefined) return Object.freeze({ toWire, ...oneWay })

  const bindable = (value: unknown): Converted => {
    if (value === null || value === undefined) return { ok: false, expected: 'a value of its type' }
    if (isRaw(value)) return RAW
    if (ArrayBuffer.isView(value)) {
      return { ok: true, value: Buffer.from(value.buffer, value.byteOffset, value.byteLength) }
    }
    if (type.kind === 'array' && Array.isArray(value)) return fromJson(value, type)
    const text = value instanceof Date
      ? value.toISOString()
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
    // the type's SQL returns a value of the column type, and only that SQL knows the type of its input
    const known = !isOpaque(type) && custom.convertToDatabaseValueSQL === undefined
    return convert(text, known ? type : { kind: 'text' })
  }
  const toDatabase = (value: unknown, mode: 'query' | 'hydration'): Converted => {
    try {
      return bindable(custom.convertToDatabaseValue(value, platform, { fromQuery: mode === 'query', mode }))
    } catch {
      // the type rejects a value by throwing
      return { ok: false, expected: 'a value of its type' }
    }
  }

  /** The converted value, if it fits into the column. */
  const limited = (converted: Converted): Converted =>
    converted.ok && !converted.raw && type.kind === 'text' && custom.convertToDatabaseValueSQL === undefined
      ? fromJson(converted.value, type)
      : converted

  return Object.freeze(
    {
      toWire,
      ...oneWay,
      read: custom.convertToJSValueSQL && ((column: string) => custom.convertToJSValueSQL!(column, platform)),
      write: custom.convertToDatabaseValueSQL && custom.convertToDatabaseValueSQL('?', platform),
      toDatabase: (text) => comparable(toDatabase(text, 'query')),
      fromJson: (value) => limited(toDatabase(value, 'hydration')),
    } satisfies Codec
  )
}

/** Refuses a value of which its type makes SQL: statements compare columns with bound values. */
export const comparable = (converted: Converted): Converted =>
  converted.ok && converted.raw ? { ok: false, expected: 'left out: its type makes SQL of the value' } : converted

/** Converts a value to the form in the entity class. It is `undefined` if that is the form in a body. */
export function hydratorOf (property: EntityProperty, type: ValueType, platform: Platform): ScalarProperty['hydrate'] {
  const custom = property.customType as CustomType | undefined
  if (custom?.convertToDatabaseValueSQL !== undefined) return (json) => custom.convertToJSValue(json, platform)
  if (customTypeOf(property) !== undefined) return (_, value) => custom!.convertToJSValue(value, platform)
  const { inEntity } = wireTypeOf(type)
  if (typeof inEntity === 'function') return (_, value) => inEntity(value)
  return inEntity === 'converted' && custom !== undefined
    ? (_, value) => custom.convertToJSValue(value, platform)
    : undefined
}

/** The facts about a column on which the conversion of its values depends. */
export type ConvertedColumn = Pick<KeyColumn, 'type' | 'codec'>

/** Converts the text of a key in a path to a value to bind. */
export function keyFromText (text: string, { type, codec }: ConvertedColumn): Converted {
  return codec?.toDatabase?.(text) ?? wireTypeOf(type).fromKey?.(text) ?? convert(text, type)
}

/** Converts a key in a body to a value to bind. Nothing is coerced. */
export function keyFromJson (value: unknown, { type, codec }: ConvertedColumn): Converted {
  if (value === null || value === undefined) return missingKey(codec?.fromJson === undefined ? type : undefined)
  const converted = codec?.fromJson?.(value)
  return converted === undefined ? fromJson(value, type) : comparable(converted)
}

/** Refuses null as a key, with the form of a key if its type is known. */
function missingKey (type: ValueType | undefined): Converted {
  const read = type && fromJson(null, type)
  return read?.ok === false ? read : { ok: false, expected: 'a value of its type' }
}
