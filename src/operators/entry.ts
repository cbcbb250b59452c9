/** The members of an entry of the operator table. They tell each stage how to treat an operator. */
import type { Converted, SqlValue, ValueType } from '../model/index.ts'

/**
 * How the value of an operator is written in the URL:
 *
 * - `one`: a value of the property's type
 * - `text`: any text, whatever the property's type
 * - `list`: a list of values of the property's type
 * - `pair`: exactly two values of the property's type, the lower one first
 * - `items`: a list of values of the type of an array's items
 * - `part`: a range, or a value that a range can hold
 * - `boolean`: `true` or `false`
 */
export type OperatorValue = 'one' | 'text' | 'list' | 'pair' | 'items' | 'part' | 'boolean'

/** The kinds of values that are lists of texts. */
export const LIST_VALUES: ReadonlySet<OperatorValue> = new Set(['list', 'pair', 'items'])

/** The result of reading the texts of a parameter. */
export type ReadValue =
  /** The values to bind, in the order of the placeholders. */
  | { readonly kind: 'values', readonly values: readonly SqlValue[] }
  /** The test for null, or its opposite. */
  | { readonly kind: 'null', readonly negated: boolean }
  /** Every row satisfies the filter. */
  | { readonly kind: 'nothing' }
  /** A text is not a value of the type. The error says what is `expected`, and quotes the `item` if there is a list. */
  | {
    readonly kind: 'invalid',
    readonly expected: string,
    readonly allowed?: readonly string[],
    readonly item?: string,
  }
  /** A text cannot be read at all, or exceeds a limit. */
  | { readonly kind: 'unreadable', readonly sentence: string, readonly limit: boolean }

/**
 * Reads the value of an operator: one text, or the items of a list.
 *
 * @param convert reads a value of the property's type; if the property is an array, a value of its items' type
 * @param type the type of the property
 */
export type ReadTexts = (
  texts: readonly string[],
  convert: (text: string) => Converted,
  type: ValueType
) => ReadValue

/** SQL with a placeholder for the column. The rest is source code and never comes from a request. */
export type ColumnSql = `${string}{column}${string}`

/** The SQL of an operator, with placeholders for the column and for each bound value. */
type OperatorSql<Value extends OperatorValue> = Value extends 'boolean'
  ? { readonly true: ColumnSql, readonly false: ColumnSql }
  : Value extends 'pair' ? `${ColumnSql}{low}${string}{high}${string}`
    : `${ColumnSql}{value}${string}`

/** How an index finds rows: by order, by the trigrams of a text, by the items of an array, or by what a range holds. */
export type IndexKind = 'order' | 'trigrams' | 'items' | 'ranges'

/**
 * The index that makes an operator fast, on the column or on an expression. `none` means that no index helps, because
 * most rows satisfy the operator.
 */
type OperatorIndex = IndexKind | { readonly kind: IndexKind, readonly key: ColumnSql } | 'none'

/** Everything that the stages need to know about an operator. */
interface FormOf<Value extends OperatorValue> {
  /** How the value is written. The planner, the documentation and the types of clients use it. */
  readonly value: Value
  /**
   * The types of properties that the operator works on.
   *
   * @param custom whether the property has a custom type, defined by the application, that reads values from text
   */
  readonly accepts: (type: ValueType, custom: boolean) => boolean
  /** Converts the texts of a parameter to the values to bind. */
  readonly read: ReadTexts
  /** The SQL of the comparison. */
  readonly sql: OperatorSql<Value>
  /** Tells of a bound value whether all properties satisfy it, except nulls, or none: an empty list after `in`. */
  readonly satisfied?: (value: unknown) => 'by all' | 'by none' | undefined
  /** How it compares texts without accents: a pattern keeps its wildcards. Absent if it does not compare texts. */
  readonly unaccented?: 'pattern' | 'text'
  /** The index that the advice at start-up suggests. */
  readonly index: OperatorIndex
  /** The end of a sentence in the documentation, which begins with "Records whose `price`". */
  readonly meaning: string
  /** Makes an example for the documentation from two values of the property's type, the lower one first. */
  readonly example: (one: unknown, other: unknown) => unknown
}

/** The form of an operator for properties of certain types. */
export type OperatorForm = { [Value in OperatorValue]: FormOf<Value> }[OperatorValue]

/** The form of an operator that compares with values. */
export type ComparisonForm = Exclude<OperatorForm, FormOf<'boolean'>>

/** An entry of the table. An operator may have other forms for arrays and for ranges. */
export type OperatorEntry = OperatorForm & { readonly onArray?: FormOf<'items'>, readonly onRange?: FormOf<'part'> }
