/** The members of an entry of the operator table: what each stage needs to know of an operator. */
import type { Converted, SqlValue, ValueType } from '../model/index.ts'

/**
 * How the value of an operator is written in the URL:
 *
 * - `one`: a value of the property's type
 * - `text`: any text, whatever the property's type
 * - `list`: values of the property's type
 * - `pair`: exactly two of them, the low one first
 * - `items`: values of the type of an array's items
 * - `part`: a range, or a value that a range can hold
 * - `boolean`: `true` or `false`
 */
export type OperatorValue = 'one' | 'text' | 'list' | 'pair' | 'items' | 'part' | 'boolean'

/** The kinds of values that are lists of texts. */
export const LISTS: ReadonlySet<OperatorValue> = new Set(['list', 'pair', 'items'])

/** What an operator makes of the texts of a parameter. */
export type ReadValue =
  /** The values to bind, in the order of the placeholders. */
  | { readonly kind: 'values', readonly values: readonly SqlValue[] }
  /** The test for null, or its opposite. */
  | { readonly kind: 'null', readonly negated: boolean }
  /** Every row satisfies the filter. */
  | { readonly kind: 'nothing' }
  /** A text is not a value of the type. The refusal says what is `expected`, and cites the item of a list. */
  | {
    readonly kind: 'invalid',
    readonly expected: string,
    readonly allowed?: readonly string[],
    readonly item?: string,
  }
  /** A text cannot be read at all, or exceeds a limit. */
  | { readonly kind: 'unreadable', readonly sentence: string, readonly limit: boolean }

/**
 * Reads the value of an operator: one text, or for lists the items.
 *
 * @param convert reads a value of the property's type, or for an array of its items' type
 * @param type of the property
 */
export type ReadTexts = (
  texts: readonly string[],
  convert: (text: string) => Converted,
  type: ValueType
) => ReadValue

/** SQL with a place for the column. The rest is source code and never comes from a request. */
export type ColumnSql = `${string}{column}${string}`

/** The SQL of an operator, with a place for the column and for each bound value. */
export type OperatorSql<Value extends OperatorValue> = Value extends 'boolean'
  ? { readonly true: ColumnSql, readonly false: ColumnSql }
  : Value extends 'pair' ? `${ColumnSql}{low}${string}{high}${string}`
    : `${ColumnSql}{value}${string}`

/** How an index finds rows: by order, by the trigrams of a text, by the items of an array, or by what ranges hold. */
export type IndexKind = 'order' | 'trigrams' | 'items' | 'ranges'

/** The index that makes an operator fast: on the column, or on an expression. `none`: most rows satisfy the operator. */
export type OperatorIndex = IndexKind | { readonly kind: IndexKind, readonly key: ColumnSql } | 'none'

/** All that the stages need to know of an operator. */
interface FormOf<Value extends OperatorValue> {
  /** How the value is written: for the planner, the documentation and the types of clients. */
  readonly value: Value
  /**
   * The types of properties that the operator works on.
   *
   * @param custom whether the property has a type of the application that reads values from text
   */
  readonly accepts: (type: ValueType, custom: boolean) => boolean
  /** From the texts of a parameter to the values that are bound. */
  readonly plan: ReadTexts
  /** How the comparison is written. */
  readonly sql: OperatorSql<Value>
  /** The index that start-up advice asks for. */
  readonly index: OperatorIndex
  /** The end of a sentence of the documentation: "Records whose `price` ...". */
  readonly meaning: string
  /** An example of the documentation, from two values of the property's type of which the second is not less. */
  readonly example: (one: unknown, other: unknown) => unknown
}

/** An operator as it is on properties of some types. */
export type OperatorForm = { [Value in OperatorValue]: FormOf<Value> }[OperatorValue]

/** An operator that compares with values. */
export type ComparisonForm = Exclude<OperatorForm, FormOf<'boolean'>>

/** An entry of the table. An operator may have another form for arrays and for ranges. */
export type OperatorEntry = OperatorForm & { readonly onArray?: FormOf<'items'>, readonly onRange?: FormOf<'part'> }
