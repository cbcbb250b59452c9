/** Tables with keys of one column on a Citus cluster: as reference tables, and distributed by their own keys. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { crudKit } from '../../src/index.ts'
import { newServer } from '../helpers/server.ts'
import { createClusterDatabase, execute, openWithTables, skip } from './cluster.ts'
import { asReferences, authorsOf, booksOf, byOwnKeys, entities, genres, notes, rows, series } from './single-keys.ts'

const operations = ['list', 'get', 'aggregate', 'create', 'createMany', 'update', 'delete', 'updateMany', 'deleteMany']
const withoutAggregate = operations.filter((operation) => operation !== 'aggregate')
const more = { query: true, links: true, conditional: true }

async function serve (t: Test, orm: MikroORM, joined: boolean): Promise<FastifyInstance> {
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    resources: {
      '/authors': { crud: authorsOf(joined), operations, stream: true, ...more },
      '/books': { crud: booksOf(joined), operations, ...more },
      '/genres': { crud: genres, operations: withoutAggregate },
      '/notes': { crud: notes, operations: withoutAggregate },
      '/series': { crud: series, operations: withoutAggregate },
    } as never,
  })
  return app
}

async function open (t: Test, distribute: readonly string[], foreignKeys: boolean) {
  const database = await createClusterDatabase()
  t.teardown(database.drop)
  const orm = await openWithTables(database.url, entities, distribute, foreignKeys)
  t.teardown(() => orm.close(true))
  await execute(database.url, ...rows)
  const app = await serve(t, orm, foreignKeys)
  const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: any, status = 200) => {
    const response = await app.inject({ method, url, payload })
    if (response.statusCode !== status) throw new Error(`${method} ${url}: ${response.statusCode} ${response.body}`)
    return JSON.parse(response.body)
  }
  return { app, ask, get: (url: string) => ask('GET', url) }
}

for (
  const [layout, distribute] of [['reference tables', asReferences], ['tables by their own keys', byOwnKeys]] as const
) {
  await t.test(layout, { skip }, async (t) => {
    const { app, ask, get } = await open(t, distribute, layout === 'reference tables')

    await t.test('a record has the names of its properties', async (t) => {
      const { items } = await get('/authors?sort=name,born')
      const [author] = items
      t.strictSame(Object.keys(author), ['id', 'name', 'born', 'level'])
      t.strictSame(await get(`/authors/${author.id}`), author)
      t.strictSame(Object.keys(await get(`/authors/${author.id}?include=books`)), [...Object.keys(author), 'books'])
    })

    await t.test('a list has its order, its total and its related records', async (t) => {
      const { items, total } = await get('/authors?sort=-born&include=books,booksCount,booksPagesSum&per_page=5')
      t.equal(total, 12)
      const born = items.map((item: any) => item.born)
      t.strictSame(born, [...born].sort().reverse())
      for (const { books, booksCount } of items) {
        t.equal(books.length, booksCount)
        const titles = books.map((book: any) => book.title)
        t.strictSame(titles, [...titles].sort())
      }
    })

    await t.test('filters follow relations', async (t) => {
      const [book] = (await get('/books?filter[title][contains]=3&include=author')).items
      t.ok((await get('/authors?filter[books.title]=Book 3')).total > 0)
      t.ok((await get('/authors?filter[q]=Book 3')).total > 0)
      t.ok((await get(`/books?filter[author.name]=${book.author?.name ?? 'Author 3'}`)).total > 0)
      t.ok((await get('/books?filter[genres.name]=Genre 3')).total > 0)
      t.ok((await get('/genres?filter[books.title]=Book 3')).total > 0)
    })

    await t.test('numbers about relations are filters and sorts', async (t) => {
      const { items, total } = await get('/authors?include=booksCount,booksPagesSum&sort=-booksCount,booksPagesSum')
      t.equal(total, 12)
      const numbers = items.map(({ booksCount, booksPagesSum }: any) => [booksCount, booksPagesSum])
      t.strictSame(numbers, [...numbers].sort(([a, b], [c, d]) => c - a || (b ?? Infinity) - (d ?? Infinity)))
      const [count] = numbers[3]
      const many = numbers.filter(([booksCount]: [number]) => booksCount >= count).length
      t.equal((await get(`/authors?filter[booksCount]=${count}`)).total, many)
      t.equal((await get('/authors?filter[booksPagesSum]=1')).total, 0)
      const walked: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: any = await get(`/authors?sort=-booksCount,booksPagesSum&per_page=5&cursor=${cursor}`)
        walked.push(...page.items.map(({ id }: any) => id))
        cursor = page.next_cursor
      }
      t.strictSame(walked, items.map(({ id }: any) => id), 'the same order by cursors')
    })

    await t.test('groups of filters, facets and aggregates count the rows of all nodes', async (t) => {
      const either = 'filter[or][0][title]=Book 3&filter[or][1][genres.name]=Genre 3'
      const { items, total, facets } = await get(`/books?${either}&facets=author&per_page=100`)
      t.ok(total > 0 && items.length === total)
      t.equal((await get('/books?filter[not][title]=Book 3')).total + (await get('/books?filter[title]=Book 3')).total,
        55)
      t.equal(facets.author.reduce((sum: number, { count }: any) => sum + count, 0), total)
      const groups = await get(`/books/aggregate?${either}&group=author&aggregate=count,pages.sum&sort=-count,author`)
      t.strictSame(groups.items.map(({ author, count }: any) => ({ value: author, count })), facets.author)
      const pages = items.reduce((sum: number, { pages }: any) => sum + pages, 0)
      t.equal(groups.items.reduce((sum: number, item: any) => sum + Number(item.pages_sum), 0), pages)
      t.match(await get('/books/aggregate?aggregate=count,pages.max'), { items: [{ count: 55, pages_max: 420 }] })
      const byMonth = await get('/authors/aggregate?group=level,born.month&aggregate=count,name.countDistinct')
      t.strictSame(byMonth.items.map(({ level, born_month: month }: any) => [level, month]), [
        ['new', '1950-01-01'],
        ['known', '1950-01-01'],
      ])
      if (layout !== 'reference tables') return
      const levels = await get('/books/aggregate?group=author.level&aggregate=count,author.born.min')
      t.strictSame(levels.items.map(({ author_level: level }: any) => level), ['new', 'known', null])
      t.ok((await get('/books?facets=author.level')).facets['author.level'].length === 3)
    })

    await t.test('answers have entity tags and links', async (t) => {
      const url = '/authors?per_page=5&facets=level'
      const { headers } = await app.inject({ url })
      t.match(headers['link'], /rel="next".*rel="last"/)
      const again = await app.inject({ url, headers: { 'if-none-match': String(headers['etag']) } })
      t.equal(again.statusCode, 304)
    })

    await t.test('a stream keeps its order', async (t) => {
      const response = await app.inject({ url: '/authors?sort=-born', headers: { accept: 'application/x-ndjson' } })
      const born = response.body.trim().split('\n').map((line) => JSON.parse(line).born)
      t.equal(born.length, 12)
      t.strictSame(born, [...born].sort().reverse())
    })

    await t.test('writes answer the record', async (t) => {
      const [author] = (await get('/authors?per_page=1')).items
      const { id } = await ask('POST', '/notes', { text: 'new' }, 201)
      t.match(await ask('PATCH', `/notes/${id}`, { text: 'changed' }), { id, text: 'changed', book: null })
      t.match(await ask('DELETE', `/notes/${id}`), { id, text: 'changed' })
      await ask('GET', `/notes/${id}`, undefined, 404)
      const book = await ask('POST', '/books', { title: 'Writes', author: author.id }, 201)
      t.match(book, { title: 'Writes', pages: 1, author: author.id })
      const texts = Array.from({ length: 20 }, (_, index) => `Text ${index}`)
      for (const [url, name] of [['/notes', 'text'], ['/genres', 'name']] as const) {
        const made = await ask('POST', url, texts.map((text) => ({ [name]: text })), 201)
        t.strictSame(made.map((one: any) => one[name]), texts, url)
      }
    })

    await t.test('a batch that the database refuses stores nothing', async (t) => {
      await ask('POST', '/series', { id: 'taken', name: 'first' }, 201)
      const batch = (index: number, row: object) =>
        Array.from({ length: 20 }, (_, at) => ({ id: `${at}`, name: 'never', ...at === index && row }))
      for (const [row, status, code] of [
        [{ id: 'taken' }, 409, 'FST_CRUD_CONFLICT'],
        [{ id: '4' }, 409, 'FST_CRUD_CONFLICT'],
        [{ name: 'x'.repeat(20) }, 400, 'FST_CRUD_DATA_INVALID'],
      ] as const) t.equal((await ask('POST', '/series', batch(9, row), status)).code, code, JSON.stringify(row))
      t.strictSame((await get('/series')).items, [{ id: 'taken', name: 'first' }])
    })

    await t.test('bulk changes reach the records of all nodes', async (t) => {
      const [author] = (await get('/authors?per_page=1')).items
      for (const filter of ['filter[title][contains]=1', 'filter[author.name]=Author 3']) {
        const { total } = await get(`/books?${filter}`)
        t.ok(total > 1)
        t.same(await ask('PATCH', `/books?${filter}&dry_run=true`, { pages: 9 }), { affected: total })
        t.same(await ask('PATCH', `/books?${filter}`, { pages: 9, author: author.id }), { affected: total })
      }
      const { items, total } = await get('/books?filter[title][contains]=1&per_page=100')
      t.ok(items.every((book: any) => book.pages === 9 && book.author === author.id))
      t.same(await ask('DELETE', '/books?filter[title][contains]=1'), { affected: total })
      t.equal((await get('/books?filter[title][contains]=1')).total, 0)
      t.match(
        await ask('DELETE', '/authors?filter[name]=Author 3', undefined, layout === 'reference tables' ? 409 : 200),
        { ...layout !== 'reference tables' && { affected: 2 } }
      )
    })

    if (layout !== 'reference tables') return
    await t.test('includes, sorts and links of many-to-many relations', async (t) => {
      const { items } = await get('/books?sort=author.name&include=author,genres,genresCount&per_page=50')
      t.ok(items.every(({ genres, genresCount }: any) => genres.length === genresCount))
      const [genre] = (await get('/genres?per_page=1')).items
      const { id } = await ask('POST', '/books', { title: 'Linked', genres: [genre.id] }, 201)
      t.strictSame((await get(`/books/${id}?include=genres`)).genres, [genre])
      await ask('PATCH', `/books/${id}`, { genres: [] })
      t.strictSame((await get(`/books/${id}?include=genres`)).genres, [])
    })
  })
}
