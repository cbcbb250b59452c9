/** Errors escape the names of properties in their pointers (RFC 6901, section 3). */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { forEachDatabase } from '../../helpers/databases.ts'
import { resource, select, serve, verdict, writes } from '../helper.ts'

const Tag = defineEntity({ name: 'Tag', properties: { id: p.integer().primary() } })
const Note = defineEntity({
  name: 'Note',
  properties: {
    'id/~': p.integer().primary().autoincrement().fieldName('id'),
    'tag/~': () => p.manyToOne(Tag).fieldName('tag_id').nullable(),
    'tags/~': () => p.manyToMany(Tag),
    text: p.text().nullable(),
  } as any,
})

await forEachDatabase(t, { entities: [Tag, Note] }, async (t, { orm }) => {
  await select(orm, "insert into note (text) values ('first')")
  const crud = resource(Note, { allowedFilters: ['text'] })
  const operations = ['create', 'createMany', 'update', 'updateMany'] as const
  const app = await serve(t, orm, { '/notes': { crud, operations } })
  const { post, patch } = writes(app)

  t.test('a record that does not exist', async (t) => {
    t.equal(verdict(await post('/notes', { 'tag/~': 9 })), '409 FST_CRUD_CONFLICT /tag~1~0')
    t.equal(verdict(await post('/notes', [{}, { 'tag/~': 9 }])), '409 FST_CRUD_CONFLICT /1/tag~1~0')
    t.equal(verdict(await post('/notes', { 'tags/~': [9] })), '409 FST_CRUD_CONFLICT /tags~1~0')
  })

  t.test('another key', async (t) => {
    t.equal(verdict(await patch('/notes/1', { 'id/~': 2 })), '400 FST_ERR_VALIDATION /id~1~0')
    t.equal(
      verdict(await patch('/notes?filter[text]=first', { 'id/~': 2 })),
      '400 FST_ERR_VALIDATION /id~1~0'
    )
  })
})
