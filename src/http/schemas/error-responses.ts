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
  return Object.fromEntries(
    statusesOf(operation, resource, guards).map((status) => [status, {
      ...ERROR_RESPONSES['4xx'],
      description: DESCRIPTIONS[status],
      ...(status === 503 && { headers: { 'Retry-After': RetryAfter } }),
    } as TSchema])
  )
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
  const applies: readonly (readonly [status: number, applies: boolean])[] = [
    [400, true],
    [401, identity],
    [403, permission || (scoped && (creates || operation === 'update'))],
    [404, byKey],
    [409, !reads],
    [412, matches],
    [428, matches && requireIfMatch && operation !== 'restore'],
    [503, true],
  ]
  return applies.filter(([, applies]) => applies).map(([status]) => status)
}
