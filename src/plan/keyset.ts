/** Pages that start at a place of an order: where the next page begins, or whether there is one on the other side. */
import { readStored, type SqlValue } from '../model/index.ts'
import { isComputed, isNullableTerm, typeOfTerm } from './order.ts'
import type { KeysetPlan, OrderTerm, Place } from './types.ts'

/** A place in the order of a list, before its values are bound. */
export interface Position extends Omit<Place, 'slots'> {
  /** For each term of the order the value to bind. */
  readonly values: readonly SqlValue[]
}

export interface PageOptions {
  /** Rows wanted. Default: as many as before. */
  readonly limit?: number
  /** Rows to fetch beside those wanted. Default: 1, which tells whether there are more. */
  readonly spare?: number
  /** Fetch the row that is exactly at the position. Default: false. */
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
  { limit = plan.limit, spare = 1, witness = false }: PageOptions = {}
): KeysetPlan {
  const { fetchSlot } = plan
  // what follows the number of rows belongs to the place that the plan had
  const bound: unknown[] = [...plan.values.slice(0, fetchSlot), limit + spare + (witness ? 1 : 0)]
  const slots = values.map((value) => value === null ? null : bound.push(value) - 1)
  return { ...plan, limit, place: { side, inclusive, slots, texts }, witness, values: bound }
}

/** Plans the look for a row on the other side of a plan's place: the nearest one, which nobody sees. */
export function planOtherSide (plan: KeysetPlan): KeysetPlan | undefined {
  const { place, values } = plan
  if (place === undefined) return undefined
  const nothing = { ...plan, selection: { ...plan.selection, properties: [], includes: [] } }
  return planPage(nothing, {
    ...otherSide(place),
    values: place.slots.map((slot) => slot === null ? null : values[slot] as SqlValue),
  }, { limit: 1 })
}

/** All rows that a place leaves out. */
export function otherSide ({ side, inclusive, texts }: Omit<Place, 'slots'>): Omit<Place, 'slots'> {
  return { side: side === 'after' ? 'before' : 'after', inclusive: !inclusive, texts }
}

/** Reads the texts of a place, or `undefined` when no row of the order can have them. */
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
