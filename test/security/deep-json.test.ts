/** Bodies that are deep, wide, long or odd: each is refused or stored, and the server continues. */
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { crudKit } from '../../src/index.ts'
import { entities, Plant, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { keptLog } from '../helpers/log.ts'
import { newServer } from '../helpers/server.ts'
import { resource, select } from '../http/helper.ts'

const DEEP = 10_000
const nested = (
  open: string,
  inner: string,
  close: string,
  depth = DEEP
): string => open.repeat(depth) + inner + close.repeat(depth)
const deepArray = nested('[', '1', ']')
const deepObject = nested('{"a":', '1', '}')
const many = (
  count: number,
  item: (index: number) => string
): string => Array.from({ length: count }, (_, index) => item(index)).join()
const record = (members: string): string => `{"code":"DEEP","plant":1,${members}}`

/** Bodies of POST /specimens, and their possible statuses. */
const FORMS: ReadonlyArray<readonly [form: string, body: string | Buffer, statuses: readonly number[]]> = [
  ['arrays in arrays', deepArray, [400]],
  ['objects in objects', deepObject, [400]],
  ['arrays that are not closed', '['.repeat(DEEP), [400]],
  ['objects that are not closed', '{"a":'.repeat(DEEP), [400]],
  ['a deep array where a text belongs', record(`"nickname":${deepArray}`), [400]],
  ['a deep object where a number belongs', record(`"leaves":${deepObject}`), [400]],
  ['a deep array as JSON', record(`"readings":${deepArray}`), [400]],
  ['a deep object as JSON', record(`"readings":${deepObject}`), [400]],
  ['a deep array in a list', record(`"synonyms":[${deepArray}]`), [400]],
  ['a deep object as an embedded one', record(`"size":${deepObject}`), [400]],
  ['a deep object as an id', record(`"plant":${deepObject}`), [400]],
  ['a deep object of an unknown name', record(`"${'x'.repeat(300)}":${deepObject}`), [400]],
  ['a moderately deep array as JSON', record(`"readings":${nested('[', '1', ']', 100)}`), [201]],
  ['a key of 500 000 characters', record(`"${'k'.repeat(500_000)}":1`), [400]],
  ['20 000 unknown keys', `{${many(20_000, (index) => `"${index}":1`)}}`, [400]],
  ['100 000 keys as JSON', record(`"readings":{${many(50_000, (index) => `"${index}":1`)}}`), [201]],
  ['a list of 200 000 ids', `{"name":"x","tags":[${many(200_000, String)}]}`, [400, 413]],
  ['the same key twice', record('"nickname":"first","nickname":"last"'), [201]],
  ['a required key twice, once null', record('"code":null'), [400]],
  ['__proto__', record('"__proto__":{"leaves":1}'), [400]],
  ['__proto__ inside of JSON', record('"readings":{"__proto__":{"polluted":1}}'), [400]],
  ['an escaped __proto__', record('"\\u005f_proto__":{"leaves":1}'), [400]],
  ['constructor.prototype', record('"constructor":{"prototype":{"polluted":1}}'), [400]],
  ['constructor.prototype inside of JSON', record('"readings":{"constructor":{"prototype":{"polluted":1}}}'), [400]],
  ['prototype, toString, hasOwnProperty', record('"prototype":1,"toString":1,"hasOwnProperty":1'), [400]],
  ['toString inside of JSON', record('"readings":{"toString":1,"valueOf":2,"hasOwnProperty":3}'), [201]],
  ['a number of 10 000 digits', record(`"leaves":${'9'.repeat(10_000)}`), [400]],
  ['a number beyond all', record('"acidity":1e999999'), [400]],
  ['NUL', record('"nickname":"a\\u0000b"'), [400]],
  ['NUL in a key of JSON', record('"readings":{"a\\u0000":1}'), [400]],
  ['half a surrogate pair', record('"nickname":"\\ud800"'), [400]],
  ['bytes that are no UTF-8',
    Buffer.concat([Buffer.from('{"code":"'), Buffer.from([0xff, 0xfe]), Buffer.from('","plant":1}')]), [201, 400]],
  ['a byte order mark', `\uFEFF${record('"leaves":1')}`, [201, 400]],
  ['nothing', '', [400]],
  ['a text', '"x"', [400]],
  ['null', 'null', [400]],
  ['NaN', record('"leaves":NaN'), [400]],
]

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const log = keptLog()
  const app = newServer(t, { logger: { level: 'error', stream: log.stream } })
  await app.register(
    crudKit,
    {
      orm,
      resources: {
        '/specimens': { crud: resource(Specimen), operations: ['list', 'get', 'create', 'createMany', 'update'] },
        '/plants': resource(Plant),
      },
    }
  )
  await app.ready()
  const send = (
    method: 'POST' | 'PATCH',
    url: string,
    body: string | Buffer
  ): Promise<LightMyRequestResponse> =>
    app.inject({ method, url, headers: { 'content-type': 'application/json' }, payload: body })
  const clear = async (): Promise<void> => {
    await select(orm, "delete from specimen where code not in ('USUAL', 'NONE', 'GREATEST', 'LEAST', 'EMPTY')")
  }

  for (const [form, body, statuses] of FORMS) {
    t.test(form, async (t) => {
      const path = form.includes('ids') ? '/plants' : '/specimens'
      const batch = typeof body === 'string' ? `[${body}]` : body
      for (const response of [
        await send('POST', path, body),
        await send('PATCH', `${path}/1`, body),
        ...(path === '/specimens' && form !== 'nothing' ? [await send('POST', path, batch)] : []),
      ]) {
        const { statusCode, body: answer } = response
        // a body that creates a record is also sent as an update, or in a list of two
        const allowed = statuses.includes(201) ? [...statuses, 200, 400, 409] : statuses
        t.ok(allowed.includes(statusCode), `${statusCode} ${answer.slice(0, 300)}`)
        t.equal(typeof JSON.parse(answer), 'object')
        if (statusCode >= 400) t.ok(answer.length < 100_000, `${answer.length} characters`)
      }
      await clear()
    })
  }

  t.test('odd query strings are refused or answered', async (t) => {
    for (const query of [
      `filter${'[a]'.repeat(2000)}=1`, `filter[readings]=${deepArray.slice(0, 8000)}`, 'filter[__proto__][polluted]=1',
      'filter[constructor][prototype]=1', 'filter[constructor][prototype][polluted]=1', '__proto__[polluted]=1',
      'constructor[prototype][polluted]=1', 'fields[__proto__]=polluted', 'include=__proto__',
      'sort=constructor.prototype.polluted', `filter[name]=${'['.repeat(7000)}`,
    ]) {
      const { statusCode, body } = await app.inject(`/specimens?${query}`)
      t.ok(statusCode === 400 || statusCode === 200, `${query.slice(0, 60)}: ${statusCode} ${body.slice(0, 200)}`)
    }
  })

  t.test('the server and its rows are unchanged afterwards', async (t) => {
    t.notOk('polluted' in {})
    t.strictSame(Object.keys(Object.prototype), [])
    t.equal((await app.inject('/specimens')).json().total, 5)
    t.strictSame(log.lines, [], 'nothing is logged as an error of the server')
  })
})
