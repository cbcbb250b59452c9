/**
 * A wire type: everything that this package needs to know about a type of values, except for SQL and schemas. Every
 * type has one entry in the table of `index.ts`.
 */
import type {
  AnyType, BooleanType, DateType, DecimalType, EnumType, NumericType, TextType, UuidType,
} from './basic-types.ts'
import type { Converted, SqlValue } from './converted.ts'

/** The declarations that, besides the column type, decide a value type. */
export interface Declaration {
  /** MikroORM's `runtimeType`: the JavaScript type that the property was declared with. */
  readonly runtimeType?: string
  /** The members, if the property (or each element of it) is an enum. */
  readonly items?: readonly (string | number)[]
}

/**
 * Builds the type of a column from the declaration and the arguments of the column type, such as `10, 2` of
 * `numeric(10,2)`.
 */
export type FromColumn<T extends AnyType> = (declared: Declaration, args: readonly number[]) => T

/** What operators, sorts and aggregates can do with values. */
export interface Abilities {
  /** `=` is defined: `eq`, `ne`, `in`, `nin`, sorting and cursors. */
  readonly comparable: boolean
  /** `<` is meaningful for clients: `lt`, `lte`, `gt`, `gte`, `between`. */
  readonly ordered: boolean
  /** Patterns can be matched: the values are also text in the database. */
  readonly textual: boolean
}

export const INCOMPARABLE: Abilities = Object.freeze({ comparable: false, ordered: false, textual: false })
export const COMPARABLE: Abilities = Object.freeze({ comparable: true, ordered: false, textual: false })
export const ORDERED: Abilities = Object.freeze({ comparable: true, ordered: true, textual: false })
export const TEXTUAL: Abilities = Object.freeze({ comparable: true, ordered: true, textual: true })

/** The types as which values inside JSON are compared. */
export type InsideJson = BooleanType | DateType | DecimalType | EnumType | TextType | UuidType

/** Column types that properties of one kind can read alike. */
export type TypeFamily =
  | 'bits'
  | 'boolean'
  | 'bytes'
  | 'composite'
  | 'date'
  | 'enum'
  | 'geometry'
  | 'interval'
  | 'json'
  | 'network'
  | 'number'
  | 'range'
  | 'text'
  | 'time'
  | 'timestamp'
  | 'uuid'

/** A value in the form that it already has. */
export const unchanged = (value: unknown): unknown => value

export interface WireType<T extends AnyType> {
  /** PostgreSQL's names of the column types, in lower case, aliases included (manual, chapter 8, table 8.1). */
  readonly columns: Readonly<Record<string, FromColumn<T>>>

  abilities(type: T): Abilities

  /** Whether all versions of the database have min and max for the values. */
  readonly extremes: boolean

  /** The type of a sum. Absent if values cannot be summed. */
  sum?(type: T): NumericType

  /** The type of a mean. Absent if values have no mean. */
  mean?(type: T): NumericType

  /**
   * Converts text of a URL to a value that PostgreSQL's text input reads without loss. It rejects a text that is not
   * exact. Absent if a URL cannot contain values of the type.
   */
  fromText?(text: string, type: T): Converted

  /** Converts the text of a key, which is compared by `=` only. If absent, `fromText` does it. */
  fromKey?(text: string): Converted

  /**
   * Advice for the message when a text in a URL is rejected. The text may have been correct before it was put into the
   * URL.
   */
  adviceInUrl?(type: T): string | undefined

  /** Converts JSON of a body that is not null, as the inverse of the wire form. Nothing is coerced. */
  fromJson(value: unknown, type: T): Converted

  /** Whether `fromJson` accepts only values that are bound unchanged. */
  readonly bound?: true

  /**
   * Writes a value that the application gives, in a scope or in `values`, in the form that bodies have. A Date is
   * written as ISO 8601 before.
   */
  toBody(value: unknown, type: T): unknown

  /** Whether `fromJson` converts a Date. */
  readonly takesDates: boolean

  /**
   * Converts a text that the database wrote for a value of a column and that came back from a client. The result is
   * `undefined` for a text that no column of the type can have.
   *
   * @param computed whether the column is an expression, whose type of number may differ from the declared one
   */
  fromStored(text: string, type: T, computed: boolean): SqlValue | undefined

  /**
   * A value of a condition, such as a `Date` in a scope, to a value that the column can hold. Without it, or with
   * `undefined`, MikroORM compiles the condition.
   */
  fromCondition?(value: unknown, type: T): SqlValue | undefined

  /**
   * Converts a value of a scope to the value that a column must hold to be equal to it. The application may write the
   * value in several ways: a `Date` for a date, the text of a header for an integer. Absent if the JSON of a body is
   * the only way.
   */
  fromScope?(value: unknown, type: T): Converted

  /**
   * The text of a converted value that it has in common with all others which are the same for the database, such as
   * `1.5` and `1.50`, as far as the type tells. If absent, that is the text of the value.
   */
  canonical?(value: SqlValue, type: T): string

  /**
   * Whether two converted values with different canonical texts are the same value for the database. The result is
   * `undefined` if only the database can tell. If absent, such values are never the same.
   */
  isSame?(one: SqlValue, other: SqlValue, type: T): boolean | undefined

  /**
   * The type as which values inside JSON are compared. They cannot be compared if it is absent or returns `undefined`.
   */
  insideJson?(type: T): InsideJson | undefined

  /**
   * The form of a value in an entity class: its JSON, the result of MikroORM's type for the bound value, or the result
   * of a function.
   */
  readonly inEntity: 'json' | 'converted' | ((value: SqlValue) => unknown)

  /** Converts JSON of a record to the value that MikroORM would pass to a serializer. If absent, that is the JSON. */
  forSerializer?(json: unknown, runtimeType: string): unknown

  /** Whether values are numbers, dates or times. CSV cells with such values are never formulas. */
  readonly numeric: boolean

  /** Whether keys of rows usually have the type, so that a column with it may say whose a row is. */
  readonly usualKey?: true

  /** Whether the text of a value in the database is its wire form and needs no escaping in a path. */
  readonly plainInPath: boolean

  /**
   * The families of column types that a property of the type can read and write. `undefined` if nothing is known about
   * them.
   */
  families?(type: T): readonly TypeFamily[]

  /** Whether the text of a bound value means the same inside JSON (`json_populate_recordset`). */
  readonly plainInJson: boolean
}
