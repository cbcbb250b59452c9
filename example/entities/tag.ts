import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql'
import { primaryKey, timestamps } from '../../src/index.ts'
import { Category } from './category.ts'
import { Product } from './product.ts'

export const Tag = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  indexes: [{ properties: 'created_at' }],
  properties: {
    ...primaryKey,
    ...timestamps,
    name: p.string().length(50).unique(),
    categories: () => p.manyToMany(Category).mappedBy('tags'),
    products: () => p.manyToMany(Product).mappedBy('tags'),
  },
})
export type Tag = InferEntity<typeof Tag>
