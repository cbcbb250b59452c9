/** All mistakes of a body are listed at once, including a changed key. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, primaryKey } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const Part = entity('Part', {
  code: p.string().length(5).primary(), number: p.integer().primary(), price: p.integer(), name: p.string(),
})
const Box = entity('Box', { ...primaryKey, name: p.string() })

await forEachDatabase(t, { entities: [Part, Box] }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/parts': new CrudBase({ model: Part, writable: 'all' }),
    '/priced': { crud: new CrudBase({ model: Part, writable: { update: ['price'] } }), operations: ['update'] },
    '/boxes': new CrudBase({ model: Box, writable: ['name'] }),
  })
  const { created, patch, updated } = writes(app)
  await created('/parts', { code: 'a', number: 2, price: 1, name: 'x' })
  await created('/boxes', { name: 'x' })

  for (const [path, body, pointers] of [
    ['/parts/a/2', { price: 'x', code: 'b' }, '/code /price'],
    ['/parts/a/2', { code: 'b', number: 3, name: null, nmae: 'x' }, '/code /name /nmae /number'],
    ['/priced/a/2', { price: 'x', code: 'b', name: 'y' }, '/code /name /price'],
    ['/boxes/1', { id: 2, name: 5, other: 1 }, '/id /name /other'],
  ] as const) {
    t.test(`PATCH ${path} lists all mistakes of ${JSON.stringify(body)}`, async (t) => {
      const response = await patch(path, body)
      t.equal(response.statusCode, 400)
      t.equal(verdict(response).split(' ').slice(2).sort().join(' '), pointers)
    })
  }

  t.test('what a new record lacks is listed too, unless its scope fills it in', async (t) => {
    const crud = new CrudBase({ model: Part, writable: 'all' })
    const refused = crud.create(orm.em.fork(), { price: 'x', code: 'b' } as never, { scope: { number: 3 } })
    await t.rejects(refused, { errors: [{ source: { pointer: '/price' } }, { source: { pointer: '/name' } }] })
  })

  t.test('the key of the path may be repeated, whether or not bodies may set it', async (t) => {
    t.match(await updated('/parts/a/2', { code: 'a', number: 2, price: 3 }), { price: 3 })
    t.match(await updated('/priced/a/2', { code: 'a', number: 2, price: 4 }), { price: 4 })
    t.match(await updated('/boxes/1', { id: 1, name: 'y' }), { name: 'y' })
  })
})
