import {
  AllowedField,
  AllowedFilters,
  AllowedInclude,
  AllowedSort,
  CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Tag } from '../entities/index.ts'

const queryConfig = new QueryBuilderConfig<Tag>({
  allowedFilters: [
    new AllowedFilters('id', 'eq', ['eq', 'in']),
    new AllowedFilters('name', 'eq', ['eq', 'in', 'contains', 'starts']),
    new AllowedFilters('categories.name', 'eq', ['eq', 'in']),
  ],
  allowedSorts: [new AllowedSort('id', 'name', 'created_at')],
  allowedFields:
    (['id', 'name', 'created_at', 'categories.id', 'categories.name', 'products.id', 'products.name'] as const).map((
      field
    ) => new AllowedField(field)),
  allowedIncludes: [new AllowedInclude('categories'), new AllowedInclude('products')],
  defaultSort: ['name'],
})

export class TagCrud extends CrudBase<Tag> {
  constructor () {
    super({ model: Tag, queryConfig, writable: ['name'] })
  }
}
