import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql'
import { BaseModel } from '../../src/index.ts'
import { Article } from './article.ts'

export const Author = defineEntity({
  name: 'Author',
  tableName: 'authors',
  extends: BaseModel,
  indexes: [{ properties: 'created_at' }],
  properties: {
    name: p.string().index(),
    // not in any answer: hidden properties can be neither read nor filtered by
    email: p.string().unique().hidden().nullable(),
    articles: () => p.oneToMany(Article).mappedBy('author'),
  },
})
export type Author = InferEntity<typeof Author>
