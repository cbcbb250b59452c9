/**
 * The types of values, as plain data: what a column holds. The column type decides, since it is what the database
 * enforces; the declared JavaScript type only tells numbers from strings where JSON could have either. How values of a
 * type are read and written is its entry in the tables: `index.ts`, `src/sql/wire-types.ts` and `src/schema/wire-types.ts`.
 */

/** Form of a number in JSON: strings keep every digit, numbers are used if the property is declared to be a number. */
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
  /** The type is `character`: blanks at the end mean nothing. */
  readonly padded?: true
}

export interface EnumType {
  readonly kind: 'enum'
  readonly items: readonly (string | number)[]
  /** The database knows the enum as a type. */
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

/** The types that ranges are of. */
export type EndType = BigintType | DateType | DatetimeType | DecimalType | IntegerType

export interface RangeType {
  readonly kind: 'range'
  /** The type of its ends. */
  readonly end: EndType
}

/** A type this package does not know: it is read as text and can only be tested for null. */
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

/** The types of a name. */
export type TypeOf<Name extends TypeName> = Extract<ValueType, { readonly kind: Name }>
