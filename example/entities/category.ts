import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql'
import { Article } from './article.ts'
import { Product } from './product.ts'
import { Tag } from './tag.ts'
import { UuidModel } from './uuid-model.ts'

export const Category = defineEntity({
  name: 'Category',
  tableName: 'categories',
  extends: UuidModel,
  // the indexes that the server recommends at start-up for these whitelists
  indexes: [{ properties: ['created_at', 'id'] }, { properties: 'updated_at' }],
  properties: {
    name: p.string().index(),
    description: p.text().nullable(),
    price: p.decimal('number').precision(12).scale(2).nullable().index(),
    status: p.enum(['draft', 'active', 'archived'] as const).default('draft').index(),
    products: () => p.oneToMany(Product).mappedBy('category'),
    articles: () => p.oneToMany(Article).mappedBy('category'),
    tags: () => p.manyToMany(Tag).inversedBy('categories').owner().pivotTable('categories_tags').index(), // by tag
  },
})
export type Category = InferEntity<typeof Category>
