/**
 * A wire type: all that this package has to know of a type of values before SQL and schemas come in. Every type has one
 * entry in the table of `index.ts`.
 */
import type { Converted, SqlValue } from './converted.ts'
import type { BooleanType, DateType, DecimalType, EnumType, TextType, UuidType, ValueType } from './value-type.ts'

/** What decides a value type, apart from the column type. */
export interface Declaration {
  /** MikroORM's `runtimeType`: the JavaScript type that the property was declared with. */
  readonly runtimeType?: string
  /** Members, when the property (or each element of it) is an enum. */
  readonly items?: readonly (string | number)[]
}

/** The type of a column, by what the property declares and the arguments of the column type: `10, 2` of `numeric(10,2)`. */
export type FromColumn<T extends ValueType> = (declared: Declaration, args: readonly number[]) => T

/** What operators, sorts and aggregates make of values. */
export interface Abilities {
  /** `=` is defined: `eq`, `ne`, `in`, `nin`, sorting and cursors. */
  readonly comparable: boolean
  /** `<` means something to a user of the API: `lt`, `lte`, `gt`, `gte`, `between`. */
  readonly ordered: boolean
  /** Patterns match: values are text in the database, too. */
  readonly textual: boolean
}

export const INCOMPARABLE: Abilities = Object.freeze({ comparable: false, ordered: false, textual: false })
export const COMPARABLE: Abilities = Object.freeze({ comparable: true, ordered: false, textual: false })
export const ORDERED: Abilities = Object.freeze({ comparable: true, ordered: true, textual: false })
export const TEXTUAL: Abilities = Object.freeze({ comparable: true, ordered: true, textual: true })

/** The types that values inside of JSON are compared as. */
export type InsideJson = BooleanType | DateType | DecimalType | EnumType | TextType | UuidType

export interface WireType<T extends ValueType> {
  /** PostgreSQL's names of the column types, in lower case, aliases included (manual, chapter 8, table 8.1). */
  readonly columns: Readonly<Record<string, FromColumn<T>>>

  abilities(type: T): Abilities

  /** Whether the database has a least and a greatest of values in all of its versions. */
  readonly extremes: boolean

  /** The type of a sum. Without it values have no sum. */
  sum?(type: T): ValueType

  /** The type of a mean. Without it values have no mean. */
  mean?(type: T): ValueType

  /**
   * Text of a URL to a value that PostgreSQL's text input reads without loss: exact or refused, never a guess. Without it
   * a URL cannot have a value.
   */
  fromText?(text: string, type: T): Converted

  /** What a refusal of a text in a URL adds, as the text may have been right before it was put into the URL. */
  adviceInUrl? (type: T): string | undefined

  /** JSON of a body, not null, to a value: the inverse of the wire form. Nothing is coerced. */
  fromJson(value: unknown, type: T): Converted

  /**
   * Text that the database itself wrote for a value of a column, and that has been in a client's hands, to a value.
   * `undefined` for a text that no column of the type has.
   *
   * @param computed the column is an expression, which may be of another type of number than it is declared to be
   */
  fromStored(text: string, type: T, computed: boolean): SqlValue | undefined

  /** A value of a MikroORM condition to a value that the column can hold. Without it MikroORM compiles such conditions. */
  fromCondition?(value: unknown, type: T): SqlValue | undefined

  /** How values are compared inside of JSON. Without it, or with `undefined`, they are not. */
  insideJson?(type: T): InsideJson | undefined

  /**
   * How an entity class has a value: as its JSON, as MikroORM's type makes it of the bound value, or as the function
   * does.
   */
  readonly inEntity: 'json' | 'converted' | ((value: SqlValue) => unknown)

  /** JSON of a record to what MikroORM would hand to a serializer. Without it that is the JSON. */
  forSerializer?(json: unknown, runtimeType: string): unknown

  /** Whether values are numbers, dates or times: of these, no CSV cell is a formula. */
  readonly numeric: boolean

  /** Whether the database's text of a value is its wire form, and needs no escape in a path. */
  readonly plainInPath: boolean

  /** Whether the text of a bound value is read in the same way inside of JSON (`json_populate_recordset`). */
  readonly plainInJson: boolean
}
