import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql'
import { BaseModel } from '../../src/index.ts'
import { Category } from './category.ts'
import { Tag } from './tag.ts'

export const Product = defineEntity({
  name: 'Product',
  tableName: 'products',
  extends: BaseModel,
  properties: {
    name: p.string(),
    description: p.text().nullable(),
    price: p.decimal('number').precision(12).scale(2),
    stock: p.integer().default(0),
    category: () => p.manyToOne(Category).index(),
    tags: () => p.manyToMany(Tag).inversedBy('products').owner().pivotTable('products_tags'),
  },
})
export type Product = InferEntity<typeof Product>
