/** What one would write by hand, for speed: pg, one statement for each answer, its JSON sent as it comes. It checks nothing. */
import Fastify from 'fastify'
import pg from 'pg'
import { POOL, type StartOptions } from '../pool.ts'

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column.split('.').at(-1)}`
const TIMES = ['created_at', 'updated_at', 'deleted_at']
const RECORD = `page.id, ${TIMES.map((name) => utc(`page.${name}`)).join(', ')}, page.name, page.description, page.price, page.status`
const PRODUCT = `'id', p.id, ${TIMES.map((name) => `'${name}', ${utc(`p.${name}`).replace(/ as .*/, '')}`).join(', ')}, 'name', p.name, 'price', p.price, 'stock', p.stock, 'category', p.category_id`

const WHERE = 'where status = $1 and price >= $2 and deleted_at is null'
const PAGE = `select id, created_at, updated_at, deleted_at, name, description, price, status from categories ${WHERE} order by created_at desc, id limit $3 offset $4`
const ANSWER = `select items, case when fetched < $3 and (fetched > 0 or $4 = 0) then $4 + fetched else (select count(*) from categories ${WHERE}) end as total`
const ROWS = "select string_agg(row_to_json(r)::text, ',') as items, count(*) as fetched from"

const LIST = `${ANSWER} from (${ROWS} (select ${RECORD} from (${PAGE}) as page) as r) as rows`
const LIST_WITH_PRODUCTS = `with page as (${PAGE}),
  inc as (select p.category_id as k, json_agg(json_build_object(${PRODUCT}) order by p.id) as j
    from products p where p.category_id in (select id from page) and p.deleted_at is null group by 1)
  ${ANSWER} from (${ROWS} (select ${RECORD}, coalesce(inc.j, '[]') as products from page left join inc on inc.k = page.id order by page.created_at desc, page.id) as r) as rows`
const GET = `select row_to_json(r)::text as item from (select ${RECORD} from categories page where id = $1 and deleted_at is null) as r`

const JSON_TYPE = 'application/json; charset=utf-8'

export async function handWritten ({ url, poolSize }: StartOptions) {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, ...POOL })
  const fastify = Fastify()
  fastify.addHook('onClose', () => pool.end())

  fastify.get('/categories', async (request, reply) => {
    const query = request.query as Record<string, string>
    const page = Number(query['page'] ?? 1)
    const limit = Number(query['per_page'] ?? 20)
    const offset = (page - 1) * limit
    const text = query['include'] === 'products' ? LIST_WITH_PRODUCTS : LIST
    const { rows: [row] } = await pool.query(text, [query['filter[status]'], query['filter[price][gte]'], limit, offset])
    const total = Number(row.total)
    reply.type(JSON_TYPE)
    return `{"items":[${row.items ?? ''}],"total":${total},"page":${page},"per_page":${limit},"total_pages":${Math.ceil(total / limit)},"has_next":${offset + limit < total},"has_prev":${offset > 0}}`
  })

  fastify.get('/categories/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const { rows: [row] } = await pool.query(GET, [id])
    if (row === undefined) return reply.code(404).send()
    reply.type(JSON_TYPE)
    return row.item
  })
  return fastify
}
