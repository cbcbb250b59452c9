/** Platformatic DB's routes: its mapper and its OpenAPI plugin, as @platformatic/db registers them. */
import sqlMapper from '@platformatic/sql-mapper'
import sqlOpenapi from '@platformatic/sql-openapi'
import Fastify from 'fastify'
import type { StartOptions } from '../pool.ts'

const ORDER = [{ field: 'createdAt', direction: 'desc' }, { field: 'id', direction: 'asc' }] as const

export default async function platformatic ({ url, poolSize }: StartOptions) {
  const fastify = Fastify()
  await fastify.register(sqlMapper, { connectionString: url, poolSize })
  await fastify.register(sqlOpenapi)
  // any: the package's types augment another copy of Fastify
  const { category, product } = (fastify as any).platformatic.entities

  // for requests that its routes cannot answer, its documentation recommends routes that use the mapper's entities
  fastify.get('/categories-with-products', async (request) => {
    const { minPrice, limit, offset } = request.query as Record<string, string>
    const where = { status: { eq: 'active' }, price: { gte: minPrice }, deletedAt: { eq: null } }
    const [items, total] = await Promise.all([
      category.find({ where, orderBy: ORDER, limit: Number(limit), offset: Number(offset) }),
      category.count({ where }),
    ])
    // any: the mapper's records have no types
    const byId = new Map<unknown, any>(items.map((item: any) => [String(item.id), { ...item, products: [] }]))
    const products = await product.find({
      where: { categoryId: { in: [...byId.keys()] }, deletedAt: { eq: null } },
      orderBy: [{ field: 'id', direction: 'asc' }],
      limit: 100,
    })
    for (const one of products) byId.get(String(one.categoryId)).products.push(one)
    return { items: [...byId.values()], total }
  })
  fastify.post('/categories-at-once', async (request) => await category.insert({ inputs: request.body }))
  fastify.patch(
    '/categories/:id',
    async (request) =>
      await category.save({ input: { ...request.body as object, id: (request.params as { id: string }).id } })
  )
  return fastify
}
