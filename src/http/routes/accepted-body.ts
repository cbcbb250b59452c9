/** Remembers the body that was validated last, so that the operation of its request need not check it again. */
import type { FastifyRequest } from 'fastify'
import { hasPreHandler } from '../../borrowed/fastify.ts'

let accepted: unknown

/** Notes that the schema of an operation has accepted a body as a whole. */
export function noteAccepted (body: unknown): void {
  accepted = body
}

/**
 * Whether the body of a request is valid and unchanged. A handler must ask this first: without hooks in between,
 * Fastify calls it in the same turn of the event loop as the validators.
 */
export function isAccepted (request: FastifyRequest): boolean {
  const isLast = accepted !== undefined && accepted === request.body
  accepted = undefined
  return isLast && !hasPreHandler(request)
}
