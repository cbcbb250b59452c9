/** Bodies of writes: mostly valid, with values written in several ways, and now and then invalid. */
import fc from 'fast-check'
import type { Row, Value } from '../reference/description.ts'
import { ticket } from './tickets.ts'
import { text, valueOf, written } from './values.ts'

/** Values that no property of the name may have. */
const MISTAKES: Readonly<Record<string, readonly Value[]>> = {
  code: [null, 1, {}, ['a'], 'a\0'], open: [null, 'true', 1, 0], note: [1, false, {}, '\0'],
  points: ['1', 1.5, true, 2147483648, -2147483649, []], serial: [{}, true, '9223372036854775808', '1.5', ''],
  cost: [{}, true, 'x', '1e3', '', '0.011'], weight: ['1', true, {}], state: ['NEW', 1, ''],
  token: ['x', 1, '00000000'], due: ['2024-02-30', 20240101, '2024-1-1'],
  seen_at: ['x', 1700000000, '2024-02-30T00:00:00Z'], owner: ['1', 1.5, {}, [1], true],
  labels: ['x', null, {}, [1], ['x'], [null]], id: [0, '1', 7], version: [1],
  deleted_at: [null, '2024-01-01T00:00:00.000Z'], secret: ['x'], nope: [1],
}

/** Values as a client may write them: one text in several ways. */
function json (name: string): fc.Arbitrary<Value> {
  const property = ticket.properties[name]!
  return valueOf(property).chain((value): fc.Arbitrary<Value> =>
    typeof value === 'string' && property.type !== 'text' ? written(value, property.type) : fc.constant(value)
  )
}

const SIMPLE = ['open', 'note', 'points', 'serial', 'cost', 'weight', 'state', 'token', 'due', 'seen_at', 'extra']

/** Only a few codes, so that some are taken. */
const code = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 40 }).map((n) => `T${n}`) }, {
  weight: 1,
  arbitrary: text,
})

export function bodies (operation: 'create' | 'update', labels: readonly Value[]): fc.Arbitrary<Row> {
  const values = {
    ...Object.fromEntries(SIMPLE.map((name) => [name, json(name)])),
    code,
    owner: fc.option(fc.constantFrom(1, 1, 2, 2, 2, 3, 99), { freq: 4 }),
    labels: fc.oneof({ weight: 5, arbitrary: fc.shuffledSubarray([...labels]) }, {
      weight: 1,
      arbitrary: fc.constant(['99999999-0000-4000-8000-000000000000']),
    }),
  }
  const required = operation === 'create' ? ['code', 'open'] : []
  const few = fc.subarray(Object.keys(values), { maxLength: 5 }).chain((names) =>
    fc.record(Object.fromEntries([...new Set([...required, ...names])].map((name) => [name, values[name as 'code']])), {
      noNullPrototype: true,
    })
  )
  const wrong = fc.tuple(
    few,
    fc.constantFrom(...Object.keys(MISTAKES)).chain((name) =>
      fc.constantFrom(...MISTAKES[name]!).map((value) => ({ [name]: value }))
    )
  )
    .map(([body, mistake]) => ({ ...body, ...mistake }))
  const incomplete = few.map(({ code, ...others }: Row) => others)
  return fc.oneof({ weight: 8, arbitrary: few as fc.Arbitrary<Row> }, { weight: 1, arbitrary: wrong }, {
    weight: 1,
    arbitrary: incomplete,
  })
}

/** `current` and `next` stand for the record's version and the one after it; null for no header. */
export const ifMatches: fc.Arbitrary<string | null> = fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, {
  weight: 4,
  arbitrary: fc.constant('"current"'),
}, { weight: 2, arbitrary: fc.constantFrom('"next"', '*', '"x"', '"next", "current"', '"0"') })
