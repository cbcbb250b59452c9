import { defineEntity, p, type Collection, type EntityManager, type InferEntity } from '@mikro-orm/core'
import { expect, test } from 'tstyche'
import { BaseModel, primaryKey, softDelete, timestamps, uuid } from '../../src/entities/base-model.ts'
import { distributedBy } from '../../src/entities/distributed-by.ts'

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

const { key, manyToOne, manyToMany } = distributedBy('tenant_id', { tenant_id: p.integer().primary() })
const Label = defineEntity({ name: 'Label', properties: { ...key, name: p.string() } })
type Label = InferEntity<typeof Label>
const Task = defineEntity({
  name: 'Task',
  properties: {
    ...key,
    parent: () => manyToOne(Label, 'parent_id').nullable(),
    first: () => manyToOne(Label, 'first_id'),
    labels: () => manyToMany(Label, 'task_labels', 'task_id', 'label_id'),
  },
})
type Task = InferEntity<typeof Task>

test('distributedBy makes keys and relations with their types', () => {
  expect<Task['tenant_id']>().type.toBeAssignableTo<number>()
  expect<Task['id']>().type.toBeAssignableTo<string>()
  expect<Task['first']>().type.toBeAssignableTo<Label>()
  expect<Task['parent']>().type.toBeAssignableTo<Label | null | undefined>()
  expect<Task['labels']>().type.toBe<Collection<Label>>()
  expect(em.create).type.toBeCallableWith(Task, { tenant_id: 1, first: {} as Label })
  expect(em.create).type.not.toBeCallableWith(Task, { tenant_id: 1 })
  expect(manyToOne).type.not.toBeCallableWith(Label)
})
