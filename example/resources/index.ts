import { ArticleCrud } from './articles.ts'
import { AuthorCrud } from './authors.ts'
import { CategoryCrud } from './categories.ts'
import { ProductCrud } from './products.ts'
import { TagCrud } from './tags.ts'

/** All resources by their prefixes. */
export const resources = {
  '/categories': new CategoryCrud(),
  '/products': new ProductCrud(),
  '/tags': new TagCrud(),
  '/articles': new ArticleCrud(),
  '/authors': new AuthorCrud(),
}
