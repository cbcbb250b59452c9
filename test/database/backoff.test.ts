import fc from 'fast-check'
import t from 'tap'
import { delayOf, pause } from '../../src/database/backoff.ts'
import { assertProperty } from '../helpers/property.ts'

const always = (value: number) => () => value

t.test('the bound of the wait doubles up to the maximum, and any wait below it is possible', async (t) => {
  const backoff = { baseDelay: 20, maxDelay: 1_000 }
  const bounds = [0, 1, 2, 3, 4, 5, 6, 60, 2_000].map((attempt) =>
    Math.round(delayOf(attempt, backoff, always(0.999_999)))
  )
  t.strictSame(bounds, [19, 39, 79, 159, 319, 639, 999, 999, 999])
  t.equal(delayOf(5, backoff, always(0)), 0)
  t.equal(delayOf(1, backoff, always(0.5)), 20)
  t.equal(delayOf(3, { baseDelay: 0, maxDelay: 1_000 }), 0)
})

t.test('no wait is longer than its maximum', async (t) => {
  assertProperty(
    fc.property(fc.nat(3_000), fc.nat(10_000), fc.nat(10_000), (attempt, baseDelay, maxDelay) => {
      const delay = delayOf(attempt, { baseDelay, maxDelay })
      t.ok(delay >= 0 && delay <= maxDelay && Number.isInteger(delay), String(delay))
    }),
    { numRuns: 50 }
  )
})

t.test('a wait ends when the client goes away', { timeout: 60_000 }, async (t) => {
  const controller = new AbortController()
  const waiting = pause(2 ** 30, controller.signal)
  controller.abort()
  await waiting
  await pause(2 ** 30, controller.signal)
  await pause(0, undefined)
  t.pass()
})
