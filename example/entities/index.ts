import { IdempotencyRecord } from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Article } from './article.ts'
import { Author } from './author.ts'
import { Category } from './category.ts'
import { Order, OrderLine } from './order.ts'
import { Product } from './product.ts'
import { Tag } from './tag.ts'

export { Article, Author, Category, Order, OrderLine, Product, Tag }

export const entities = [Article, Author, Category, IdempotencyRecord, Order, OrderLine, Product, Tag]
