import { p, type EventArgs } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import fc from 'fast-check'
import t from 'tap'
import { correctArrays } from '../../../src/borrowed/mikro-orm.ts'
import { CrudBase, withTransaction } from '../../../src/index.ts'
import { minimalArrayLiteral } from '../../../src/resource/models.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { assertProperty } from '../../helpers/property.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { bodyOf, resource, select, serve, writes, type Json } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const properties = {
  id: p.integer().primary().autoincrement(),
  tags: p.array().nullable(),
  moods: p.enum(['NULL', 'calm down', ' wild ']).array().nullable(),
  sizes: p.array((text) => Number(text)).columnType('int[]').nullable(),
}
const Plain = entity('Plain', properties, { tableName: 'plain' })
/** Written through the unit of work because of its hooks. */
const Hooked = entity('Hooked', { ...properties, seen: p.array().nullable() }, {
  tableName: 'hooked',
  hooks: {
    beforeCreate: [({ entity }: EventArgs<any>) => {
      entity.seen = entity.tags
    }],
    beforeUpdate: [({ entity }: EventArgs<any>) => {
      entity.seen = entity.tags
    }],
  },
})

const ITEMS = [
  'NULL', 'null', 'Null', '', ' ', ' padded ', '\t', '\n', 'a\nb', 'a,\nb', '\u00A0x', 'a b', 'a,b', '"', '\\', '\\"',
  '{}', '{', "'", 'undefined', '$1', '💥',
]

t.test('array literals that an application sets are not changed', async (t) => {
  const marshallArray = (items: string[]): string => `{${items.map((item) => JSON.stringify(item)).join(',')}}`
  const platform = { marshallArray }
  correctArrays(platform as never, minimalArrayLiteral)
  t.equal(platform.marshallArray, marshallArray)
})

await forEachDatabase(t, { entities: [Plain, Hooked] }, async (t, { orm }) => {
  const operations = ['create', 'createMany', 'update'] as const
  const app = await serve(t, orm, {
    '/plain': { crud: resource(Plain), operations },
    '/hooked': { crud: resource(Hooked), operations },
    '/together': { crud: resource(Hooked), operations, transaction: true },
  })
  const { post, created, updated } = writes(app)
  const stored = async (table: string, id: number): Promise<Json> =>
    (await select(orm, `select row_to_json(x) as json from ${table} x where id = ${id}`))[0].json

  t.test('items are stored unchanged, by a statement and by the unit of work', async (t) => {
    for (const tags of [ITEMS, ['NULL'], ['null'], [''], [' padded '], ['\t'], [], null]) {
      for (const path of ['/plain', '/hooked', '/together']) {
        const table = path === '/plain' ? 'plain' : 'hooked'
        const what = `${path} ${JSON.stringify(tags)}`
        const record = await created(path, { tags })
        t.strictSame(record.tags, tags, `${what} created`)
        t.match(await stored(table, record.id), { tags, ...(table === 'hooked' && { seen: tags }) }, `${what} stored`)
        await updated(`${path}/${record.id}`, { tags: ['x', 'y'] })
        t.strictSame((await updated(`${path}/${record.id}`, { tags })).tags, tags, `${what} updated`)
        t.match(await stored(table, record.id), { tags, ...(table === 'hooked' && { seen: tags }) },
          `${what} stored by the update`)
      }
    }
    for (const path of ['/plain', '/hooked', '/together']) {
      const batch = bodyOf(await post(path, ITEMS.map((item) => ({ tags: [item, 'x', item] }))))
      t.strictSame(batch.map(({ tags }: Json) => tags), ITEMS.map((item) => [item, 'x', item]), `${path} createMany`)
      t.strictSame((await stored(path === '/plain' ? 'plain' : 'hooked', batch.at(-1).id)).tags, batch.at(-1).tags)
    }
  })

  t.test('items of enums and numbers are stored unchanged', async (t) => {
    const data = { moods: ['NULL', ' wild ', 'calm down'], sizes: [0, -1, 2_147_483_647] }
    for (const path of ['/plain', '/hooked']) {
      const { id } = await created(path, {})
      t.match(await created(path, data), data)
      t.match(await updated(`${path}/${id}`, data), data)
      t.match(await stored(path.slice(1), id), data)
    }
  })

  t.test('any text is stored, next to any other', async (t) => {
    const item = fc.oneof(fc.constantFrom(...ITEMS),
      fc.string({ unit: fc.constantFrom(...'nulNUL \t\n\r\v\f,"\\{}\'a\u00A0\u2028é') }))
    await assertProperty(
      fc.asyncProperty(fc.array(fc.record({ tags: fc.array(item) }), { minLength: 1, maxLength: 10 }), async (rows) => {
        const [plain, hooked] = [bodyOf(await post('/plain', rows)), bodyOf(await post('/hooked', rows))]
        for (const [index, { tags }] of rows.entries()) {
          t.strictSame(plain[index].tags, tags)
          t.strictSame(hooked[index].tags, tags)
        }
      }),
      { numRuns: 20 }
    )
  })

  t.test('an array that a transaction has loaded is not written again', async (t) => {
    const crud = new CrudBase({ model: Hooked, writable: 'all' })
    const recorder = await recordStatements(orm, t)
    const em = orm.em.fork() as EntityManager
    const { id } = await withTransaction(em, async (em) => {
      const record = await crud.create(em, { tags: ITEMS })
      t.strictSame((await em.findOneOrFail(Hooked, record['id'])).tags, ITEMS)
      await crud.update(em, record['id'], { tags: [...ITEMS].reverse() })
      recorder.take()
      return record
    })
    t.strictSame(recorder.texts(), ['commit'])
    const entity = await orm.em.fork().findOneOrFail(Hooked, id)
    t.strictSame(entity.tags, [...ITEMS].reverse())
    t.strictSame((await stored('hooked', id)).tags, entity.tags)
  })
})
