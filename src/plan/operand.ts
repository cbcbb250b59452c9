/** Resolves the end of a path: what filters compare and sorts order by, and how values for it are read from text. */
import type { JsonValueType } from '../config/index.ts'
import { ConfigError } from '../base/errors.ts'
import {
  convert, wireTypeOf, type Converted, type InsideJson, type JsonPath, type Path, type ScalarProperty, type ValueType,
} from '../model/index.ts'
import type { Comparable, JsonValue, Operand, Relevance } from './condition-types.ts'

/**
 * Returns what a filter compares.
 *
 * @param type the type of a value inside of JSON
 * @param what the entry of the whitelist, for messages
 */
export function comparableOf (path: Path, type: JsonValueType | undefined, what: string): Comparable {
  const { property, json } = path
  if (json !== undefined) return jsonValue(property as ScalarProperty, json, type, what)
  return operandOf(path, what)
}

/** Returns what a sort orders by. */
export function operandOf ({ property, json }: Path, what: string): Operand {
  if (json !== undefined) {
    throw new ConfigError(`${what}: '${property.name}' is a JSON column, and only filters can use the values in it.`)
  }
  if (property.kind === 'scalar') return property
  if (property.kind === 'relation' && property.join.kind === 'owner') return property
  throw new ConfigError(
    property.kind === 'embedded'
      ? `${what}: '${property.name}' is an embedded object; name one of its properties.`
      : `${what}: '${property.name}' has no key column to compare; name a property behind it, such as ` +
        `'${property.name}.${property.target.primaryKey[0]!.property.name}'.`
  )
}

/** The type of the values that are compared or sorted. For a key, it is the type of its first column. */
export function firstTypeOf (operand: Comparable | Relevance): ValueType {
  return operand.kind === 'relation' ? operand.key[0]!.type : operand.type
}

/** The codec of an operand's values. For a key, it is that of its first column. */
export const codecOfOperand = (operand: Operand): ScalarProperty['codec'] =>
  operand.kind === 'relation' ? operand.key[0]?.codec : operand.codec

const COMPOSITE_KEY = 'composite key (name a property behind it)'

/** Returns the type of an operand's values, and the function that reads them from text. */
export function valuesOf (operand: Comparable, what: string): TextValues {
  const { type, convert } = typedValuesOf(operand, what)
  const advice = wireTypeOf(type).adviceInUrl?.(type)
  return { type, convert: advice === undefined ? convert : (text) => advised(convert(text), advice) }
}

interface TextValues {
  readonly type: ValueType
  readonly convert: (text: string) => Converted
}

const advised = (converted: Converted, advice: string): Converted =>
  converted.ok ? converted : { ...converted, expected: `${converted.expected} (${advice})` }

function typedValuesOf (operand: Comparable, what: string): TextValues {
  if (operand.kind === 'json' || operand.kind === 'number') {
    return { type: operand.type, convert: (text) => convert(text, operand.type) }
  }
  if (operand.kind === 'scalar' && operand.type.kind === 'array' && operand.codec === undefined) {
    const { element } = operand.type
    return { type: operand.type, convert: (text) => convert(text, element) }
  }
  if (operand.kind === 'scalar') {
    return { type: operand.type, convert: operand.codec?.toDatabase ?? ((text) => convert(text, operand.type)) }
  }
  const [part, ...more] = operand.key
  if (part === undefined) throw new ConfigError(`${what}: '${operand.name}' has no key.`)
  // the only filter for a composite key is isnull
  const type: ValueType = more.length > 0 ? { kind: 'other', columnType: COMPOSITE_KEY } : part.type
  return { type, convert: (more.length > 0 ? undefined : part.codec?.toDatabase) ?? ((text) => convert(text, type)) }
}

export const describe = (type: ValueType): string => type.kind === 'other' ? type.columnType : type.kind

const JSON_TYPES: Readonly<Record<JsonValueType, InsideJson>> = {
  string: { kind: 'text' },
  number: { kind: 'decimal', form: 'number' },
  boolean: { kind: 'boolean' },
}

/** A value inside of a JSON column. It has the declared type, or the type of the embedded property. */
function jsonValue (
  property: ScalarProperty,
  { keys, member }: JsonPath,
  type: JsonValueType | undefined,
  what: string
): JsonValue {
  if (property.codec !== undefined) {
    throw new ConfigError(`${what}: '${property.name}' has a custom type, so the type of a value in it is unknown.`)
  }
  if (member === undefined) {
    // partial filters and searches always declare text
    if (type === undefined) {
      throw new ConfigError(
        `${what}: '${property.name}' is a JSON column; declare the type of the value: { type: 'string' }, 'number' ` +
          "or 'boolean'."
      )
    }
    return { kind: 'json', property, keys, type: JSON_TYPES[type] }
  }
  return { kind: 'json', property, keys, type: storedType(member, what) }
}

/** The type of an embedded property as JSON can compare it. */
function storedType ({ name, type, codec }: ScalarProperty, what: string): InsideJson {
  const inside = codec === undefined ? wireTypeOf(type).insideJson?.(type) : undefined
  if (inside === undefined) {
    throw new ConfigError(`${what}: '${name}' is of type ${describe(type)}, which can't be compared inside of JSON.`)
  }
  return inside
}
