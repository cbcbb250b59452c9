/**
 * Random requests to random resources, answered by the server and by the reference implementation
 * (reference/answer.ts).
 *
 * Every whitelist gets its own rows and server. FUZZ_SEED draws others, FUZZ_RUNS_FACTOR more.
 */
import fc from 'fast-check'
import t from 'tap'
import { crudKit } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { assertProperty, drawing } from '../helpers/property.ts'
import { newServer } from '../helpers/server.ts'
import type { World } from './reference/description.ts'
import { keyOf } from './reference/entities.ts'
import { Comparison } from './random/compare.ts'
import { models, store, tableName } from './random/database.ts'
import { entities } from './random/graph.ts'
import { aggregateRequests, listRequests, recordRequests } from './random/requests.ts'
import { waitsFor, type Pending } from './random/pending.ts'
import { crudOf } from './random/resource.ts'
import { tables } from './random/rows.ts'
import { whitelists } from './random/whitelists.ts'

/**
 * Behaviour that is described and not yet built. Requests that would show it are left out. Empty this list when it is
 * built.
 */
const PENDING: readonly Pending[] = []

const WORLDS = 16
/** Resources for each entity. The factor draws more worlds. */
const REQUESTS = 160 / drawing(process.env).factor

await forOneDatabase(t, { entities: [...models.values()] }, async (t, { orm }) => {
  const worlds: World[] = []
  assertProperty(
    fc.property(whitelists, tables, (whitelist, tables) => {
      worlds.push({ entities, tables, whitelist })
    }),
    { numRuns: WORLDS }
  )
  const seen: Record<string, number> = {}
  for (const [index, world] of worlds.entries()) {
    const { entity: name } = world.whitelist
    await t.test(`${index + 1}: ${name}`, async (t) => {
      await store(orm, world.tables)
      const app = newServer(t)
      await app.register(crudKit, {
        orm,
        indexAdvice: false,
        resources: {
          [`/${tableName(name)}`]: {
            crud: crudOf(world.whitelist), operations: ['list', 'get', 'aggregate'], query: true,
          },
        },
      })
      const comparison = new Comparison(app, `/${tableName(name)}`, world)
      const ids = world.tables.rows[name]!.map((row) => [keyOf(entities[name]!, row)].flat().map(String))
      // a path cannot contain an empty segment
      const id = fc.constantFrom(...ids.filter((id) => !id.includes('')), undefined)
      const request = fc.oneof(
        {
          weight: 9,
          arbitrary: listRequests(world).map((parameters) => ({ parameters, send: () => comparison.list(parameters) })),
        },
        {
          weight: 3,
          arbitrary: aggregateRequests(world).map((parameters) => ({
            parameters,
            send: () => comparison.aggregate(parameters),
          })),
        },
        {
          weight: 1,
          arbitrary: fc.record({ id, parameters: recordRequests(world) }).map(({ id, parameters }) => ({
            parameters,
            send: () => id === undefined ? comparison.list(parameters) : comparison.record(id, parameters),
          })),
        }
      )
      await assertProperty(
        fc.asyncProperty(request, async ({ parameters, send }) => {
          if (waitsFor(PENDING, world, parameters)) return
          await send()
        }),
        { numRuns: REQUESTS, series: index + 1 }
      )
      for (const [status, count] of Object.entries(comparison.seen)) seen[status] = (seen[status] ?? 0) + count
      t.pass('the same answers')
    })
  }
  t.comment(JSON.stringify(seen))
})
