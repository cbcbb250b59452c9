import { ArticleCrud } from './articles.ts'
import { AuthorCrud } from './authors.ts'
import { CategoryCrud } from './categories.ts'
import { ProductCrud } from './products.ts'
import { TagCrud } from './tags.ts'

/** A price cannot be negative. The API also checks bodies against this schema. */
const body = { type: 'object', properties: { price: { type: 'number', minimum: 0 } } } as const

/** All resources by their prefixes. */
export const resources = {
  '/categories': new CategoryCrud(),
  '/products': { crud: new ProductCrud(), stream: true, schemas: { create: { body }, update: { body } } },
  '/tags': new TagCrud(),
  '/articles': new ArticleCrud(),
  '/authors': new AuthorCrud(),
}
