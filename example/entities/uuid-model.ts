import { defineEntity, p } from '@mikro-orm/postgresql'
import { randomUUID } from 'node:crypto'
import { timestamps } from '../../src/index.ts' // in an application: 'fastify-crud-kit'

/** A base of this application's own: a UUID as primary key, made here or by the database for rows that come past it. */
export const UuidModel = defineEntity({
  name: 'UuidModel',
  abstract: true,
  properties: {
    id: p.uuid().primary().onCreate(() => randomUUID()).defaultRaw('gen_random_uuid()'),
    ...timestamps,
  },
})
