/** A route of the application's own, beside the generated ones: it lowers the prices of a category's products. */
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { crudSchemas, NotFoundError, parseQueryParams, withTransaction } from '../src/index.ts' // 'fastify-crud-kit'
import { resources } from './resources/index.ts'

const categories = resources['/categories'].crud
const products = resources['/products'].crud

export const categoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const category = crudSchemas(categories, app.orm)
  const product = crudSchemas(products, app.orm)

  app.post('/categories/:id/discount', {
    schema: {
      tags: ['categories'],
      summary: 'Lowers the prices of all products of a category',
      params: Type.Object({ id: category.id }),
      body: Type.Object({ percent: Type.Integer({ minimum: 1, maximum: 90 }) }),
      response: { 200: Type.Array(product.record), '4xx': { $ref: 'fastify-crud-kit/error#' } },
    },
  }, async ({ em, params: { id }, body: { percent } }) =>
    // `request.em` and its transactions act for the role of the request: guests may not update
    await withTransaction(em, async (em) => {
      if (!await categories.exists(em, id)) throw new NotFoundError()
      const lowered = []
      const ofCategory = { scope: { category: id } }
      const { items } = await products.list(em, parseQueryParams('fields=id,price&per_page=100'), ofCategory)
      for (const { id, price = 0 } of items) {
        lowered.push(await products.update(em, id!, { price: Math.round(price * (100 - percent)) / 100 }))
      }
      return lowered
    }))
}
