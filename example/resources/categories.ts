import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Category } from '../entities/index.ts'

// without a type argument, clients know the names
const queryConfig = new QueryBuilderConfig({
  allowedFilters: [
    new AllowedFilters('id', 'eq', ['eq', 'ne', 'in', 'nin']),
    new AllowedFilters('name', 'eq', ['eq', 'ne', 'in', 'nin', 'like', 'ilike', 'contains', 'starts', 'ends']),
    AllowedFilters.partial('description'),
    AllowedFilters.search('q', ['name', 'description']),
    new AllowedFilters('price', 'eq', ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'between', 'isnull']),
    new AllowedFilters('status', 'eq', ['eq', 'ne', 'in', 'nin']),
    new AllowedFilters('created_at', 'gte', ['eq', 'lt', 'lte', 'gt', 'gte', 'between']),
    new AllowedFilters('updated_at', 'gte', ['eq', 'lt', 'lte', 'gt', 'gte', 'between']),
    new AllowedFilters('products.name', 'eq', ['eq', 'in', 'ilike', 'contains']),
    new AllowedFilters('products.price', 'gte', ['eq', 'lt', 'lte', 'gt', 'gte', 'between']),
    new AllowedFilters('articles.title', 'contains', ['eq', 'contains']),
    new AllowedFilters('tags.name', 'eq', ['eq', 'in']),
    new AllowedFilters('productsCount', 'gte', ['eq', 'lte', 'gte']),
  ],
  allowedSorts: [new AllowedSort('name', 'price', 'status', 'created_at', 'updated_at', 'productsCount')],
  allowedFields: [
    new AllowedField('id'),
    new AllowedField('name'),
    new AllowedField('description'),
    new AllowedField('price'),
    new AllowedField('status'),
    new AllowedField('created_at'),
    new AllowedField('updated_at'),
    new AllowedField('products.id'),
    new AllowedField('products.name'),
    new AllowedField('products.price'),
    new AllowedField('products.stock'),
    new AllowedField('tags.id'),
    new AllowedField('tags.name'),
    new AllowedField('articles.id'),
    new AllowedField('articles.title'),
  ],
  allowedIncludes: [
    new AllowedInclude('products'),
    new AllowedInclude('products.tags'),
    new AllowedInclude('articles'),
    new AllowedInclude('articles.author', { alias: 'user' }),
    new AllowedInclude('tags'),
    AllowedInclude.count('products'),
  ],
  allowedFacets: [new AllowedFacet('status')],
  allowedGroups: [new AllowedGroup('status'), AllowedGroup.date('created_at', ['day', 'week', 'month'])],
  allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('price', ['avg', 'min', 'max'])],
  defaultSort: ['-created_at'],
})

const writable = ['name', 'description', 'price', 'status', 'tags'] as const

export class CategoryCrud extends CrudBase<Category, typeof queryConfig, typeof writable> {
  constructor () {
    super({ model: Category, queryConfig, writable })
  }
}
