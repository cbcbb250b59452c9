/** Records that get all of their values by default. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, primaryKey } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { bodyOf, serve } from '../helper.ts'
import { writes } from './helper.ts'

const Note = defineEntity({
  name: 'Note',
  properties: { ...primaryKey, text: p.string().default('empty'), stars: p.integer().nullable() },
})

await forEachDatabase(t, { entities: [Note] }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/notes': { crud: new CrudBase<any>({ model: Note, writable: 'all' }), operations: ['create', 'createMany'] },
  })
  const { post } = writes(app)
  const empty = { text: 'empty', stars: null }

  for (const number of [1, 2, 100]) {
    t.test(`a batch with ${number} of them`, async (t) => {
      const response = await post('/notes', Array.from({ length: number }, () => ({})))
      t.equal(response.statusCode, 201)
      t.strictSame(bodyOf(response).map(({ text, stars }: any) => ({ text, stars })), Array(number).fill(empty))
    })
  }

  t.test('beside others', async (t) => {
    const response = await post('/notes', [{}, { stars: 3 }, {}])
    t.strictSame(bodyOf(response).map(({ stars }: any) => stars), [null, 3, null])
  })
})
