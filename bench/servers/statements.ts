/**
 * The statements of the hand-written routes. Every form below is the fastest of those that were measured, in turns, on
 * the data of the benchmark, with filters that keep some 30 to 1 700 rows. The comments name the alternatives, with the
 * CPU of the server (PostgreSQL) and of Node as a ratio to the form that is used.
 *
 * All statements have a name, so that PostgreSQL parses them once for each connection. After five runs it also plans
 * them only once, if the plan for any value is not estimated to be worse. `plan_cache_mode` keeps its default.
 */
export interface Statement {
  readonly name: string
  readonly text: string
}

/** A time as JavaScript writes it. A session in UTC would need no `at time zone`, but is not faster (0.99). */
const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const times = (table: string) =>
  ['created_at', 'updated_at', 'deleted_at'].map((name) => `${utc(`${table}.${name}`)} as ${name}`).join(', ')

/**
 * The columns of a record for `row_to_json` and `json_agg`. `json_build_object` and text that is concatenated in SQL
 * take as long (server 0.97 to 1.03). JSON.stringify on columns costs Node 1.7 times as much for a single record.
 */
export const RECORD = `page.id, ${times('page')}, page.name, page.description, page.price, page.status`
const PRODUCT = `p.id, ${times('p')}, p.name, p.price, p.stock, p.category_id as category`
const COLUMNS = 'id, created_at, updated_at, deleted_at, name, description, price, status'
export const ORDER = 'order by created_at desc, id'

export const FILTERED = 'where status = $2 and price >= $3 and deleted_at is null'
export const SEARCHED = 'where name ilike $2 and deleted_at is null'
export const ALL = 'where deleted_at is null'

/**
 * `list`, `search`: the filter is evaluated once, for the page and the total. This is the best form because these
 * filters find some hundred rows. Alternatives for `list`: a subquery for the total evaluates the filter twice (server
 * 1.33, Node 1.15). `count(*) over ()` keeps all columns of all rows through its sort (server 1.15). Keys first, wide
 * rows afterwards: 1.2. Without a name: 1.22.
 * For `search` a subquery for the total is much worse (server 7), because the planner then expects to fill the page
 * faster by reading the table in the order of the sort.
 * `plan_cache_mode = force_generic_plan` would save planning (server 0.84, Node 0.9), but is the wrong choice as soon
 * as a value that finds many rows needs another plan: the price is the client's.
 *
 * The limit is a part of all texts. For a parameter the planner assumes that a tenth of the rows is fetched.
 */
const found = (where: string, limit: number, more = '', joined = '') =>
  `with hits as materialized (select ${COLUMNS} from categories ${where})
  select (select json_agg(r)::text from (select ${RECORD}${more} from
    (select * from hits ${ORDER} limit ${limit} offset $1) as page ${joined}) as r) as items,
  (select count(*) from hits) as total`

/**
 * `either`: the same form. Both alternatives are ranges of one index, which PostgreSQL combines in a bitmap.
 */
export const EITHER = 'where status = $2 and (price >= $3 or price <= $4) and deleted_at is null'

/**
 * `facets`: the same form, and a query for each facet. Those without a condition of their own read the rows that the
 * list has found. The facet of the status leaves its condition out.
 */
const facet = (name: string, value: string, from: string) =>
  `'"${name}":[' || coalesce((select string_agg(row_to_json(f)::text, ',') from (select ${value} as value,
    count(*) as count from ${from} group by ${name} order by count(*) desc, ${name} limit 10) as f), '') || ']'`
export const facetsOf =
  `'{' || ${facet('status', 'status', 'categories where price >= $3 and deleted_at is null')} || ',' ||
    ${facet('name', 'name', 'hits')} || ',' || ${facet('created_at', utc('created_at'), 'hits')} || '}' as facets`
const faceted = (limit: number) =>
  `with hits as materialized (select ${COLUMNS} from categories ${FILTERED})
  select (select json_agg(r)::text from (select ${RECORD} from
    (select * from hits ${ORDER} limit ${limit} offset $1) as page) as r) as items,
  (select count(*) from hits) as total, ${facetsOf}`

/** `groups`: the groups as JSON, and their number. */
const grouped = (limit: number) =>
  `with found as (select status, count(*) as count, sum(price) as price_sum, avg(price)::float8 as price_avg
    from categories where price >= $2 and deleted_at is null group by status)
  select (select json_agg(r)::text from (select * from found order by status limit ${limit} offset $1) as r) as items,
    (select count(*) from found) as total`

/**
 * `include`: a correlated subquery for the products of each record. Alternative: products grouped by their category
 * in a common table expression, joined with the page (server 1.2, Node 1.2). Without a name: 1.3.
 */
export const PRODUCTS = `, coalesce((select json_agg(q) from (select ${PRODUCT} from products p
    where p.category_id = page.id and p.deleted_at is null order by p.id) as q), '[]') as products`

/** `numbers`: both numbers of a record in one look-up of its products. */
const NUMBERS = `cross join lateral (select count(*) as count, max(p.price) as highest from products p
    where p.category_id = page.id and p.deleted_at is null) as n`
const NUMBER_COLUMNS = ', n.count as "productsCount", n.highest as "productsPriceMax"'

/** `by-number`: the numbers of all rows that the other conditions keep. */
const byNumber = (limit: number) =>
  `with hits as materialized (select page.*, n.highest from categories page ${NUMBERS}
    where status = $2 and price >= $3 and deleted_at is null and n.count >= $4)
  select (select json_agg(r)::text from (select ${RECORD} from
    (select * from hits order by highest desc nulls last, id limit ${limit} offset $1) as page) as r) as items,
  (select count(*) from hits) as total`

/** `words`: the same form as for lists. */
export const ARTICLE = `page.id, ${utc('page.created_at')} as created_at, page.title, page.body`
const matching = (limit: number) =>
  `with hits as materialized (select id, created_at, title, body, ts_rank(words, query) as rank
    from articles, websearch_to_tsquery('english', $2) as query where words @@ query)
  select (select json_agg(r)::text from (select ${ARTICLE} from
    (select * from hits order by rank desc, id limit ${limit} offset $1) as page) as r) as items,
  (select count(*) from hits) as total`

/**
 * `offset`: plain SQL, as people write it. A subquery counts, because `count(*) over ()` sorts the whole table (server
 * 2.5). A name makes no difference. Alternative, not used here: the keys of the page first, in an index-only scan.
 */
const all = (limit: number) =>
  `select (select json_agg(r)::text from (select ${RECORD} from
    (select ${COLUMNS} from categories ${ALL} ${ORDER} limit ${limit} offset $1) as page) as r) as items,
    (select count(*) from categories ${ALL}) as total`

/**
 * `cursor-first`, `cursor-deep`: a row for each record, and one more to find out whether there is a next page. The
 * cursor is read from the JSON of the last record. Alternatives: a column with the cursor in every row (server 1.1),
 * one row of all records with `row_number()` (server 1.5) or with a limit in a common table expression (server 1.6).
 * With the limit as a parameter PostgreSQL plans each run (server 1.9, Node 1.7); without a name: server 2.5.
 */
export const after = (where: string, rows: number) =>
  `select row_to_json(r)::text from (select ${RECORD} from
    (select ${COLUMNS} from categories ${where} ${ORDER} limit ${rows}) as page) as r`
export const NEXT = `${ALL} and created_at <= $1 and (created_at < $1 or id > $2)`

/** `get`: without a name, the server takes four times and Node twice as long. */
export const GET: Statement = {
  name: 'get',
  text: `select row_to_json(r)::text as item
    from (select ${RECORD} from categories page where id = $1 and deleted_at is null) as r`,
}

/** Selects a written record, which is `page` in `returning`. */
const ITEM = `json_build_object('id', page.id, ${
  ['created_at', 'updated_at', 'deleted_at'].map((name) => `'${name}', ${utc(`page.${name}`)}`).join(', ')
}, 'name', page.name, 'description', page.description, 'price', page.price, 'status', page.status)::text as item`
export const WRITABLE = ['name', 'description', 'price', 'status']

/**
 * `create`: without a name, server 1.9, Node 1.3. The text of the body instead of four values makes no difference
 * (`json_to_record`, server 1.04).
 */
export const CREATE: Statement = {
  name: 'create',
  text: `insert into categories as page (${WRITABLE.join(', ')}) values ($1, $2, $3, $4) returning id, ${ITEM}`,
}

/**
 * `create-many`: the server reads the records as one text, and returns the answer as one text. Routes that check
 * nothing send the text of the body, which Node does not parse. Those that check write it again (Node 1.3 before the
 * check). Alternatives: a row for each record as well (Node 1.45); arrays and `unnest` (Node 1.6). The server takes
 * as long for all of them (0.98 to 1.05), with and without a name.
 */
export const CREATE_MANY: Statement = {
  name: 'create-many',
  text: `with page as (insert into categories (${WRITABLE.join(', ')}) select ${WRITABLE.join(', ')}
    from json_to_recordset($1) as r (name text, description text, price numeric, status text) returning ${COLUMNS})
  select json_agg(r)::text as items from (select ${RECORD} from page) as r`,
}

/** `update`: one statement for each set of properties. Without a name, server 2.9, Node 1.7. */
export const update = (columns: readonly string[]) =>
  `update categories as page set updated_at = current_timestamp(3), ${
    columns.map((name, index) => `${name} = $${index + 2}`).join(', ')
  }
  where id = $1 and deleted_at is null returning ${ITEM}`

/**
 * The texts of reads with a total, for pages of `limit` rows. `$1` is the offset. The others are the values of the
 * filters, in the order of the URL.
 */
export interface Reads {
  readonly list: (limit: number) => string
  readonly include: (limit: number) => string
  readonly search: (limit: number) => string
  readonly words: (limit: number) => string
  readonly either: (limit: number) => string
  readonly facets: (limit: number) => string
  readonly groups: (limit: number) => string
  readonly numbers: (limit: number) => string
  readonly byNumber: (limit: number) => string
  readonly all: (limit: number) => string
}

/** For filters that keep some 30 to 1 700 rows. */
export const forSomeHundreds: Reads = {
  list: (limit) => found(FILTERED, limit),
  include: (limit) => found(FILTERED, limit, PRODUCTS),
  search: (limit) => found(SEARCHED, limit),
  words: matching,
  either: (limit) => found(EITHER, limit),
  facets: faceted,
  groups: grouped,
  numbers: (limit) => found(FILTERED, limit, NUMBER_COLUMNS, NUMBERS),
  byNumber,
  all,
}
