/** Documents errors: the statuses that an operation may answer with, which share one schema. */
import type { TSchema } from '@sinclair/typebox'
import type { DocumentedResource } from './resource.ts'
import { ERROR_RESPONSES } from '../error-schema.ts'
import type { CrudOperation } from '../options.ts'

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is not valid. `errors` says what is wrong, where, and what is allowed.',
  401: 'The request does not say who sends it, or not in a way that the server accepts.',
  403: 'The request may not do this, or the record would lie outside of what it may write.',
  404: 'There is no such record.',
  409: 'The write conflicts with another record.',
  412: 'The record has changed since the version in If-Match.',
  428: 'If-Match is missing.',
  503: 'The database is not available at the moment.',
}

const RetryAfter = { type: 'string', description: 'Seconds after which it is worth trying again.' }

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
  resource: DocumentedResource,
  guards = UNGUARDED
): Record<string, TSchema> {
  const responses: Record<string, TSchema> = {}
  for (const status of statusesOf(operation, resource, guards)) {
    responses[status] = {
      ...ERROR_RESPONSES['4xx'],
      description: DESCRIPTIONS[status],
      ...(status === 503 && { headers: { 'Retry-After': RetryAfter } }),
    } as TSchema
  }
  return responses
}

function statusesOf (
  operation: CrudOperation,
  { model, scoped, requireIfMatch = false }: DocumentedResource,
  { identity, permission }: Guards
): number[] {
  const reads = operation === 'list' || operation === 'get'
  const creates = operation === 'create' || operation === 'createMany'
  const byKey = operation !== 'list' && !creates
  const matches = byKey && !reads && (model.version !== undefined || requireIfMatch)
  const statuses = [400]
  if (identity) statuses.push(401)
  if (permission || (scoped && (creates || operation === 'update'))) statuses.push(403)
  if (byKey) statuses.push(404)
  if (!reads) statuses.push(409)
  if (matches) statuses.push(412)
  if (matches && requireIfMatch && operation !== 'restore') statuses.push(428)
  statuses.push(503)
  return statuses
}
