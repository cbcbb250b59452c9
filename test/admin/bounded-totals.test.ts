/** Data providers of a resource that counts its records up to a number: they go by the page, not by that total. */
import Fastify from 'fastify'
import t from 'tap'
import { createDataProvider as createReactAdmin } from '../../src/admin/react-admin/index.ts'
import { createDataProvider as createRefine } from '../../src/admin/refine/index.ts'
import { AllowedSort, CrudBase, crudKit } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { listen } from '../helpers/admin-api.ts'
import { databases } from '../helpers/databases.ts'

const { orm, close } = await databases[0]![1]({ entities, seed })
const app = Fastify()
const crud = new CrudBase<any>({
  model: Plant,
  queryConfig: { allowedSorts: [new AllowedSort('id')], pagination: { count: { upTo: 4 } } },
})
await app.register(crudKit, { orm, resources: { '/plants': { crud, operations: ['list'] } } })
t.teardown(async () => {
  await app.close()
  await close()
})
// any: the resource has no types
const { api } = await listen<any>(app)

t.test('react-admin gets no total that is too small, and learns whether there is a next page', async (t) => {
  const page = async (page: number) =>
    await createReactAdmin(api).getList('plants', {
      pagination: { page, perPage: 6 },
      sort: { field: 'id', order: 'ASC' },
    })
  const { data, ...second } = await page(2)
  t.equal(data.length, 6)
  t.strictSame(second, { pageInfo: { hasNextPage: true, hasPreviousPage: true } })
  t.strictSame((await page(3)).pageInfo, { hasNextPage: false, hasPreviousPage: true })
})

t.test('refine gets a total that leads to the next page', async (t) => {
  const total = async (currentPage: number, pageSize: number) =>
    (await createRefine(api).getList({ resource: 'plants', pagination: { currentPage, pageSize } })).total
  t.equal(await total(1, 2), 4, 'the bound')
  t.equal(await total(2, 6), 13, 'twelve and the next page')
  t.equal(await total(3, 6), 13, 'the last page')
})
