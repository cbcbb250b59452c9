/**
 * Routes as one would write them by hand for speed: pg, one statement for each answer, and its JSON sent unchanged.
 * They check nothing.
 */
import Fastify, { type FastifyReply } from 'fastify'
import pg from 'pg'
import { POOL, type StartOptions } from '../pool.ts'
import { pageInfo, placeOf, windowOf, type Query } from './window.ts'

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const TIMES = ['created_at', 'updated_at', 'deleted_at']
const ITEM = `json_build_object('id', page.id, ${
  TIMES.map((name) => `'${name}', ${utc(`page.${name}`)}`).join(', ')
}, 'name', page.name, 'description', page.description, 'price', page.price, 'status', page.status)::text as item`
const RECORD = `page.id, ${
  TIMES.map((name) => `${utc(`page.${name}`)} as ${name}`).join(', ')
}, page.name, page.description, page.price, page.status`
const PRODUCT = `'id', p.id, ${
  TIMES.map((name) => `'${name}', ${utc(`p.${name}`)}`).join(', ')
}, 'name', p.name, 'price', p.price, 'stock', p.stock, 'category', p.category_id`

/** The conditions of lists. The values of limit and offset come before theirs. */
const FILTERED = 'where status = $3 and price >= $4 and deleted_at is null'
const SEARCHED = 'where name ilike $3 and deleted_at is null'
const ALL = 'where deleted_at is null'

const COLUMNS = 'id, created_at, updated_at, deleted_at, name, description, price, status'
const page = (where: string) =>
  `select ${COLUMNS} from categories ${where} order by created_at desc, id limit $1 offset $2`
const answer = (where: string) =>
  `select items, case when fetched < $1 and (fetched > 0 or $2 = 0) then $2 + fetched else
    (select count(*) from categories ${where}) end as total`
const ROWS = "select string_agg(row_to_json(r)::text, ',') as items, count(*) as fetched from"

const list = (where: string) =>
  `${answer(where)} from (${ROWS} (select ${RECORD} from (${page(where)}) as page) as r) as rows`
const LIST_WITH_PRODUCTS = `with page as (${page(FILTERED)}),
  inc as (select p.category_id as k, json_agg(json_build_object(${PRODUCT}) order by p.id) as j
    from products p where p.category_id in (select id from page) and p.deleted_at is null group by 1)
  ${answer(FILTERED)} from (${ROWS} (select ${RECORD}, coalesce(inc.j, '[]') as products
  from page left join inc on inc.k = page.id order by page.created_at desc, page.id) as r) as rows`
const LIST = list(FILTERED)
const SEARCH = list(SEARCHED)
const LIST_ALL = list(ALL)

/** Selects one row more than the page has, to find out whether there is a next page. */
const after = (where: string) =>
  `select ${ITEM}, ${utc('page.created_at')} || '_' || page.id as place
  from (select ${COLUMNS} from categories ${where} order by created_at desc, id limit $1) as page`
const FIRST = after(ALL)
const NEXT = after(`${ALL} and created_at <= $2 and (created_at < $2 or id > $3)`)

const GET = `select row_to_json(r)::text as item
    from (select ${RECORD} from categories page where id = $1 and deleted_at is null) as r`
const WRITABLE = ['name', 'description', 'price', 'status']
const CREATE = `insert into categories as page (${WRITABLE.join(', ')}) values ($1, $2, $3, $4) returning id, ${ITEM}`
const CREATE_MANY = `insert into categories as page (${WRITABLE.join(', ')})
  select ${
  WRITABLE.join(', ')
} from json_to_recordset($1) as r (name text, description text, price numeric, status text) returning ${ITEM}`
const update = (columns: readonly string[]) =>
  `update categories as page set updated_at = current_timestamp(3), ${
    columns.map((name, index) => `${name} = $${index + 2}`).join(', ')
  }
  where id = $1 and deleted_at is null returning ${ITEM}`

function statementOf (query: Query, bounds: readonly number[]): [text: string, values: unknown[]] {
  if (query['filter[status]'] !== undefined) {
    return [query['include'] === 'products' ? LIST_WITH_PRODUCTS : LIST, [
      ...bounds,
      query['filter[status]'],
      query['filter[price][gte]'],
    ]]
  }
  const search = query['filter[name]']
  return search === undefined
    ? [LIST_ALL, [...bounds]]
    : [SEARCH, [...bounds, `%${search.replace(/[\\%_]/g, '\\$&')}%`]]
}

const send = (reply: FastifyReply, json: string) => reply.type('application/json; charset=utf-8').send(json)

export async function handWritten ({ url, poolSize }: StartOptions) {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, ...POOL })
  const fastify = Fastify()
  fastify.addHook('onClose', () => pool.end())

  fastify.get('/categories', async (request, reply) => {
    const query = request.query as Query
    if (query['cursor'] !== undefined) {
      return send(reply, await pageByCursor(query['cursor'], Number(query['per_page'])))
    }
    const window = windowOf(query)
    const { rows: [row] } = await pool.query(...statementOf(query, [window.limit, window.offset]))
    return send(reply, `{"items":[${row.items ?? ''}],${JSON.stringify(pageInfo(window, Number(row.total))).slice(1)}`)
  })

  async function pageByCursor (cursor: string, perPage: number): Promise<string> {
    const { rows } = cursor === ''
      ? await pool.query(FIRST, [perPage + 1])
      : await pool.query(NEXT, [perPage + 1, ...placeOf(cursor)])
    const more = rows.length > perPage
    if (more) rows.pop()
    const next = more ? `"${rows.at(-1).place}"` : 'null'
    return `{"items":[${
      rows.map(({ item }) => item).join(',')
    }],"per_page":${perPage},"next_cursor":${next},"has_next":${more},"has_prev":${cursor !== ''}}`
  }

  fastify.get('/categories/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const { rows: [row] } = await pool.query(GET, [id])
    if (row === undefined) return reply.code(404).send()
    return send(reply, row.item)
  })

  fastify.post('/categories', async (request, reply) => {
    reply.code(201)
    const body = request.body as Record<string, unknown> | unknown[]
    if (Array.isArray(body)) {
      const { rows } = await pool.query(CREATE_MANY, [JSON.stringify(body)])
      return send(reply, `[${rows.map(({ item }) => item).join(',')}]`)
    }
    const { rows: [row] } = await pool.query(CREATE, WRITABLE.map((name) => body[name]))
    reply.header('location', `/categories/${row.id}`)
    return send(reply, row.item)
  })

  fastify.patch('/categories/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const body = request.body as Record<string, unknown>
    const columns = WRITABLE.filter((name) => body[name] !== undefined)
    const { rows: [row] } = await pool.query(update(columns), [id, ...columns.map((name) => body[name])])
    if (row === undefined) return reply.code(404).send()
    return send(reply, row.item)
  })
  return fastify
}
