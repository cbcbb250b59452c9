import {
  AllowedField,
  AllowedFilters,
  AllowedInclude,
  AllowedSort,
  CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Tag } from '../entities/index.ts'

// without a type argument, clients know the names
const queryConfig = new QueryBuilderConfig({
  allowedFilters: [
    new AllowedFilters('id', 'eq', ['eq', 'in']),
    new AllowedFilters('name', 'eq', ['eq', 'in', 'contains', 'starts']),
    new AllowedFilters('categories.id', 'eq', ['eq', 'in']),
    new AllowedFilters('categories.name', 'eq', ['eq', 'in']),
    new AllowedFilters('products.id', 'eq', ['eq', 'in']),
  ],
  allowedSorts: [new AllowedSort('id', 'name', 'created_at')],
  allowedFields: [
    new AllowedField('id'),
    new AllowedField('name'),
    new AllowedField('created_at'),
    new AllowedField('categories.id'),
    new AllowedField('categories.name'),
    new AllowedField('products.id'),
    new AllowedField('products.name'),
  ],
  allowedIncludes: [new AllowedInclude('categories'), new AllowedInclude('products')],
  defaultSort: ['name'],
})

const writable = ['name'] as const

export class TagCrud extends CrudBase<Tag, typeof queryConfig, typeof writable> {
  constructor () {
    super({ model: Tag, queryConfig, writable })
  }
}
