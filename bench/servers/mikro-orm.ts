/** Routes on MikroORM as in its documentation: find, create, assign and flush on a fork, then serialize. */
import { MikroORM, serialize } from '@mikro-orm/postgresql'
import Fastify from 'fastify'
import { Category, entities } from '../entities.ts'
import { POOL, type StartOptions } from '../pool.ts'
import { pageInfo, windowOf, type Query } from './window.ts'

const ORDER = { created_at: 'desc', id: 'asc' } as const

export async function mikroOrm ({ url, poolSize }: StartOptions) {
  const orm = await MikroORM.init({ clientUrl: url, entities, pool: { max: poolSize }, driverOptions: POOL })
  const fastify = Fastify()
  fastify.addHook('onClose', () => orm.close())

  fastify.get('/categories', async (request) => {
    const query = request.query as Query
    const em = orm.em.fork()
    if (query['cursor'] !== undefined) {
      const perPage = Number(query['per_page'])
      const page = await em.findByCursor(Category, {
        where: { deleted_at: null },
        orderBy: ORDER,
        first: perPage,
        includeCount: false,
        ...(query['cursor'] !== '' && { after: query['cursor'] }),
      })
      return {
        items: serialize(page.items, { exclude: ['products'] }),
        per_page: perPage,
        next_cursor: page.endCursor,
        has_next: page.hasNextPage,
        has_prev: page.hasPrevPage,
      }
    }
    const window = windowOf(query)
    const where = conditionOf(query)
    const options = { orderBy: ORDER, limit: window.limit, offset: window.offset } as const
    const [found, total] = query['include'] === 'products'
      ? await em.findAndCount(Category, where, {
        ...options,
        populate: ['products'],
        populateWhere: { products: { deleted_at: null } },
        populateOrderBy: { products: { id: 'asc' } },
      })
      : await em.findAndCount(Category, where, options)
    const items = query['include'] === 'products'
      ? serialize(found, { populate: ['products'] })
      : serialize(found, { exclude: ['products'] })
    return { items, ...pageInfo(window, total) }
  })

  fastify.get('/categories/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const found = await orm.em.fork().findOne(Category, { id: Number(id), deleted_at: null })
    if (found === null) return reply.code(404).send()
    return serialize(found, { exclude: ['products'] })
  })

  fastify.post('/categories', async (request, reply) => {
    const em = orm.em.fork()
    reply.code(201)
    const body = request.body as any // any: the server does not check bodies
    if (Array.isArray(body)) {
      const created = body.map((record) => em.create(Category, { deleted_at: null, ...record }))
      await em.flush()
      return serialize(created, { exclude: ['products'] })
    }
    const created = em.create(Category, { deleted_at: null, ...body })
    await em.flush()
    reply.header('location', `/categories/${created.id}`)
    return serialize(created, { exclude: ['products'] })
  })

  fastify.patch('/categories/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const em = orm.em.fork()
    const found = await em.findOne(Category, { id: Number(id), deleted_at: null })
    if (found === null) return reply.code(404).send()
    em.assign(found, request.body as object)
    await em.flush()
    return serialize(found, { exclude: ['products'] })
  })
  return fastify
}

function conditionOf (query: Query) {
  if (query['filter[status]'] !== undefined) {
    return {
      status: query['filter[status]'] as 'active',
      price: { $gte: Number(query['filter[price][gte]']) },
      deleted_at: null,
    }
  }
  const search = query['filter[name]']
  return search === undefined
    ? { deleted_at: null }
    : { name: { $ilike: `%${search.replace(/[\\%_]/g, '\\$&')}%` }, deleted_at: null }
}
