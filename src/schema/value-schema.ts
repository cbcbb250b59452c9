/** The JSON Schema of a value in wire form. */
import { Kind, Type, type TSchema } from '@sinclair/typebox'
import type { ValueType } from '../model/index.ts'

/** Schema of what a record shows of a value type. */
export function valueSchema (type: ValueType): TSchema {
  switch (type.kind) {
    case 'integer':
      return Type.Integer({ minimum: type.min, maximum: type.max })
    case 'bigint':
      return type.form === 'number' ? Type.Integer() : Type.String({ pattern: '^-?\\d+$' })
    case 'decimal':
      return type.form === 'number' ? Type.Number() : Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' })
    case 'float':
      return Type.Number()
    case 'boolean':
      return Type.Boolean()
    case 'text':
      return type.maxLength === undefined ? Type.String() : Type.String({ maxLength: type.maxLength })
    case 'enum':
      return Type.Unsafe({ enum: [...type.items], ...enumType(type.items) })
    case 'uuid':
      return Type.String({ format: 'uuid' })
    case 'date':
      return Type.String({ format: 'date' })
    case 'datetime':
      return Type.String({ format: 'date-time' })
    case 'time':
      return Type.String()
    case 'json':
      return Type.Unknown()
    case 'blob':
      return Type.String({ contentEncoding: 'base64' })
    case 'array':
      return Type.Array(valueSchema(type.element))
    case 'other':
      return Type.String()
  }
}

function enumType (items: readonly (string | number)[]): { type?: string } {
  if (items.every((item) => typeof item === 'string')) return { type: 'string' }
  return items.every((item) => typeof item === 'number') ? { type: 'number' } : {}
}

const isNullable = (schema: TSchema): boolean =>
  (schema['anyOf'] as TSchema[] | undefined)?.some(({ type }) => type === 'null') ?? false

/** Schema of a value that may be null. */
export function nullable (schema: TSchema, is: boolean): TSchema {
  const anything = Kind in schema && (schema[Kind] === 'Any' || schema[Kind] === 'Unknown')
  return is && !anything && !isNullable(schema) ? Type.Union([schema, Type.Null()]) : schema
}
