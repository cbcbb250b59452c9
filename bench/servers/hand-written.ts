/**
 * Routes as an expert writes them by hand for speed, for the requests of the benchmark only: pg, one statement for each
 * answer, and the JSON text of the database sent unchanged. The reference checks its input by JSON Schema. The same
 * routes without any check are the floor.
 */
import Fastify, { type FastifyReply } from 'fastify'
import pg from 'pg'
import { POOL, type StartOptions } from '../pool.ts'
import { SCHEMAS } from './schemas.ts'
import { forAnyAmount } from './statements-for-any-amount.ts'
import {
  after, ALL, CREATE, CREATE_MANY, forSomeHundreds, GET, NEXT, update, WRITABLE, type Reads, type Statement,
} from './statements.ts'
import { pageInfo, placeOf, windowOf, type Query } from './window.ts'

/** Statements whose text depends on the request, by name. Texts are written once. */
const statements = new Map<string, Statement>()
function statement (name: string, write: () => string): Statement {
  let made = statements.get(name)
  if (made === undefined) statements.set(name, made = { name, text: write() })
  return made
}

/** The kind of a read, and the values of its filters in the order of the statement. */
function readOf (query: Query): readonly [name: keyof Reads, values: readonly unknown[]] {
  const category = [query['filter[status]'], query['filter[price][gte]']]
  if (query['filter[or][0][price][gte]'] !== undefined) {
    return ['either', [category[0], query['filter[or][0][price][gte]'], query['filter[or][1][price][lte]']]]
  }
  const least = query['filter[productsCount][gte]']
  if (least !== undefined) return ['byNumber', [...category, least]]
  if (category[0] !== undefined) {
    if (query['facets'] !== undefined) return ['facets', category]
    const include = query['include']
    return [include === undefined ? 'list' : include === 'products' ? 'include' : 'numbers', category]
  }
  const search = query['filter[name]']
  return search === undefined ? ['all', []] : ['search', [`%${search.replace(/[\\%_]/g, '\\$&')}%`]]
}

const send = (reply: FastifyReply, json: string) => reply.type('application/json; charset=utf-8').send(json)

/** The reference: routes that check their input. */
export const handWritten = (options: StartOptions) => routes(options, forSomeHundreds, SCHEMAS)

/** The reference for filters that keep any number of rows. */
export const handWrittenForAny = (options: StartOptions) => routes(options, forAnyAmount, SCHEMAS)

/** The floor: routes that check nothing. */
export const handWrittenUnchecked = (options: StartOptions) => routes(options, forSomeHundreds)

async function routes ({ url, poolSize }: StartOptions, reads: Reads, schemas?: typeof SCHEMAS) {
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

  async function answer (query: Query, name: keyof Reads, values: readonly unknown[]): Promise<string> {
    const window = windowOf(query)
    const { rows: [row] } = await pool.query({
      ...statement(`${name} ${window.limit}`, () => reads[name](window.limit)),
      values: [window.offset, ...values],
    })
    return `{"items":${row.items ?? '[]'},${row.facets === undefined ? '' : `"facets":${row.facets},`}${
      JSON.stringify(pageInfo(window, Number(row.total))).slice(1)
    }`
  }

  fastify.get('/categories', options('list'), async (request, reply) => {
    const query = request.query as Query
    const { cursor } = query
    if (cursor !== undefined) return send(reply, await pageByCursor(cursor, Number(query['per_page'])))
    return send(reply, await answer(query, ...readOf(query)))
  })

  fastify.get('/categories/aggregate', options('groups'), async (request, reply) => {
    const query = request.query as Query
    return send(reply, await answer(query, 'groups', [query['filter[price][gte]']]))
  })

  fastify.get('/articles', options('words'), async (request, reply) => {
    const query = request.query as Query
    return send(reply, await answer(query, 'words', [query['filter[q]']]))
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
