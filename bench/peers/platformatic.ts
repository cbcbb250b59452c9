/** Platformatic DB's routes: its mapper and its OpenAPI plugin, as @platformatic/db registers them. */
import sqlMapper from '@platformatic/sql-mapper'
import sqlOpenapi from '@platformatic/sql-openapi'
import Fastify from 'fastify'
import type { StartOptions } from '../pool.ts'

const ORDER = [{ field: 'createdAt', direction: 'desc' }, { field: 'id', direction: 'asc' }] as const

/** A record of the mapper, whose own types do not know the tables. */
interface MapperRecord {
  readonly id: unknown
  readonly categoryId?: unknown
}

export default async function platformatic ({ url, poolSize }: StartOptions) {
  const fastify = Fastify()
  await fastify.register(sqlMapper, { connectionString: url, poolSize })
  await fastify.register(sqlOpenapi)
  const { category, product } = (fastify as any).platformatic.entities // any: its types augment another Fastify

  // for requests that its routes cannot answer, its documentation recommends routes that use the mapper's entities
  fastify.get('/categories-with-products', async (request) => {
    const { minPrice, limit, offset } = request.query as Record<string, string>
    const where = { status: { eq: 'active' }, price: { gte: minPrice }, deletedAt: { eq: null } }
    const [items, total] = await Promise.all([
      category.find({ where, orderBy: ORDER, limit: Number(limit), offset: Number(offset) }),
      category.count({ where }),
    ])
    const byId = new Map(
      (items as MapperRecord[]).map((item) => [String(item.id), { ...item, products: [] as object[] }])
    )
    const products = await product.find({
      where: { categoryId: { in: [...byId.keys()] }, deletedAt: { eq: null } },
      orderBy: [{ field: 'id', direction: 'asc' }],
      limit: 100,
    })
    for (const one of products as MapperRecord[]) byId.get(String(one.categoryId))!.products.push(one)
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
