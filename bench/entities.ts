/** The two entities that all variants serve: categories with five products each, both with soft delete. */
import { defineEntity, p } from '@mikro-orm/postgresql'

const base = {
  id: p.integer().primary().autoincrement(),
  created_at: p.datetime(3).fieldName('created_at'),
  updated_at: p.datetime(3).fieldName('updated_at'),
  deleted_at: p.datetime(3).fieldName('deleted_at').nullable(),
}

export const Category = defineEntity({
  name: 'Category',
  tableName: 'categories',
  indexes: [{ properties: ['status', 'price'] }, { properties: ['created_at', 'id'] }],
  properties: {
    ...base,
    name: p.string(),
    description: p.text().nullable(),
    price: p.decimal('number').precision(12).scale(2),
    status: p.enum(['draft', 'active', 'archived'] as const),
    products: () => p.oneToMany(Product).mappedBy('category'),
  },
})

export const Product = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    ...base,
    name: p.string(),
    price: p.decimal('number').precision(12).scale(2),
    stock: p.integer(),
    category: () => p.manyToOne(Category).index(),
  },
})

export const entities = [Category, Product]
