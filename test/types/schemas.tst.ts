import { type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { InferEntity, MikroORM } from '@mikro-orm/postgresql'
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'tstyche'
import type { WireChildren } from '../../src/crud/record-types.ts'
import { CrudBase, crudSchemas, type CrudSchemas, type WireBody, type WireRecord } from '../../src/index.ts'
import type { Category, Product } from './fixtures.ts'
import { CategorySchema, Shelf, type TagSchema } from './fixtures.ts'

declare const orm: MikroORM
declare const app: FastifyInstance

const categories = new CrudBase<Category>({ model: CategorySchema, writable: 'all' })
const schemas = crudSchemas(categories, orm)
const { list, create } = schemas

test('values have their JSON types', () => {
  expect<WireRecord<Category>['id']>().type.toBe<string | undefined>()
  expect<WireRecord<Category>['price']>().type.toBe<string | null | undefined>()
  expect<WireRecord<Category>['status']>().type.toBe<'draft' | 'active' | undefined>()
  expect<WireRecord<Category>['labels']>().type.toBe<string[] | undefined>()
  expect<WireRecord<Category>['notes']>().type.toBe<string | undefined>()
  expect<WireRecord<Category>['created_at']>().type.toBe<string | undefined>()
  expect<WireRecord<Product>['id']>().type.toBe<number | undefined>()
})

test('hidden properties are absent', () => {
  expect<WireRecord<Category>>().type.not.toHaveProperty('secret')
  expect<WireBody<Category>>().type.not.toHaveProperty('secret')
})

test('relations are records if included, else keys, and bodies have keys, or children', () => {
  expect<WireRecord<Category>['products']>().type.toBe<WireRecord<Product>[] | undefined>()
  expect<WireRecord<Product>['category']>().type.toBe<string | WireRecord<Category> | null | undefined>()
  expect<WireBody<Product>['category']>().type.toBe<string | undefined>()
  // the type of an entity does not tell which of its collections hold owned children
  expect<WireBody<Product>['tags']>().type.toBe<number[] | WireChildren<InferEntity<typeof TagSchema>> | undefined>()
  expect<WireBody<Category>['author']>().type.toBe<number | null | undefined>()
})

test('aggregates are present if included', () => {
  expect<WireRecord<Category>['productsCount']>().type.toBe<number | undefined>()
  expect<WireRecord<Category>['parentExists']>().type.toBe<boolean | undefined>()
  expect<WireRecord<Category>['productsPriceSum']>().type.toBe<number | string | null | undefined>()
  expect<WireRecord<Product>['tagsExists']>().type.toBe<boolean | undefined>()
  expect<WireRecord<Category>>().type.not.toHaveProperty('parentCount')
  expect<WireRecord<Category>>().type.not.toHaveProperty('nameCount')
  expect<WireBody<Category>>().type.not.toHaveProperty('productsCount')
})

test('the schemas have these types', () => {
  expect<Static<typeof schemas.id>>().type.toBe<string>()
  expect<Static<typeof schemas.record>>().type.toBe<WireRecord<Category>>()
  expect<Static<typeof list>['items']>().type.toBe<WireRecord<Category>[]>()
  expect<Static<typeof create>>().type.toBe<WireBody<Category>>()
})

test('a typed handler may only return the results of CrudBase', () => {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  typed.post('/', { schema: { body: create, response: { 200: list } } }, async (request) => {
    expect(request.body).type.toBe<WireBody<Category>>()
    await categories.create(request.em, request.body)
    return await categories.list(request.em, request.queryParams)
  })
  // @ts-expect-error not assignable
  typed.get('/', { schema: { response: { 200: list } } }, async () => ({ items: [{ name: 1 }] }))
})

test('an unknown entity type has records of any form', () => {
  expect(crudSchemas(new CrudBase({ model: Shelf as any, writable: 'all' }), orm)).type.toBe<CrudSchemas<any>>()
  expect<Static<CrudSchemas<any>['record']>>().type.toBe<Record<string, any>>()
  expect<Static<CrudSchemas<object>['record']>>().type.toBe<Record<string, any>>()
})
