/**
 * The types that other types have as their ends, or as which their values are summed or compared. All others are
 * declared beside their entries.
 */

/** What all types of values have. */
export interface AnyType {
  readonly kind: string
}

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

/** The types of numbers. */
export type NumericType = IntegerType | BigintType | DecimalType | FloatType
