/** A bundler renames classes of MikroORM, such as the driver of PGlite. */
import { PgliteDriver } from '@mikro-orm/pglite'
import t from 'tap'
import { entities, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { openPgliteFor } from '../helpers/databases.ts'
import { resource, serve, writes } from './helper.ts'

class a extends PgliteDriver {}

t.test('PGlite is known if the class of its driver has another name', async (t) => {
  const { orm } = await openPgliteFor(t, { entities, seed, orm: { driver: a as never } })
  t.ok(orm.driver instanceof a)
  const app = await serve(t, orm, { '/tags': { crud: resource(Tag, { allowedFields: ['id'] }), stream: true } })
  const { get, created } = writes(app)
  const { id } = await created('/tags', { name: 'new' })
  t.equal((await get(`/tags/${id}`)).statusCode, 200)
  const { statusCode, body } = await get('/tags?fields=id', { accept: 'application/x-ndjson' })
  t.equal(statusCode, 200)
  t.match(body, `{"id":${id}}`)
})
