/** Ids of records with composite keys. */
import fc from 'fast-check'
import t from 'tap'
import { joinId, splitId } from '../../src/admin/id.ts'
import { assertProperty } from '../helpers/property.ts'

t.test('an id has the parts of a key in order', async (t) => {
  for (const [parts, id] of [
    [[7, 'LAV-1'], '7~LAV-1'],
    [['a~b', 'c'], 'a!~b~c'],
    [['a', '~b'], 'a~!~b'],
    [['a!', 'b'], 'a!!~b'],
    [['a/b', 'ü 1\n'], 'a/b~ü 1\n'],
    [['single'], 'single'],
    [['7', '-1', '9007199254740993', '07', '1.50', 'NaN', ''], '!7~!-1~9007199254740993~07~1.50~NaN~'],
  ] as const) {
    t.equal(joinId(parts), id)
    t.strictSame(splitId(id), parts)
  }
  t.strictSame(splitId(5), [5])
})

t.test('splitting an id is the inverse of joining its parts', async (t) => {
  const part = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[!~a-]{0,6}$/), fc.integer(),
    fc.integer().map(String))
  assertProperty(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      t.strictSame(splitId(joinId(parts)), parts)
    }),
    { numRuns: 300 }
  )
})
