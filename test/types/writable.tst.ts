import { describe, expect, test } from 'tstyche'
import { CrudBase, type CrudCreateOptions, type CrudOptions } from '../../src/index.ts'
import { CategorySchema, type Category } from './fixtures.ts'

declare function accept (...crud: CrudBase<any>[]): void

describe('writable', () => {
  test('takes names of the entity, a list for each operation, or all', () => {
    expect<CrudOptions<Category>>().type.toBeAssignableFrom<{ model: typeof CategorySchema, writable: 'all' }>()
    accept(
      new CrudBase({
        model: CategorySchema,
        writable: ['name', 'price', 'author', 'parent', 'settings', 'labels', 'notes'],
      })
    )
    accept(new CrudBase<Category>({ model: CategorySchema, writable: { create: ['name'], update: 'all' } }))
    accept(new CrudBase({ model: CategorySchema, writable: { update: [] } }))
  })

  test('refuses names that the entity does not have, and hidden ones', () => {
    // @ts-expect-error is not assignable
    accept(new CrudBase({ model: CategorySchema, writable: ['nmae'] }))
    // @ts-expect-error is not assignable
    accept(new CrudBase<Category>({ model: CategorySchema, writable: { create: ['name', 'secret'] } }))
    // @ts-expect-error is not assignable
    accept(new CrudBase({ model: CategorySchema, writable: { update: ['author.name'] } }))
    // @ts-expect-error is not assignable
    accept(new CrudBase({ model: CategorySchema, writable: 'everything' }))
  })

  test('takes what may be set of owned children', () => {
    accept(new CrudBase({ model: CategorySchema, writable: ['name', { products: ['price', 'tags'] }] }))
    accept(new CrudBase<Category>({ model: CategorySchema, writable: { create: ['name', { products: 'all' }] } }))
    accept(new CrudBase({ model: CategorySchema, writable: [{ products: { create: ['price'], update: [] } }] }))
    accept(new CrudBase<any>({ model: CategorySchema as any, writable: ['anything', { any: ['thing'] }] }))
    // @ts-expect-error is not assignable
    accept(new CrudBase({ model: CategorySchema, writable: [{ products: ['nmae'] }] }))
    // @ts-expect-error does not exist
    accept(new CrudBase({ model: CategorySchema, writable: [{ author: ['name'] }] }))
  })

  test('takes any name of an unknown entity', () => {
    accept(new CrudBase<any>({ model: CategorySchema as any, writable: ['anything'] }))
    expect(new CrudBase({ model: {} as any, writable: ['anything'] })).type.toBeAssignableTo<CrudBase<any>>()
  })
})

describe('values', () => {
  const create = (values: CrudCreateOptions<Category>['values']): unknown => values

  test('take JavaScript and JSON values, also of hidden properties', () => {
    create({ name: 'x', created_at: new Date(), secret: 'x', author: 1, price: '1.5', parent: null })
    create({ created_at: '2024-05-31T00:00:00Z', status: 'draft' })
  })

  test('refuse names that the entity does not have, and values of another type', () => {
    // @ts-expect-error does not exist
    create({ nmae: 'x' })
    // @ts-expect-error not assignable
    create({ name: 5 })
    // @ts-expect-error not assignable
    create({ status: 'other' })
  })
})
