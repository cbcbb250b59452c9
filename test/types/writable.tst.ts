import { describe, expect, test } from 'tstyche'
import { CrudBase, type CrudOptions } from '../../src/index.ts'
import { CategorySchema, type Category } from './fixtures.ts'

declare function accept (...crud: CrudBase<any>[]): void

describe('writable', () => {
  test('takes names of the entity, a list for each operation, or all', () => {
    expect<CrudOptions<Category>>().type.toBeAssignableFrom<{ model: typeof CategorySchema, writable: 'all' }>()
    accept(new CrudBase({ model: CategorySchema, writable: ['name', 'price', 'author', 'parent', 'settings', 'labels', 'notes'] }))
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

  test('takes any name of an entity that is not known', () => {
    accept(new CrudBase<any>({ model: CategorySchema as any, writable: ['anything'] }))
    expect(new CrudBase({ model: {} as any, writable: ['anything'] })).type.toBe<CrudBase<any>>()
  })
})
