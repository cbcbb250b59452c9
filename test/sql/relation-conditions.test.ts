/**
 * Conditions and orders of a relation itself (MikroORM's `where` and `orderBy`), and EntityManagers with another
 * schema.
 */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { parseQueryParams, primaryKey } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Album = entity('Album', {
  ...primaryKey,
  title: p.string(),
  photos: () => p.oneToMany(Photo).mappedBy('album').orderBy({ taken: 'desc' }),
  shown: () => p.oneToMany(Photo).mappedBy('album').where({ secret: false }),
})
const Photo = entity('Photo', {
  ...primaryKey, name: p.string(), secret: p.boolean().default(false), taken: p.date().nullable(),
  album: () => p.manyToOne(Album), comments: () => p.oneToMany(Comment).mappedBy('photo'),
})
const Comment = entity('Comment', { ...primaryKey, text: p.string(), photo: () => p.manyToOne(Photo) })

const albums = resource(Album, {
  allowedFilters: ['shown.name', 'photos.name'], allowedSorts: ['id'],
  allowedIncludes: ['photos', 'shown', 'photos.comments'],
})

await forEachDatabase(t, {
  entities: [Album, Photo, Comment],
  async seed (em) {
    const album = em.create(Album, { title: 'Summer' })
    for (const [name, secret, taken] of [['beach', false, '2024-07-01'], ['diary', true, '2024-07-03'], [
      'undated', false, null,
    ], ['boat', false, '2024-07-02']] as const) {
      em.create(Photo, { name, secret, taken, album })
    }
    await em.flush()
  },
}, async (t, { orm }) => {
  const list = async (query: string) => (await albums.list(orm.em.fork(), parseQueryParams(query))).items
  const names = (photos: ReadonlyArray<{ name?: string }> = []) => photos.map(({ name }) => name)

  t.test('an include keeps the condition of its relation', async (t) => {
    const [album] = await list('include=shown')
    t.strictSame(names(album!['shown']), ['beach', 'undated', 'boat'])
  })

  t.test('a filter through a relation keeps the condition of its relation', async (t) => {
    t.equal((await list('filter[shown.name]=beach')).length, 1)
    t.equal((await list('filter[shown.name]=diary')).length, 0)
    t.equal((await list('filter[photos.name]=diary')).length, 1)
    const qb = await albums.query(orm.em.fork(), parseQueryParams('filter[shown.name]=diary'))
    t.strictSame(await qb.getResult(), [])
  })

  t.test('an include has the order of its relation, nulls last, also with nested includes', async (t) => {
    for (const include of ['photos', 'photos.comments']) {
      const [album] = await list(`include=${include}`)
      t.strictSame(names(album!['photos']), ['diary', 'boat', 'beach', 'undated'], include)
    }
  })

  t.test('reads and writes use the schema of the EntityManager', async (t) => {
    const em = orm.em.fork({ schema: 'archive' })
    await orm.em.getConnection().execute('create schema archive')
    await orm.em.getConnection().execute('create table archive.album (like public.album including all)')
    t.strictSame((await albums.list(em)).items, [])
    const { id } = await albums.create(em, { title: 'Old' })
    t.equal((await albums.get(em, id))?.['title'], 'Old')
    t.strictSame((await list('')).map(({ title }) => title), ['Summer'])
  })
})

t.test('an order that an include cannot keep stops start-up', async (t) => {
  const { MikroORM } = await import('@mikro-orm/postgresql')
  const Shelf = entity('Shelf', {
    ...primaryKey,
    books: () => p.oneToMany(Book).mappedBy('shelf').orderBy({ author: { name: 'asc' } } as never),
  })
  const Author = entity('Author', { ...primaryKey, name: p.string() })
  const Book = entity('Book', { ...primaryKey, shelf: () => p.manyToOne(Shelf), author: () => p.manyToOne(Author) })
  const orm = new MikroORM({ entities: [Shelf, Author, Book], dbName: 'none' })
  t.throws(() => resource(Shelf).bind(orm.em.fork()), {
    code: 'FST_CRUD_CONFIG_INVALID',
    message: /'books' is ordered by 'author'/,
  })
})
