import { defineEntity, p, type EntityManager, type InferEntity } from '@mikro-orm/core'
import { expect, test } from 'tstyche'
import { BaseModel } from '../../src/entities/base-model.ts'
import { primaryKey, softDelete, timestamps, uuid } from '../../src/entities/mixins.ts'

declare const em: EntityManager

const Author = defineEntity({ name: 'Author', extends: BaseModel, properties: { name: p.string() } })
type Author = InferEntity<typeof Author>
const Tag = defineEntity({
  name: 'Tag',
  properties: { ...primaryKey, ...uuid, ...timestamps, ...softDelete, name: p.string() },
})
type Tag = InferEntity<typeof Tag>

test('properties have their JavaScript types', () => {
  expect<Author['id']>().type.toBeAssignableTo<number>()
  expect<Author['uuid']>().type.toBeAssignableTo<string>()
  expect<Author['created_at']>().type.toBeAssignableTo<Date>()
  expect<Author['deleted_at']>().type.toBe<Date | null | undefined>()
  expect<Tag['id']>().type.toBeAssignableTo<number>()
  expect<Tag['updated_at']>().type.toBeAssignableTo<Date>()
  expect<Tag['deleted_at']>().type.toBe<Date | null | undefined>()
})

test('create does not require properties with a default', () => {
  expect(em.create).type.toBeCallableWith(Author, { name: 'Ada' })
  expect(em.create).type.toBeCallableWith(Tag, { name: 'new' })
  expect(em.create).type.not.toBeCallableWith(Author, {})
  expect(em.create).type.not.toBeCallableWith(Tag, { name: 1 })
})
