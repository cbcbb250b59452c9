/**
 * Cursors: a position as text that clients hand back. They hold the sort values of a row as the database writes them,
 * and a digest over these, the order and the filters, so that a cursor of another query is refused instead of
 * answered with a page that means nothing. The digest is no signature: a position is no secret and grants nothing, and
 * the values are checked like any other input.
 */
import { hash } from 'node:crypto'
import type { FilterParam } from '../query/index.ts'
import { readPosition, type Position } from './keyset.ts'
import type { QueryErrors } from './query-errors.ts'
import { refusal } from './refusal.ts'
import type { OrderTerm, Place, SortTexts } from './types.ts'
import type { Whitelist } from './whitelist/index.ts'

const CODE = 'FST_CRUD_PAGINATION_INVALID'

/** Characters of a cursor, at most: enough for every value that an index can hold, which is about 2 700 bytes. */
export const MAX_CURSOR_LENGTH = 4096

/** Characters of the digest: 96 bits. */
const DIGEST_LENGTH = 16
const BASE64URL = /^[\w-]+$/

/** What each number at the start of a cursor says. */
const WAYS: readonly Pick<Place, 'side' | 'inclusive'>[] = [
  { side: 'after', inclusive: false },
  { side: 'before', inclusive: false },
  { side: 'after', inclusive: true },
  { side: 'before', inclusive: true },
]

/** What an order adds to the cursors of a list. */
const orders = new WeakMap<readonly OrderTerm[], string>()

function orderText (order: readonly OrderTerm[]): string {
  let text = orders.get(order)
  if (text === undefined) {
    orders.set(
      order,
      text = JSON.stringify(
        order.map(({ relations, operand, column, descending }) => [
          ...relations.map(({ name }) => name),
          operand.name,
          column?.column ?? '',
          descending,
        ])
      )
    )
  }
  return text
}

/** What the cursors of a query have in common, as text: the same for the same query in every process. */
export function fingerprintOf (
  filters: readonly FilterParam[],
  order: readonly OrderTerm[],
  { model, names }: Whitelist
): string {
  const [name] = names
  const conditions = filters.map(({ field, operator, value }) => JSON.stringify([field, operator ?? '', value])).sort()
  return JSON.stringify([model.name, model.table, name, orderText(order), conditions])
}

/** Writes a cursor, or `undefined` where it would be too long to be handed back. */
export function writeCursor (
  { side, inclusive, texts }: Omit<Place, 'slots'>,
  fingerprint: string
): string | undefined {
  const way = WAYS.findIndex((way) => way.side === side && way.inclusive === inclusive)
  const place = JSON.stringify([way, ...texts])
  const cursor = Buffer.from(digestOf(place, fingerprint) + place).toString('base64url')
  return cursor.length > MAX_CURSOR_LENGTH ? undefined : cursor
}

/**
 * Reads a cursor; the empty one is the first page, which has no position.
 *
 * @param fingerprint of the query; without it only the form is checked
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
  const parts = text === undefined ? undefined : partsOf(text.slice(DIGEST_LENGTH))
  if (text === undefined || parts === undefined) {
    return refuse(
      "The cursor can't be read. Send next_cursor or prev_cursor of a page as it is; an empty cursor is the first page."
    )
  }
  if (fingerprint === undefined) return undefined
  const position = text.startsWith(digestOf(text.slice(DIGEST_LENGTH), fingerprint))
    ? readPosition(parts, order)
    : undefined
  if (position === undefined) {
    return refuse(
      'The cursor is not one of this query: sort and filters have to be those of the page that it comes from. An empty cursor is the first page.'
    )
  }
  return position
}

function digestOf (place: string, fingerprint: string): string {
  return hash('sha256', `${fingerprint}\n${place}`, 'base64url').slice(0, DIGEST_LENGTH)
}

/** The text of a cursor in the one form that it is written in. */
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
