import { defineEntity, p } from '@mikro-orm/postgresql'
import { randomUUID } from 'node:crypto'
import { timestamps } from '../../src/index.ts' // in an application: 'fastify-crud-kit'

/**
 * A base entity of this application, with a UUID as primary key. The database generates it for rows inserted without
 * the ORM.
 */
export const UuidModel = defineEntity({
  name: 'UuidModel',
  abstract: true,
  properties: {
    id: p.uuid().primary().onCreate(() => randomUUID()).defaultRaw('gen_random_uuid()'),
    ...timestamps,
  },
})
