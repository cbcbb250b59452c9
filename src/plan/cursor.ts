/**
 * Cursors: texts that contain a position in a list, which clients send back. A cursor contains the sort values of a row
 * as the database writes them, and a digest of these values, the order and the filters. The digest makes the planner
 * refuse a cursor that was made for another query, which would select a meaningless page. The digest is not a
 * signature, because a position is not secret and grants no rights. The values are checked like any other input.
 */
import { hash } from 'node:crypto'
import { madeOnce } from '../base/made-once.ts'
import { MAX_CURSOR_LENGTH } from '../base/page-styles.ts'
import type { FilterLevel } from '../query/index.ts'
import { readPosition, type Position } from './position.ts'
import type { QueryErrors } from './query-errors.ts'
import { refusal } from './refusal.ts'
import type { OrderTerm } from './condition-types.ts'
import type { Place, SortTexts } from './plan-types.ts'
import type { Whitelist } from './whitelist/index.ts'

const CODE = 'FST_CRUD_PAGINATION_INVALID'

/** Number of characters of the checksum: 96 bits. */
const CHECKSUM_LENGTH = 16
const BASE64URL = /^[\w-]+$/

/** The meaning of the number at the start of a cursor, which is an index into this list. */
const WAYS: readonly Pick<Place, 'side' | 'inclusive'>[] = [
  { side: 'after', inclusive: false },
  { side: 'before', inclusive: false },
  { side: 'after', inclusive: true },
  { side: 'before', inclusive: true },
]

/** An order as text, for the fingerprints of queries. */
const orderText = madeOnce((order: readonly OrderTerm[]): string =>
  JSON.stringify(order.map(({ relations, operand, column, descending }) => [
    ...relations.map(({ name }) => name),
    operand.name,
    column?.column ?? '',
    descending,
  ]))
)

/** The text that all cursors of a query have in common. Every process computes the same text for the same query. */
export function fingerprintOf (
  level: FilterLevel,
  order: readonly OrderTerm[],
  { model, names }: Whitelist
): string {
  const [name] = names
  return JSON.stringify([model.name, model.table, name, orderText(order), levelTexts(level)])
}

/** The filters and groups of a level as texts, in an order that does not depend on that of the query. */
function levelTexts ({ filters, groups }: FilterLevel): string[] {
  const conditions = filters.map(({ field, operator, value }) => JSON.stringify([field, operator ?? '', value]))
  for (const { word, members } of groups) {
    conditions.push(JSON.stringify({ [word]: members.map((member) => JSON.stringify(levelTexts(member))).sort() }))
  }
  return conditions.sort()
}

/** Writes a cursor. Returns `undefined` if the cursor is longer than a client may send. */
export function writeCursor (
  { side, inclusive, texts }: Omit<Place, 'slots'>,
  fingerprint: string
): string | undefined {
  const way = WAYS.findIndex((way) => way.side === side && way.inclusive === inclusive)
  const place = JSON.stringify([way, ...texts])
  const cursor = Buffer.from(checksumOf(place, fingerprint) + place).toString('base64url')
  return cursor.length > MAX_CURSOR_LENGTH ? undefined : cursor
}

/**
 * Reads a cursor. The empty cursor is the first page, which has no position.
 *
 * @param fingerprint the fingerprint of the query. Without it, only the form of the cursor is checked.
 */
export function planCursor (
  cursor: string,
  order: readonly OrderTerm[],
  fingerprint: string | undefined,
  errors: QueryErrors
): Position | undefined {
  if (cursor === '') return undefined
  const refuse = (sentence: string): undefined => {
    errors.push(refusal(CODE, 'cursor', sentence))
  }
  const text = decode(cursor)
  const parts = text === undefined ? undefined : partsOf(text.slice(CHECKSUM_LENGTH))
  if (text === undefined || parts === undefined) {
    return refuse(
      "The cursor can't be read. Send the next_cursor or prev_cursor of a page unchanged, or an empty cursor for the " +
        'first page.'
    )
  }
  if (fingerprint === undefined) return undefined
  const position = text.startsWith(checksumOf(text.slice(CHECKSUM_LENGTH), fingerprint))
    ? readPosition(parts, order)
    : undefined
  if (position === undefined) {
    return refuse(
      'The cursor belongs to another query. Send the same sort and filters as for the page that it comes from, or an ' +
        'empty cursor for the first page.'
    )
  }
  return position
}

function checksumOf (place: string, fingerprint: string): string {
  return hash('sha256', `${fingerprint}\n${place}`, 'base64url').slice(0, CHECKSUM_LENGTH)
}

/** Decodes a cursor. Returns `undefined` if the text is not exactly the one that `writeCursor` would write. */
function decode (cursor: string): string | undefined {
  if (cursor.length > MAX_CURSOR_LENGTH || !BASE64URL.test(cursor)) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  return Buffer.from(text).toString('base64url') === cursor ? text : undefined
}

function partsOf (place: string): Omit<Place, 'slots'> | undefined {
  let parts: unknown
  try {
    parts = JSON.parse(place)
  } catch {
    return undefined
  }
  if (!Array.isArray(parts)) return undefined
  const [way, ...texts] = parts as unknown[]
  const direction = typeof way === 'number' ? WAYS[way] : undefined
  if (direction === undefined || !texts.every((text) => text === null || typeof text === 'string')) return undefined
  return { ...direction, texts: texts as SortTexts }
}
