/**
 * Pages whose statement gathers all rows that the filters keep, and takes both the page and the total from them.
 *
 * Otherwise the filters are evaluated twice: once for the page and once for the total. That is the better way if they
 * keep many rows, because the page then needs only few of them. If they keep few rows, it takes up to twice as long,
 * and often much longer: PostgreSQL may read the table in the order of the page, expecting to fill the page soon, and
 * then has to read most of the table. The number of rows is not known in advance, so the statement stops gathering
 * after `MOST_GATHERED` rows. Then it has no answer, and the page and the total are read separately.
 */
import { isComputed } from './order.ts'
import type { ListPlan } from './types.ts'

/** The most rows that a statement gathers. In vain, that takes less than a millisecond if such rows are frequent. */
export const MOST_GATHERED = 1_000

/** Whether the statement of a page may gather its rows. The plan must contain all conditions of the request. */
export function mayGather ({ model, window, conditions, filters, selection }: ListPlan): boolean {
  const { count, offset, limit } = window
  return (count === 'exact' || typeof count === 'object') &&
    offset + limit <= MOST_GATHERED &&
    (conditions.length > 0 || filters?.has(model) === true) &&
    // a formula would be evaluated for all gathered rows, and not only for those of the page
    selection.properties.every((property) => property.kind === 'embedded' || !isComputed(property))
}
