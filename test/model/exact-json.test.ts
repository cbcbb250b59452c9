/** Numbers that JavaScript would round pass `JSON.parse` and `JSON.stringify` unchanged. Only those become objects. */
import fc from 'fast-check'
import t from 'tap'
import { isExactNumber, parseExact, withNumbers } from '../../src/model/exact-json.ts'
import { assertProperty } from '../helpers/property.ts'

/** The value of a number's text: its digits without zeros at the ends, and the place of the decimal point. */
function valueOf (text: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)!
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  return significant === ''
    ? '0'
    : `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max })
const number = fc.record({
  sign: fc.constantFrom('', '-'),
  whole: digits(22).map((text) => text.replace(/^0+(?=\d)/, '')),
  fraction: fc.option(digits(22), { nil: undefined }),
  exponent: fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), digits(4)), { nil: undefined }),
}).map(({ sign, whole, fraction, exponent = [] }) =>
  `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent.join('')}`
)

t.test('no number changes its value, in any place', async (t) => {
  assertProperty(
    fc.property(
      number,
      fc.constantFrom(['', ''], ['[', ']'], ['[1,', ',2]'], ['{"a" : ', ' }'], ['{"a":{"b":[', '\n]}}'], [
        '["9007199254740993",',
        ']',
      ]),
      (text, [before, after]) => {
        const written = JSON.stringify(parseExact(`${before}${text}${after}`))
        const compact = (part: string | undefined) => part!.replace(/\s/g, '')
        const result = written.slice(compact(before).length, written.length - compact(after).length)
        if (valueOf(result) !== valueOf(text)) throw new Error(`${text} became ${result}`)
      }
    ),
    { numRuns: 5000 }
  )
  t.pass('all have kept it')
})

t.test('numbers that JavaScript does not round stay numbers', async (t) => {
  const plain = [9007199254740991, 0.1, 1e300, 0.30000000000000004, 12345678, -5, 1e21, 5e-324]
  t.strictSame(parseExact(JSON.stringify(plain)), plain)
  const [first, ...rest] = parseExact(JSON.stringify(plain).replace('[', '[9007199254740993,')) as unknown[]
  t.ok(isExactNumber(first))
  t.strictSame(rest, plain)
})

t.test('texts stay texts, and keys stay keys', async (t) => {
  const json =
    '{"__proto__":{"n":9007199254740993},"9007199254740993":"9007199254740993","t":", 9007199254740993,","e":"1e400"}'
  t.equal(JSON.stringify(parseExact(json)), json)
})

t.test('texts may have any length', async (t) => {
  for (const unit of ['1', '1.', '1e1', '12345678a', '9007199254740993,']) {
    const text = `["${unit.repeat(24_000_000 / unit.length)}","1e${'1'.repeat(2_000)}"]`
    t.ok(JSON.stringify(parseExact(text)) === text, unit)
  }
  for (const number of ['9'.repeat(50_000), `1e${'1'.repeat(500)}`, `0.${'1'.repeat(200)}e-5`]) {
    t.equal(JSON.stringify(parseExact(`[${number}]`)), `[${number}]`)
  }
})

t.test('code that computes with values gets numbers, at any depth', async (t) => {
  t.strictSame(
    withNumbers(parseExact('{"a":[9007199254740993,{"b":-1e400,"__proto__":18446744073709551615}],"c":null,"d":"x"}')),
    JSON.parse('{"a":[9007199254740992,{"b":-1e400,"__proto__":18446744073709552000}],"c":null,"d":"x"}')
  )
  t.equal(withNumbers(parseExact('9007199254740993')), 9007199254740992)
})
