/**
 * Plans of PostgreSQL for six usual requests on 100 000 rows: the indexes that it uses, and the number of rows that it
 * reads. The tests check the shape of plans and never times.
 */
import { p } from '@mikro-orm/core'
import pg from 'pg'
import t from 'tap'
import { AllowedFilters, parseQueryParams, primaryKey, softDelete } from '../../src/index.ts'
import { databases, skipReasons } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Book = entity('Book', {
  ...primaryKey, ...softDelete, title: p.string().index(), genre: p.string(), created_at: p.datetime(),
  pages: p.integer(), reviews: () => p.oneToMany(Review).mappedBy('book'),
}, { tableName: 'book', indexes: [{ properties: ['created_at', 'id'] }, { properties: ['genre', 'created_at'] }] })
const Review = entity('Review', { ...primaryKey, stars: p.integer().index(), book: () => p.manyToOne(Book).index() }, {
  tableName: 'review',
})

const ROWS = 100_000
const books = resource(Book, {
  allowedFilters: [
    'title',
    'genre',
    AllowedFilters.search('q', ['title']),
    { 'reviews.stars': ['gte', 'eq'], created_at: ['gte', 'lt'] },
  ],
  allowedSorts: ['created_at', 'title'], allowedIncludes: ['reviews'], defaultSort: ['-created_at'],
})

/** A node of a plan, with its counts of rows. */
interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Node[]
}

// PGlite has PostgreSQL's planner
const [name, open] = databases[1]!
await t.test(name, { skip: skipReasons[name] }, async (t) => {
  const { orm, url, close } = await open({ entities: [Book, Review] })
  t.teardown(close)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.before(async () => {
    await client.query(`insert into book (title, genre, created_at, pages, deleted_at)
      select 'Book ' || i, 'genre ' || i % 1000, timestamptz '2000-01-01Z' + i * interval '1 hour', i % 900,
      case when i % 50 = 0 then now() end from generate_series(1, ${ROWS}) as i`)
    await client.query(
      `insert into review (stars, book_id) select case when i % 20000 = 0 then 6 else i % 5 + 1 end, i % ${ROWS} + 1
      from generate_series(1, ${2 * ROWS}) as i`
    )
    if ((await client.query("select 1 from pg_available_extensions where name = 'pg_trgm'")).rowCount === 1) {
      await client.query(
        'create extension pg_trgm; create index book_title_trgm on book using gin (title gin_trgm_ops)'
      )
    }
    await client.query('vacuum analyze')
  })
  t.teardown(() => client.end())
  const recorder = await recordStatements(orm, t)

  const nodesOf = async (read: () => Promise<unknown>): Promise<Node[]> => {
    recorder.take()
    await read()
    const statements = recorder.take()
    t.equal(statements.length, 1, 'one statement')
    const { rows } = await client.query({
      text: `explain (analyze, format json) ${statements[0]!.sql}`,
      values: [...statements[0]!.params],
    })
    const flat = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flat)]
    return flat(rows[0]['QUERY PLAN'][0].Plan)
  }
  const list = (query: string) => nodesOf(() => books.list(orm.em.fork(), parseQueryParams(query)))
  /** Rows of tables that a plan read, including those that it filtered out. */
  const read = (nodes: readonly Node[]) =>
    nodes.filter((node) => node['Relation Name'] !== undefined)
      .reduce((sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
        0)
  const indexes = (nodes: readonly Node[]) => new Set(nodes.flatMap((node) => node['Index Name'] ?? []))
  const scans = (nodes: readonly Node[], table: string) =>
    nodes.some((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === table)

  t.test('a record by its key uses the index of the key', async (t) => {
    const nodes = await nodesOf(() => books.get(orm.em.fork(), 4711))
    t.strictSame([...indexes(nodes)], ['book_pkey'])
    t.ok(read(nodes) <= 1)
  })

  t.test('a page of an equality filter in another order uses an index', async (t) => {
    const nodes = await list('filter[genre]=genre 17&sort=-created_at')
    t.notOk(scans(nodes, 'book'), name)
    t.ok([...indexes(nodes)].some((index) => index.includes('genre')))
    t.ok(read(nodes) <= 250, `${read(nodes)} rows for a page of 20 and a total of 100`)
  })

  t.test('the first page of a list reads one page, and counts the total', async (t) => {
    const nodes = await list('filter[created_at][gte]=2011-05-01&per_page=10')
    t.notOk(scans(nodes, 'book'))
    t.ok([...indexes(nodes)].some((index) => index.includes('created_at')))
  })

  t.test('an include reads only the related rows of the page', async (t) => {
    const nodes = await list('filter[genre]=genre 17&include=reviews&per_page=10')
    t.notOk(scans(nodes, 'review') || scans(nodes, 'book'))
    t.ok([...indexes(nodes)].some((index) => index.startsWith('review_book_id')))
    t.ok(read(nodes) <= 300, `${read(nodes)} rows`)
  })

  t.test('a filter on a path starts from the related rows', async (t) => {
    const nodes = await list('filter[reviews.stars][eq]=6')
    t.notOk(scans(nodes, 'review') || scans(nodes, 'book'))
    t.ok([...indexes(nodes)].some((index) => index.startsWith('review_stars')))
    t.ok(read(nodes) <= 100, `${read(nodes)} rows`)
  })

  t.test('a search uses trigrams', {
    skip: (await client.query("select 1 from pg_available_extensions where name = 'pg_trgm'")).rowCount === 0 &&
      'this server has no pg_trgm',
  }, async (t) => {
    const nodes = await list('filter[q]=ook 4711')
    t.ok(indexes(nodes).has('book_title_trgm'))
    t.notOk(scans(nodes, 'book'))
  })
})
