/**
 * The rows that follow a place, as conditions that an index on the order can serve. (Those before it follow it in the
 * reversed order: here there is only one way.)
 *
 * A condition must bound the index where the page begins, or a page deep in the list reads everything before it. Where
 * terms have one direction and no nulls, that is a comparison of rows. For others it is `a >= $1`, and then, among the
 * rows where `a = $1`, what the next terms say. Two things can't be one bound: values, and the nulls that follow them;
 * and the rest of many rows with one value, and the rows after them. These are segments of their own, each with a bound.
 */
import type { Slot } from '../plan/index.ts'
import { join, sql, type Sql } from './fragment.ts'

/** A term of an order, and the value that a place has for it. */
export interface PlacedTerm {
  readonly value: Sql
  /** Null where the place is among the nulls. */
  readonly slot: Slot | null
  readonly ascending: boolean
  readonly nullable: boolean
  /** A column of the table itself. */
  readonly indexable: boolean
  /** Many rows have the same value. */
  readonly repetitive: boolean
}

export interface PlaceOptions {
  /** Nulls follow the values; else they come before them. */
  readonly nullsLast: boolean
  /** A row at the place itself is one of them. */
  readonly inclusive: boolean
}

/** All rows, or none. */
type Beyond = Sql | boolean

/** Terms that may be split, at most: each adds a segment or two. */
const MAX_DEPTH = 3

/** The segments of the order that follow a place, in order, as conditions that all hold. */
export function placeSegments (
  terms: readonly PlacedTerm[],
  options: PlaceOptions,
  depth = 0
): readonly (readonly Sql[])[] {
  const [term, ...rest] = terms
  if (term === undefined || !term.indexable || depth === MAX_DEPTH) return conditionsOf(beyond(terms, options))
  const { value, slot, nullable, repetitive } = term
  const among = (condition: Sql) => placeSegments(rest, options, depth + 1).map((segment) => [condition, ...segment])

  if (slot === null) {
    return options.nullsLast
      ? among(isNull(term))
      : [...among(isNull(term)), [sql`${value} is not null`]]
  }
  // a comparison with null is not true, so that these conditions leave nulls out
  const values = { ...term, nullable: false }
  const segments = repetitive && rest.length > 0 && !isUniform([values, ...rest])
    ? [...among(sql`${value} = ${slot}`), [compare(term, false)]]
    : conditionsOf(beyond([values, ...rest], options))
  return nullable && options.nullsLast ? [...segments, [isNull(term)]] : segments
}

/** One condition for all that follows. */
function beyond (terms: readonly PlacedTerm[], options: PlaceOptions): Beyond {
  const [term, ...rest] = terms
  if (term === undefined) return options.inclusive
  if (term.slot === null) {
    const among = beyond(rest, options)
    if (!options.nullsLast) {
      return among === true
        ? true
        : sql`case when ${isNull(term)} then ${among === false ? sql`false` : among} else true end`
    }
    return typeof among === 'boolean' ? among && isNull(term) : sql`${isNull(term)} and ${among}`
  }
  const orNull = (condition: Sql) =>
    term.nullable && options.nullsLast ? sql`(${condition} or ${isNull(term)})` : condition
  if (isUniform([{ ...term, nullable: false }, ...rest])) return orNull(compareRows(terms, options.inclusive))
  const among = beyond(rest, options)
  if (typeof among === 'boolean') return orNull(compare(term, among))
  // CASE instead of OR: cheaper to plan, and nobody takes it for a reason to combine indexes
  return sql`${orNull(compare(term, true))} and case when ${term.value} = ${term.slot} then ${among} else true end`
}

const conditionsOf = (
  condition: Beyond
): readonly (readonly Sql[])[] => [condition === true ? [] : [condition === false ? sql`false` : condition]]

const isNull = ({ value }: PlacedTerm): Sql => sql`${value} is null`

/** Whether a comparison of rows says what follows: one direction, and no nulls. */
function isUniform (terms: readonly PlacedTerm[]): boolean {
  return terms.every(({ ascending, nullable, slot }) => ascending === terms[0]!.ascending && !nullable && slot !== null)
}

function compare ({ value, slot, ascending }: PlacedTerm, inclusive: boolean): Sql {
  return sql`${value} ${operator(ascending, inclusive)} ${slot!}`
}

function compareRows (terms: readonly PlacedTerm[], inclusive: boolean): Sql {
  if (terms.length === 1) return compare(terms[0]!, inclusive)
  const values = join(terms.map(({ value }) => value))
  const slots = join(terms.map(({ slot }) => sql`${slot!}`))
  return sql`(${values}) ${operator(terms[0]!.ascending, inclusive)} (${slots})`
}

function operator (ascending: boolean, inclusive: boolean): Sql {
  return ascending ? inclusive ? sql`>=` : sql`>` : inclusive ? sql`<=` : sql`<`
}
