/** A synchronous session answers with the value to which an EntityManager's promise resolves, on the same rows. */
import fc from 'fast-check'
import t from 'tap'
import { DatabaseFactory, parseQueryParams, type SyncSession } from '../../src/index.ts'
import { entities, Order, Plant, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { databases, skipReasons } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { resource } from '../http/helper.ts'
import { queryOf, wide } from '../sql/queries.ts'

t.test('random requests have the same answer on both kinds of sessions', { skip: skipReasons.postgres }, async (t) => {
  const { orm, url, close } = await databases[1]![1]({ entities, seed })
  const factory = new DatabaseFactory({ databaseUrl: url!, entities, useAsync: false })
  const session = factory.getSessionMaker(factory.getEngine())()
  t.teardown(async () => {
    factory.close()
    await close()
  })
  const plants = resource(Plant, wide)
  const answer = async (ask: () => unknown) => {
    try {
      return await ask()
    } catch (error) {
      const { code, statusCode, errors } = error as Record<string, unknown>
      return { code, statusCode, errors }
    }
  }
  const text = fc.oneof(fc.constantFrom('a', 'Lavender', '%', 'é', "'", '"'), fc.string({ maxLength: 5 }))
  await assertProperty(
    fc.asyncProperty(queryOf(text), fc.integer({ min: 0, max: 20 }), async (query, id) => {
      const params = parseQueryParams(query)
      const selection = parseQueryParams(query.split('&').filter((part) => /^(fields|include)/.test(part)).join('&'))
      const em = orm.em.fork()
      const asked = async (on: typeof em | SyncSession) => [
        await answer(() => plants.list(on, params)),
        await answer(() => plants.count(on, params)),
        await answer(() => plants.get(on, id, selection)),
        await answer(() => plants.exists(on, id)),
      ]
      t.strictSame(await asked(session), await asked(em), query)
    }),
    { numRuns: 150 }
  )
  for (const crud of [resource(Specimen), resource(Order)]) {
    t.equal(crud.listJson(session), await crud.listJson(orm.em.fork()), 'as text, for every type of value')
    const [one] = crud.list(session).items
    t.strictSame(crud.get(session, one!['id']), await crud.get(orm.em.fork(), one!['id']))
  }
})
