/**
 * Built-in entities: a base entity with all mixins, the property mixins that it consists of, distributed keys, and the
 * record of a write that clients may repeat.
 */
export { BaseModel, primaryKey, softDelete, timestamps, uuid } from './base-model.ts'
export { distributedBy } from './distributed-by.ts'
export { IdempotencyRecord } from './idempotency-record.ts'
