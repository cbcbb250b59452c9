import fc from 'fast-check'
import t from 'tap'
import { joinList, splitList } from '../../src/query/index.ts'
import { assertProperty } from '../helpers/property.ts'

t.test('commas separate items, and whitespace around items is dropped', async t => {
  const cases: Array<[string, string[]]> = [
    ['', []], [' \t ', []], ['a', ['a']], ['a,b', ['a', 'b']], [' a , b c ', ['a', 'b c']], ['a\n,\u00a0b', ['a', 'b']],
    ['5" pipe,x"y"', ['5" pipe', 'x"y"']], ['a\\,b', ['a\\', 'b']],
  ]
  for (const [text, items] of cases) t.strictSame(splitList(text), { items }, JSON.stringify(text))
})

t.test('an item in quotes is kept verbatim', async t => {
  const cases: Array<[string, string[]]> = [
    ['"a,b",c', ['a,b', 'c']], [' "a" , "b" ', ['a', 'b']], ['" a "', [' a ']], ['""', ['']], ['"",""', ['', '']],
    ['"a\\"b"', ['a"b']], ['"a\\\\"', ['a\\']], ['"\\\\\\""', ['\\"']], ['"\\\\\\\\"', ['\\\\']],
  ]
  for (const [text, items] of cases) t.strictSame(splitList(text), { items }, text)
})

t.test('a list that cannot be split is an error', async t => {
  const cases: Array<[string, RegExp]> = [
    ['1,,2', /empty item/], [',', /empty item/], ['a,', /empty item/], [',a', /empty item/], ['a, ,b', /empty item/],
    ['"a",', /empty item/], ['"a', /not closed/], ['"', /not closed/], ['"a\\"', /not closed/], ['"a\\', /not closed/],
    ['"a"b', /closing quote/], ['"a" "b"', /closing quote/], ['"a""b"', /closing quote/], ['"a\\n"', /backslash/],
    ['"\\\\\\n"', /backslash/],
  ]
  for (const [text, error] of cases) t.match(splitList(text), { error }, text)
})

t.test('a list has at most 100 items', async t => {
  t.equal(splitList(Array(100).fill('1').join(',')).items?.length, 100)
  t.match(splitList(Array(101).fill('1').join(',')).error, /more than 100/)
})

t.test('joinList is the inverse of splitList', async t => {
  t.equal(joinList(['a,b', 'c', '', ' d', '"', '\\']), '"a,b",c,""," d","\\"",\\')
  assertProperty(
    fc.property(fc.array(item(), { maxLength: 100 }), (items) => {
      t.strictSame(splitList(joinList(items)), { items })
    }),
    { numRuns: 300 }
  )
})

t.test('any text is split or refused', async t => {
  assertProperty(
    fc.property(item(), (text) => {
      const { items, error } = splitList(text)
      if (items === undefined) return typeof error === 'string'
      return JSON.stringify(splitList(joinList(items)).items) === JSON.stringify(items)
    }),
    { numRuns: 2000 }
  )
})

function item () {
  return fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('a', ',', '"', '\\', ' ') }))
}
