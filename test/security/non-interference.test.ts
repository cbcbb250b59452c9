/**
 * Non-interference: no value that a role may not see changes an answer that it gets. Two servers with the same random
 * rules get the same random requests. Their data differ in everything that the role may not see, and the second server
 * uses other names for the properties that do not exist for the role. All answers must be the same, byte by byte.
 */
import type { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { databases } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { dataOf, seedArbitrary, twinOf } from './access/data.ts'
import { entitiesFor } from './access/entities.ts'
import { asksOf } from './access/requests.ts'
import { secretsArbitrary } from './access/roles.ts'
import { sameNames } from './access/shape.ts'
import { difference, openSide, secretNaming } from './access/sides.ts'

const [, openPglite] = databases[0]!
const { orm, close } = await openPglite({ entities: [...entitiesFor(sameNames)] })
t.teardown(close)
const database = await orm.em.getConnection().getNativeClient() as unknown as PGlite

/** Rules, and requests of a client with these rules. */
const visits = secretsArbitrary.chain((secrets) => fc.tuple(fc.constant(secrets), asksOf(secrets)))

t.test('what a role may not see changes none of its answers', async (t) => {
  const statuses: Record<number, number> = {}
  await assertProperty(
    fc.asyncProperty(visits, seedArbitrary, seedArbitrary, async ([secrets, asks], seed, other) => {
      const data = dataOf(seed)
      const one = await openSide(database, secrets, sameNames)
      const two = await openSide(database, secrets, secretNaming(secrets))
      try {
        const heard = await one.hear(data, asks)
        for (const { status } of heard) statuses[status] = (statuses[status] ?? 0) + 1
        assert.equal(difference(heard, await two.hear(twinOf(data, secrets, other), asks)), undefined)
      } finally {
        await one.close()
        await two.close()
      }
    }),
    { numRuns: 20 }
  )
  t.comment(statuses)
})
