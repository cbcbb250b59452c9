/**
 * The header Link of a list (RFC 8288): the pages around an answer, as relative references that are a query only. A
 * client resolves them against the URL that it asked for (RFC 3986, section 5.2.2), so they keep its host and path,
 * whatever prefix a proxy has removed.
 */
import type { FastifyRequest } from 'fastify'
import { PAGE_STYLES, type AnyInfo, type PageParameterName } from '../../base/page-styles.ts'
import type { Pagination } from '../../config/index.ts'
import { startOfQuery } from '../start-of-query.ts'

/** The relations of other pages to an answer, in the order of their importance. */
const RELATIONS = ['next', 'prev', 'first', 'last'] as const

type Relation = typeof RELATIONS[number]

/** The value of the place's parameter, by relation. A page that does not exist has none. */
type Places = { readonly [Name in Relation]?: string | number | null }

/**
 * The largest size of the header in bytes. Beyond it there is only the next page, because servers and clients refuse
 * answers with large headers, and without that link a list would seem to end.
 */
const MAX_LENGTH = 4096

/**
 * The header of an answer.
 *
 * @param page the answer, or all of it but its items
 * @returns `undefined` if no other page can be linked to
 */
export function linkHeader (
  { originalUrl: url, server }: Pick<FastifyRequest, 'originalUrl' | 'server'>,
  page: AnyInfo,
  pagination: Pagination
): string | undefined {
  const [parameter, places] = placesOf(page, pagination)
  const start = startOfQuery(url, server)
  const kept = start < 0 ? [] : otherParameters(url.slice(start + 1), parameter)
  // for clients, a query behind a semicolon is a part of the path, whose last segment the reference replaces
  const path = url[start] === ';' ? `./${url.slice(url.lastIndexOf('/', start) + 1, start)}` : ''
  let header = ''
  for (const relation of RELATIONS) {
    const place = places[relation]
    if (place === undefined || place === null) continue
    const query = [...kept, `${parameter}=${encodeURIComponent(place)}`].join('&')
    const link = `<${path}?${query}>; rel="${relation}"`
    if (header === '') header = link
    else if (header.length + link.length + 2 <= MAX_LENGTH) header += `, ${link}`
  }
  return header === '' ? undefined : header
}

function placesOf (page: AnyInfo, pagination: Pagination): readonly [PageParameterName, Places] {
  if (page.next_cursor !== undefined) {
    return ['cursor', { next: page.next_cursor, prev: page.prev_cursor!, first: '' }]
  }
  const { place, size, skips } = page.offset === undefined ? PAGE_STYLES.page : PAGE_STYLES.offset
  const rows = page[size] ?? pagination.defaultPerPage
  const before = skips.rows(page[place], rows)
  // the last page begins so that the steps from this one lead to it
  const start = before % rows
  const last = hasExactTotal(page, pagination)
    ? Math.max(0, start + (Math.ceil((page.total! - start) / rows) - 1) * rows)
    : undefined
  const within = (skipped: number | undefined) =>
    skipped === undefined || skipped > pagination.maxOffset ? undefined : skips.place(skipped, rows)
  return [place, {
    next: page.has_next === true ? within(before + rows) : undefined,
    prev: page.has_prev === true
      ? skips.place(Math.max(0, Math.min(before - rows, last ?? Infinity)), rows)
      : undefined,
    first: skips.place(0, rows),
    last: within(last),
  }]
}

/** Whether the total is the number of all records. An estimate never is. */
const hasExactTotal = ({ total, total_is_minimum: isMinimum }: AnyInfo, { count }: Pagination): boolean =>
  typeof total === 'number' && (count === 'exact' || isMinimum === false)

/** The parameters of a query string without one of them, as the client wrote them. */
function otherParameters (query: string, parameter: string): readonly string[] {
  return query.split('&').filter((pair) =>
    pair !== '' && decodeName(pair.split('=', 1)[0]!) !== parameter
  ).map(asReference)
}

/** The query string has been read, so that it can be decoded. */
const decodeName = (name: string): string => decodeURIComponent(name.replaceAll('+', ' '))

/** Characters that a query cannot have (RFC 3986, section 3.4), such as brackets, and those that would end the link. */
const NOT_IN_QUERY = /[^\w\-.~!$&'()*+,;=:@/?%]+/g

/** Percent-encodes what a reference cannot contain. The meaning of the text stays the same. */
const asReference = (pair: string): string => pair.replace(NOT_IN_QUERY, encodeURIComponent)
