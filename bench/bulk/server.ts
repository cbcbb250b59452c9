/**
 * A server for the bulk changes of the benchmark, `node bench/bulk/server.ts hand-written`. bench/bulk/run.ts starts
 * it.
 * The hand-written routes validate by JSON Schema, and send the statement of the generated routes by a name.
 */
import { defineEntity, p } from '@mikro-orm/core'
import Fastify, { type FastifyInstance } from 'fastify'
import pg from 'pg'
import { AllowedFilters, CrudBase, crudKit } from '../../src/index.ts'
import { POOL } from '../pool.ts'

export const Article = defineEntity({
  name: 'Article',
  tableName: 'articles',
  properties: {
    id: p.integer().primary().autoincrement(),
    batch: p.integer().index(),
    title: p.string(),
    status: p.string().length(20),
    version: p.integer().version(),
  },
})

const url = process.env['DATABASE_URL']!
const name = process.argv[2]!

/** @param change an update or a delete of the articles of `found` */
const bulk = (change: string): string =>
  `with found as (select a.id from articles as a where a.batch = $1 limit 101), written as (${change}
    where a.id in (select id from found) and a.batch = $1 and (select count(*) from found) < 101 returning '1' as row)
  select (select count(*) from found)::text as found, (select count(row) from written)::text as affected`
const UPDATE = { name: 'update-many', text: bulk('update articles as a set status = $2, version = a.version + 1') }
const DELETE = { name: 'delete-many', text: bulk('delete from articles as a') }

async function handWritten (): Promise<FastifyInstance> {
  const pool = new pg.Pool({ connectionString: url, max: 10, ...POOL })
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
    if (Number(row.found) > 100) throw Object.assign(new Error('Too many articles match.'), { statusCode: 400 })
    return `{"affected":${row.affected}}`
  }
  const batchOf = (query: unknown): number => (query as Record<string, number>)['filter[batch]']!
  fastify.patch('/articles', { schema: { querystring, body } }, async ({ query, body }, reply) => {
    const { status } = body as { readonly status: string }
    return reply.type('application/json; charset=utf-8').send(await answer(UPDATE, [batchOf(query), status]))
  })
  fastify.delete(
    '/articles',
    { schema: { querystring } },
    async ({ query }, reply) =>
      reply.type('application/json; charset=utf-8').send(await answer(DELETE, [batchOf(query)]))
  )
  return fastify
}

async function generated (): Promise<FastifyInstance> {
  const fastify = Fastify()
  await fastify.register(crudKit, {
    database: { databaseUrl: url, entities: [Article], applicationName: name, pool: { max: 10, ...POOL } },
    indexAdvice: false,
    resources: {
      '/articles': {
        crud: new CrudBase({
          model: Article,
          writable: ['title', 'status'],
          queryConfig: { allowedFilters: [AllowedFilters.exact('batch')] },
        }),
        operations: ['updateMany', 'deleteMany'],
      },
    },
  })
  return fastify
}

const fastify = await (name === 'hand-written' ? handWritten() : generated())
await fastify.listen({ host: '127.0.0.1', port: 0 })
process.on('message', async (command: 'cpu' | 'stop') => {
  if (command === 'cpu') return process.send!({ cpu: process.cpuUsage() })
  await fastify.close()
  process.disconnect()
})
process.send!({ port: (fastify.server.address() as { port: number }).port })
