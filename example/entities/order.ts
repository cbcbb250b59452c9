import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql'
import { primaryKey, timestamps } from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Product } from './product.ts'

export const Order = defineEntity({
  name: 'Order',
  // a table named "order" would need quotes in SQL
  tableName: 'orders',
  indexes: [{ properties: 'created_at' }],
  properties: {
    ...primaryKey,
    ...timestamps,
    customer: p.string().index(),
    status: p.enum(['open', 'paid', 'shipped'] as const).default('open').index(),
    note: p.text().nullable(),
    // also counts changes of the lines, so that a form with lines cannot overwrite another one
    version: p.integer().version(),
    lines: () => p.oneToMany(OrderLine).mappedBy('order'),
  },
})
export type Order = InferEntity<typeof Order>

export const OrderLine = defineEntity({
  name: 'OrderLine',
  tableName: 'order_lines',
  properties: {
    ...primaryKey,
    order: () => p.manyToOne(Order).index(),
    product: () => p.manyToOne(Product).index(),
    quantity: p.integer().default(1).check('quantity > 0'),
  },
})
export type OrderLine = InferEntity<typeof OrderLine>
