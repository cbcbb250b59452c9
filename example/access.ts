/**
 * The roles of the example. A guest reads everything that is published, and no orders. An editor also creates and
 * changes records, and an admin may do everything.
 */
import { defineAccess } from '../src/index.ts' // in an application: 'fastify-crud-kit'
import type { Article, Author, Category, Order, OrderLine, Product, Tag } from './entities/index.ts'

const READ = ['list', 'get', 'aggregate'] as const

const allow = defineAccess<{
  Article: Article,
  Author: Author,
  Category: Category,
  Order: Order,
  OrderLine: OrderLine,
  Product: Product,
  Tag: Tag,
}>()

/**
 * The option `access`. The header `x-role` names the role of a request. A header proves nothing, so it works during
 * development only: with `NODE_ENV=production` it is ignored, and all clients are guests.
 */
export const accessIn = ({ NODE_ENV }: NodeJS.ProcessEnv) =>
  allow({
    role: ({ headers }) => NODE_ENV === 'production' ? 'guest' : String(headers['x-role'] ?? 'guest'),
    roles: {
      admin: true,
      editor: {
        // a change of an order may remove lines of it
        OrderLine: { operations: [...READ, 'create', 'update', 'delete'] },
        '*': { operations: [...READ, 'create', 'update', 'updateMany', 'upsert', 'restore'] },
      },
      guest: {
        Article: { rows: { published_at: { $ne: null } }, operations: READ },
        // orders have the names of customers
        Order: false,
        OrderLine: false,
        // a guest may see all rows: without `rows`, the server would warn that the articles, which are limited, lead to
        // rows without a limit
        '*': { rows: {}, operations: READ },
      },
    },
  })

/** The values of the header. */
export const ROLES = ['guest', 'editor', 'admin'] as const

/** The header in the OpenAPI document: a button of the documentation's page sets it. */
export const roleScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'x-role',
  description: 'guest, editor or admin. Without the header a request is that of a guest. Ignored in production.',
} as const
