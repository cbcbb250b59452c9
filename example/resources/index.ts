import { ArticleCrud } from './articles.ts'
import { AuthorCrud } from './authors.ts'
import { CategoryCrud } from './categories.ts'
import { OrderCrud } from './orders.ts'
import { ProductCrud } from './products.ts'
import { TagCrud } from './tags.ts'

/** The generated schema of a body, with one more rule: a price cannot be negative. */
const priced = (name: string) => ({
  body: { allOf: [{ $ref: `${name}#` }, { type: 'object', properties: { price: { type: 'number', minimum: 0 } } }] },
})

/** All resources by their prefixes. */
export const resources = {
  '/categories': {
    crud: new CategoryCrud(),
    // PATCH /categories?filter[status]=draft archives all drafts
    // GET /categories/aggregate?group=status&aggregate=count counts them by status
    operations: ['list', 'get', 'aggregate', 'create', 'update', 'delete', 'updateMany', 'deleteMany'] as const,
    // filter[or][0][status]=draft&filter[or][1][price][lt]=20 finds drafts, and whatever is cheap
    query: true,
  },
  '/products': {
    crud: new ProductCrud(),
    // PUT /products?on=sku imports a list of products
    operations: ['list', 'get', 'aggregate', 'create', 'createMany', 'update', 'delete', 'restore', 'upsert'] as const,
    query: true,
    stream: true,
    schemas: { create: priced('NewProduct'), update: priced('ProductChanges') },
  },
  '/orders': {
    crud: new OrderCrud(),
    operations: ['list', 'get', 'aggregate', 'create', 'update', 'delete'] as const,
    query: true,
    idempotency: true,
  },
  '/tags': new TagCrud(),
  '/articles': new ArticleCrud(),
  '/authors': new AuthorCrud(),
}
