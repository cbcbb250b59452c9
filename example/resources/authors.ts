import {
  AllowedField,
  AllowedFilters,
  AllowedInclude,
  AllowedSort,
  CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Author } from '../entities/index.ts'

// without a type argument, clients know the names
const queryConfig = new QueryBuilderConfig({
  allowedFilters: [
    new AllowedFilters('id', 'eq', ['eq', 'in']),
    new AllowedFilters('name', 'eq', ['eq', 'in', 'contains', 'starts', 'ends']),
    new AllowedFilters('articles.title', 'contains', ['eq', 'contains']),
  ],
  allowedSorts: [new AllowedSort('id', 'name', 'created_at')],
  allowedFields: [
    new AllowedField('id'),
    new AllowedField('uuid'),
    new AllowedField('name'),
    new AllowedField('created_at'),
    new AllowedField('articles.id'),
    new AllowedField('articles.title'),
    new AllowedField('articles.published_at'),
  ],
  allowedIncludes: [new AllowedInclude('articles')],
  defaultSort: ['name'],
})

const writable = ['name'] as const

export class AuthorCrud extends CrudBase<Author, typeof queryConfig, typeof writable> {
  constructor () {
    super({ model: Author, queryConfig, writable })
  }
}
