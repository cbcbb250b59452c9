import { Type } from '@sinclair/typebox'
import t from 'tap'
import {
  checkOptions, checkSchema, completed, defaultsOf, refusedAs, secret, withDefault,
} from '../src/base/option-checks.ts'
import { didYouMean } from '../src/base/suggest.ts'

const refused = (message: string) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('the names of options are checked', async (t) => {
  const check = (given: unknown) => () => checkOptions('Shop.list', given, ['scope', 'context'])
  for (const good of [undefined, {}, { scope: 1 }, { context: undefined }, Object.create(null)]) {
    t.doesNotThrow(check(good))
  }
  t.throws(check({ scop: 1 }), refused("Shop.list: there is no option 'scop'. Did you mean 'scope'?"))
  t.throws(check({ hard: undefined }), refused("Shop.list: there is no option 'hard'. It has: scope, context."))
  t.throws(check(JSON.parse('{"__proto__":1}')),
    refused("Shop.list: there is no option '__proto__'. It has: scope, context."))
  t.throws(() => checkOptions('Shop', { a: 1 }, []), refused("Shop: there is no option 'a'. It has no options."))
})

t.test('options must be a plain object, since other objects would have no effect', async (t) => {
  class Scoped {
    get scope () {
      return 1
    }
  }
  for (const [given, name] of [
    [null, 'null'], ['scope', "'scope'"], [5, '5'], [[], 'an empty array'], [[1], 'an array'], [() => {}, 'a function'],
    [Promise.resolve({ scope: 1 }), 'an instance of Promise'], [new Map([['scope', 1]]), 'an instance of Map'],
    [new Scoped(), 'an instance of Scoped'], [Object.create({ scope: 1 }), 'an object'],
  ] as const) {
    t.throws(() => checkOptions('Shop', given, ['scope']),
      refused(`Shop: options must be a plain object, got ${name}.`), name)
  }
})

t.test('options are checked against a schema', async (t) => {
  const closed = { additionalProperties: false }
  const schema = Type.Object({
    count: Type.Optional(Type.Union([Type.Literal('exact'), Type.Literal('none')])),
    pool: Type.Optional(Type.Object({ max: Type.Optional(Type.Integer({ minimum: 1 })) }, closed)),
    stream: Type.Optional(Type.Union([Type.Boolean(), Type.Object({ time: Type.Optional(Type.Integer()) }, closed)])),
    urls: Type.Optional(Type.Array(Type.String())),
  }, closed)
  for (const [given, message] of [
    ['x', "options: expected object, got 'x'"],
    [{ cont: 1 }, "there is no option 'cont'. Did you mean 'count'?"],
    [{ 'a/b': 1 }, "there is no option 'a/b'. It has: count, pool, stream, urls."],
    [{ count: 'exakt' }, "count: expected one of 'exact', 'none', got 'exakt'. Did you mean 'exact'?"],
    [{ count: 1 }, "count: expected one of 'exact', 'none', got 1."],
    [{ pool: { mx: 1 } }, "there is no option 'mx' in 'pool'. Did you mean 'max'?"],
    [{ pool: { max: 0 } }, 'pool.max: expected integer to be greater or equal to 1, got 0'],
    [{ stream: { tiem: 1 } }, "there is no option 'tiem' in 'stream'. Did you mean 'time'?"],
    [{ stream: { time: 'x' } }, "stream.time: expected integer, got 'x'"],
    [{ urls: ['a', 1] }, 'urls[1]: expected string, got 1'],
  ] as const) t.throws(() => checkSchema('Shop', schema, given), refused(`Shop: ${message}`), message)
  t.throws(() => checkSchema('Shop', Type.Object({ urls: Type.Array(secret(Type.String())) }), { urls: [5] }),
    refused('Shop: urls[0]: expected string'))
  const special = refusedAs(schema.properties.urls, (value, place) => `${place} can't be ${String(value)}`)
  t.throws(() => checkSchema('Shop', Type.Object({ urls: special }), { urls: 5 }), refused("Shop: urls can't be 5"))
  t.doesNotThrow(() => checkSchema('Shop', schema, { count: 'none', stream: true }))
})

t.test('defaults take the place of options that are missing', async (t) => {
  const schema = Type.Object({
    max: withDefault(Type.Integer(), 10), min: withDefault(Type.Integer(), 0), name: Type.Optional(Type.String()),
  })
  t.strictSame(completed(schema, { min: 5 }), { min: 5, max: 10 })
  t.strictSame(completed(schema, undefined), { max: 10, min: 0 })
  t.strictSame(defaultsOf(schema), { max: 10, min: 0 })
})

t.test('a sentence ends with a suggestion, or with the known names', async (t) => {
  t.equal(didYouMean("there is no 'a'", 'b', 'It has: b.'), "there is no 'a'. Did you mean 'b'?")
  t.equal(didYouMean("there is no 'a'.", undefined, 'It has: b.'), "there is no 'a'. It has: b.")
  t.equal(didYouMean("there is no 'a'", undefined), "there is no 'a'.")
})
