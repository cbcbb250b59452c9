/* eslint-disable no-new -- only the types of the calls are tested */
import type { Collection } from '@mikro-orm/core'
import type { QueryBuilder } from '@mikro-orm/postgresql'
import { describe, expect, test } from 'tstyche'
import {
  AllowedField, AllowedFilters, AllowedInclude, AllowedSort, QueryBuilderConfig, type CustomFilterContext, type Filter,
  type Pagination,
} from '../../src/config/index.ts'
import type { Operator } from '../../src/operators/index.ts'
import type { Book, Category, Product, Shelf } from './fixtures.ts'

declare function accept (config: QueryBuilderConfig<Category>): void

describe('QueryBuilderConfig<Entity>', () => {
  test('takes names that the entity has', () => {
    expect(
      new QueryBuilderConfig<Category>({
        allowedFilters: [
          AllowedFilters.exact('name'),
          AllowedFilters.partial('author.name', { alias: 'by' }),
          new AllowedFilters('created_at', 'gte', ['gte', 'lte', 'gt', 'lt']),
          new AllowedFilters('products.price', 'gte', { alias: 'min_price' }),
          new AllowedFilters('author', { alias: 'user' }),
          AllowedFilters.custom('anything', qb => qb.andWhere({ status: 'draft' })),
          AllowedFilters.search('q', ['name', 'products.tags.name']).default('x'),
          AllowedFilters.fullText('words', ['name', 'author.name'], { config: 'english', property: 'search' }),
          AllowedFilters.anyOf('ref', [AllowedFilters.exact('id'), AllowedFilters.partial('author.name')]).ignore(
            'all'
          ),
          AllowedFilters.scope('priced', { params: { min: 'price', max: 'products.price' } }),
          AllowedFilters.trashed().default('with'),
          new AllowedFilters('settings.theme', 'eq', ['eq'], { type: 'string' }),
          new AllowedFilters('labels', 'contains', ['contains', 'overlap']),
        ],
        allowedSorts: [
          new AllowedSort('name', 'price'),
          new AllowedSort('author.name', 'created_at', { alias: 'a', direction: 'desc' }),
          new AllowedSort('author'),
        ],
        allowedFields: [new AllowedField('id'), new AllowedField('author'), new AllowedField('products.id')],
        allowedIncludes: [
          new AllowedInclude('products.tags'),
          new AllowedInclude('author', { alias: 'user' }),
          new AllowedInclude('products', { limit: 3, sort: ['-price', 'category'], where: { price: { $gt: 1 } } }),
          AllowedInclude.count('products'),
          AllowedInclude.count('products.tags', { alias: 'labels' }),
          AllowedInclude.exists('author'),
          AllowedInclude.sum('products.price', { where: { id: 1 } }),
        ],
        defaultSort: ['-created_at', 'author', 'name'],
        pagination: { count: 'none' },
      })
    ).type.toBe<QueryBuilderConfig<Category>>()
  })

  test('refuses names that the entity does not have, and says so', () => {
    // @ts-expect-error 'nmae' is not a property to filter by of this entity
    new QueryBuilderConfig<Category>({ allowedFilters: [AllowedFilters.exact('nmae')] })
    // @ts-expect-error 'nmae' is not a property to filter by of this entity
    new QueryBuilderConfig<Category>({ allowedFilters: [AllowedFilters.partial('nmae')] })
    // @ts-expect-error 'nmae' is not a property to filter by of this entity
    new QueryBuilderConfig<Category>({ allowedFilters: [AllowedFilters.search('q', ['name', 'nmae'])] })
    // @ts-expect-error 'nmae' is not a text to search of this entity
    new QueryBuilderConfig<Category>({ allowedFilters: [AllowedFilters.fullText('q', ['nmae'])] })
    // @ts-expect-error 'products.name' is not a text to search of this entity
    new QueryBuilderConfig<Category>({ allowedFilters: [AllowedFilters.fullText('q', ['products.name'])] })
    new QueryBuilderConfig<Category>({
      // @ts-expect-error 'nmae' is not a property to filter by of this entity
      allowedFilters: [AllowedFilters.anyOf('r', [AllowedFilters.exact('name'), AllowedFilters.exact('nmae')])],
    })
    // @ts-expect-error 'prise' is not a property to filter by of this entity
    new QueryBuilderConfig<Category>({ allowedFilters: [AllowedFilters.scope('s', { params: { min: 'prise' } })] })
    // @ts-expect-error 'settings.tehme' is not a property to filter by of this entity
    new QueryBuilderConfig<Category>({ allowedFilters: [new AllowedFilters('settings.tehme', { type: 'string' })] })
    // @ts-expect-error 'products.pirce' is not a property to filter by of this entity
    new QueryBuilderConfig<Category>({ allowedFilters: [new AllowedFilters('products.pirce', 'gte', ['gte'])] })
    // @ts-expect-error 'nmae' is not a property to sort by of this entity
    new QueryBuilderConfig<Category>({ allowedSorts: [new AllowedSort('name', 'nmae')] })
    // @ts-expect-error 'products.price' is not a property to sort by of this entity
    new QueryBuilderConfig<Category>({ allowedSorts: [new AllowedSort('products.price', { direction: 'desc' })] })
    // @ts-expect-error 'products' is not a property to sort by of this entity
    new QueryBuilderConfig<Category>({ allowedSorts: [new AllowedSort('products')] })
    // @ts-expect-error 'secret' is not a property to select of this entity
    new QueryBuilderConfig<Category>({ allowedFields: [new AllowedField('secret')] })
    // @ts-expect-error 'name' is not a relation of this entity
    new QueryBuilderConfig<Category>({ allowedIncludes: [new AllowedInclude('name')] })
    // @ts-expect-error 'author' is not a to-many relation of this entity
    new QueryBuilderConfig<Category>({ allowedIncludes: [AllowedInclude.count('author')] })
    // @ts-expect-error 'products.pirce' is not a property behind a to-many relation of this entity
    new QueryBuilderConfig<Category>({ allowedIncludes: [AllowedInclude.sum('products.pirce')] })
    // @ts-expect-error 'prise' is not a property to sort by of this entity
    new QueryBuilderConfig<Category>({ allowedIncludes: [new AllowedInclude('products', { sort: ['-id', '-prise'] })] })
    // @ts-expect-error 'nmae' is not a property to sort by of this entity
    new QueryBuilderConfig<Category>({ allowedIncludes: [new AllowedInclude('products.tags', { sort: ['nmae'] })] })
  })

  test('refuses one wrong name among right ones', () => {
    expect(QueryBuilderConfig<Category>).type.not.toBeConstructableWith({
      allowedFilters: [AllowedFilters.exact('name'), AllowedFilters.exact('nmae'), AllowedFilters.exact('id')],
    })
  })

  test('works for classes', () => {
    expect(QueryBuilderConfig<Book>).type.toBeConstructableWith({
      allowedFilters: [AllowedFilters.exact('publisher.name')],
    })
    expect(QueryBuilderConfig<Book>).type.not.toBeConstructableWith({
      allowedFilters: [AllowedFilters.exact('publisher.nmae')],
    })
    expect(QueryBuilderConfig<Shelf>).type.toBeConstructableWith({ allowedSorts: [new AllowedSort('label')] })
    expect(QueryBuilderConfig<Shelf>).type.not.toBeConstructableWith({ allowedSorts: [new AllowedSort('title')] })
  })

  test('refuses values that are not entries of the list, and unknown options', () => {
    expect(QueryBuilderConfig<Category>).type.not.toBeConstructableWith({ allowedFilters: ['name'] })
    expect(QueryBuilderConfig<Category>).type.not.toBeConstructableWith({ allowedFilters: [new AllowedSort('name')] })
    expect(QueryBuilderConfig<Category>).type.not.toBeConstructableWith({
      allowedFields: [AllowedFilters.exact('name')],
    })
    expect(QueryBuilderConfig<Category>).type.not.toBeConstructableWith({ allowedFilter: [] })
    expect(QueryBuilderConfig<Category>).type.not.toBeConstructableWith({ pagination: { count: 'guess' } })
  })

  test('is for its entity only, and infers the entity from its context', () => {
    expect(accept).type.toBeCallableWith(new QueryBuilderConfig<Category>({}))
    expect(accept).type.not.toBeCallableWith(new QueryBuilderConfig<Product>({}))
    accept(new QueryBuilderConfig({ allowedFilters: [AllowedFilters.exact('name')] }))
    // @ts-expect-error 'nmae' is not a property to filter by of this entity
    accept(new QueryBuilderConfig({ allowedFilters: [AllowedFilters.exact('nmae')] }))
  })

  test('takes any name without an entity', () => {
    expect(QueryBuilderConfig).type.toBeConstructableWith()
    const config = new QueryBuilderConfig({
      allowedFilters: [
        AllowedFilters.exact('whatever'),
        AllowedFilters.custom('x', qb => qb.andWhere({ what: 'ever' })),
      ],
      allowedSorts: [new AllowedSort('whatever')], allowedFields: [new AllowedField('what.ever')],
      allowedIncludes: [new AllowedInclude('ever')], defaultSort: ['-whatever'],
    })
    expect(accept).type.toBeCallableWith(config)
  })

  test('can be made from another', () => {
    const base = new QueryBuilderConfig<Category>({ allowedFilters: [AllowedFilters.exact('name')] })
    expect(QueryBuilderConfig<Category>).type.toBeConstructableWith(base)
    expect(QueryBuilderConfig<Category>).type.toBeConstructableWith({ ...base, defaultSort: ['name'] })
    expect(QueryBuilderConfig<Category>).type.toBeConstructableWith({
      allowedFilters: [...base.allowedFilters, AllowedFilters.exact('id')],
    })
  })

  test('is readonly, with its defaults filled in', () => {
    const config = new QueryBuilderConfig<Category>()
    expect(config.allowedFilters).type.toBe<readonly Filter[]>()
    expect(config.defaultSort).type.toBe<readonly string[]>()
    expect(config.pagination).type.toBe<Pagination>()
    expect(config.pagination.maxPerPage).type.toBe<number>()
  })
})

test('entities with many mutual relations do not overload the checker', () => {
  type Letter = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h'
  type Wide =
    & { [K in `${Letter}${Letter}`]: Collection<Node> }
    & { [K in `to_${Letter}`]: Node }
    & { [K in `text_${Letter}`]: string }
  interface Node extends Wide {
    id: number
  }
  expect(QueryBuilderConfig<Node>).type.toBeConstructableWith({
    allowedFilters: [AllowedFilters.exact('aa.bb.hh.text_h')],
    allowedSorts: [new AllowedSort('to_a.to_h.text_a')],
    allowedIncludes: [new AllowedInclude('aa.bb.cc')],
  })
  expect(QueryBuilderConfig<Node>).type.not.toBeConstructableWith({
    allowedFilters: [AllowedFilters.exact('aa.bb.hh.text_z')],
  })
})

describe('AllowedFilters', () => {
  test('lists of filters can be kept in a variable', () => {
    const filters: AllowedFilters[] = [new AllowedFilters('name'), AllowedFilters.exact('price')]
    expect(QueryBuilderConfig<Category>).type.toBeConstructableWith({ allowedFilters: filters })
    const inferred = [new AllowedFilters('name'), AllowedFilters.exact('nmae')]
    expect(QueryBuilderConfig<Category>).type.not.toBeConstructableWith({ allowedFilters: inferred })
  })

  test('options come last', () => {
    expect(AllowedFilters).type.toBeConstructableWith('price', { alias: 'p' })
    expect(AllowedFilters).type.toBeConstructableWith('price', 'gte', { alias: 'p' })
    expect(AllowedFilters).type.toBeConstructableWith('price', 'gte', ['gte'], { alias: 'p' })
    expect(AllowedFilters).type.not.toBeConstructableWith('price', { alais: 'p' })
    expect(AllowedFilters).type.not.toBeConstructableWith('price', 'equals')
    expect(AllowedFilters).type.not.toBeConstructableWith('price', 'gte', ['gte', 'equals'])
    expect(AllowedSort).type.not.toBeConstructableWith({ alias: 'p' })
    expect(AllowedSort).type.not.toBeConstructableWith('price', { direction: 'up' })
  })

  test('the kind tells entries apart', () => {
    const filter = {} as Filter
    if (filter.kind === 'custom') expect(filter.callback).type.not.toBeAssignableTo<undefined>()
    else if (filter.kind === 'search' || filter.kind === 'fullText') {
      expect(filter.fields).type.toBe<readonly string[]>()
    } else if (filter.kind === 'operators' || filter.kind === 'partial') {
      expect(filter.operators).type.toBeAssignableTo<readonly Operator[]>()
    }
    expect(filter.field).type.toBe<string>()
    expect(filter.alias).type.toBe<string | undefined>()
  })
})

describe('AllowedFilters.custom', () => {
  test('the callback gets the builder of the entity, the text and the context', () => {
    new QueryBuilderConfig<Category>({
      allowedFilters: [AllowedFilters.custom('status', (qb, value, context) => {
        expect(qb).type.toBe<QueryBuilder<Category>>()
        value.toUpperCase() // text, without a cast
        expect(context).type.toBe<CustomFilterContext>()
        expect(context.request?.ip).type.toBe<string | undefined>()
        expect(context['tenant']).type.toBe<unknown>()
        return qb
      })],
    })
  })

  test('the builder knows the properties', () => {
    expect(QueryBuilderConfig<Category>).type.toBeConstructableWith({
      allowedFilters: [
        AllowedFilters.custom<Category>('x', qb => qb.leftJoin('products', 'p').andWhere({ 'p.price': '1' })),
      ],
    })
    // @ts-expect-error 'nmae' does not exist
    AllowedFilters.custom<Category>('x', qb => qb.andWhere({ nmae: '1' }))
  })

  test('a callback for another entity is refused, and so is one that returns nothing or a promise', () => {
    expect(QueryBuilderConfig<Category>).type.not.toBeConstructableWith({
      allowedFilters: [AllowedFilters.custom('x', (qb: QueryBuilder<Product>) => qb)],
    })
    expect(AllowedFilters.custom<Category>).type.not.toBeCallableWith('x', (qb: QueryBuilder<Category>) => {
      qb.andWhere({ name: 'x' })
    })
    expect(AllowedFilters.custom<Category>).type.not.toBeCallableWith('x', async (qb: QueryBuilder<Category>) => qb)
  })
})
