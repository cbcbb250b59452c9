/** A resource as the requests of a server may use it: those of all callers, or those of a role. */
import type { TSchema } from '@sinclair/typebox'
import type { BodyName, CrudOperation, QueryBuilderConfig } from '../config/index.ts'
import type { EntityModel } from '../model/index.ts'
import type { UpsertKey, Whitelist, Writable } from '../plan/index.ts'
import { clientBody } from '../schema/index.ts'

export interface Offer {
  readonly model: EntityModel
  readonly whitelist: Whitelist
  readonly writable: Writable
  /** The keys by which upserts may find records. */
  readonly upsertKeys: readonly UpsertKey[]
  readonly config: QueryBuilderConfig
  /** The operations that have routes, or those that the role may use. */
  readonly operations: readonly CrudOperation[]
  /** Whether a hook changes records, so that their schema cannot be complete. */
  readonly changesRecords: boolean
  readonly scoped: boolean
  /** The maximum number of records in the body of one request. */
  readonly maxBatch: number
  /** The maximum number of records that a write of many may change. */
  readonly maxAffected: number
  /** Whether `?hard=true` removes the row of a record. */
  readonly hardDelete: boolean
  /** Whether clients see the versions of records, and may therefore name them in If-Match. */
  readonly versions: boolean
  readonly requireIfMatch: boolean
  /** Whether writes take the header Idempotency-Key, or need it. */
  readonly idempotency: false | 'accepted' | 'required'
  /** Whether bodies may name properties that they cannot set. */
  readonly ignoresReadonly: boolean
  /** The media types, beside JSON, in which a list sends all of its records. */
  readonly streams: ReadonlyArray<'application/x-ndjson' | 'text/csv'>
  /** Whether the caller may use an operation on children that bodies write with their parent. */
  readonly mayWriteChild: (child: EntityModel, operation: CrudOperation) => boolean
  /** Whether clients may combine filters by `and`, `or` and `not`, and send queries as bodies. */
  readonly combinesFilters: boolean
  /** Whether lists have the header Link. */
  readonly links: boolean
  /** Whether reads have entity tags, and may be answered with 304. */
  readonly conditional: boolean
  /** Whether bodies must have all required properties, because nothing else fills them. */
  readonly complete: boolean
}

/** The offer of requests with the query in the body. They have no links and entity tags, which are about a URL. */
export const offerInBody = (offer: Offer): Offer => ({ ...offer, links: false, conditional: false })

/** The schema of bodies. `undefined` if bodies may not set anything. */
export function bodySchema (
  { model, writable, complete, ignoresReadonly }: Offer,
  name: BodyName
): TSchema | undefined {
  const rules = writable[name]
  return rules && clientBody(model, rules, {
    complete: name === 'create' && complete,
    readonly: ignoresReadonly,
  }).schema
}
