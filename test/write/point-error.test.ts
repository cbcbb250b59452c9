/** The search for the record of a batch that the database refuses. */
import fc from 'fast-check'
import t from 'tap'
import { ConflictError } from '../../src/base/errors.ts'
import { doAtOnce, wait } from '../../src/base/steps.ts'
import { isRepeatable, isSameError, searchRefused } from '../../src/write/point-error.ts'
import { assertProperty } from '../helpers/property.ts'

t.test('the first refused record is found, and records before it stay inserted', async (t) => {
  assertProperty(
    fc.property(fc.array(fc.nat(12), { minLength: 1, maxLength: 60 }), (keys) => {
      // a record is refused if an earlier one has its key
      const expected = keys.findIndex((key, index) => keys.indexOf(key) < index)
      let inserted: number[] = []
      let parts = 0
      const found = doAtOnce(searchRefused(keys.length, ({ from, to }) => {
        const next = [...inserted, ...keys.slice(from, to)]
        const refused = new Set(next).size < next.length
        if (!refused) inserted = next
        parts++
        return wait(refused)
      }))
      return found === (expected === -1 ? undefined : expected) && parts <= 1 + Math.ceil(Math.log2(keys.length))
    }),
    { numRuns: 500 }
  )
  t.pass()
})

const serverError = (code: string, more: object = {}) =>
  Object.assign(new Error('refused'), { code, severity: 'ERROR', ...more })

t.test('only the same error shows that a part holds the refused record', async (t) => {
  const same = (error: any, other: object) => isSameError(new ConflictError('x', { cause: other }), error)
  const unique = serverError('23505', { constraint: 'one', detail: 'Key (a)=(1) already exists.' })
  t.ok(same(unique, serverError('23505', { constraint: 'one', detail: 'Key (a)=(1) already exists.' })))
  t.notOk(same(unique, serverError('23505', { constraint: 'one', detail: 'Key (a)=(2) already exists.' })))
  t.notOk(same(unique, serverError('23505', { constraint: 'two' })))
  t.notOk(same(unique, serverError('23502', { column: 'one' })))
  t.notOk(isSameError(new Error('lost'), unique))
  const detail = 'Key (parent_id)=(9) is not present in table "a".'
  const absent = serverError('23503', { constraint: 'parent', detail })
  t.ok(same(absent, absent))
  t.notOk(same(absent, { ...absent, detail: 'Key (parent_id)=(1) is not present in table "a".' }),
    'a reference to another record of the batch')
  const hidden = serverError('23503', { constraint: 'parent', detail: 'Key is not present in table "a".' })
  t.notOk(same(hidden, hidden), 'a server that does not say which reference it is')
})

t.test('errors about a batch as a whole are not searched', async (t) => {
  t.ok(isRepeatable(serverError('23514', { constraint: 'rule' })))
  t.ok(isRepeatable(serverError('23502', { column: 'name' })))
  t.ok(isRepeatable(serverError('22P02')))
  t.notOk(isRepeatable(serverError('23514')), 'raised by a trigger')
  t.notOk(isRepeatable(serverError('44000')))
})
