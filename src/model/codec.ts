/** What a custom type or a serializer makes of a value, between the database's JSON, the wire and a query string. */
import {
  BigIntType,
  CharacterType,
  StringType,
  TextType,
  Type,
  UuidType,
  type EntityProperty,
  type Platform,
} from '@mikro-orm/core'
import { convert, fromJson } from './convert.ts'
import type { Codec, ScalarProperty } from './entity-model.ts'
import { withNumbers } from './exact-json.ts'
import type { Converted } from './types/converted.ts'
import { wireTypeOf } from './types/index.ts'
import type { ValueType } from './types/value-type.ts'

type CustomType = Type<unknown, unknown>

/** Types whose values a query string can't have, and whose text is for the database to read. */
const isOpaque = (type: ValueType): boolean => wireTypeOf(type).fromText === undefined

/** The property's own type, unless it is one of MikroORM's: those have a wire form of their own (`src/sql/json.ts`). */
function customTypeOf (property: EntityProperty): CustomType | undefined {
  const type = property.customType as CustomType | undefined
  return type !== undefined && Type.getOrmType(type.constructor as never) === undefined ? type : undefined
}

/** MikroORM's types that convert a value to its text, or not at all, unless they are told to. */
const TEXTS: ReadonlySet<unknown> = new Set([BigIntType, UuidType, StringType, TextType, CharacterType])

/** Whether MikroORM binds values of conditions on the property as they are given, or as their text. */
export function isVerbatim ({ customType }: EntityProperty): boolean {
  if (customType === undefined) return true
  if (customType.convertToDatabaseValueSQL !== undefined) return false
  if (customType.convertToDatabaseValue === Type.prototype.convertToDatabaseValue) return true
  const { trim, case: letters } = (customType as StringType).options ?? {}
  return TEXTS.has(customType.constructor) && !trim && letters === undefined
}

/** The value that MikroORM would hand to a serializer. */
function hydrate (value: unknown, type: ValueType, runtimeType: string): unknown {
  const { forSerializer } = wireTypeOf(type)
  return value === null || forSerializer === undefined ? value : forSerializer(value, runtimeType)
}

/** The codec of a property, or `undefined` when its wire form is made by the database alone. */
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
  if (custom === undefined) return Object.freeze({ toWire })

  const bindable = (value: unknown): Converted => {
    if (value === null || value === undefined) return { ok: false, expected: 'a value of its type' }
    if (ArrayBuffer.isView(value)) {
      return { ok: true, value: Buffer.from(value.buffer, value.byteOffset, value.byteLength) }
    }
    if (type.kind === 'array' && Array.isArray(value)) return fromJson(value, type)
    const text = value instanceof Date
      ? value.toISOString()
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
    // what SQL makes of a value is of the column's type; the value itself is of a type that only the SQL knows
    const known = !isOpaque(type) && custom.convertToDatabaseValueSQL === undefined
    return convert(text, known ? type : { kind: 'text' })
  }
  const toDatabase = (value: unknown, mode: 'query' | 'hydration'): Converted => {
    try {
      return bindable(custom.convertToDatabaseValue(value, platform, { fromQuery: mode === 'query', mode }))
    } catch {
      // the type's own way to refuse a value
      return { ok: false, expected: 'a value of its type' }
    }
  }

  /** What a type makes of anything has to fit into its column. */
  const limited = (converted: Converted): Converted =>
    converted.ok && type.kind === 'text' && custom.convertToDatabaseValueSQL === undefined
      ? fromJson(converted.value, type)
      : converted

  return Object.freeze(
    {
      toWire,
      read: custom.convertToJSValueSQL && ((column: string) => custom.convertToJSValueSQL!(column, platform)),
      write: custom.convertToDatabaseValueSQL && custom.convertToDatabaseValueSQL('?', platform),
      toDatabase: (text) => toDatabase(text, 'query'),
      fromJson: (value) => limited(toDatabase(value, 'hydration')),
    } satisfies Codec
  )
}

/** How the entity class has the values of a property, or `undefined` when that is how a body has them. */
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
