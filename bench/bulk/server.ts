/**
 * The routes for writes of several records. Those that are written by hand validate by JSON Schema. They send a
 * statement by a name: for changes and deletions that of the generated routes, and for upserts `on conflict do update`.
 */
import { defineEntity, p } from '@mikro-orm/core'
import Fastify, { type FastifyInstance } from 'fastify'
import pg from 'pg'
import { AllowedFilters, CrudBase, crudKit } from '../library.ts'
import { POOL, type StartOptions } from '../pool.ts'

const Ticket = defineEntity({
  name: 'Ticket',
  tableName: 'tickets',
  properties: {
    id: p.integer().primary().autoincrement(),
    batch: p.integer().index(),
    title: p.string(),
    status: p.string().length(20),
    version: p.integer().version(),
  },
})

const Item = defineEntity({
  name: 'Item',
  tableName: 'items',
  properties: {
    id: p.integer().primary().autoincrement(),
    code: p.string().length(20).unique(),
    title: p.string(),
    price: p.integer(),
    version: p.integer().version(),
  },
})

/** @param change an update or a delete of the tickets of `found` */
const bulk = (change: string): string =>
  `with found as (select a.id from tickets as a where a.batch = $1 limit 101), written as (${change}
    where a.id in (select id from found) and a.batch = $1 and (select count(*) from found) < 101 returning '1' as row)
  select (select count(*) from found)::text as found, (select count(row) from written)::text as affected`
const UPDATE = { name: 'update-many', text: bulk('update tickets as a set status = $2, version = a.version + 1') }
const DELETE = { name: 'delete-many', text: bulk('delete from tickets as a') }

/** @param given a select of the code, title and price of items */
const upsert = (given: string): string =>
  `insert into items as i (code, title, price, version) ${given}
    on conflict (code) do update set title = excluded.title, price = excluded.price, version = i.version + 1
    returning i.id, i.code, i.title, i.price, i.version, (xmax = 0) as created`
const RECORD = "json_build_object('id', w.id, 'code', w.code, 'title', w.title, 'price', w.price, 'version', w.version)"
const UPSERT_ONE = {
  name: 'upsert-one',
  text: `with written as (${upsert('values ($1, $2, $3::int, 1)')})
    select ${RECORD}::text as record, w.id, w.version, w.created from written as w`,
}
const UPSERT_MANY = {
  name: 'upsert-many',
  text: `with given as (
      select * from rows from (json_to_recordset($1) as (code text, title text, price int)) with ordinality
        as g (code, title, price, n)
    ), written as (${upsert('select code, title, price, 1 from given order by n')})
    select json_agg(json_build_object('created', w.created, 'record', ${RECORD}) order by given.n)::text as records
    from written as w join given using (code)`,
}

export async function handWritten ({ url, poolSize }: StartOptions): Promise<FastifyInstance> {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, ...POOL })
  const fastify = Fastify()
  fastify.addHook('onClose', () => pool.end())
  const querystring = {
    type: 'object',
    additionalProperties: false,
    required: ['filter[batch]'],
    properties: { 'filter[batch]': { type: 'integer' } },
  }
  const body = {
    type: 'object',
    additionalProperties: false,
    properties: { title: { type: 'string', maxLength: 255 }, status: { type: 'string', maxLength: 20 } },
    required: ['status'],
  }
  const answer = async (statement: typeof UPDATE, values: unknown[]): Promise<string> => {
    const { rows: [row] } = await pool.query({ ...statement, values })
    if (Number(row.found) > 100) throw Object.assign(new Error('Too many tickets match.'), { statusCode: 400 })
    return `{"affected":${row.affected}}`
  }
  const batchOf = (query: unknown): number => (query as Record<string, number>)['filter[batch]']!
  fastify.patch('/tickets', { schema: { querystring, body } }, async ({ query, body }, reply) => {
    const { status } = body as { readonly status: string }
    return reply.type('application/json; charset=utf-8').send(await answer(UPDATE, [batchOf(query), status]))
  })
  fastify.delete(
    '/tickets',
    { schema: { querystring } },
    async ({ query }, reply) =>
      reply.type('application/json; charset=utf-8').send(await answer(DELETE, [batchOf(query)]))
  )
  const item = {
    type: 'object',
    additionalProperties: false,
    properties: {
      code: { type: 'string', maxLength: 20 },
      title: { type: 'string', maxLength: 255 },
      price: { type: 'integer', minimum: -2147483648, maximum: 2147483647 },
    },
    required: ['code', 'title', 'price'],
  }
  const schema = {
    querystring: {
      type: 'object',
      additionalProperties: false,
      required: ['on'],
      properties: { on: { type: 'string', const: 'code' } },
    },
    body: { if: { type: 'array' }, then: { type: 'array', maxItems: 1_000, items: item }, else: item },
  }
  fastify.put('/items', { schema }, async ({ body }, reply) => {
    reply.type('application/json; charset=utf-8')
    if (Array.isArray(body)) {
      const { rows: [row] } = await pool.query({ ...UPSERT_MANY, values: [JSON.stringify(body)] })
      return reply.send(row.records)
    }
    const { code, title, price } = body as { readonly code: string, readonly title: string, readonly price: number }
    const { rows: [row] } = await pool.query({ ...UPSERT_ONE, values: [code, title, price] })
    if (row.created) reply.code(201).header('location', `/items/${row.id}`)
    return reply.header('etag', `"${row.version}"`).send(row.record)
  })
  return fastify
}

export async function generated ({ url, poolSize }: StartOptions): Promise<FastifyInstance> {
  const fastify = Fastify()
  await fastify.register(crudKit, {
    database: { databaseUrl: url, entities: [Ticket, Item], pool: { max: poolSize, ...POOL } },
    indexAdvice: false,
    resources: {
      '/tickets': {
        crud: new CrudBase({
          model: Ticket,
          writable: ['title', 'status'],
          queryConfig: { allowedFilters: [AllowedFilters.exact('batch')] },
        }),
        operations: ['updateMany', 'deleteMany'],
      },
      '/items': {
        crud: new CrudBase({ model: Item, writable: ['code', 'title', 'price'], upsertKeys: ['code'] }),
        operations: ['upsert'],
      },
    },
  })
  return fastify
}
