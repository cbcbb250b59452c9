/** Writes of several records at once, and upserts of one: their tables, rows and requests. */
import type pg from 'pg'
import type { HttpRequest } from '../dialects/dialect.ts'

/** Number of records of a request. */
export const EACH = 100

export type BulkName = 'update-many' | 'delete-many' | 'upsert-one' | 'upsert-many'

export interface BulkOperation {
  readonly name: BulkName
  readonly title: string
  readonly table: 'tickets' | 'items'
  /** Number of requests that can be sent before they start over, in a table of `rows` rows. */
  readonly requests: (rows: number) => number
  /** The n-th request. Requests are spread over the table, and each is sent once. */
  readonly request: (n: number, rows: number) => HttpRequest
}

/** A prime number. At the end of an index, the planner would look at each deleted row. */
const STEP = 2_617
const spread = (n: number, of: number): number => n * STEP % of + 1

const batches = (rows: number): number => rows / EACH

/** The table has the items with even numbers. Of two records, one is created, and the other one changed. */
const numbers = (rows: number): number => 2 * rows
const item = (n: number) => ({ code: `C-${n}`, title: `Item ${n}`, price: n % 977 })

export const bulkOperations: readonly BulkOperation[] = [
  {
    name: 'update-many',
    title: `Update ${EACH} that a filter finds`,
    table: 'tickets',
    requests: batches,
    request: (n, rows) => ({
      method: 'PATCH',
      path: `/tickets?filter[batch]=${spread(n, batches(rows))}`,
      body: { status: `status ${n % 977}` },
    }),
  },
  {
    name: 'delete-many',
    title: `Delete ${EACH} that a filter finds`,
    table: 'tickets',
    requests: batches,
    request: (n, rows) => ({ method: 'DELETE', path: `/tickets?filter[batch]=${spread(n, batches(rows))}` }),
  },
  {
    name: 'upsert-one',
    title: 'Upsert 1',
    table: 'items',
    requests: numbers,
    request: (n, rows) => ({ method: 'PUT', path: '/items?on=code', body: item(spread(n, numbers(rows))) }),
  },
  {
    name: 'upsert-many',
    title: `Upsert ${EACH}, half of them new`,
    table: 'items',
    requests: (rows) => numbers(rows) / EACH,
    request: (n, rows) => {
      const first = (spread(n, numbers(rows) / EACH) - 1) * EACH + 1
      return {
        method: 'PUT',
        path: '/items?on=code',
        body: Array.from({ length: EACH }, (_, index) => item(first + index)),
      }
    },
  },
]

const CREATE = `
  create table tickets (id serial primary key, batch int not null, title varchar(255) not null,
    status varchar(20) not null, version int not null);
  create table items (id serial primary key, code varchar(20) not null unique, title varchar(255) not null,
    price int not null, version int not null default 1)`
const INDEX = 'create index on tickets (batch)'

const TICKETS = `insert into tickets (id, batch, title, status, version)
  select n, 1 + (n - 1) / ${EACH}, 'Ticket ' || n, 'draft', 1 from generate_series(1, $1::int) n`
const ITEMS = `insert into items (id, code, title, price, version)
  select n, 'C-' || 2 * n, 'An item', 0, 1 from generate_series(1, $1::int) n`
const FILL = { tickets: TICKETS, items: ITEMS }

/** Creates both tables with `rows` rows each. */
export async function createBulkTables (client: pg.Client, rows: number): Promise<void> {
  await client.query(CREATE)
  for (const fill of Object.values(FILL)) await client.query(fill, [rows])
  await client.query(INDEX)
  for (const table of Object.keys(FILL)) await settle(client, table, rows)
}

/** Gives a table the rows that `createBulkTables` gave it. */
export async function refill (client: pg.Client, table: BulkOperation['table'], rows: number): Promise<void> {
  await client.query(`truncate ${table}`)
  await client.query(FILL[table], [rows])
  await settle(client, table, rows)
}

/**
 * The same if the table is too large to be filled for each round: records that the first `sent` requests have deleted
 * return, and new ones go.
 */
export async function restore (
  client: pg.Client,
  table: BulkOperation['table'],
  { rows, sent }: { readonly rows: number, readonly sent: number }
): Promise<void> {
  if (table === 'items') await client.query('delete from items where id > $1', [rows])
  else await client.query(RETURN, [Array.from({ length: sent }, (_, n) => spread(n, batches(rows)))])
  await client.query(`vacuum ${table}`)
}
const RETURN = `insert into tickets (id, batch, title, status, version)
  select (batch - 1) * ${EACH} + n, batch, 'Ticket ' || n, 'draft', 1
  from unnest($1::int[]) batch, generate_series(1, ${EACH}) n
  where not exists (select from tickets t where t.batch = batch.batch)`

async function settle (client: pg.Client, table: string, rows: number): Promise<void> {
  await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), $1)`, [rows])
  await client.query(`vacuum (analyze) ${table}`)
}
