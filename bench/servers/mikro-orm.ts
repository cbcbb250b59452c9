/** MikroORM as its documentation has it: findAndCount or findOne on a fork, then serialize. */
import { MikroORM, serialize } from '@mikro-orm/postgresql'
import Fastify from 'fastify'
import { Category, entities } from '../entities.ts'
import { POOL, type StartOptions } from '../pool.ts'

export async function mikroOrm ({ url, poolSize }: StartOptions) {
  const orm = await MikroORM.init({ clientUrl: url, entities, pool: { max: poolSize }, driverOptions: POOL })
  const fastify = Fastify()
  fastify.addHook('onClose', () => orm.close())

  fastify.get('/categories', async (request) => {
    const query = request.query as Record<string, string>
    const page = Number(query['page'] ?? 1)
    const limit = Number(query['per_page'] ?? 20)
    const offset = (page - 1) * limit
    const where = { status: query['filter[status]'] as 'active', price: { $gte: Number(query['filter[price][gte]']) }, deleted_at: null }
    const options = { orderBy: { created_at: 'desc', id: 'asc' }, limit, offset } as const
    const em = orm.em.fork()
    const [found, total] = query['include'] === 'products'
      ? await em.findAndCount(Category, where, { ...options, populate: ['products'], populateWhere: { products: { deleted_at: null } }, populateOrderBy: { products: { id: 'asc' } } })
      : await em.findAndCount(Category, where, options)
    const items = query['include'] === 'products' ? serialize(found, { populate: ['products'] }) : serialize(found, { exclude: ['products'] })
    return { items, total, page, per_page: limit, total_pages: Math.ceil(total / limit), has_next: offset + limit < total, has_prev: offset > 0 }
  })

  fastify.get('/categories/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const found = await orm.em.fork().findOne(Category, { id: Number(id), deleted_at: null })
    if (found === null) return reply.code(404).send()
    return serialize(found, { exclude: ['products'] })
  })
  return fastify
}
