import { ArticleCrud } from './articles.ts'
import { AuthorCrud } from './authors.ts'
import { CategoryCrud } from './categories.ts'
import { OrderCrud } from './orders.ts'
import { ProductCrud } from './products.ts'
import { TagCrud } from './tags.ts'

/** A generated schema of bodies, and one rule more: a price cannot be negative. */
const priced = (name: string) => ({
  body: { allOf: [{ $ref: `${name}#` }, { type: 'object', properties: { price: { type: 'number', minimum: 0 } } }] },
})

/** All resources by their prefixes. */
export const resources = {
  '/categories': {
    crud: new CategoryCrud(),
    // PATCH /categories?filter[status]=draft archives all drafts
    operations: ['list', 'get', 'create', 'update', 'delete', 'updateMany', 'deleteMany'] as const,
  },
  '/products': {
    crud: new ProductCrud(),
    // PUT /products?on=sku imports a list of products
    operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore', 'upsert'] as const,
    stream: true,
    schemas: { create: priced('NewProduct'), update: priced('ProductChanges') },
  },
  '/orders': { crud: new OrderCrud(), idempotency: true },
  '/tags': new TagCrud(),
  '/articles': new ArticleCrud(),
  '/authors': new AuthorCrud(),
}
