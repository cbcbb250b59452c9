import { Article } from './article.ts'
import { Author } from './author.ts'
import { Category } from './category.ts'
import { Product } from './product.ts'
import { Tag } from './tag.ts'

export { Article, Author, Category, Product, Tag }

export const entities = [Article, Author, Category, Product, Tag]
