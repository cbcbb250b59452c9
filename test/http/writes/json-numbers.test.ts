/** Numbers inside JSON: integers that may have been rounded, and numbers out of range, are refused with their place. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, primaryKey } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { serve, verdict } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const Sheet = entity('Sheet', {
  ...primaryKey, data: p.json().nullable(), plain: p.json().columnType('json').nullable(),
})

await forEachDatabase(t, { entities: [Sheet] }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/sheets': {
      crud: new CrudBase({ model: Sheet, writable: 'all' }),
      operations: ['get', 'create', 'createMany', 'update'],
    },
  })
  const send = (method: 'POST' | 'PATCH', url: string, payload: string) =>
    app.inject({ method, url, payload, headers: { 'content-type': 'application/json' } })

  for (const [json, pointer] of [
    ['9007199254740993', '/data'],
    ['-9007199254740993', '/data'],
    ['9007199254740992', '/data'],
    ['{"a":[1,{"b/c":12345678901234567890}]}', '/data/a/1/b~1c'],
    ['[0,1e400]', '/data/1'],
    ['{"x":-1e400}', '/data/x'],
    ['999999999999999900000', '/data'],
    ['-9007199254740992e4', '/data'],
  ] as const) {
    t.test(json, async (t) => {
      const { id } = (await send('POST', '/sheets', '{"data":1}')).json()
      const before = (await app.inject(`/sheets/${id}`)).json()
      for (const [method, url, body, prefix] of [
        ['POST', '/sheets', `{"data":${json}}`, ''],
        ['PATCH', `/sheets/${id}`, `{"data":${json}}`, ''],
        ['POST', '/sheets', `[{},{"data":${json}}]`, '/1'],
      ] as const) {
        const response = await send(method, url, body)
        t.equal(verdict(response), `400 FST_ERR_VALIDATION ${prefix}${pointer}`, `${method} ${url}`)
        t.match(response.json().message,
          /'data' must be JSON without integers from 2\^53 up to 1e21, .*; send such a number as a string\./)
      }
      t.equal(verdict(await send('POST', '/sheets', `{"plain":${json}}`)),
        `400 FST_ERR_VALIDATION ${pointer.replace('data', 'plain')}`)
      t.strictSame((await app.inject(`/sheets/${id}`)).json(), before)
    })
  }

  t.test('other numbers are stored', async (t) => {
    const data = [
      9007199254740991, -9007199254740991, 0.1, 1.5e-300, 1e15, '9007199254740993', null, true, 1e21, -6.02e23, 1e300,
      -Number.MAX_VALUE,
    ]
    t.strictSame((await send('POST', '/sheets', JSON.stringify({ data, plain: data }))).json().data, data)
  })
})
