/** Bodies of extreme length and depth are written or refused. They never overflow the stack. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { BaseModel, CrudBase, crudKit, IdempotencyRecord } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'

const Upload = defineEntity({
  name: 'Upload', tableName: 'upload', extends: BaseModel,
  properties: { title: p.text(), bytes: p.blob().nullable(), details: p.json<unknown>().nullable() },
})

const LENGTH = 8_600_000
const DEPTH = 300_000
const title = { type: 'string' }

await forOneDatabase(t, { entities: [Upload, IdempotencyRecord] }, async (t, { orm }) => {
  const crud = (): CrudBase =>
    new CrudBase({ model: Upload, writable: ['title', 'bytes', 'details'], queryConfig: {} }) as CrudBase
  const app = newServer(t, { bodyLimit: 2 * LENGTH })
  await app.register(crudKit, {
    orm,
    resources: {
      '/uploads': crud(),
      '/keyed': { crud: crud(), readonlyProperties: 'ignore', idempotency: true },
      '/own': {
        crud: crud(), readonlyProperties: 'ignore',
        schemas: { create: { body: { type: 'object', properties: { title } } } },
      },
    },
  })
  const post = async (url: string, payload: string) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'one' }
    const response = await app.inject({ method: 'POST', url, payload, headers })
    return { status: response.statusCode, body: response.json() }
  }

  t.test('values of many megabytes are written', async (t) => {
    for (const [name, value] of Object.entries({ bytes: 'AAAA'.repeat(LENGTH / 4), details: 'x'.repeat(LENGTH) })) {
      const { status, body } = await post('/uploads', JSON.stringify({ title: '', [name]: value }))
      t.equal(status, 201, name)
      t.ok(body[name] === value)
    }
  })

  t.test('JSON with escapes is read to its end', async (t) => {
    for (const details of ['\\', '"', '\\"', 'a\\\\"b', ['"[', '{\\'], { 'a"': '}]' }]) {
      t.strictSame((await post('/uploads', JSON.stringify({ title: '', details }))).body.details, details)
      t.equal((await post('/uploads', JSON.stringify({ title: '', details: [details, '\0'] }))).status, 400)
    }
  })

  t.test('ignored properties have a maximum of levels', async (t) => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    for (const url of ['/keyed', '/own']) {
      t.equal((await post(url, `{"title":"x","id":${nested(64)}}`)).status, 201, url)
      t.match(await post(url, `{"title":"x","id":${nested(DEPTH)}}`), {
        status: 400,
        body: { errors: [{ source: { pointer: '/id' }, detail: "'id' must be JSON of at most 64 levels." }] },
      }, url)
    }
  })
})
