import {
  AllowedField,
  AllowedFilters,
  AllowedInclude,
  AllowedSort,
  CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Author } from '../entities/index.ts'

const queryConfig = new QueryBuilderConfig<Author>({
  allowedFilters: [
    new AllowedFilters('id', 'eq', ['eq', 'in']),
    new AllowedFilters('name', 'eq', ['eq', 'in', 'contains', 'starts', 'ends']),
    new AllowedFilters('articles.title', 'contains', ['eq', 'contains']),
  ],
  allowedSorts: [new AllowedSort('id', 'name', 'created_at')],
  allowedFields:
    (['id', 'uuid', 'name', 'created_at', 'articles.id', 'articles.title', 'articles.published_at'] as const).map((
      field
    ) => new AllowedField(field)),
  allowedIncludes: [new AllowedInclude('articles')],
  defaultSort: ['name'],
})

export class AuthorCrud extends CrudBase<Author> {
  constructor () {
    super({ model: Author, queryConfig, writable: ['name'] })
  }
}
