/** The ORM's option `schema`: the schema of tables whose entities name none. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters } from '../../src/config/index.ts'
import { MAX_SCHEMAS } from '../../src/resource/models.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { resource, found, listOf } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Book = entity('Book', {
  id: p.integer().primary(), title: p.string(), topics: () => p.manyToMany(Topic).owner(),
  shop: () => p.manyToOne(Shop).nullable(),
})
const Topic = entity('Topic', { id: p.integer().primary(), books: () => p.manyToMany(Book).mappedBy('topics') })
/** Names its own schema. */
const Shop = entity('Shop', { id: p.integer().primary(), books: () => p.oneToMany(Book).mappedBy('shop') }, {
  schema: 'trade',
})

await forEachDatabase(t, {
  entities: [Book, Topic, Shop],
  orm: { schema: 'app' },
  seed (em) {
    const book = em.create(Book, { id: 1, title: 'Herbs', shop: em.create(Shop, { id: 3 }) })
    book.topics.add(em.create(Topic, { id: 2 }))
  },
}, async (t, { orm }) => {
  const books = resource(Book, {
    allowedFilters: ['topics.id', 'shop.id'].map((name) => AllowedFilters.exact(name)),
    allowedIncludes: ['topics', 'shop'],
  })

  t.test('reads use the schema of the option', async (t) => {
    t.strictSame((await listOf(orm, books, 'include=topics,shop')).items, [{
      id: 1, title: 'Herbs', topics: [{ id: 2 }], shop: { id: 3 },
    }])
    t.strictSame(await found(orm, books, 'filter[topics.id]=2&filter[shop.id]=3'), [1])
    t.strictSame(await found(orm, resource(Shop, { allowedIncludes: ['books'] }), 'include=books', 'books'), [[{
      id: 1, title: 'Herbs', shop: 3,
    }]])
  })

  t.test('what is kept for schemas that sessions choose is bounded', async (t) => {
    const bound = (schema?: string) => books.bind(orm.em.fork({ ...(schema !== undefined && { schema }) }))
    const [own, one, used] = [bound(), bound('one'), bound('used')]
    for (let schema = 0; schema < MAX_SCHEMAS - 1; schema++) {
      bound(`schema ${schema}`)
      bound('used')
    }
    t.equal(bound('used'), used, 'what is used stays')
    t.equal(bound(), own, 'and so does the schema of the ORM, however long it is not used')
    t.equal(bound('app'), own)
    const again = bound('one')
    t.not(again, one, 'the schema that was not used for longest has gone')
    t.equal(bound('one'), again)
    t.not(again.model, one.model)
  })

  t.test('MikroORM-style conditions use the schema of the option', async (t) => {
    t.strictSame(await found(orm, books, '', 'id', { scope: { title: 'Herbs', topics: { id: 2 }, shop: { id: 3 } } }), [
      1,
    ])
    t.strictSame(await found(orm, books, '', 'id', { scope: { title: 'Trees' } }), [])
  })
})
