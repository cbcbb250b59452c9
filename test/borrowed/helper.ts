/**
 * Contracts with MikroORM, Kysely, pg and Fastify: one for each member that src/borrowed uses, with the assumption of
 * this package. When one fails, read the sentence, then the source of the dependency, then the file of src/borrowed.
 */
import { defineEntity, p } from '@mikro-orm/core'
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { CompiledQuery, type ControlledTransaction } from 'kysely'
import pg from 'pg'
import t from 'tap'
import type { Borrowed } from '../../src/borrowed/borrowed-member.ts'
import { forEachDatabase, type DatabaseName } from '../helpers/databases.ts'

export const Lent = defineEntity({
  name: 'Lent',
  properties: { id: p.integer().primary(), title: p.string(), tags: p.array().nullable() },
  filters: { short: { name: 'short', cond: { title: 'short' }, default: false } },
})

/** An entity without filters. */
export const Plain = defineEntity({
  name: 'Plain',
  properties: {
    id: p.integer().primary(), general: () => p.manyToOne(General).nullable(), lent: () => p.manyToOne(Lent).nullable(),
  },
})

/** An entity, and a subclass in its table. */
export const General = defineEntity({
  name: 'General', discriminatorColumn: 'kind', discriminatorValue: 'general',
  properties: { id: p.integer().primary() },
})
export const Special = defineEntity({
  name: 'Special', extends: General, discriminatorValue: 'special', properties: {},
})

/** An entity that extends another one, in a table of its own. */
export const Own = defineEntity({ name: 'Own', extends: Lent, properties: {} })

export interface World {
  readonly orm: MikroORM
  readonly em: EntityManager
  /** Stands in for a pool without connections. */
  readonly pool: pg.Pool
}

export interface Contract {
  /** The behaviour of a member, as the end of a sentence that begins with its name. */
  readonly does: string
  /** Throws if the behaviour differs. */
  readonly holds: (world: World) => unknown
  /** Default: both. */
  readonly on?: DatabaseName
}

/** By the owner and the name of the member, for example `Pool.connect`. */
type Contracts = Readonly<Record<string, Contract>>

/** Tests the contracts with a package. Members and contracts must match. */
export async function testContracts (members: readonly Borrowed[], contracts: Contracts): Promise<void> {
  t.test('each borrowed member has a contract, and each contract a member', async (t) => {
    t.strictSame(members.map(({ of, name }) => `${of}.${name}`).sort(), Object.keys(contracts).sort())
  })
  await forEachDatabase(t, { entities: [Lent, Own, Plain, General, Special] }, async (t, { orm, name: database }) => {
    await orm.em.fork().insertMany(Lent, [{ id: 1, title: 'short' }, { id: 2, title: 'long' }])
    for (const { of, name, from, version, reason } of members) {
      const { does, holds, on } = contracts[`${of}.${name}`]!
      t.test(`${of}.${name} ${does}`, { skip: on !== undefined && on !== database && `${on} only` }, async (t) => {
        const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? 'postgresql://none', max: 1 })
        t.teardown(() => pool.end())
        try {
          await holds({ orm, em: orm.em.fork(), pool })
          t.pass()
        } catch (error) {
          t.fail(
            `${from} has changed since ${version}: ${of}.${name} no longer ${does}. It was borrowed for: ${reason}`,
            { found: String(error) }
          )
        }
      })
    }
  })
}

export type Connection = ReturnType<EntityManager['getConnection']>
export type Trx = ControlledTransaction<any, any[]>

/** Runs `use` in a MikroORM transaction that is rolled back. */
async function inTransaction (
  em: EntityManager,
  use: (trx: Trx, connection: Connection) => unknown
): Promise<void> {
  const connection = em.getConnection()
  const trx = await connection.begin() as Trx
  try {
    await use(trx, connection)
  } finally {
    if (!trx.isRolledBack) await connection.rollback(trx)
  }
}

/** A contract about a transaction of MikroORM, which is rolled back. */
export const ofTransaction = (
  does: string,
  use: (trx: Trx, connection: Connection, em: EntityManager) => unknown,
  on?: DatabaseName
): Contract => ({
  does, ...on && { on }, holds: ({ em }) => inTransaction(em, (trx, connection) => use(trx, connection, em)),
})

/** The first row of a statement. */
export const select = async (trx: Trx, sql: string): Promise<any> =>
  (await trx.executeQuery(CompiledQuery.raw(sql))).rows[0]
