/** The data: 100 000 categories with 5 products each, and 100 000 articles. The same rows in every run. */
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { ARTICLES, CATEGORIES, PRODUCTS_EACH, WORD_ROWS } from './amounts.ts'
import { entities } from './entities.ts'

const BATCH = 20_000

/**
 * Rows of categories `$1` to `$2`. Prices are evenly distributed from 0 to 999.99. Four of six rows are active, and one
 * of fifty is deleted.
 */
const FILL_CATEGORIES = `
  insert into categories (id, created_at, updated_at, deleted_at, name, description, price, status)
  select i, at, at + interval '1 day', case when i % 50 = 0 then at + interval '2 days' end,
    'Category ' || i, 'What category ' || i || ' holds, in a sentence or two as they stand in a catalogue.',
    (i::bigint * 48271 % 100000) / 100.0,
    (array['draft', 'active', 'active', 'active', 'active', 'archived'])[i % 6 + 1]
  from (select i, timestamptz '2025-01-01T00:00:00Z' + (i::bigint * 7919 % 100000) * interval '1 minute' as at
    from generate_series($1::int, $2::int) as i) as rows`

const FILL_PRODUCTS = `
  insert into products (id, created_at, updated_at, deleted_at, name, price, stock, category_id)
  select i, at, at, null, 'Product ' || i, (i::bigint * 16807 % 100000) / 100.0,
    i % 1000, (i - 1) / ${PRODUCTS_EACH} + 1
  from (select i, timestamptz '2025-06-01T00:00:00Z' + i * interval '1 second' as at
    from generate_series($1::int, $2::int) as i) as rows`

/**
 * All articles. `$1` and `$2` are the words' numbers of rows and their names. A word is in articles at equal distances,
 * in each of them one to three times.
 */
const FILL_ARTICLES = `
  insert into articles (id, created_at, title, body)
  select i, timestamptz '2025-01-01T00:00:00Z' + (i::bigint * 7919 % ${ARTICLES}) * interval '1 minute',
    'Article ' || i,
    'What article ' || i || ' says about its subject, in a sentence or two as people write them.' ||
      coalesce(' ' || words, '')
  from generate_series(1, ${ARTICLES}) as i left join (
    select i, string_agg(trim(repeat(name || ' ', 1 + i % 3)), ' ') as words
    from rows from (unnest($1::int[]), unnest($2::text[])) with ordinality as w (rows, name, number),
      generate_series(1 + number::int * 37 % (${ARTICLES} / rows), ${ARTICLES}, ${ARTICLES} / rows) as i
    group by i) as found using (i)`

/**
 * Creates the index if the extension is available. It has no list of pending entries, because merging them would slow
 * down random requests.
 */
const SEARCH_INDEX = `do $$ begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension pg_trgm;
    create index on categories using gin (name gin_trgm_ops) with (fastupdate = off);
  end if;
end $$`

/** Creates the tables and fills them. */
export async function createData (url: string, onProgress: (done: number, total: number) => void): Promise<void> {
  const orm = await MikroORM.init({ clientUrl: url, entities })
  await orm.schema.create()
  await orm.close()

  const client = new pg.Client(url)
  await client.connect()
  try {
    await fill(client, onProgress)
  } finally {
    await client.end()
  }
}

async function fill (client: pg.Client, onProgress: (done: number, total: number) => void): Promise<void> {
  // the rows are valid by construction; checking 500 000 foreign keys would take longer than writing them
  await client.query('set session_replication_role = replica')
  const total = CATEGORIES * (1 + PRODUCTS_EACH) + ARTICLES
  let done = 0
  const inBatches = async (text: string, rows: number) => {
    for (let first = 1; first <= rows; first += BATCH) {
      const last = Math.min(first + BATCH - 1, rows)
      await client.query(text, [first, last])
      onProgress(done += last - first + 1, total)
    }
  }
  await inBatches(FILL_CATEGORIES, CATEGORIES)
  await inBatches(FILL_PRODUCTS, CATEGORIES * PRODUCTS_EACH)
  const words = WORD_ROWS.flatMap(([rows, words]) =>
    Array.from({ length: words }, (_, k) => ({ rows, name: `word${rows}x${k}` }))
  )
  await client.query(FILL_ARTICLES, [words.map(({ rows }) => rows), words.map(({ name }) => name)])
  onProgress(done += ARTICLES, total)
  for (const table of ['categories', 'products', 'articles']) {
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`)
  }
  await client.query(SEARCH_INDEX)
  await client.query('vacuum (analyze) categories, products, articles')
}

/** Deletes the rows that a round has created and cleans up the table, so that no round slows down the next one. */
export async function tidy (client: pg.Client): Promise<void> {
  // as in createData; no row refers to these rows
  await client.query('set session_replication_role = replica')
  await client.query('delete from categories where id > $1', [CATEGORIES])
  await client.query('vacuum categories')
}
