/**
 * Non-interference: no value that a role may not see changes an answer that it gets. Two servers with the same random
 * rules get the same random requests. Their data differ in everything that the role may not see, and the second server
 * uses other names for the properties that do not exist for the role. All answers must be the same, byte by byte.
 *
 * Three things are the same on both sides. A rule that leads over a relation shows some of what it reads, so these
 * columns do not change (`policyColumns`). Clients cannot set a unique property, because a conflict with a hidden row
 * is a 409. The time of a deletion is left out of the comparison.
 */
import type { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { databases } from '../helpers/databases.ts'
import { assertProperty, isRefuted } from '../helpers/property.ts'
import { seedArbitrary } from './access/data.ts'
import { entitiesFor } from './access/entities.ts'
import { LEAKS, SECRETS, supposed } from './access/leaks.ts'
import { asksOf, type Ask } from './access/requests.ts'
import { secretsArbitrary } from './access/roles.ts'
import { sameNames } from './access/shape.ts'
import { difference, hearBoth } from './access/sides.ts'

const [, openPglite] = databases[0]!
const { orm, close } = await openPglite({ entities: [...entitiesFor(sameNames)] })
t.teardown(close)
const database = await orm.em.getConnection().getNativeClient() as unknown as PGlite

/** Rules, and requests of a client that knows them. */
const visits = secretsArbitrary.chain((secrets) => fc.tuple(fc.constant(secrets), asksOf(secrets)))

t.test('what a role may not see changes none of its answers', async (t) => {
  const statuses: Record<number, number> = {}
  await assertProperty(
    fc.asyncProperty(visits, seedArbitrary, seedArbitrary, async ([secrets, asks], seed, otherSeed) => {
      const [one, other] = await hearBoth(database, { secrets, asks, seed, otherSeed })
      for (const { status } of one) statuses[status] = (statuses[status] ?? 0) + 1
      assert.deepEqual(one.filter(({ status }) => status >= 500), [])
      assert.equal(difference(one, other), undefined)
    }),
    { numRuns: 10 }
  )
  for (const status of [200, 201, 400, 403, 404]) t.ok(statuses[status]! > 0, `some answers have the status ${status}`)
})

for (const [series, leak] of LEAKS.entries()) {
  t.test(`finds a leak: ${leak.name}`, async (t) => {
    let drawn = 0
    const isKept = async (asks: readonly Ask[], seed: number, otherSeed: number): Promise<boolean> => {
      drawn++
      const [one, other] = await hearBoth(database, { secrets: SECRETS, asks, seed, otherSeed, leak })
      return difference(one, other) === undefined
    }
    const examples = [asksOf(supposed(leak)), seedArbitrary, seedArbitrary] as const
    t.ok(await isRefuted(examples, isKept, { numRuns: 150, series }), `after ${drawn} examples`)
  })
}
