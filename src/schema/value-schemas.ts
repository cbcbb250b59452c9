/** The table of wire types in schemas: the JSON Schema of values, and examples of them. */
import * as Type from '@sinclair/typebox'
import { Kind, type TSchema } from '@sinclair/typebox'
import type { TypeName, TypeOf, ValueType } from '../model/index.ts'
import { decimalAfter, decimalExample, decimalInput, decimalText, decimalValue } from './decimal-schemas.ts'
import { rangeExample, rangeInput, secondRangeExample } from './range-schemas.ts'

interface TypeSchema<T extends ValueType> {
  /** Schema of a value in a record. */
  value(type: T): TSchema

  /**
   * Schema of a value in a body, except for null. It accepts at least what `src/model` converts, and is as narrow as a
   * schema can be. Rules that a schema cannot express (days of a month with a time, digits of a float) are left to the
   * conversion.
   */
  input(type: T): TSchema

  /**
   * Schema of a value in a URL, or of an item of a list there. It describes the meaning of the text in the
   * documentation of parameters.
   */
  text(type: T): TSchema

  /** An example in JSON, which the column can hold. */
  example(type: T): unknown

  /** Another value, not less than the first, if there is one. */
  secondExample(type: T): unknown

  /** Whether clients are likely to set such values: neither JSON nor a type that is only known as text. */
  readonly likely: boolean
}

const UUID = '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'

const CLOCK = '\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,6})?)?'
const DATE = '^(\\d{4,7}-\\d{2}-\\d{2}( BC)?|-?infinity)$'
const DATETIME = `^(\\d{4,6}-\\d{2}-\\d{2}([Tt ]${CLOCK}([Zz]|[+-]\\d{2}(:?\\d{2})?)?)?( BC)?|-?infinity)$`

/** The greatest length of an integer that is written as text. */
const MAX_INTEGER_LENGTH = 40

const string = (): TSchema => Type.String()

/** Uses one schema for records, bodies and URLs. */
const everywhere = <T extends ValueType>(schema: (type: T) => TSchema) => ({
  value: schema,
  input: schema,
  text: schema,
})

const TYPE_SCHEMAS: { readonly [Name in TypeName]: TypeSchema<TypeOf<Name>> } = {
  integer: {
    ...everywhere(({ min, max }) => Type.Integer({ minimum: min, maximum: max })),
    example: ({ max }) => Math.min(10, max),
    secondExample: ({ max }) => Math.min(20, max),
    likely: true,
  },
  bigint: {
    value: ({ form }) => form === 'number' ? Type.Integer() : Type.String({ pattern: '^-?\\d+$' }),
    input: bigintInput,
    text: bigintInput,
    example: bigintExample,
    secondExample: bigintExample,
    likely: true,
  },
  decimal: {
    value: decimalValue,
    input: decimalInput,
    text: decimalText,
    example: decimalExample,
    secondExample: (type) => decimalAfter(decimalExample(type)),
    likely: true,
  },
  float: {
    ...everywhere(() => Type.Number()),
    example: () => 1.5,
    secondExample: () => 2.5,
    likely: true,
  },
  boolean: {
    ...everywhere(() => Type.Boolean()),
    example: () => true,
    secondExample: () => true,
    likely: true,
  },
  text: {
    value: limitedText,
    input: limitedText,
    // text in a URL may be longer than a stored text, because it is only compared
    text: string,
    example: ({ maxLength }) => 'text'.slice(0, maxLength),
    secondExample: ({ maxLength }) => 'word'.slice(0, maxLength),
    likely: true,
  },
  enum: {
    ...everywhere(({ items }) => Type.Unsafe({ enum: [...items], ...enumType(items) })),
    example: ({ items }) => items[0],
    secondExample: ({ items }) => items[1] ?? items[0],
    likely: true,
  },
  uuid: {
    ...everywhere(() => Type.String({ format: 'uuid' })),
    example: () => UUID,
    secondExample: () => UUID,
    likely: true,
  },
  date: {
    value: () => Type.String({ format: 'date' }),
    input: dateInput,
    text: dateInput,
    example: () => '2024-05-31',
    secondExample: () => '2024-12-31',
    likely: true,
  },
  datetime: {
    value: () => Type.String({ format: 'date-time' }),
    input: datetimeInput,
    text: datetimeInput,
    example: () => '2024-05-31T09:30:00Z',
    secondExample: () => '2024-12-31T09:30:00Z',
    likely: true,
  },
  time: {
    value: string,
    input: timeInput,
    text: () => timeInput({ kind: 'time' }),
    example: () => '09:30:00',
    secondExample: () => '09:30:00',
    likely: true,
  },
  json: {
    value: () => Type.Unknown(),
    input: () => Type.Unknown(),
    text: string,
    example: () => ({}),
    secondExample: () => ({}),
    likely: false,
  },
  blob: {
    value: () => Type.String({ contentEncoding: 'base64' }),
    input: () => Type.String({ contentEncoding: 'base64' }),
    text: string,
    example: () => 'AAEC',
    secondExample: () => 'AAEC',
    likely: false,
  },
  array: {
    value: ({ element }) => Type.Array(nullable(valueSchema(element), true)),
    // the check that MikroORM makes for the members of an enum refuses null, and no other column of arrays does
    input: ({ element }) => Type.Array(nullable(inputSchema(element), element.kind !== 'enum' || element.native)),
    text: string,
    example: ({ element }) => [exampleOf(element)],
    secondExample: ({ element }) => [exampleOf(element)],
    likely: false,
  },
  range: {
    value: string,
    input: rangeInput,
    text: rangeInput,
    example: rangeExample,
    secondExample: secondRangeExample,
    likely: true,
  },
  other: {
    ...everywhere(string),
    example: () => 'text',
    secondExample: () => 'text',
    likely: false,
  },
}

function typeSchemaOf<T extends ValueType> (type: T): TypeSchema<T> {
  return TYPE_SCHEMAS[type.kind] as unknown as TypeSchema<T>
}

/** Schema of a value in a record. */
export const valueSchema = (type: ValueType): TSchema => typeSchemaOf(type).value(type)

/** Schema of a value in a body, except for null. */
export const inputSchema = (type: ValueType): TSchema => typeSchemaOf(type).input(type)

/** Schema of a parameter's value, or of an item of its list. */
export const textSchema = (type: ValueType): TSchema => typeSchemaOf(type).text(type)

/** An example of a value in JSON, which the column can hold. */
export const exampleOf = (type: ValueType): unknown => typeSchemaOf(type).example(type)

/** Another value, not less than the first, if there is one. */
export const secondExampleOf = (type: ValueType): unknown => typeSchemaOf(type).secondExample(type)

/** Whether clients are likely to set values of the type. */
export const isLikely = (type: ValueType): boolean => typeSchemaOf(type).likely

const isNullable = (schema: TSchema): boolean =>
  (schema['anyOf'] as TSchema[] | undefined)?.some(({ type }) => type === 'null') ?? false

/** Schema of a value that may be null, if `is` is true. Otherwise the schema itself. */
export function nullable (schema: TSchema, is: boolean): TSchema {
  const anything = Kind in schema && (schema[Kind] === 'Any' || schema[Kind] === 'Unknown')
  return is && !anything && !isNullable(schema) ? Type.Union([schema, Type.Null()]) : schema
}

function bigintInput ({ form }: TypeOf<'bigint'>): TSchema {
  return form === 'number'
    ? Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
    : Type.String({ pattern: '^-?\\d+$', maxLength: MAX_INTEGER_LENGTH })
}

function bigintExample ({ form }: TypeOf<'bigint'>): unknown {
  return form === 'number' ? 10 : '10'
}

function limitedText ({ maxLength }: TypeOf<'text'>): TSchema {
  return maxLength === undefined ? Type.String() : Type.String({ maxLength })
}

/** JSON Schema's own format lacks days of years before 1 and after 9999, and infinite ones. */
function dateInput (): TSchema {
  return Type.String({ pattern: DATE, description: 'YYYY-MM-DD.' })
}

function datetimeInput (): TSchema {
  return Type.String({
    pattern: DATETIME,
    description: 'ISO 8601. A date without a time is midnight, and a time without an offset is UTC.',
  })
}

/** A column with fewer places takes others only if they are 0. */
function timeInput ({ places }: TypeOf<'time'>): TSchema {
  if (places === undefined) return Type.String({ pattern: `^${CLOCK}$` })
  return Type.String({
    pattern: `^\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,${places}}0{0,${6 - places}})?)?$`,
    description: `HH:MM or HH:MM:SS, with at most ${places} digits after the point.`,
  })
}

function enumType (items: readonly (string | number)[]): { type?: string } {
  if (items.every((item) => typeof item === 'string')) return { type: 'string' }
  return items.every((item) => typeof item === 'number') ? { type: 'number' } : {}
}
