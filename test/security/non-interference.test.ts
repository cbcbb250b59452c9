/**
 * Non-interference: no value that a role may not see changes an answer that it gets. Two servers with the same random
 * rules get the same random requests. Their data differ in everything that the role may not see, and the second server
 * uses other names for the properties that do not exist for the role. All answers must be the same, byte by byte.
 *
 * Three things are the same on both sides. A rule that leads over a relation shows some of what it reads, so these
 * columns do not change (`policyColumns`). Clients cannot set a unique property, because a conflict with a hidden row
 * is a 409. The time of a deletion is left out of the comparison.
 */
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { forEachDatabase } from '../helpers/databases.ts'
import { assertProperty, type Runs } from '../helpers/property.ts'
import { seedArbitrary } from './access/data.ts'
import { entitiesFor } from './access/entities.ts'
import { asksOf } from './access/requests.ts'
import { mayWrite, secretsArbitrary, type Secrets } from './access/roles.ts'
import { sameNames } from './access/shape.ts'
import { databaseOf, difference, hearBoth } from './access/sides.ts'

/** Rules, and requests of a client that knows them. */
const visitsOf = (entities?: readonly string[], isApt = (_secrets: Secrets) => true, writes?: number) =>
  secretsArbitrary.filter(isApt).chain((secrets) => fc.tuple(fc.constant(secrets), asksOf(secrets, entities, writes)))

await forEachDatabase(t, { entities: Object.values(entitiesFor(sameNames)) }, async (t, opened) => {
  const database = await databaseOf(opened)

  /** Compares both sides, and counts the statuses of the answers to some requests. */
  const compare = async (
    visits: ReturnType<typeof visitsOf>,
    runs: Runs,
    counts = (_request: string) => true
  ): Promise<Record<number, number>> => {
    const statuses: Record<number, number> = {}
    await assertProperty(
      fc.asyncProperty(visits, seedArbitrary, seedArbitrary, async ([secrets, asks], seed, otherSeed) => {
        const [one, other] = await hearBoth(database, { secrets, asks, seed, otherSeed })
        for (const { request, status } of one) if (counts(request)) statuses[status] = (statuses[status] ?? 0) + 1
        assert.deepEqual(one.filter(({ status }) => status >= 500), [])
        assert.equal(difference(one, other), undefined)
      }),
      runs
    )
    return statuses
  }

  t.test('what a role may not see changes none of its answers', async (t) => {
    const statuses = await compare(visitsOf(), { numRuns: 10 })
    for (const status of [200, 201, 400, 403, 404]) t.ok(statuses[status]! > 0, `${status} is among the statuses`)
  })

  t.test('and none of those to upserts', async (t) => {
    const visits = visitsOf(['Seat'], (secrets) => mayWrite(secrets, 'Seat', ['upsert']), 4)
    const statuses = await compare(visits, { numRuns: 5, series: 1 }, (request) => request.includes('?on=area,no'))
    for (const status of [200, 201, 400, 403]) t.ok(statuses[status]! > 0, `${status} is among the statuses`)
  })

  t.test('and none of those to writes of children with their parent', async (t) => {
    const isApt = (secrets: Secrets) =>
      mayWrite(secrets, 'Project', ['create', 'update'], ['notes']) &&
      mayWrite(secrets, 'Note', ['update'], ['project'])
    const visits = visitsOf(['Project'], isApt, 4)
    const statuses = await compare(visits, { numRuns: 7 }, (request) => request.includes('"notes":'))
    for (const status of [200, 201, 400, 403, 404, 409, 412]) {
      t.ok(statuses[status]! > 0, `${status} is among the statuses`)
    }
  })
})
