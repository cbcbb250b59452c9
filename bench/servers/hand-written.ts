/**
 * Routes as an expert writes them by hand for speed, for these thirteen requests only: pg, one statement for each
 * answer, and the JSON text of the database sent unchanged. The reference checks its input by JSON Schema. The same
 * routes without any check are the floor.
 *
 * Every form below is the fastest of those that were measured, in turns, on the data of the benchmark. The comments
 * name the alternatives, with the CPU of the server (PostgreSQL) and of Node as a ratio to the form that is used.
 *
 * All statements have a name, so that PostgreSQL parses them once for each connection. After five runs it also plans
 * them only once, if the plan for any value is not estimated to be worse. `plan_cache_mode` keeps its default.
 */
import Fastify, { type FastifyReply } from 'fastify'
import pg from 'pg'
import { POOL, type StartOptions } from '../pool.ts'
import { SCHEMAS } from './schemas.ts'
import { pageInfo, placeOf, windowOf, type Query } from './window.ts'

interface Statement {
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
const RECORD = `page.id, ${times('page')}, page.name, page.description, page.price, page.status`
const PRODUCT = `p.id, ${times('p')}, p.name, p.price, p.stock, p.category_id as category`
const COLUMNS = 'id, created_at, updated_at, deleted_at, name, description, price, status'
const ORDER = 'order by created_at desc, id'

const FILTERED = 'where status = $2 and price >= $3 and deleted_at is null'
const SEARCHED = 'where name ilike $2 and deleted_at is null'
const ALL = 'where deleted_at is null'

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
const found = (where: string, limit: number, more = '') =>
  `with hits as materialized (select ${COLUMNS} from categories ${where})
  select (select json_agg(r)::text from (select ${RECORD}${more} from
    (select * from hits ${ORDER} limit ${limit} offset $1) as page) as r) as items,
  (select count(*) from hits) as total`

/**
 * `either`: the same form. Both alternatives are ranges of one index, which PostgreSQL combines in a bitmap.
 */
const EITHER = 'where status = $2 and (price >= $3 or price <= $4) and deleted_at is null'

/**
 * `facets`: the same form, and a query for each facet. Those without a condition of their own read the rows that the
 * list has found. The facet of the status leaves its condition out.
 */
const facet = (name: string, value: string, from: string) =>
  `'"${name}":[' || coalesce((select string_agg(row_to_json(f)::text, ',') from (select ${value} as value,
    count(*) as count from ${from} group by ${name} order by count(*) desc, ${name} limit 10) as f), '') || ']'`
const faceted = (limit: number) =>
  `with hits as materialized (select ${COLUMNS} from categories ${FILTERED})
  select (select json_agg(r)::text from (select ${RECORD} from
    (select * from hits ${ORDER} limit ${limit} offset $1) as page) as r) as items,
  (select count(*) from hits) as total,
  '{' || ${facet('status', 'status', 'categories where price >= $3 and deleted_at is null')} || ',' ||
    ${facet('name', 'name', 'hits')} || ',' || ${facet('created_at', utc('created_at'), 'hits')} || '}' as facets`

/** `groups`: the groups as JSON, and their number. */
const GROUPS: Statement = {
  name: 'groups',
  text: `with found as (select status, count(*) as count, sum(price) as price_sum, avg(price)::float8 as price_avg
    from categories where price >= $1 and deleted_at is null group by status)
  select (select json_agg(r)::text from (select * from found order by status limit $2 offset $3) as r) as items,
    (select count(*) from found) as total`,
}

/**
 * `include`: a correlated subquery for the products of each record. Alternative: products grouped by their category
 * in a common table expression, joined with the page (server 1.2, Node 1.2). Without a name: 1.3.
 */
const PRODUCTS = `, coalesce((select json_agg(q) from (select ${PRODUCT} from products p
    where p.category_id = page.id and p.deleted_at is null order by p.id) as q), '[]') as products`

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
const after = (where: string, rows: number) =>
  `select row_to_json(r)::text from (select ${RECORD} from
    (select ${COLUMNS} from categories ${where} ${ORDER} limit ${rows}) as page) as r`
const NEXT = `${ALL} and created_at <= $1 and (created_at < $1 or id > $2)`

/** `get`: without a name, the server takes four times and Node twice as long. */
const GET: Statement = {
  name: 'get',
  text: `select row_to_json(r)::text as item
    from (select ${RECORD} from categories page where id = $1 and deleted_at is null) as r`,
}

/** Selects a written record, which is `page` in `returning`. */
const ITEM = `json_build_object('id', page.id, ${
  ['created_at', 'updated_at', 'deleted_at'].map((name) => `'${name}', ${utc(`page.${name}`)}`).join(', ')
}, 'name', page.name, 'description', page.description, 'price', page.price, 'status', page.status)::text as item`
const WRITABLE = ['name', 'description', 'price', 'status']

/**
 * `create`: without a name, server 1.9, Node 1.3. The text of the body instead of four values makes no difference
 * (`json_to_record`, server 1.04).
 */
const CREATE: Statement = {
  name: 'create',
  text: `insert into categories as page (${WRITABLE.join(', ')}) values ($1, $2, $3, $4) returning id, ${ITEM}`,
}

/**
 * `create-many`: the server reads the records as one text, and returns the answer as one text. Routes that check
 * nothing send the text of the body, which Node does not parse. Those that check write it again (Node 1.3 before the
 * check). Alternatives: a row for each record as well (Node 1.45); arrays and `unnest` (Node 1.6). The server takes
 * as long for all of them (0.98 to 1.05), with and without a name.
 */
const CREATE_MANY: Statement = {
  name: 'create-many',
  text: `with page as (insert into categories (${WRITABLE.join(', ')}) select ${WRITABLE.join(', ')}
    from json_to_recordset($1) as r (name text, description text, price numeric, status text) returning ${COLUMNS})
  select json_agg(r)::text as items from (select ${RECORD} from page) as r`,
}

/** `update`: one statement for each set of properties. Without a name, server 2.9, Node 1.7. */
const update = (columns: readonly string[]) =>
  `update categories as page set updated_at = current_timestamp(3), ${
    columns.map((name, index) => `${name} = $${index + 2}`).join(', ')
  }
  where id = $1 and deleted_at is null returning ${ITEM}`

/** Statements whose text depends on the request, by name. Texts are written once. */
const statements = new Map<string, Statement>()
function statement (name: string, write: () => string): Statement {
  let made = statements.get(name)
  if (made === undefined) statements.set(name, made = { name, text: write() })
  return made
}

function listOf (query: Query, limit: number, offset: number): Statement & { values: unknown[] } {
  if (query['filter[or][0][price][gte]'] !== undefined) {
    const values = [
      offset, query['filter[status]'], query['filter[or][0][price][gte]'], query['filter[or][1][price][lte]'],
    ]
    return { ...statement(`either ${limit}`, () => found(EITHER, limit)), values }
  }
  if (query['filter[status]'] !== undefined) {
    const values = [offset, query['filter[status]'], query['filter[price][gte]']]
    if (query['facets'] !== undefined) return { ...statement(`facets ${limit}`, () => faceted(limit)), values }
    return query['include'] === 'products'
      ? { ...statement(`include ${limit}`, () => found(FILTERED, limit, PRODUCTS)), values }
      : { ...statement(`list ${limit}`, () => found(FILTERED, limit)), values }
  }
  const search = query['filter[name]']
  return search === undefined
    ? { ...statement(`all ${limit}`, () => all(limit)), values: [offset] }
    : {
        ...statement(`search ${limit}`, () => found(SEARCHED, limit)),
        values: [offset, `%${search.replace(/[\\%_]/g, '\\$&')}%`],
      }
}

const send = (reply: FastifyReply, json: string) => reply.type('application/json; charset=utf-8').send(json)

/** The reference: routes that check their input. */
export const handWritten = (options: StartOptions) => routes(options, SCHEMAS)

/** The floor: routes that check nothing. */
export const handWrittenUnchecked = (options: StartOptions) => routes(options)

async function routes ({ url, poolSize }: StartOptions, schemas?: typeof SCHEMAS) {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, ...POOL })
  const fastify = Fastify()
  fastify.addHook('onClose', () => pool.end())
  if (schemas === undefined) {
    // bodies stay texts, because the server reads those of create-many
    fastify.removeContentTypeParser('application/json')
    fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  }
  const options = (name: keyof typeof SCHEMAS) => schemas === undefined ? {} : { schema: schemas[name] }
  const parsed = (body: unknown): Record<string, unknown> =>
    (typeof body === 'string' ? JSON.parse(body) : body) as Record<string, unknown>

  fastify.get('/categories', options('list'), async (request, reply) => {
    const query = request.query as Query
    if (query['cursor'] !== undefined) {
      return send(reply, await pageByCursor(query['cursor'], Number(query['per_page'])))
    }
    const window = windowOf(query)
    const { rows: [row] } = await pool.query(listOf(query, window.limit, window.offset))
    return send(
      reply,
      `{"items":${row.items ?? '[]'},${row.facets === undefined ? '' : `"facets":${row.facets},`}${
        JSON.stringify(pageInfo(window, Number(row.total))).slice(1)
      }`
    )
  })

  fastify.get('/categories/aggregate', options('groups'), async (request, reply) => {
    const query = request.query as Query
    const window = windowOf(query)
    const { rows: [row] } = await pool.query({
      ...GROUPS,
      values: [query['filter[price][gte]'], window.limit, window.offset],
    })
    return send(
      reply,
      `{"items":${row.items ?? '[]'},${JSON.stringify(pageInfo(window, Number(row.total))).slice(1)}`
    )
  })

  async function pageByCursor (cursor: string, perPage: number): Promise<string> {
    const made = cursor === ''
      ? statement(`first ${perPage}`, () => after(ALL, perPage + 1))
      : statement(`next ${perPage}`, () => after(NEXT, perPage + 1))
    const { rows } = await pool.query<[item: string]>({
      ...made,
      values: cursor === '' ? [] : [...placeOf(cursor)],
      rowMode: 'array',
    })
    const more = rows.length > perPage
    if (more) rows.pop()
    let next = 'null'
    if (more) {
      const last = JSON.parse(rows.at(-1)![0])
      next = `"${last.created_at}_${last.id}"`
    }
    return `{"items":[${rows.join(',')}],"per_page":${perPage},"next_cursor":${next},"has_next":${more},"has_prev":${
      cursor !== ''
    }}`
  }

  fastify.get('/categories/:id', options('get'), async (request, reply) => {
    const { id } = request.params as { id: string }
    const { rows: [row] } = await pool.query({ ...GET, values: [id] })
    if (row === undefined) return reply.code(404).send()
    return send(reply, row.item)
  })

  fastify.post('/categories', options('create'), async (request, reply) => {
    reply.code(201)
    const given = request.body as string | readonly object[] | object
    if (typeof given === 'string' ? given.startsWith('[') : Array.isArray(given)) {
      const text = typeof given === 'string' ? given : JSON.stringify(given)
      const { rows: [row] } = await pool.query({ ...CREATE_MANY, values: [text] })
      return send(reply, row.items)
    }
    const body = parsed(given)
    const { rows: [row] } = await pool.query({ ...CREATE, values: WRITABLE.map((name) => body[name]) })
    reply.header('location', `/categories/${row.id}`)
    return send(reply, row.item)
  })

  fastify.patch('/categories/:id', options('update'), async (request, reply) => {
    const { id } = request.params as { id: string }
    const body = parsed(request.body)
    const columns = WRITABLE.filter((name) => body[name] !== undefined)
    const { rows: [row] } = await pool.query({
      ...statement(`update ${columns.join(' ')}`, () => update(columns)),
      values: [id, ...columns.map((name) => body[name])],
    })
    if (row === undefined) return reply.code(404).send()
    return send(reply, row.item)
  })
  return fastify
}
