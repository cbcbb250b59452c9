import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql'
import { BaseModel } from '../../src/index.ts'
import { Category } from './category.ts'
import { Tag } from './tag.ts'

export const Product = defineEntity({
  name: 'Product',
  tableName: 'products',
  extends: BaseModel,
  indexes: [{ properties: 'created_at' }],
  properties: {
    // products of databases that are older than the SKU have none
    sku: p.string().length(40).nullable().unique(),
    name: p.string().index(),
    description: p.text().nullable(),
    price: p.decimal('number').precision(12).scale(2).index(),
    stock: p.integer().default(0).index(),
    category: () => p.manyToOne(Category).index(),
    tags: () => p.manyToMany(Tag).inversedBy('products').owner().pivotTable('products_tags').index(), // by tag
  },
})
export type Product = InferEntity<typeof Product>
