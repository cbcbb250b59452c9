/** The entity of the answers that the option `idempotency` keeps. */
import { defineEntity, p } from '@mikro-orm/core'

/** The length of a SHA-256 hash in base64url. */
const HASH = 43

/**
 * A write that was done with the header `Idempotency-Key`, and its answer. Add this entity to those of the ORM if a
 * resource has the option `idempotency`: its table is then a part of your schema and of your migrations. Keys and
 * callers are stored as hashes. Rows disappear some time after `expires_at`.
 *
 * @example
 * const database = { databaseUrl: 'postgresql://localhost/shop', entities: [Order, IdempotencyRecord] }
 */
export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_records',
  properties: {
    /** A hash of the route, of the key, and of the principal if the application tells it. */
    key: p.string().length(HASH).primary().fieldName('key'),
    /** A hash of the credentials, if the application does not tell the principal. */
    caller: p.string().length(HASH).primary().fieldName('caller'),
    /** A hash of what the request asks for. */
    request: p.string().length(HASH).fieldName('request'),
    /** The answer. It is null only inside of the transaction that does the write. */
    status: p.smallint().nullable().fieldName('status'),
    headers: p.json<Readonly<Record<string, string>>>().nullable().fieldName('headers'),
    body: p.text().nullable().fieldName('body'),
    created_at: p.datetime(3).fieldName('created_at'),
    expires_at: p.datetime(3).index().fieldName('expires_at'),
  },
})
