/** The header Location of the answer to a new record. */
import type { FastifyRequest } from 'fastify'
import { exactText, isExactNumber, parseExact, wireTypeOf, type EntityModel } from '../../model/index.ts'
import type { JsonAnswer } from '../../read/index.ts'
import { startOfQuery } from '../start-of-query.ts'
import { keySegments } from './path-key.ts'

/**
 * Keys that no path can contain, escaped or not. Dot segments are removed when a path is resolved (RFC 3986, section
 * 5.2.4), and an empty segment belongs to another route.
 */
const PATHLESS: ReadonlySet<unknown> = new Set(['', '.', '..'])

/**
 * The path of a request without slashes at its end, as a reference that never leads to another host. A client may name
 * a host in the request line, and a reference that starts with two slashes, or a slash and a backslash, names one.
 */
function pathOf ({ url, server }: Pick<FastifyRequest, 'url' | 'server'>): string {
  const start = startOfQuery(url, server)
  const path = (start < 0 ? url : url.slice(0, start)).replace(/^\w+:\/\/[^/]*/, '')
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end).replace(/^\/+/, '/').replace(/[\\\s]/g, encodeURIComponent)
}

/**
 * The path of a new record, below the path that it was posted to.
 *
 * @param changed whether a hook may change records, so that the key must be read from the changed record
 */
export function locationsOf (
  model: EntityModel,
  changed: boolean
): (request: Pick<FastifyRequest, 'url' | 'server'>, record: JsonAnswer) => string | undefined {
  const segments = keySegments(model)
  if (segments.some(({ part }) => part.property.hidden)) return () => undefined
  const plain = !changed &&
    segments.every(({ column }) => wireTypeOf(column.type).plainInPath && column.codec === undefined)
  const keyIn = (json: string): readonly unknown[] => {
    // parsed exactly, since a key may be beyond 2^53
    const record = parseExact(json) as Record<string, unknown>
    return segments.map(({ part, inner }) => {
      const value = record[part.property.publicName]
      const isComposite = typeof value === 'object' && value !== null && !isExactNumber(value)
      return isComposite ? (value as Record<string, unknown>)[inner] : value
    })
  }
  return (request, { json, key }) => {
    const values = plain && key !== undefined ? key : keyIn(json)
    if (values.some((value) => value === undefined || PATHLESS.has(value))) return undefined
    const texts = plain ? values : values.map((value) => encodeURIComponent(exactText(value)))
    return `${pathOf(request)}/${texts.join('/')}`
  }
}
