/**
 * The types of values, as plain data. The column type decides, because the database enforces it. The declared
 * JavaScript type only tells numbers from strings if JSON could have either. The tables in `index.ts`,
 * `src/sql/wire-types.ts` and `src/schema/value-schemas.ts` say how values of a type are read and written.
 */

/** Form of a number in JSON. Strings keep every digit. Numbers are used if the property is declared to be a number. */
export type NumberForm = 'string' | 'number'

export interface IntegerType {
  readonly kind: 'integer'
  readonly min: number
  readonly max: number
}

export interface BigintType {
  readonly kind: 'bigint'
  readonly form: NumberForm
}

export interface DecimalType {
  readonly kind: 'decimal'
  readonly form: NumberForm
  readonly precision?: number
  readonly scale?: number
}

export interface FloatType {
  readonly kind: 'float'
  readonly single: boolean
}

export interface BooleanType {
  readonly kind: 'boolean'
}

export interface TextType {
  readonly kind: 'text'
  readonly maxLength?: number
  /** The type is `character`, which ignores trailing blanks. */
  readonly padded?: true
  /** The type is `citext`, which ignores case by the rules of the database. */
  readonly folded?: true
}

export interface EnumType {
  readonly kind: 'enum'
  readonly items: readonly (string | number)[]
  /** Whether the database has a type for the enum. */
  readonly native: boolean
}

export interface UuidType {
  readonly kind: 'uuid'
}

export interface DateType {
  readonly kind: 'date'
}

export interface DatetimeType {
  readonly kind: 'datetime'
  readonly zoned: boolean
  /** The column keeps no more than milliseconds. */
  readonly milliseconds?: true
}

export interface TimeType {
  readonly kind: 'time'
}

export interface JsonType {
  readonly kind: 'json'
  readonly binary: boolean
}

export interface BlobType {
  readonly kind: 'blob'
}

export interface ArrayType {
  readonly kind: 'array'
  readonly element: ValueType
}

/** The types of the ends of ranges. */
export type EndType = BigintType | DateType | DatetimeType | DecimalType | IntegerType

export interface RangeType {
  readonly kind: 'range'
  /** The type of its ends. */
  readonly end: EndType
}

/**
 * A type that this package does not know. Its values are read as texts. They can only be tested for null, and compared
 * as keys.
 */
export interface OtherType {
  readonly kind: 'other'
  readonly columnType: string
}

export type ValueType =
  | IntegerType
  | BigintType
  | DecimalType
  | FloatType
  | BooleanType
  | TextType
  | EnumType
  | UuidType
  | DateType
  | DatetimeType
  | TimeType
  | JsonType
  | BlobType
  | ArrayType
  | RangeType
  | OtherType

/** The name of a type. */
export type TypeName = ValueType['kind']

/** The value type with a name. */
export type TypeOf<Name extends TypeName> = Extract<ValueType, { readonly kind: Name }>
