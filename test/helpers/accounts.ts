/** A table for tests of transactions, and its content as others see it. */
import { p } from '@mikro-orm/core'
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { Test } from 'tap'
import { CrudBase } from '../../src/index.ts'
import { entity } from './entity.ts'

export const Account = entity('Account', {
  id: p.integer().primary().autoincrement(), owner: p.string(), number: p.integer().nullable().unique(),
  balance: p.integer().default(0),
})

export const accounts = new CrudBase({ model: Account, writable: 'all' })

/** The owners of all accounts, as a new session sees them. */
export async function owners (orm: MikroORM): Promise<string[]> {
  return (await orm.em.fork().execute<{ owner: string }[]>('select owner from account order by id')).map(({ owner }) =>
    owner
  )
}

/** Adds an account with CrudBase, with MikroORM's unit of work, or with SQL. */
export async function add (em: EntityManager, owner: string, through: 'crud' | 'orm' | 'sql' = 'crud'): Promise<void> {
  if (through === 'crud') await accounts.create(em, { owner })
  if (through === 'sql') await em.execute('insert into account (owner) values (?)', [owner])
  if (through === 'orm') {
    em.create(Account, { owner, balance: 0 })
    await em.flush()
  }
}

/** Two accounts, a and b, with a balance of 0 and the numbers 1 and 2; their ids. */
export async function reset (orm: MikroORM): Promise<readonly [number, number]> {
  await orm.em.fork().execute('delete from account')
  const rows = await orm.em.fork().execute<{ id: number }[]>(
    "insert into account (owner, number) values ('a', 1), ('b', 2) returning id"
  )
  return [rows[0]!.id, rows[1]!.id]
}

/** The error with which a promise is rejected. */
export async function failureOf (promise: Promise<unknown>): Promise<any> {
  return await promise.then(() => {
    throw new Error('it succeeded')
  }, (error) => error)
}

/** Asserts that a promise is rejected with an error of a class, and returns the error. */
export async function failsWith (
  t: Test,
  Class: new(...args: never[]) => Error,
  promise: Promise<unknown>,
  what?: string
): Promise<any> {
  const error = await failureOf(promise)
  t.ok(error instanceof Class, what ?? String(error))
  return error
}

/** A point that several callers must reach before any of them continues. */
export function meeting (size: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return async () => {
    if (++arrived >= size) resolve()
    await promise
  }
}
