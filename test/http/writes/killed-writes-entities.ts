/** The entities of the server that is killed. */
import { defineEntity, p } from '@mikro-orm/core'
import { IdempotencyRecord } from '../../../src/index.ts'

export const Entry = defineEntity({
  name: 'Entry',
  tableName: 'entry',
  properties: { id: p.integer().primary().autoincrement(), name: p.string(), version: p.integer().version() },
})

export const entities = [Entry, IdempotencyRecord]
