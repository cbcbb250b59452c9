/** The entities of the server that is killed. */
import { p } from '@mikro-orm/core'
import { IdempotencyRecord } from '../../../src/index.ts'
import { entity } from '../../helpers/entity.ts'

export const Entry = entity('Entry', {
  id: p.integer().primary().autoincrement(), name: p.string(), version: p.integer().version(),
}, { tableName: 'entry' })

export const entities = [Entry, IdempotencyRecord]
