import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Order } from '../entities/index.ts'

// without a type argument, clients know the names
const queryConfig = new QueryBuilderConfig({
  allowedFilters: [
    new AllowedFilters('id', 'eq', ['eq', 'in']),
    new AllowedFilters('customer', 'eq', ['eq', 'in', 'contains']),
    new AllowedFilters('status', 'eq', ['eq', 'ne', 'in']),
    new AllowedFilters('created_at', 'gte', ['lt', 'lte', 'gt', 'gte', 'between']),
    new AllowedFilters('lines.product', 'eq', ['eq', 'in']),
  ],
  allowedSorts: [new AllowedSort('id', 'customer', 'status', 'created_at')],
  allowedFields: [
    new AllowedField('id'), new AllowedField('customer'), new AllowedField('status'), new AllowedField('note'),
    new AllowedField('created_at'), new AllowedField('version'), new AllowedField('lines.id'),
    new AllowedField('lines.quantity'), new AllowedField('lines.product'), new AllowedField('lines.product.id'),
    new AllowedField('lines.product.name'),
  ],
  allowedIncludes: [
    new AllowedInclude('lines'), new AllowedInclude('lines.product'), AllowedInclude.count('lines'),
  ],
  allowedFacets: [new AllowedFacet('status'), new AllowedFacet('customer', { limit: 10 })],
  allowedGroups: [
    new AllowedGroup('status'), new AllowedGroup('customer'),
    AllowedGroup.date('created_at', ['day', 'month'], { timeZone: 'Europe/Berlin' }),
  ],
  allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('customer', ['countDistinct'])],
  defaultSort: ['-created_at'],
})

// a form writes an order together with its lines
const writable = ['customer', 'status', 'note', { lines: ['product', 'quantity'] }] as const

export class OrderCrud extends CrudBase<Order, typeof queryConfig, typeof writable> {
  constructor () {
    super({ model: Order, queryConfig, writable })
  }
}
