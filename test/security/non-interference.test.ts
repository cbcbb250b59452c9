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
import t, { type Test } from 'tap'
import { forEachDatabase } from '../helpers/databases.ts'
import { assertProperty, type Runs } from '../helpers/property.ts'
import { seedArbitrary } from './access/data.ts'
import { entitiesFor } from './access/entities.ts'
import { asksOf } from './access/requests.ts'
import { mayWrite, secretsArbitrary, type Secrets } from './access/roles.ts'
import { sameNames } from './access/shape.ts'
import { databaseOf, difference, hearBoth, type Heard, type Rules } from './access/sides.ts'

/** Rules, and requests of a client that knows them. */
const visitsOf = (entities?: readonly string[], isApt = (_secrets: Secrets) => true, writes?: number) =>
  secretsArbitrary.filter(isApt).chain((secrets) => fc.tuple(fc.constant(secrets), asksOf(secrets, entities, writes)))

await forEachDatabase(t, { entities: Object.values(entitiesFor(sameNames)) }, async (t, opened) => {
  const database = await databaseOf(opened)

  /** Compares both sides, and returns the answers. */
  const compare = async (
    visits: ReturnType<typeof visitsOf>,
    runs: Runs,
    documents?: Rules['documents']
  ): Promise<readonly Heard[]> => {
    const heard: Heard[] = []
    await assertProperty(
      fc.asyncProperty(visits, seedArbitrary, seedArbitrary, async ([secrets, asks], seed, otherSeed) => {
        const [one, other] = await hearBoth(database, { secrets, documents }, { asks, seed, otherSeed })
        heard.push(...one)
        assert.deepEqual(one.filter(({ status }) => status >= 500), [])
        assert.equal(difference(one, other), undefined)
      }),
      runs
    )
    return heard
  }

  /** Checks that requests with a text got answers of all these statuses. */
  const hasAll = (t: Test, heard: readonly Heard[], statuses: readonly number[], text = ''): void => {
    const given = new Set(heard.filter(({ request }) => request.includes(text)).map(({ status }) => status))
    for (const status of statuses) t.ok(given.has(status), `${status} is among the statuses of ${text || 'all'}`)
  }

  t.test('what a role may not see changes none of its answers', async (t) => {
    const heard = await compare(visitsOf(), { numRuns: 12, series: 3 })
    hasAll(t, heard, [200, 201, 400, 403, 404])
    for (const text of ['filter[not]', 'filter[or]', 'Count]', '/query ', 'facets=', 'group=', 'aggregate=']) {
      hasAll(t, heard, [200, 400], text)
    }
    hasAll(t, heard, [403], '/aggregate?')
    hasAll(t, heard, [304], '/aggregate?')
    hasAll(t, heard, [200, 400], 'count=')
    t.ok(heard.some(({ status, request }) => status === 304 && /^GET \/\w+\/\d/.test(request)), 'records have tags')
    t.ok(heard.some(({ headers }) => /rel="last"/.test(String(headers['link']))), 'lists have links')
  })

  t.test('and none of those to upserts', async (t) => {
    const visits = visitsOf(['Seat'], (secrets) => mayWrite(secrets, 'Seat', ['upsert']), 4)
    hasAll(t, await compare(visits, { numRuns: 8, series: 2 }), [200, 201, 400, 403], '?on=area,no')
  })

  t.test('and none of those to writes of children with their parent', async (t) => {
    const isApt = (secrets: Secrets) =>
      mayWrite(secrets, 'Project', ['create', 'update'], ['notes']) &&
      mayWrite(secrets, 'Note', ['update'], ['project'])
    const visits = visitsOf(['Project'], isApt, 4)
    hasAll(t, await compare(visits, { numRuns: 7 }), [200, 201, 400, 403, 404, 409, 412], '"notes":')
  })

  // a document does not depend on the server's database
  if (opened.url !== undefined) return
  t.test('and none of the documents of its role', async (t) => {
    const visits = secretsArbitrary.map((secrets) => [secrets, []] as [Secrets, []])
    hasAll(t, await compare(visits, { numRuns: 15, series: 4 }, 'ofRole'), [200], 'OpenAPI')
  })
})
