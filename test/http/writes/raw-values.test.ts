/** Custom types that make SQL of their values, with MikroORM's `raw`. */
import { p, raw, Type } from '@mikro-orm/core'
import { FullTextType } from '@mikro-orm/postgresql'
import t from 'tap'
import { AllowedFilters } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { resource, select, serve, verdict, writes } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

/** A text that starts with `=` is a sum, which the database computes. Any other text is the number itself. */
class SumType extends Type<string | null, string | null> {
  override convertToDatabaseValue (value: string | null): string | null {
    if (value?.startsWith('=') !== true) return value
    const [one, other] = value.slice(1).split('+')
    return raw('?::int + ?::int', [one, other]) as never
  }

  override convertToJSValue (value: unknown): string {
    return String(value)
  }

  override getColumnType (): string {
    return 'int'
  }
}

const Page = entity('Page', {
  id: p.integer().primary().autoincrement(), title: p.text(), words: p.type(new FullTextType('english')).nullable(),
  length: p.type(SumType).nullable(),
})

await forEachDatabase(t, { entities: [Page] }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/pages': {
      crud: resource(Page, { allowedFilters: [new AllowedFilters('length', 'eq', ['eq', 'in'])] }),
      operations: ['list', 'get', 'create', 'createMany', 'update'],
    },
  })
  const { created, updated, read, get, post } = writes(app)
  const stored = async (id: number): Promise<unknown> =>
    (await select(orm, `select words::text, length from page where id = ${id}`))[0]

  t.test('SQL of a type is run, not stored as its text', async (t) => {
    const record = await created('/pages', { title: 'a', words: 'a fat cat', length: '=1+2' })
    const words = "'cat':3 'fat':2"
    t.strictSame(await stored(record.id), { words, length: 3 })
    t.match(record, { title: 'a', words, length: '3' })
    t.match(await read(`/pages/${record.id}`), { title: 'a', words, length: '3' })
    t.match(await updated(`/pages/${record.id}`, { words: 'two dogs', length: '=20+2' }), { words: "'dog':2 'two':1" })
    t.strictSame(await stored(record.id), { words: "'dog':2 'two':1", length: 22 })
  })

  t.test('values with and without SQL mix, in one record and in a batch', async (t) => {
    const [plain, sum, none] = await created('/pages', [
      { title: 'b', length: '7' },
      { title: 'c', length: '=3+4' },
      { title: 'd', words: null, length: null },
    ])
    t.strictSame([plain.length, sum.length, none.length], ['7', '7', null])
    t.strictSame((await updated(`/pages/${sum.id}`, { title: 'e', length: '8' })).length, '8')
    t.strictSame(await stored(none.id), { words: null, length: null })
  })

  t.test('a value of which the database cannot run the SQL is a 400', async (t) => {
    t.match(verdict(await post('/pages', { title: 'f', length: '=x+1' })), /^400 /)
  })

  t.test('a filter compares bound values only', async (t) => {
    t.equal((await read('/pages?filter[length]=8')).items.length, 1)
    t.equal(verdict(await get('/pages?filter[length]==3%2B4')), '400 FST_CRUD_FILTER_INVALID filter[length]')
  })
})
