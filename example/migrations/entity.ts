import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql'
import { BaseModel } from '../../src/index.ts' // in an application: 'fastify-crud-kit'

/** Matches the table after the last migration. */
export const Customer = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  extends: BaseModel,
  properties: {
    name: p.string(),
    phone: p.string().length(30).nullable(),
    country: p.string().length(2).index('customers_country'),
  },
})
export type Customer = InferEntity<typeof Customer>
