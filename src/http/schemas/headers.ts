/** The schemas of headers, in requests and in answers. */
import * as Type from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'
import type { Offer } from '../../catalogue/index.ts'
import { factsOf } from '../../config/index.ts'
import type { CrudOperation } from '../route-options.ts'

const IfMatch = Type.String({
  description: 'The ETag of the expected version. If the record has changed since, the request is refused.',
})
/** A role that does not see versions must send the header all the same if the resource requires it. */
const IfMatchAny = Type.String({ enum: ['*'], description: 'Any version, because these records show none.' })

/** The name of the header as documents show it. Fastify's validators of headers also see it. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'
const IdempotencyKey = Type.String({
  description: 'A new unique text for each write, such as a UUID. A request that is repeated with it gets the answer ' +
    'of the first one and changes nothing.',
})

const IfNoneMatch = Type.String({
  description: 'The ETag of an answer that the client has. If it is still right, the answer is 304, without a body.',
})

/** The headers that requests of an operation may have. */
export function requestHeaders (
  operation: CrudOperation,
  { versions, requireIfMatch, idempotency, conditional }: Offer
): { readonly headers?: TSchema } {
  const headers: Record<string, TSchema> = {}
  const optional = (header: TSchema, required: boolean): TSchema => required ? header : Type.Optional(header)
  const { ifMatch, writes } = factsOf(operation)
  if (!writes) return conditional ? { headers: Type.Object({ 'If-None-Match': Type.Optional(IfNoneMatch) }) } : {}
  const required = requireIfMatch && ifMatch === 'required'
  if (required || (versions && ifMatch !== 'no')) {
    headers['If-Match'] = optional(versions ? IfMatch : IfMatchAny, required)
  }
  if (idempotency !== false) headers[IDEMPOTENCY_KEY] = optional(IdempotencyKey, idempotency === 'required')
  return Object.keys(headers).length > 0 ? { headers: Type.Object(headers) } : {}
}

const ETag = { type: 'string', description: 'The version of the record, for If-Match.' }
const Replayed = {
  type: 'string',
  enum: ['true'],
  description: 'The answer is that of an earlier request with the same Idempotency-Key.',
}
const Validator = {
  type: 'string',
  description: 'For If-None-Match. A tag that does not begin with `W/` has the version of the record, for If-Match.',
}
const Link = {
  type: 'string',
  description: 'The pages `first`, `prev`, `next` and, with an exact total, `last`, as relative references (RFC 8288).',
}
const Location = { type: 'string', format: 'uri-reference', description: 'The path of the new record.' }

/** The schema of an answer, with the headers of the answer. */
export function withHeaders (
  schema: TSchema,
  status: number,
  operation: CrudOperation,
  { versions, idempotency, links, conditional }: Offer
): TSchema {
  const { writes, records } = factsOf(operation)
  const isRecord = records === 'one' || records === 'either'
  const headers = {
    ...(status === 201 && isRecord && { Location }),
    ...(links && (records === 'page' || records === 'groups') && { Link }),
    ...(conditional && !writes ? { ETag: Validator } : versions && isRecord && { ETag }),
    ...(idempotency !== false && writes && { 'Idempotency-Replayed': Replayed }),
  }
  return { ...schema, ...(Object.keys(headers).length > 0 && { headers }) }
}
