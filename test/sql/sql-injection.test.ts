/**
 * Text of a request is never part of a statement, in any place of the request. For the same over HTTP, see
 * test/security/injection.test.ts.
 */
import fc from 'fast-check'
import t from 'tap'
import { planExists, planGet, type ReadPlan } from '../../src/plan/index.ts'
import { Shelf } from '../fixtures/entities.ts'
import { assertProperty } from '../helpers/property.ts'
import { planOf, whitelistOf } from '../plan/helper.ts'
import { CANARY, hostile } from '../security/hostile.ts'
import { compiled } from './helper.ts'
import { queryOf, wide } from './queries.ts'

const strict = whitelistOf(wide)
const lenient = whitelistOf({ ...wide, ignoreInvalidErrors: true })
const textOf = (plan: ReadPlan) => compiled(plan).text

/** Places of values. */
const VALUES = [
  'filter[name]=', 'filter[name][like]=', 'filter[name][contains]=', 'filter[name][in]=', 'filter[name][in][]=',
  'filter[name][between][]=a&filter[name][between][]=', 'filter[supplier.name]=', 'filter[tags.name]=',
  'filter[description][ends]=',
]

t.test('a value never changes the text of a statement', async (t) => {
  let planned = 0
  const harmless = new Map(VALUES.map((query) => [query, textOf(planOf(`${query}harmless`, strict))]))
  assertProperty(
    fc.property(fc.constantFrom(...VALUES), hostile, (query, text) => {
      let statement
      try {
        statement = textOf(planOf(`${query}${encodeURIComponent(text.toWellFormed())}`, strict))
      } catch (error) {
        return (error as { statusCode?: number }).statusCode === 400
      }
      planned++
      return statement === harmless.get(query)
    }),
    { numRuns: 2000 }
  )
  t.ok(planned > 1000, `${planned} of them`)
})

t.test('names that are not allowed are in no statement, in any place', async (t) => {
  const positions: ReadonlyArray<(text: string) => string> = [
    (text) => `filter[${text}]=1`, (text) => `filter[name][${text}]=1`, (text) => `filter[supplier.${text}]=1`,
    (text) => `filter[name.${text}]=1`, (text) => `sort=${text}`, (text) => `sort=-${text}`,
    (text) => `sort=name,${text}`, (text) => `sort=supplier.${text}`, (text) => `include=${text}`,
    (text) => `include=tags.${text}`, (text) => `fields=${text}`, (text) => `fields=id,${text}`,
    (text) => `fields[${text}]=id`, (text) => `include=tags&fields[tags]=${text}`, (text) => `page=${text}`,
    (text) => `per_page=${text}`, (text) => `limit=${text}`, (text) => `offset=${text}`, (text) => `cursor=${text}`,
    (text) => `${text}=1`, (text) => `filter[name]=x&${text}`,
  ]
  const harmless = new Set(
    ['', 'filter[name]=x', 'sort=name', 'fields=id', 'include=tags', 'include=tags&fields=id'].map((query) =>
      textOf(planOf(query, strict))
    )
  )
  let kept = 0
  // a text may happen to be an allowed name, or a number of a page
  const refused = hostile.filter((text) => !/^[\w.,%+ -]*$/.test(text))
  assertProperty(
    fc.property(fc.constantFrom(...positions), refused, (position, text) => {
      const query = position(encodeURIComponent(text.toWellFormed()))
      try {
        const statement = textOf(planOf(query, lenient))
        kept++
        if (!harmless.has(statement)) return false
      } catch (error) {
        if ((error as { statusCode?: number }).statusCode !== 400) throw error
      }
      try {
        return harmless.has(textOf(planOf(query, strict)))
      } catch (error) {
        return (error as { statusCode?: number }).statusCode === 400
      }
    }),
    { numRuns: 4000 }
  )
  t.ok(kept > 500, `${kept} were planned without them`)
})

t.test('values of random requests are in no statement', async (t) => {
  assertProperty(
    fc.property(queryOf(hostile.map((text) => text.replaceAll('\\', '').replaceAll('\0', ''))), (query) => {
      let statement
      try {
        statement = textOf(planOf(query, strict))
      } catch (error) {
        // patterns with too many wildcards
        return (error as { statusCode?: number }).statusCode === 400
      }
      return !statement.includes(CANARY)
    }),
    { numRuns: 1500 }
  )
  t.pass()
})

t.test('a key never changes the text of a statement', async (t) => {
  const whitelists = [strict, whitelistOf({}, Shelf)]
  assertProperty(
    fc.property(hostile, (text) => {
      for (const id of [text, { id: text }, { house: text, number: 1 }, { [text]: 1 }, { house: 'A', [text]: 1 }]) {
        for (const whitelist of whitelists) {
          for (const plan of [planGet(id, undefined, whitelist), planExists(id, whitelist)]) {
            if (plan !== undefined && textOf(plan).includes(CANARY)) return false
          }
        }
      }
      return true
    }),
    { numRuns: 1000 }
  )
  t.pass()
})
