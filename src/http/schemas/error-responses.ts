/** Documents errors: the statuses that an operation may answer with, which share one schema. */
import * as Type from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'
import type { Offer } from '../../catalogue/index.ts'
import { factsOf } from '../../config/index.ts'
import { ERROR_RESPONSES } from '../error-schema.ts'
import type { CrudOperation } from '../route-options.ts'

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is not valid. `errors` says what is wrong, where, and what is allowed.',
  401: 'The request does not say who sends it, or not in a way that the server accepts.',
  403: 'The request may not do this, or the record would lie outside of what it may write.',
  404: 'There is no such record.',
  409: 'The write conflicts with another record.',
  412: 'If-Match does not name the version of the record, or the request writes several records.',
  413: 'The body is too large.',
  415: 'The body has a type that the route does not take.',
  422: 'The Idempotency-Key was used for another request.',
  428: 'If-Match is missing.',
  503: 'The database is not available at the moment.',
}

/** What guards an operation besides the scope of its resource. */
export interface Guards {
  /** Whether requests must say who sends them. */
  readonly identity: boolean
  /** Whether some requests may not use the operation. */
  readonly permission: boolean
}

const UNGUARDED: Guards = { identity: false, permission: false }

/** The error responses of an operation, by status. */
export function errorResponses (
  operation: CrudOperation,
  { versions, scoped, requireIfMatch, idempotency, conditional }: Offer,
  { identity, permission }: Guards = UNGUARDED
): Record<string, TSchema> {
  const { writes, byKey, records, ifMatch } = factsOf(operation)
  // also a write that no version can name refuses those that other writes take
  const matches = ifMatch !== 'no' || records === 'selected'
  // a literal, because V8 keeps its few large keys in a table. For keys added to {}, it makes an array of 770 elements
  const responses: Record<string, TSchema> = { 400: responseOf(400), 503: responseOf(503) }
  if (!writes && conditional) responses[304] = NOT_MODIFIED
  if (identity) responses[401] = responseOf(401)
  // also a read whose scope no record can meet
  if (permission || scoped) responses[403] = responseOf(403)
  if (byKey) responses[404] = responseOf(404)
  if (writes) responses[409] = idempotency === false ? responseOf(409) : CONFLICT_OR_RUNNING
  if (matches) responses[412] = versions ? responseOf(412) : NO_VERSION
  // also a delete and a restore, which refuse bodies
  if (writes) Object.assign(responses, bodyResponses())
  if (writes && idempotency !== false) responses[422] = responseOf(422)
  if (requireIfMatch && ifMatch === 'required') responses[428] = responseOf(428)
  return responses
}

const RetryAfter = { type: 'string', description: 'Seconds after which it is worth trying again.' }

const responseOf = (status: number): TSchema => ({
  ...ERROR_RESPONSES['4xx'],
  description: DESCRIPTIONS[status],
  ...(status === 503 && { headers: { 'Retry-After': RetryAfter } }),
} as TSchema)

/** The responses of a route that takes a body. */
export const bodyResponses = (): Record<string, TSchema> => ({ 413: responseOf(413), 415: responseOf(415) })

const NOT_MODIFIED: TSchema = Type.Null({ description: 'If-None-Match has the ETag of the answer.' })

const NO_VERSION = {
  ...responseOf(412),
  description: 'If-Match names a version. These records have no version, so that only `*` matches.',
} as TSchema

const CONFLICT_OR_RUNNING = {
  ...responseOf(409),
  description: 'The write conflicts with another record, or a request with the same Idempotency-Key is still running.',
  headers: { 'Retry-After': { ...RetryAfter, description: `${RetryAfter.description} Absent for a conflict.` } },
} as TSchema
