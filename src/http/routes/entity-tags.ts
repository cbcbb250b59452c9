/**
 * Conditional requests: the entity tags of answers, and `If-None-Match` (RFC 9110, sections 8.8.3 and 13.1.2). A record
 * with a version has it and a digest of its body as a strong tag, of which `If-Match` compares the version. Every other
 * answer has a digest alone, as a weak tag: the strong comparison of `If-Match` never takes it for a version.
 */
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { factsOf } from '../../config/index.ts'
import { DIGEST_LENGTH, entityTag } from '../../write/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'

/** The entity tag of a body, which may be that of a record with a version. */
export function bodyTag (body: string, version?: string): string {
  const digest = hash('sha256', body, 'base64url').slice(0, DIGEST_LENGTH)
  return version === undefined ? `W/"${digest}"` : entityTag(version, digest)
}

const TAG = /[\t ]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?:,|$)/y

/**
 * Whether `If-None-Match` names an entity tag, by the weak comparison. `*` names every answer. Text that is no list of
 * tags names nothing.
 */
export function namesTag (header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  const wanted = tag.replace(/^W\//, '')
  TAG.lastIndex = 0
  let found = false
  while (TAG.lastIndex < header.length) {
    const match = TAG.exec(header)
    if (match === null) return false
    found ||= match[1] === wanted
  }
  return found
}

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
 * The headers of requests that decide about the answer of an operation, for Vary (RFC 9110, section 12.5.5).
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
  return (operation) =>
    factsOf(operation).writes ? [] : [...operation === 'list' && stream !== false ? ['accept'] : [], ...byCaller]
}
