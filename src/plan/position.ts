/** Plans pages that start at a place in an order, and checks whether there are rows on the other side of the place. */
import { readStored, type SqlValue } from '../model/index.ts'
import { isComputed, isNullableTerm, typeOfTerm } from './order.ts'
import type { OrderTerm } from './condition-types.ts'
import type { KeysetPlan, Place } from './plan-types.ts'

/** A place in the order of a list, before its values are bound. */
export interface Position extends Omit<Place, 'slots'> {
  /** The values to bind, one for each term of the order. */
  readonly values: readonly SqlValue[]
}

interface PageOptions {
  /** Number of rows in the page. Default: the limit of the plan. */
  readonly limit?: number
  /** Also fetch the row that is exactly at the position. Default: false. */
  readonly witness?: boolean
}

/**
 * Plans the page at a position of the same list.
 *
 * @example
 * // the page after the last row of another
 * planPage(plan, readPosition({ side: 'after', inclusive: false, texts: last }, plan.order)!)
 */
export function planPage (
  plan: KeysetPlan,
  { side, inclusive, texts, values }: Position,
  { limit = plan.limit, witness = false }: PageOptions = {}
): KeysetPlan {
  const { fetchSlot, spare } = plan
  // the values after the number of rows belong to the previous place of the plan
  const fetched = limit + spare + (witness ? 1 : 0)
  const bound: unknown[] = [...plan.values.slice(0, fetchSlot), fetched]
  const slots = values.map((value) => value === null ? null : bound.push(value) - 1)
  const usualFetch = plan.usualFetch !== undefined && limit === plan.limit ? fetched : undefined
  return { ...plan, limit, usualFetch, place: { side, inclusive, slots, texts }, witness, values: bound }
}

/**
 * Plans a read that tells whether there is a row on the other side of a plan's place. It selects nothing else. Returns
 * `undefined` for a plan without a place.
 */
export function planOtherSide (plan: KeysetPlan): KeysetPlan | undefined {
  const { facets, ...rows } = plan
  const { place, values } = plan
  if (place === undefined) return undefined
  const nothing = { ...rows, selection: { ...plan.selection, properties: [], includes: [], aggregates: [] } }
  return planPage(nothing, {
    ...otherSide(place),
    values: place.slots.map((slot) => slot === null ? null : values[slot] as SqlValue),
  }, { limit: 1 })
}

/** The place for all rows that are not on the side of the given place. */
export function otherSide ({ side, inclusive, texts }: Omit<Place, 'slots'>): Omit<Place, 'slots'> {
  return { side: side === 'after' ? 'before' : 'after', inclusive: !inclusive, texts }
}

/** Reads the texts of a place. Returns `undefined` if no row of the order can have them. */
export function readPosition (place: Omit<Place, 'slots'>, order: readonly OrderTerm[]): Position | undefined {
  if (place.texts.length !== order.length) return undefined
  const values: SqlValue[] = []
  for (const [index, term] of order.entries()) {
    const text = place.texts[index]!
    if (text === null && !isNullableTerm(term)) return undefined
    const value = text === null ? null : readStored(text, typeOfTerm(term), isComputed(term.operand))
    if (value === undefined) return undefined
    values.push(value)
  }
  return { ...place, values }
}
