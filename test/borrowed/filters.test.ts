import type { EntityManager } from '@mikro-orm/postgresql'
import assert from 'node:assert/strict'
import * as borrowed from '../../src/borrowed/mikro-orm-filters.ts'
import { Lent, Plain, testContracts, type Contract, type World } from './helper.ts'

/** An EntityManager that remembers its filters. */
function remembering ({ orm, em }: World): EntityManager {
  const Class = borrowed.rememberingFilters(orm.em.constructor as never) as new(...args: unknown[]) => EntityManager
  return new Class(orm.config, orm.driver, em.getMetadata()).fork()
}

/** Asserts that the condition without a promise is that of `em.applyFilters`. */
async function sameCondition (em: EntityManager, options: Readonly<Record<string, unknown>>): Promise<void> {
  for (const type of ['read', 'update', 'delete'] as const) {
    const awaited = await borrowed.conditionOfFilters(em, Lent, type, options)
    const own = borrowed.conditionOfFiltersNow(em, Lent, type, options)
    assert.deepEqual(own, awaited, type)
    assert.equal(own === borrowed.NONE_ACTIVE, awaited === borrowed.NONE_ACTIVE, type)
    assert.equal((own as { __strict?: boolean })?.__strict, (awaited as { __strict?: boolean })?.__strict)
  }
}

const selectsTheSame: Contract = {
  does: 'selects the filters that em.applyFilters applies: declared, added, of other entities, on and off',
  holds: async (world) => {
    const em = remembering(world)
    await sameCondition(em, {})
    await sameCondition(em, { short: true })
    em.addFilter({ name: 'first', cond: { id: 1 } })
    em.addFilter({ name: 'second', entity: [Lent], cond: { id: { $gt: 0 } }, strict: true })
    em.addFilter({ name: 'off', cond: { id: 3 }, default: false })
    em.addFilter({ name: 'other', entity: ['Other'], cond: { other: 1 } } as never)
    for (const options of [{}, { first: false }, { first: false, short: true }, { off: true }]) {
      await sameCondition(em, options)
    }
    assert.notEqual(borrowed.conditionOfFiltersNow(em, Lent, 'read', { first: false }), undefined)
  },
}

const writesTheSame: Contract = {
  does: 'brings a condition into the form in which em.applyFilters returns it',
  holds: async (world) => {
    const em = remembering(world)
    const row = await em.findOneOrFail(Lent, 1)
    const conditions = [
      { title: ['short', 'long'] }, { id: row },
      { $or: [{ title: 'short' }, { $not: { tags: { $contains: ['a'] } } }] }, { tags: ['a', 'b'] }, {},
    ]
    for (const [index, cond] of conditions.entries()) {
      em.addFilter({ name: 'varied', cond: () => copyOf(cond) } as never)
      await sameCondition(em, { short: index % 2 === 0 })
    }
    em.addFilter({ name: 'varied', cond: (args: { title: string }) => ({ title: args.title }) } as never)
    em.setFilterParams('varied', { title: 'long' })
    await sameCondition(em, {})
    await sameCondition(em, { varied: { title: 'given' } })
  },
}

/** A copy, because MikroORM changes the conditions that it gets. Entities stay the same objects. */
const copyOf = (cond: object): object => ({ ...cond })

await testContracts(borrowed.FILTER_MEMBERS, {
  'EntityManager.applyFilters': {
    does: 'gives the condition of the active filters, and the condition that it was given without any',
    holds: async ({ em }) => {
      assert.equal(await borrowed.conditionOfFilters(em, Lent, 'read', {}), borrowed.NONE_ACTIVE)
      assert.deepEqual(await borrowed.conditionOfFilters(em, Lent, 'read', { short: true }), { title: 'short' })
    },
  },
  'EntityManager.addFilter': {
    does: 'adds the filters that em.applyFilters finds beside those that the configuration and entities declare',
    holds: async ({ orm }) => {
      const em = orm.em.fork()
      assert.equal(borrowed.isUnfiltered(em, Plain), false)
      assert.equal(await borrowed.conditionOfFilters(em, Plain, 'read', {}), borrowed.NONE_ACTIVE)
      assert.equal(borrowed.isUnfiltered(em, Plain), true)
      em.addFilter({ name: 'late', entity: [Plain], cond: { id: 1 } })
      assert.equal(borrowed.isUnfiltered(em, Plain), false)
      assert.deepEqual(await borrowed.conditionOfFilters(em, Plain, 'read', {}), { id: 1 })
      assert.equal(await borrowed.conditionOfFilters(em, Plain, 'read', { late: false }), borrowed.NONE_ACTIVE)
      assert.equal(borrowed.isUnfiltered(em, Plain), false)
      // an entity that declares filters is always asked for
      assert.equal(await borrowed.conditionOfFilters(em, Lent, 'read', {}), borrowed.NONE_ACTIVE)
      assert.equal(borrowed.isUnfiltered(em, Lent), false)
    },
  },
  'QueryHelper.getActiveFilters': selectsTheSame,
  'QueryHelper.processWhere': writesTheSame,
  'Error.No arguments provided for filter': {
    does: 'begins the message about a filter without arguments',
    holds: async (world) => {
      const em = remembering(world)
      em.addFilter({ name: 'tenant', cond: (args: { id: number }) => ({ id: args.id }) } as never)
      const lacksArguments = (error: unknown): boolean => borrowed.lacksArguments(error)
      await assert.rejects(borrowed.conditionOfFilters(em, Lent, 'read', {}), lacksArguments)
      assert.throws(() => borrowed.conditionOfFiltersNow(em, Lent, 'read', {}), lacksArguments)
      assert.equal(borrowed.lacksArguments(new Error('another')), false)
    },
  },
})
