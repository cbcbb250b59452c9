/** Values of scopes in any spelling: reads and writes mean the same value, which is that of the column. */
import { p, Type } from '@mikro-orm/core'
import t from 'tap'
import { forEachDatabase } from '../../helpers/databases.ts'
import { keptLog } from '../../helpers/log.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { bodyOf, resource, select, serve } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

class Lower extends Type<string, string> {
  override convertToDatabaseValue (value: string): string {
    return value.toLowerCase()
  }

  override getColumnType (): string {
    return 'text'
  }
}

const Entry = entity('Entry', {
  id: p.integer().primary().autoincrement(), number: p.integer().nullable(), big: p.bigint().nullable(),
  price: p.decimal().precision(10).scale(2).nullable(), double: p.double().nullable(),
  single: p.float().columnType('real').nullable(), open: p.boolean().nullable(), code: p.string().length(5).nullable(),
  padded: p.string().columnType('char(5)').nullable(), tracker: p.uuid().nullable(), day: p.date().nullable(),
  at: p.datetime(3).nullable(), second: p.datetime(0).nullable(),
  local: p.datetime(3).columnType('timestamp(3)').nullable(), clock: p.time().nullable(),
  span: p.string().columnType('int4range').nullable(), days: p.string().columnType('daterange').nullable(),
  moments: p.string().columnType('tstzrange').nullable(), amounts: p.string().columnType('numrange').nullable(),
  pause: p.string().columnType('interval').nullable(), grade: p.enum(['a', 'b']).nullable(),
  rank: p.enum([1, 2]).nullable(), own: p.type(Lower).nullable(), required: p.integer().default(0),
  parent: () => p.manyToOne(Entry).nullable(),
})

const UUID = '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'
const NOON = '2024-05-06T12:00:00.000Z'

/**
 * The value of a scope, the value that a new record gets from it, and values in bodies: other spellings of the value,
 * and a different value.
 */
const CASES: ReadonlyArray<
  readonly [name: string, scope: unknown, filled: unknown, same: readonly unknown[], different: unknown]
> = [
  ['number', 1n, 1, [1], 2],
  ['number', ' 1 ', 1, [1], 2],
  ['big', 1n, '1', ['1', '01'], '2'],
  ['big', 1, '1', ['1'], '2'],
  ['price', '1.5', '1.50', ['1.50', '1.5', '01.5'], '1.51'],
  ['price', 1.5, '1.50', ['1.50'], '1.51'],
  ['double', '1.50', 1.5, [1.5], 1.6],
  ['double', '15e-1', 1.5, [1.5], 1.6],
  ['single', 1.1, 1.1, [1.1], 1.2],
  ['single', '1.1', 1.1, [1.1], 1.2],
  ['open', 'true', true, [true], false],
  ['open', 'F', false, [false], true],
  ['open', 1, true, [true], false],
  ['code', 5, '5', ['5'], '05'],
  ['padded', 'ab', 'ab   ', ['ab', 'ab  '], 'abc'],
  ['padded', 'ab   ', 'ab   ', ['ab'], ' ab'],
  ['tracker', UUID.toUpperCase(), UUID, [UUID, UUID.toUpperCase()], UUID.replace('3', '4')],
  ['tracker', `{${UUID.replaceAll('-', '')}}`, UUID, [UUID], UUID.replace('3', '4')],
  ['day', new Date(NOON), '2024-05-06', ['2024-05-06'], '2024-05-07'],
  ['day', NOON, '2024-05-06', ['2024-05-06'], '2024-05-07'],
  ['day', 'epoch', '1970-01-01', ['1970-01-01'], '1970-01-02'],
  ['at', new Date(NOON), NOON, [NOON, '2024-05-06T14:00:00+02:00', '2024-05-06 12:00'], '2024-05-06T12:00:01Z'],
  ['at', '2024-05-06T14:00+02', NOON, [NOON, '2024-05-06T12:00:00.0001Z'], '2024-05-06T12:00:00.001Z'],
  ['at', '2024-05-06 12:00', NOON, [NOON], '2024-05-06T12:00:01Z'],
  ['at', 'infinity', 'infinity', ['infinity'], NOON],
  ['second', new Date(NOON), NOON, ['2024-05-06T12:00:00.4Z'], '2024-05-06T12:00:00.6Z'],
  ['local', '2024-05-06T14:00:00+02:00', NOON, [NOON, '2024-05-06T13:00:00+01:00'], '2024-05-06T14:00:00'],
  ['clock', '09:30', '09:30:00', ['09:30', '09:30:00'], '09:31'],
  ['span', '[1,5]', '[1,6)', ['[1,6)', '(0,5]', '[1,5]'], '[1,5)'],
  ['span', '[1, 6)', '[1,6)', ['[1,5]'], '[1,)'],
  ['span', '[3,3)', 'empty', ['empty', '(3,3)'], '[3,3]'],
  [
    'days', '[2024-02-28,2024-02-29]', '[2024-02-28,2024-03-01)', ['(2024-02-27,2024-02-29]'],
    '[2024-02-28,2024-02-29)',
  ],
  ['moments', '[2024-01-01,)', '["2024-01-01T00:00:00.000Z",)', ['[2024-01-01T01:00:00+01:00,]'], '(2024-01-01,)'],
  ['amounts', '[1.5,2)', '[1.5,2)', ['[1.50,2.0)'], '[1.5,2]'],
  ['pause', '1 day', '1 day', ['1 day', '24:00:00'], '2 days'],
  ['grade', 'a', 'a', ['a'], 'b'],
  ['rank', '1', 1, [1], 2],
  ['own', 'AB', 'ab', ['AB', 'ab'], 'abc'],
]

/** Values that no row can have, and their refusal in the log. */
const IMPOSSIBLE: ReadonlyArray<readonly [scope: object, log: RegExp]> = [
  [{ number: 'five' }, /number: it is 'five', but its column takes an integer from -2147483648 to 2147483647$/],
  [{ number: 1.5 }, /number: it is 1\.5, but its column takes an integer/],
  [{ number: '' }, /number: it is '', but its column takes an integer/],
  [{ number: 2 ** 31 }, /number: it is 2147483648/],
  [{ number: true }, /number: it is true/],
  [{ number: new Date(0) }, /number: it is 1970-01-01T00:00:00\.000Z/],
  [{ number: { $gt: 'five' } }, /number: it is 'five'/],
  [{ number: { $in: [1, 'five'] } }, /number: it is 'five'/],
  [{ $or: [{ number: 1 }, { number: 'five' }] }, /\$or\[1\]\.number: it is 'five'/],
  [{ price: '1.005' }, /price: .* takes a decimal number of at most 8 digits before and 2 after the point/],
  [{ open: 'maybe' }, /open: it is 'maybe', but its column takes a boolean \(true, false, 1, 0\)/],
  [{ code: 'abcdef' }, /code: it is 'abcdef', but its column takes at most 5 characters/],
  [{ tracker: 'x' }, /tracker: it is 'x', but its column takes a UUID/],
  [{ day: 5 }, /day: it is 5, but its column takes a date, YYYY-MM-DD/],
  [{ at: 5 }, /at: it is 5, but its column takes a Date, or an ISO 8601 date and time/],
  [{ at: { $lt: 5 } }, /at: it is 5, but its column takes a Date/],
  [{ at: 'soon' }, /at: it is 'soon', but its column takes an ISO 8601 date and time/],
  [{ clock: new Date(0) }, /clock: .* takes a time/],
  [{ span: '[5,1]' }, /span: it is '\[5,1\]', but its column takes a range whose low end comes first/],
  [{ grade: 'c' }, /grade: it is 'c', but its column takes one of its members \(a, b\)/],
  [{ required: null }, /required: it is null, which its column cannot hold/],
  [{ parent: 'x' }, /parent: it is 'x', but its column takes an integer/],
  [{ parent: { id: 'x' } }, /(?:parent|id): it is 'x', but its column takes an integer/],
]

await forEachDatabase(t, { entities: [Entry] }, async (t, { orm }) => {
  const scopeOf = new Map<string, object>()
  const crud = resource(Entry)
  const log = keptLog()
  const app = await serve(t, orm, {
    '/entries': {
      crud,
      scope: (request) => scopeOf.get(String(request.headers['x-scope']))!,
      operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'],
    },
  }, { logger: { level: 'info', stream: log.stream } })
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    app.inject({ method, url, headers: { 'x-scope': 'one' }, ...(payload && { payload }) })

  for (const [name, value, filled, same, different] of CASES) {
    t.test(`${name}: ${String(value)}`, async (t) => {
      await orm.em.getConnection().execute('delete from entry')
      scopeOf.set('one', { [name]: value })
      const created = await send('POST', '/entries', {})
      t.match([created.statusCode, bodyOf(created)[name]], [201, filled], created.body)
      const { id } = bodyOf(created)
      t.equal((await send('GET', `/entries/${id}`)).statusCode, 200, 'the new record is inside of the scope')
      for (const body of same) {
        const update = await send('PATCH', `/entries/${id}`, { [name]: body })
        t.equal(update.statusCode, 200, `PATCH ${String(body)}: ${update.body}`)
        const create = await send('POST', '/entries', { [name]: body })
        t.equal(create.statusCode, 201, `POST ${String(body)}: ${create.body}`)
        const many = await send('POST', '/entries', [{ [name]: body }, {}] as object)
        t.equal(many.statusCode, 201, `POST [${String(body)}]: ${many.body}`)
      }
      const { total } = bodyOf(await send('GET', '/entries'))
      t.equal(total, 1 + same.length * 3, 'all of them are inside of the scope')
      for (const body of [different, null]) {
        for (const response of [
          await send('PATCH', `/entries/${id}`, { [name]: body }),
          await send('POST', '/entries', { [name]: body }),
          await send('POST', '/entries', [{}, { [name]: body }] as object),
        ]) t.match([response.statusCode, bodyOf(response).code], [403, 'FST_CRUD_OUT_OF_SCOPE'], response.body)
      }
      t.strictSame(await select(orm, 'select count(*)::int as count from entry'), [{ count: total }],
        'no row outside of the scope was written')
    })
  }

  t.test('a value that its column cannot hold is refused, and the log names the column', async (t) => {
    await orm.em.getConnection().execute('delete from entry')
    const recorder = await recordStatements(orm, t)
    for (const [scope, message] of IMPOSSIBLE) {
      scopeOf.set('one', scope)
      for (const [method, url, payload] of [
        ['GET', '/entries'], ['GET', '/entries/1'], ['POST', '/entries', {}], ['POST', '/entries', [{}]],
        ['PATCH', '/entries/1', { code: 'x' }], ['DELETE', '/entries/1'],
      ] as const) {
        log.clear()
        const response = await send(method, url, payload)
        t.match([response.statusCode, bodyOf(response).code], [403, 'FST_CRUD_OUT_OF_SCOPE'], `${method} ${url}`)
        t.notMatch(response.body, /five|column|maybe/)
        const { err } = log.lines.find((line) => 'err' in line)
        t.match(err.message, /The scope of Entry has a value that no row can have: /)
        t.match(JSON.stringify(err.message).replace(/\.?"$/, '').split('\\n')[0], message, err.message)
      }
    }
    t.strictSame(recorder.take(), [], 'no statement')
  })

  t.test('comparisons with values that the column cannot hold have a result', async (t) => {
    for (const scope of [
      { number: { $lt: 2.5 } }, { number: { $lt: 2 ** 40 } }, { price: { $gt: 0.001 } }, { code: { $ne: 'abcdefg' } },
      { grade: { $ne: 'c' } }, { at: { $lt: 'now' } }, { at: { $gt: new Date(0) } }, { at: '-infinity' },
      { required: { $ne: null } }, { own: { $in: ['AB'] } },
    ]) {
      scopeOf.set('one', scope)
      t.equal((await send('GET', '/entries')).statusCode, 200, JSON.stringify(scope))
    }
  })
})
