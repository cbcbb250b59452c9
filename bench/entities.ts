/**
 * The entities: categories with five products each, both with soft delete, and articles, whose words are stored for
 * searches.
 */
import { defineEntity, p } from '@mikro-orm/postgresql'

const NOW = 'current_timestamp(3)'

const base = {
  id: p.integer().primary().autoincrement(),
  created_at: p.datetime(3).fieldName('created_at').onCreate(() => new Date()).defaultRaw(NOW),
  updated_at: p.datetime(3).fieldName('updated_at').onCreate(() => new Date()).onUpdate(() => new Date()).defaultRaw(
    NOW
  ),
  deleted_at: p.datetime(3).fieldName('deleted_at').nullable(),
}

/** @param suffix appended to the names, because the start-up of many resources needs as many entities */
export function categoriesAndProducts (suffix = '') {
  const Category = defineEntity({
    name: `Category${suffix}`,
    tableName: `categories${suffix}`,
    indexes: [{ properties: ['status', 'price'] }, { properties: ['created_at', 'id'], where: { deleted_at: null } }],
    properties: {
      ...base,
      name: p.string(),
      description: p.text().nullable(),
      price: p.decimal('number').precision(12).scale(2),
      status: p.enum(['draft', 'active', 'archived'] as const),
      products: () => p.oneToMany(Product).mappedBy('category'),
    },
  })
  const Product = defineEntity({
    name: `Product${suffix}`,
    tableName: `products${suffix}`,
    properties: {
      ...base,
      name: p.string(),
      price: p.decimal('number').precision(12).scale(2),
      stock: p.integer(),
      category: () => p.manyToOne(Category).index(),
    },
  })
  return { Category, Product }
}

export const { Category, Product } = categoriesAndProducts()
export const Article = defineEntity({
  name: 'Article',
  tableName: 'articles',
  indexes: [{ properties: ['words'], type: 'gin' }],
  properties: {
    id: p.integer().primary().autoincrement(),
    created_at: p.datetime(3).fieldName('created_at').onCreate(() => new Date()).defaultRaw(NOW),
    title: p.string(),
    body: p.text(),
    words: p.string().columnType('tsvector').hidden().generated(
      "(setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', body), 'B')) stored"
    ),
  },
})
export const entities = [Category, Product, Article]
