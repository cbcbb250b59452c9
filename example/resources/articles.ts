import {
  AllowedField,
  AllowedFilters,
  AllowedInclude,
  AllowedSort,
  CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Article } from '../entities/index.ts'

const queryConfig = new QueryBuilderConfig<Article>({
  allowedFilters: [
    new AllowedFilters('id', 'eq', ['eq', 'in', 'nin', 'between']),
    new AllowedFilters('title', 'eq', ['eq', 'in', 'like', 'ilike', 'contains', 'starts', 'ends']),
    AllowedFilters.partial('body'),
    new AllowedFilters('published_at', 'gte', ['lt', 'lte', 'gt', 'gte', 'between', 'isnull']),
    new AllowedFilters('created_at', 'gte', ['lt', 'lte', 'gt', 'gte', 'between']),
    new AllowedFilters('author', 'eq', ['eq', 'ne', 'in', 'nin', 'isnull']),
    new AllowedFilters('author.name', 'eq', ['eq', 'in', 'contains', 'starts']),
    new AllowedFilters('category', 'eq', ['eq', 'in', 'isnull']),
    new AllowedFilters('category.name', 'eq', ['eq', 'in']),
    AllowedFilters.trashed(),
    AllowedFilters.custom(
      'published',
      (qb, value) => qb.andWhere({ published_at: value === 'yes' ? { $ne: null } : null })
    ),
  ],
  allowedSorts: [new AllowedSort('id', 'title', 'published_at', 'created_at', 'author.name')],
  allowedFields: ([
    'id',
    'uuid',
    'title',
    'body',
    'published_at',
    'created_at',
    'deleted_at',
    'author',
    'category',
    'author.id',
    'author.name',
    'category.id',
    'category.name',
  ] as const).map((field) => new AllowedField(field)),
  allowedIncludes: [
    new AllowedInclude('author', { alias: 'user' }),
    new AllowedInclude('category'),
    new AllowedInclude('category.tags'),
  ],
  defaultSort: ['-published_at'],
})

export class ArticleCrud extends CrudBase<Article> {
  constructor () {
    super({ model: Article, queryConfig, writable: ['title', 'body', 'published_at', 'author', 'category'] })
  }
}
