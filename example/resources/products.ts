import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Product } from '../entities/index.ts'

// without a type argument, clients know the names
const queryConfig = new QueryBuilderConfig({
  allowedFilters: [
    new AllowedFilters('id', 'eq', ['eq', 'in', 'nin', 'between']),
    new AllowedFilters('sku', 'eq', ['eq', 'in']),
    new AllowedFilters('name', 'eq', ['eq', 'in', 'ilike', 'contains', 'starts', 'ends']),
    AllowedFilters.partial('description'),
    AllowedFilters.search('q', ['name', 'description', 'category.name']),
    new AllowedFilters('price', 'eq', ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'between']),
    new AllowedFilters('stock', 'eq', ['eq', 'lt', 'lte', 'gt', 'gte', 'between']),
    new AllowedFilters('created_at', 'gte', ['lt', 'lte', 'gt', 'gte', 'between']),
    new AllowedFilters('category', 'eq', ['eq', 'in']),
    new AllowedFilters('category.name', 'eq', ['eq', 'in', 'contains']),
    new AllowedFilters('category.status', 'eq', ['eq', 'in']),
    new AllowedFilters('tags.name', 'eq', ['eq', 'in']),
  ],
  allowedSorts: [new AllowedSort('id', 'sku', 'name', 'price', 'stock', 'created_at', 'category.name')],
  allowedFields: [
    new AllowedField('id'),
    new AllowedField('uuid'),
    new AllowedField('sku'),
    new AllowedField('name'),
    new AllowedField('description'),
    new AllowedField('price'),
    new AllowedField('stock'),
    new AllowedField('category'),
    new AllowedField('created_at'),
    new AllowedField('category.id'),
    new AllowedField('category.name'),
    new AllowedField('tags.id'),
    new AllowedField('tags.name'),
  ],
  allowedIncludes: [new AllowedInclude('category'), new AllowedInclude('tags')],
  allowedFacets: [new AllowedFacet('category.name'), new AllowedFacet('category.status')],
  allowedGroups: [
    new AllowedGroup('category.name'), new AllowedGroup('category.status'),
    AllowedGroup.date('created_at', ['day', 'week', 'month', 'year']),
  ],
  allowedAggregates: [
    AllowedAggregate.count(), new AllowedAggregate('price', ['sum', 'avg', 'min', 'max']),
    new AllowedAggregate('stock', ['sum', 'avg']),
  ],
  defaultSort: ['name'],
})

const writable = ['sku', 'name', 'description', 'price', 'stock', 'category', 'tags'] as const

export class ProductCrud extends CrudBase<Product, typeof queryConfig, typeof writable> {
  constructor () {
    super({ model: Product, queryConfig, writable, upsertKeys: ['sku'] })
  }
}
