import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql'
import { BaseModel } from '../../src/index.ts'
import { Author } from './author.ts'
import { Category } from './category.ts'

export const Article = defineEntity({
  name: 'Article',
  tableName: 'articles',
  extends: BaseModel,
  indexes: [{ properties: 'created_at' }],
  properties: {
    title: p.string().index(),
    body: p.text().default(''),
    published_at: p.datetime(3).nullable().index(),
    author: () => p.manyToOne(Author).index(),
    category: () => p.manyToOne(Category).nullable().index(),
  },
})
export type Article = InferEntity<typeof Article>
