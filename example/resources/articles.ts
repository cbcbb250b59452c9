import {
  AllowedField, AllowedFilters, AllowedInclude, AllowedSort, CrudBase, QueryBuilderConfig, type AfterContext,
  type WireRecord,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Article } from '../entities/index.ts'

// without a type argument, clients know the names
const queryConfig = new QueryBuilderConfig({
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
  allowedFields: [
    new AllowedField('id'), new AllowedField('uuid'), new AllowedField('title'), new AllowedField('body'),
    new AllowedField('published_at'), new AllowedField('created_at'), new AllowedField('deleted_at'),
    new AllowedField('author'), new AllowedField('category'), new AllowedField('author.id'),
    new AllowedField('author.name'), new AllowedField('category.id'), new AllowedField('category.name'),
  ],
  allowedIncludes: [
    new AllowedInclude('author', { alias: 'user' }),
    new AllowedInclude('category'),
    new AllowedInclude('category.tags'),
  ],
  defaultSort: ['-published_at'],
})

const writable = ['title', 'body', 'published_at', 'author', 'category'] as const

export class ArticleCrud extends CrudBase<Article, typeof queryConfig, typeof writable> {
  constructor () {
    super({ model: Article, queryConfig, writable, previous: ['published_at'] })
  }

  /** Runs once the change is committed. An application would tell its readers here. */
  override afterUpdate (
    article: WireRecord<Article>,
    { previous, request }: AfterContext<Article, 'published_at'>
  ): void {
    if (previous.published_at !== null || article.published_at === null) return
    request?.log.info({ article: article.id }, 'an article has been published')
  }
}
