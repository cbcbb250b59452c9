/**
 * The rows that follow a place, as conditions that an index on the order can serve. Rows before a place follow it in
 * the reversed order, so this file has only one direction.
 *
 * A condition must bound the index at the start of the page. Otherwise a page deep in the list reads all rows before
 * it. If all terms have one direction and no nulls, the bound is a comparison of rows. Otherwise it is `a >= $1`, and
 * the next terms decide among the rows with `a = $1`.
 *
 * One bound cannot cover both the values and the nulls that follow them. If many rows share a value, one bound cannot
 * cover both the rest of these rows and the rows after them. Each of these parts is a segment with a separate bound.
 */
import type { Slot } from '../plan/index.ts'
import { join, sql, type Sql } from './fragment.ts'

/** A term of an order, and the value that a place has for it. */
export interface PlacedTerm {
  readonly value: Sql
  /** Null if the place is among the nulls. */
  readonly slot: Slot | null
  readonly ascending: boolean
  readonly nullable: boolean
  /** Whether it is a column of the table itself. */
  readonly indexable: boolean
  /** Whether many rows have the same value. */
  readonly repetitive: boolean
}

interface PlaceOptions {
  /** Whether nulls follow the values. Otherwise they come before them. */
  readonly nullsLast: boolean
  /** Whether a row at the place itself is included. */
  readonly inclusive: boolean
}

/** A condition, true for all rows, or false for no rows. */
type Beyond = Sql | boolean

/** At most this many terms are split. Each adds one or two segments. */
const MAX_DEPTH = 3

/** The segments of the order that follow a place, in order. In each segment, all conditions hold. */
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
  // a comparison with null is never true, so these conditions exclude nulls
  const values = { ...term, nullable: false }
  const segments = repetitive && rest.length > 0 && !isUniform([values, ...rest])
    ? [...among(sql`${value} = ${slot}`), [compare(term, false)]]
    : conditionsOf(beyond([values, ...rest], options))
  return nullable && options.nullsLast ? [...segments, [isNull(term)]] : segments
}

/** One condition for all rows that follow. */
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
  // CASE instead of OR: it is cheaper to plan, and the planner does not combine indexes for it
  return sql`${orNull(compare(term, true))} and case when ${term.value} = ${term.slot} then ${among} else true end`
}

const conditionsOf = (
  condition: Beyond
): readonly (readonly Sql[])[] => [condition === true ? [] : [condition === false ? sql`false` : condition]]

const isNull = ({ value }: PlacedTerm): Sql => sql`${value} is null`

/** Whether one comparison of rows describes what follows: all terms have one direction, and no nulls. */
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
