/** Checks the media types of bodies. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { UnsupportedMediaTypeError } from '../../errors.ts'

/** `application/json`, and types with the suffix `+json` (RFC 6839), which the application may parse. */
const JSON_TYPE = /^application\/(?:json|[^;\s]+\+json)$/i

/** A hook that refuses bodies of other media types than JSON, before they are parsed. */
export function refuseOtherTypes (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const { headers, mediaType } = request
  const type = headers['content-type']
  if (type === undefined ? !hasBody(headers) : JSON_TYPE.test(mediaType ?? '')) done(null)
  else done(new UnsupportedMediaTypeError(sentence(type)))
}

type Done = (error: Error | null) => void

const sentence = (type: string | undefined): string =>
  `Send the body as application/json${
    type === undefined ? '. The header Content-Type is missing.' : `, not as ${type}.`
  }`

function hasBody (headers: FastifyRequest['headers']): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** A parser for routes that take no body: whatever is sent is read, and ignored. */
export function ignoreBody (request: FastifyRequest, body: unknown, done: (error: null) => void): void {
  done(null)
}
