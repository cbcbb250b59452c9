/** The schema of a value that may be null. */
import { Kind, Type, type TSchema } from '@sinclair/typebox'

const isNullable = (schema: TSchema): boolean =>
  (schema['anyOf'] as TSchema[] | undefined)?.some(({ type }) => type === 'null') ?? false

/** Schema of a value that may be null, if `is` is true. Otherwise the schema itself. */
export function nullable (schema: TSchema, is: boolean): TSchema {
  const anything = Kind in schema && (schema[Kind] === 'Any' || schema[Kind] === 'Unknown')
  return is && !anything && !isNullable(schema) ? Type.Union([schema, Type.Null()]) : schema
}
