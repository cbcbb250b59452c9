/** The non-interference test finds leaks: each of these mistakes is planted into a server, and must be found. */
import t from 'tap'
import { databases } from '../helpers/databases.ts'
import { isRefuted } from '../helpers/property.ts'
import { seedArbitrary } from './access/data.ts'
import { entitiesFor } from './access/entities.ts'
import { LEAKS, SECRETS, supposed } from './access/leaks.ts'
import { asksOf, type Ask } from './access/requests.ts'
import { sameNames } from './access/shape.ts'
import { databaseOf, difference, hearBoth, openSides } from './access/sides.ts'

// a leak does not depend on the server
const [, openPglite] = databases[0]!
const opened = await openPglite({ entities: Object.values(entitiesFor(sameNames)) })
t.teardown(opened.close)
const database = await databaseOf(opened)

for (const [series, leak] of LEAKS.entries()) {
  t.test(`finds a leak: ${leak.name}`, async (t) => {
    const sides = await openSides(database, { secrets: SECRETS, leak })
    t.teardown(sides.close)
    let drawn = 0
    const isKept = async (asks: readonly Ask[], seed: number, otherSeed: number): Promise<boolean> => {
      drawn++
      const [one, other] = await sides.hear({ asks, seed, otherSeed })
      return difference(one, other) === undefined
    }
    const examples = [asksOf(supposed(leak), leak.of), seedArbitrary, seedArbitrary] as const
    t.ok(await isRefuted(examples, isKept, { numRuns: 150, series }), `after ${drawn} examples`)
  })
}

t.test('documents show a leak of names, too', async (t) => {
  const leak = LEAKS.find(({ ofNames }) => ofNames === true)!
  for (const documents of ['ofRole', 'ofRoles'] as const) {
    const rules = { secrets: SECRETS, documents }
    const visit = { asks: [], seed: 1, otherSeed: 2 }
    const [one, other] = await hearBoth(database, { ...rules, leak }, visit)
    t.match(difference(one, other), /OpenAPI/, documents)
    t.equal(difference(...await hearBoth(database, rules, visit)), undefined, `no leak, ${documents}`)
  }
})
