/**
 * Routes as they are often written by hand: one query each for the page, the total and the children, rows as JavaScript
 * objects, and a response schema, which makes Fastify's serialization fast.
 */
import Fastify from 'fastify'
import pg from 'pg'
import { POOL, type StartOptions } from '../pool.ts'
import { pageInfo, placeOf, windowOf, type Query } from './window.ts'

const time = { type: 'string', format: 'date-time' }
const base = { id: { type: 'integer' }, created_at: time, updated_at: time, deleted_at: { ...time, nullable: true } }
const product = {
  type: 'object',
  properties: {
    ...base,
    name: { type: 'string' },
    price: { type: 'number' },
    stock: { type: 'integer' },
    category: { type: 'integer' },
  },
}
const category = {
  type: 'object',
  properties: {
    ...base,
    name: { type: 'string' },
    description: { type: 'string', nullable: true },
    price: { type: 'number' },
    status: { type: 'string' },
    products: { type: 'array', items: product },
  },
}
const numbers = Object.fromEntries(
  ['total', 'page', 'per_page', 'total_pages', 'limit', 'offset'].map((name) => [name, { type: 'integer' }])
)
const list = {
  type: 'object',
  properties: {
    items: { type: 'array', items: category },
    ...numbers,
    next_cursor: { type: 'string', nullable: true },
    has_next: { type: 'boolean' },
    has_prev: { type: 'boolean' },
  },
}

const COLUMNS = 'id, created_at, updated_at, deleted_at, name, description, price, status'
const ORDER = 'order by created_at desc, id'
const PRODUCTS = 'select id, created_at, updated_at, deleted_at, name, price, stock, category_id as category ' +
  'from products where category_id = any($1) and deleted_at is null order by id'
const FIRST = `select ${COLUMNS} from categories where deleted_at is null ${ORDER} limit $1`
const NEXT = `select ${COLUMNS} from categories where deleted_at is null and created_at <= $2
    and (created_at < $2 or id > $3) ${ORDER} limit $1`
const GET = `select ${COLUMNS} from categories where id = $1 and deleted_at is null`
const WRITABLE = ['name', 'description', 'price', 'status']
const CREATE = `insert into categories (${WRITABLE.join(', ')}) values ($1, $2, $3, $4) returning ${COLUMNS}`
const CREATE_MANY = `insert into categories (${
  WRITABLE.join(', ')
}) select * from unnest($1::text[], $2::text[], $3::numeric[], $4::text[]) returning ${COLUMNS}`

export async function twoQueries ({ url, poolSize }: StartOptions) {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, ...POOL })
  const fastify = Fastify()
  fastify.addHook('onClose', () => pool.end())

  fastify.get('/categories', { schema: { response: { 200: list } } }, async (request) => {
    const query = request.query as Query
    if (query['cursor'] !== undefined) return await pageByCursor(query['cursor'], Number(query['per_page']))
    const window = windowOf(query)
    const { where, values } = conditionOf(query)
    const [{ rows: items }, { rows: [{ count }] }] = await Promise.all([
      pool.query(
        `select ${COLUMNS} from categories ${where} ${ORDER} limit $${values.length + 1} offset $${values.length + 2}`,
        [...values, window.limit, window.offset]
      ),
      pool.query(`select count(*)::int from categories ${where}`, values),
    ])
    if (query['include'] === 'products') await addProducts(items)
    return { items, ...pageInfo(window, count) }
  })

  async function addProducts (items: any[]): Promise<void> { // any: pg's rows have no types
    const byId = new Map<number, unknown[]>()
    for (const item of items) byId.set(item.id, item.products = [])
    const { rows } = await pool.query(PRODUCTS, [[...byId.keys()]])
    for (const row of rows) byId.get(row.category)!.push(row)
  }

  async function pageByCursor (cursor: string, perPage: number) {
    const { rows: items } = cursor === ''
      ? await pool.query(FIRST, [perPage + 1])
      : await pool.query(NEXT, [perPage + 1, ...placeOf(cursor)])
    const more = items.length > perPage
    if (more) items.pop()
    const last = items.at(-1)
    return {
      items,
      per_page: perPage,
      next_cursor: more ? `${last.created_at.toISOString()}_${last.id}` : null,
      has_next: more,
      has_prev: cursor !== '',
    }
  }

  fastify.get('/categories/:id', { schema: { response: { 200: category } } }, async (request, reply) => {
    const { id } = request.params as { id: string }
    const { rows: [row] } = await pool.query(GET, [id])
    if (row === undefined) return reply.callNotFound()
    return row
  })

  const written = {
    schema: { response: { 201: { if: { type: 'array' }, then: { type: 'array', items: category }, else: category } } },
  }
  fastify.post('/categories', written, async (request, reply) => {
    reply.code(201)
    const body = request.body as Record<string, unknown> | Array<Record<string, unknown>>
    if (Array.isArray(body)) {
      return (await pool.query(CREATE_MANY, WRITABLE.map((name) => body.map((record) => record[name])))).rows
    }
    const { rows: [row] } = await pool.query(CREATE, WRITABLE.map((name) => body[name]))
    reply.header('location', `/categories/${row.id}`)
    return row
  })

  fastify.patch('/categories/:id', { schema: { response: { 200: category } } }, async (request, reply) => {
    const { id } = request.params as { id: string }
    const body = request.body as Record<string, unknown>
    const columns = WRITABLE.filter((name) => body[name] !== undefined)
    const { rows: [row] } = await pool.query(
      `update categories set updated_at = current_timestamp(3), ${
        columns.map((name, index) => `${name} = $${index + 2}`).join(', ')
      }
      where id = $1 and deleted_at is null returning ${COLUMNS}`,
      [id, ...columns.map((name) => body[name])]
    )
    if (row === undefined) return reply.callNotFound()
    return row
  })
  return fastify
}

function conditionOf (query: Query): { where: string, values: unknown[] } {
  if (query['filter[status]'] !== undefined) {
    return {
      where: 'where status = $1 and price >= $2 and deleted_at is null',
      values: [query['filter[status]'], query['filter[price][gte]']],
    }
  }
  const search = query['filter[name]']
  return search === undefined
    ? { where: 'where deleted_at is null', values: [] }
    : { where: 'where name ilike $1 and deleted_at is null', values: [`%${search.replace(/[\\%_]/g, '\\$&')}%`] }
}
