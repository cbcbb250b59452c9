/**
 * Databases with the tables of the benchmark, in different sizes. All requests of bench/growth/operations.ts find the
 * same number of rows in each of them.
 */
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { createBulkTables, restore, type BulkOperation } from '../bulk/operations.ts'
import { entities } from '../entities.ts'

/** Number of rows that are inserted first, spread over the order of `created_at`. */
export const SAMPLE = 2_000

/** Number of rows that a search for a word finds. */
export const FOUND = 200

/**
 * Rows of categories: `$1` is their number, `$2` the distance of two rows of the sample. The order of `created_at` and
 * the order of prices have nothing to do with the order of keys, and a word of eight characters is in `FOUND` names.
 */
const CATEGORIES = (rows: 'sample' | 'others') => `
  insert into categories (id, created_at, updated_at, deleted_at, name, description, price, status)
  select i, at, at, case when i % 50 = 0 then at end,
    'Category ' || i || ' ' || left(md5((i % greatest($1 / ${FOUND}, 1))::text), 8),
    'The description of category ' || i || ', one sentence.',
    trunc((i::bigint * 48271 % $1) * 100000.0 / $1) / 100, (array['draft', 'active', 'archived'])[i % 3 + 1]
  from (select i, timestamptz '2025-01-01Z' + (i::bigint * 7919 % $1) * interval '1 second' as at
    from generate_series(1, $1::int) as i where (i % $2::int = 1) = ${rows === 'sample'}) as rows`

/** As many products as categories: five for each fifth category. */
const PRODUCTS = `
  insert into products (id, created_at, updated_at, deleted_at, name, price, stock, category_id)
  select i, at, at, null, 'Product ' || i, (i::bigint * 16807 % 100000) / 100.0, i % 1000, (i - 1) / 5 * 5 + 1
  from (select i, timestamptz '2025-06-01Z' + i * interval '1 second' as at from generate_series(1, $1::int) as i) as r`

/** Number of articles for each category. */
export const ARTICLES_PART = 0.1

/** `$1` is the number of articles. A word of eight characters is in `FOUND` of them, one to three times. */
const ARTICLES = `
  insert into articles (id, created_at, title, body)
  select i, timestamptz '2025-01-01Z' + i * interval '1 second', 'Article ' || i,
    'What article ' || i || ' says about its subject, in one sentence: ' ||
      repeat(left(md5((i % greatest($1 / ${FOUND}, 1))::text), 8) || ' ', 1 + i % 3)
  from generate_series(1, $1::int) as i`

/** The index of the search, for which no property of the entity stands. */
const SEARCH_INDEX = 'create index on categories using gin (name gin_trgm_ops) with (fastupdate = off)'

interface FillOptions {
  /** Called while the table has only `SAMPLE` rows of the whole order. */
  readonly onSample: (url: string) => Promise<void>
  /** Whether all tables and indexes are filled and created, and not only the categories. */
  readonly whole: boolean
}

/** Creates a database with `rows` categories next to the one of `url`, and returns its URL. */
export async function createDatabase (url: string, rows: number, options: FillOptions): Promise<string> {
  const name = `rows_${rows}`
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const created = Object.assign(new URL(url), { pathname: `/${name}` }).href
  const orm = await MikroORM.init({ clientUrl: created, entities })
  await orm.schema.create()
  await orm.close()
  const client = new pg.Client(created)
  await client.connect()
  try {
    await fill(client, rows, { whole: options.whole, onSample: () => options.onSample(created) })
  } finally {
    await client.end()
  }
  return created
}

async function fill (
  client: pg.Client,
  rows: number,
  { onSample, whole }: { readonly onSample: () => Promise<void>, readonly whole: boolean }
): Promise<void> {
  // the rows are valid by construction, so foreign keys are not checked; the tables need not survive a crash
  await client.query("set session_replication_role = replica; set maintenance_work_mem = '512MB'")
  // products first, which refer to categories
  for (const table of ['products', 'categories', 'articles']) await client.query(`alter table ${table} set unlogged`)
  const step = Math.max(1, Math.floor(rows / SAMPLE))
  await client.query(CATEGORIES('sample'), [rows, step])
  await onSample()
  const indexes = await dropIndexes(client)
  await client.query(CATEGORIES('others'), [rows, step])
  if (whole) {
    await client.query(PRODUCTS, [rows])
    await client.query(ARTICLES, [rows * ARTICLES_PART])
  }
  for (const index of indexes) await client.query(index)
  if (whole) {
    await client.query('create extension pg_trgm')
    await client.query(SEARCH_INDEX)
    await createBulkTables(client, rows)
  }
  for (const table of ['categories', 'products']) {
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), $1)`, [rows])
  }
  await client.query('vacuum (analyze) categories, products, articles')
}

/** Drops all indexes that are not those of constraints, and returns the statements that create them. */
async function dropIndexes (client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string, definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid in ('categories'::regclass, 'products'::regclass, 'articles'::regclass)
        and not exists (select from pg_constraint where conindid = indexrelid)`
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

/** A table that a round may change. */
export type WrittenTable = 'categories' | BulkOperation['table']

/** Gives the table that a round has changed the rows that it had. */
export async function tidy (
  client: pg.Client,
  { writes: table, requests = 0 }: { readonly writes?: WrittenTable, readonly requests?: number },
  rows: number
): Promise<void> {
  if (table === undefined) return
  if (table !== 'categories') return await restore(client, table, { rows, sent: requests })
  // no row refers to the new ones
  await client.query('set session_replication_role = replica')
  await client.query('delete from categories where id > $1', [rows])
  await client.query('vacuum categories')
}
