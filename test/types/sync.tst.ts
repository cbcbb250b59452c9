import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { expect, test } from 'tstyche'
import {
  CrudBase, DatabaseFactory, type CrudContext, type CrudPage, type CrudResult, type CrudSession, type DatabaseOptions,
  type SyncEngine, type QueryBuilderOptions, type SyncSession, type WireRecord, type WrittenRecord,
} from '../../src/index.ts'
import type { Category } from './fixtures.ts'
import { CategorySchema } from './fixtures.ts'

declare const em: EntityManager
declare const session: SyncSession
declare const either: CrudSession
declare const unknown: any
declare const maybe: boolean

const categories = new CrudBase<Category>({ model: CategorySchema, writable: 'all' })
const entities = [CategorySchema]

type Page = CrudPage<Category, QueryBuilderOptions<Category>>
type Written = WrittenRecord<Category>

test('a synchronous session returns values, an EntityManager promises', () => {
  expect(categories.list(session)).type.toBe<Page>()
  expect(categories.list(em)).type.toBe<Promise<Page>>()
  expect(categories.get(session, 1)).type.toBe<WireRecord<Category> | null>()
  expect(categories.get(em, 1)).type.toBe<Promise<WireRecord<Category> | null>>()
  expect(categories.listJson(session)).type.toBe<string>()
  expect(categories.getJson(session, 1)).type.toBe<string | null>()
  expect(categories.create(session, { name: 'Tech' })).type.toBe<Written>()
  expect(categories.createMany(session, [{ name: 'Tech' }])).type.toBe<Written[]>()
  expect(categories.createMany(em, [{ name: 'Tech' }])).type.toBe<Promise<Written[]>>()
  expect(categories.update(session, 1, {})).type.toBe<Written>()
  expect(categories.delete(session, 1)).type.toBe<Written>()
  expect(categories.restore(session, 1)).type.toBe<Written>()
  expect(categories.count(session)).type.toBe<number>()
  expect(categories.exists(session, 1)).type.toBe<boolean>()
  expect(categories.exists(em, 1)).type.toBe<Promise<boolean>>()
})

test('a union of both returns either, and an unknown one returns a promise', () => {
  expect(categories.count(either)).type.toBe<number | Promise<number>>()
  expect(categories.count(unknown)).type.toBe<Promise<number>>()
  expect<CrudResult<SyncSession, string>>().type.toBe<string>()
})

test('methods that need promises are not offered', () => {
  expect(categories.query).type.not.toBeCallableWith(session)
  expect(categories.stream).type.not.toBeCallableWith(session)
  expect(categories.list).type.not.toBeCallableWith({})
})

test('useAsync decides what a factory opens', () => {
  const sync = new DatabaseFactory({ entities, useAsync: false })
  expect(sync).type.toBe<DatabaseFactory<false>>()
  expect(sync.getEngine()).type.toBe<SyncEngine>()
  expect(sync.getSessionMaker(sync.getEngine())()).type.toBe<SyncSession>()
  expect(sync.close()).type.toBe<void>()
  const usual = new DatabaseFactory({ entities })
  expect(usual.getEngine()).type.toBe<Promise<MikroORM>>()
  expect(usual.close()).type.toBe<Promise<void>>()
  expect(new DatabaseFactory({ entities, useAsync: true })).type.toBe<DatabaseFactory>()
  expect(new DatabaseFactory({ entities, useAsync: maybe }).getEngine()).type.toBe<SyncEngine | Promise<MikroORM>>()
  expect<DatabaseOptions>().type.not.toBeAssignableFrom({ entities, useAsync: false as const })
})

test('a transaction returns the result of its callback', () => {
  expect(session.transaction((inner) => categories.count(inner))).type.toBe<number>()
  expect(session.execute<{ n: number }>('select 1 as n')).type.toBe<{ n: number }[]>()
  expect<CrudContext['session']>().type.toBe<SyncSession | undefined>()
})
