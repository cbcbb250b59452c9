/** The header Vary of answers: the headers of requests that decide about them (RFC 9110, section 12.5.5). */
import type { FastifyReply } from 'fastify'
import { factsOf } from '../../config/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'

/** Adds names to the header Vary, which other plugins may have set. */
export function addVary (reply: FastifyReply, names: readonly string[]): void {
  const present = [reply.getHeader('vary') ?? []].flat().flatMap((value) => String(value).split(/\s*,\s*/))
  const known = new Set(present.map((name) => name.toLowerCase()))
  if (known.has('*')) return
  const missing = names.filter((name) => !known.has(name))
  if (missing.length > 0) reply.header('vary', [...present, ...missing].join(', '))
}

/** The headers that usually tell who sends a request. */
const IDENTITY = ['authorization', 'cookie']

/**
 * The headers of requests that decide about the answer of an operation.
 *
 * A shared cache does not use an answer to a request with Authorization again (RFC 9111, section 3.5). But the cache of
 * one browser, or of one application, may serve several callers, so the headers that tell callers apart are named where
 * the answers to them differ.
 *
 * @param limited whether roles limit what requests may do
 */
export function varyOf (
  { stream = false, conditional, scope }: Pick<CrudRoutesOptions, 'stream' | 'conditional' | 'scope'>,
  limited: boolean
): (operation: CrudOperation) => readonly string[] {
  const byCaller = conditional === true && (limited || scope !== undefined) ? IDENTITY : []
  return (operation) => {
    const { writes, streams } = factsOf(operation)
    return writes ? [] : [...streams && stream !== false ? ['accept'] : [], ...byCaller]
  }
}
