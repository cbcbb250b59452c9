/** Checks the media types of bodies. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasParserFor } from '../../borrowed/fastify.ts'
import { invalidAt, RequestValidationError, UnsupportedMediaTypeError } from '../../base/errors.ts'

/** The media types of bodies. */
export const JSON_BODY = 'application/json'
export const FORM_BODY = 'application/x-www-form-urlencoded'
/** The types of bodies that are queries. */
const QUERY_TYPES: readonly string[] = [JSON_BODY, FORM_BODY]

/** `application/json`, and types with the suffix `+json` (RFC 6839), which the application may parse. */
const JSON_TYPE = /^application\/(?:json|[^;\s]+\+json)$/i

/** A hook that refuses bodies of other media types than JSON, before they are parsed. */
export function refuseOtherTypes (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const { headers } = request
  const type = headers['content-type']
  if (type === JSON_BODY) return done(null)
  if (type === undefined ? !hasBody(headers) : isParsed(request, mediaTypeOf(type) ?? '')) done(null)
  else done(new UnsupportedMediaTypeError(sentence(type)))
}

/** The same for bodies that are queries, which may also be written like a query string. */
export function refuseOtherQueries (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const { headers } = request
  const type = headers['content-type']
  const isKnown = type === undefined ? !hasBody(headers) : QUERY_TYPES.includes(mediaTypeOf(type) ?? '')
  if (isKnown) return done(null)
  const accept = QUERY_TYPES.join(', ')
  done(new UnsupportedMediaTypeError(sentence(type, QUERY_TYPES.join(' or ')), { accept }))
}

/** Whether the application parses a type. `application/json` is parsed by Fastify, if not by the application. */
function isParsed ({ server }: FastifyRequest, type: string): boolean {
  if (!JSON_TYPE.test(type)) return false
  return type === JSON_BODY || hasParserFor(server, type)
}

/** A hook of routes that take no body. Fastify would refuse an empty one whose media type it cannot read. */
export function acceptEmptyBody (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const { headers } = request
  const type = headers['content-type']
  if (type === undefined || mediaTypeOf(type) !== undefined) return done(null)
  if (hasBody(headers)) return done(new UnsupportedMediaTypeError(sentence(type)))
  delete headers['content-type']
  done(null)
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/

/** The media type of a header, without parameters (RFC 9110, section 8.3.1). Fastify 5.8 has no `request.mediaType`. */
function mediaTypeOf (header: string): string | undefined {
  const type = header.split(';', 1)[0]!.trim().toLowerCase()
  return MEDIA_TYPE.test(type) ? type : undefined
}

type Done = (error: Error | null) => void

const sentence = (type = '', types = JSON_BODY): string =>
  `Send the body as ${types}${
    type.trim() === '' ? '. The header Content-Type is missing or empty.' : `, not as ${type}.`
  }`

function hasBody (headers: FastifyRequest['headers']): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** What clients send as JSON that have nothing to say, without the white space around it. */
const NOTHING = /^(?:null|\{\s*\})?$/

const NO_BODY = 'This request takes no body. Leave it out, because nothing in it would have an effect.'

/** Adds the parser of routes that take no body: JSON may only be empty. An empty body may have any media type. */
export function refuseBodies (instance: FastifyInstance): void {
  instance.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    const type = request.headers['content-type']
    if (body === '') return done(null)
    if (!JSON_TYPE.test(mediaTypeOf(type ?? '') ?? '')) return done(new UnsupportedMediaTypeError(sentence(type)))
    done(NOTHING.test((body as string).trim())
      ? null
      : new RequestValidationError([invalidAt('', NO_BODY)]))
  })
}
