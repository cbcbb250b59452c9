/** The answer of a page by cursor: its rows and its cursors. */
import { PaginationValidationError } from '../base/errors.ts'
import { PAGE_STYLES, pairsOf, type CursorInfo } from '../base/page-styles.ts'
import { otherSide, writeCursor, type KeysetPlan, type Place, type SortTexts } from '../plan/index.ts'
import { KEYSET_ROW, type Row } from '../sql/index.ts'

/** The rows of a page, after they were read. */
interface KeysetRows {
  /** The JSON of each record of the page, in the order of the list. */
  readonly items: readonly string[]
  /** The sort values of the first and the last record. */
  readonly first?: SortTexts
  readonly last?: SortTexts
  /** Whether there are more rows in the direction of the page. */
  readonly ahead: boolean
  /** Whether there are rows on the side that the page starts from; `undefined` if the rows do not tell. */
  readonly behind: boolean | undefined
}

/** Reads the rows of a page, without the witness and without the extra row that shows whether more follow. */
export function readKeyset (plan: KeysetPlan, found: readonly Row[]): KeysetRows {
  const { limit, place, order } = plan
  // a row without any sort value, of which some are a key, has the facets of a page without records
  const isEmpty = plan.facets !== undefined && order.every((_, index) => found[0]![KEYSET_ROW.value(index)] === null)
  const rows = isEmpty ? [] : found
  const witnessed = plan.witness && rows[0]?.[KEYSET_ROW.item] === null
  const wanted = rows.slice(witnessed ? 1 : 0, limit + (witnessed ? 1 : 0))
  const ahead = rows.length - (witnessed ? 1 : 0) > limit
  if (place?.side === 'before') wanted.reverse()
  const sortedBy = (row: Row | undefined) =>
    row && order.map((_, index) => row[KEYSET_ROW.value(index)] as string | null)
  return {
    items: wanted.map((row) => row[KEYSET_ROW.item] as string),
    first: sortedBy(wanted[0]),
    last: sortedBy(wanted.at(-1)),
    ahead,
    behind: place === undefined ? false : witnessed ? true : undefined,
  }
}

/**
 * The page information and cursors for the rows of a page.
 *
 * @param behind whether there are rows on the side that the page starts from
 * @throws {PaginationValidationError} when the values of a row are too long for a cursor
 */
export function cursorInfo (plan: KeysetPlan, { first, last, ahead }: KeysetRows, behind: boolean): CursorInfo {
  const backward = plan.place?.side === 'before'
  const [hasNext, hasPrev] = backward ? [behind, ahead] : [ahead, behind]
  return {
    per_page: plan.limit,
    next_cursor: hasNext ? cursorTo('after', last, plan) : null,
    prev_cursor: hasPrev ? cursorTo('before', first, plan) : null,
    has_next: hasNext,
    has_prev: hasPrev,
  }
}

/**
 * The cursor that leads away from a page, from its row at that end. From an empty page it leads back to where the page
 * starts.
 */
function cursorTo (side: Place['side'], texts: SortTexts | undefined, plan: KeysetPlan): string {
  // a page is only empty beside existing rows if it has a place
  const place = texts === undefined ? otherSide(plan.place!) : { side, inclusive: false, texts }
  const cursor = writeCursor(place, plan.fingerprint)
  if (cursor !== undefined) return cursor
  const detail = 'This list has a row whose sort values are too long for a cursor. ' +
    `Sort by another property, or use ${pairsOf([PAGE_STYLES.page])}.`
  throw new PaginationValidationError([{
    source: { parameter: 'cursor' },
    code: 'FST_CRUD_PAGINATION_INVALID',
    detail,
  }])
}
