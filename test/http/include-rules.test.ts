import t from 'tap'
import { AllowedInclude } from '../../src/index.ts'
import { entities, Group, Offer, Plant, Supplier, Tag } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, serve, type Json } from './helper.ts'

const only = (...allowedIncludes: any[]) => ({ allowedFields: ['id'], allowedIncludes })

const resources = {
  '/suppliers': resource(
    Supplier,
    only(new AllowedInclude('plants', { limit: 2, sort: ['-price'] }), new AllowedInclude('plants.tags'),
      AllowedInclude.count('plants'), AllowedInclude.count('plants.tags'))
  ),
  '/sorted': resource(
    Supplier,
    only(new AllowedInclude('plants', { sort: ['-group.name', '+position', '-id'] }),
      new AllowedInclude('plants.group'))
  ),
  '/first': resource(Supplier,
    only(new AllowedInclude('plants', { limit: 1, sort: ['group.parent.name', 'name'], alias: 'best' }))),
  '/cheap': resource(
    Supplier,
    only(new AllowedInclude('plants', { where: { price: { $lt: 10 }, status: 'active' } }),
      AllowedInclude.count('plants'))
  ),
  '/tags': resource(
    Tag,
    only(new AllowedInclude('plants', { limit: 1, sort: ['-id'] }),
      new AllowedInclude('plants.tags', { limit: 1, where: { weight: 3 } }))
  ),
  '/joined': resource(Tag,
    only(new AllowedInclude('plants', { limit: 2, where: { supplier: { name: "O'Brien's" } } }))),
  '/groups': resource(
    Group,
    only(new AllowedInclude('children', { limit: 1 }),
      new AllowedInclude('children.children', { where: { name: 'Herbs' } }),
      new AllowedInclude('parent', { where: { name: 'Perennials' } }))
  ),
  '/plants': resource(Plant, only(new AllowedInclude('offers', { limit: 1, sort: ['-price'] }))),
  '/offers': resource(Offer, only(new AllowedInclude('plant.offers', { limit: 5 }))),
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, resources)
  const get = (url: string) => client(app, url.split('?')[0]!).get(url.split('?')[1])
  const included = async (url: string, relation: string, name = 'id') =>
    (await get(url)).items.map((item: Json) => item[relation].map((record: Json) => record[name]))

  t.test('a limit applies to each parent, after the sort of the include', async (t) => {
    t.strictSame(await included('/suppliers?fields=id&include=plants', 'plants'), [[9, 7], [4, 13]])
    t.strictSame((await get('/suppliers/2?fields=id&include=plants')).plants.map(({ id, price }: Json) => [id, price]),
      [[4, 24.5], [13, 9.9]], 'of one record, too')
    t.strictSame(await included('/tags?include=plants', 'plants'), [[6], [10], [14], []], 'of a many-to-many relation')
    t.strictSame(await included('/groups?include=children', 'children'), [[2], [3], [], []], 'of an entity itself')
  })

  t.test('a limit of an include changes neither the page nor aggregates', async (t) => {
    t.match(await get('/suppliers?fields=id&include=plants,plantsCount&per_page=1'), {
      total: 2, items: [{ plantsCount: 6, plants: [{ id: 9 }, { id: 7 }] }], has_next: true,
    })
  })

  t.test('includes inside limited records are complete', async (t) => {
    const { items } = await get('/suppliers?fields=id&include=plants.tags,plants.tagsCount')
    t.strictSame(
      items.map(({ plants }: Json) =>
        plants.map(({ id, tags, tagsCount }: Json) => [id, tags.map(({ name }: Json) => name), tagsCount])
      ),
      [[[9, [], 0], [7, [], 0]], [[4, ['shade'], 1], [13, [], 0]]]
    )
    t.strictSame(
      (await get('/tags?include=plants.tags')).items.map(({ plants }: Json) =>
        plants.map(({ tags }: Json) => tags.map(({ id }: Json) => id))
      ),
      [[[1]], [[]], [[3]], []]
    )
  })

  t.test('an include sorts through to-one relations with nulls and deleted rows last, then by key', async (t) => {
    // Perennials, Lavenders, Herbs, and rows without a group last, by position
    const found = await included('/sorted?include=plants', 'plants')
    t.strictSame(found, [[7, 6, 1, 3, 10, 9], [5, 2, 14, 8, 4, 13]])
    t.strictSame(await included('/sorted?include=plants.group', 'plants'), found, 'with relations of their own')
    t.strictSame(await included('/first?include=best', 'plants'), [[1], [2]])
  })

  t.test("'where' leaves out related rows and keeps parents", async (t) => {
    t.strictSame(await included('/cheap?include=plants,plantsCount', 'plants'), [[1, 3, 10], [14]])
    t.strictSame((await get('/cheap?include=plants,plantsCount')).items.map(({ plantsCount }: Json) => plantsCount), [
      6,
      6,
    ], 'each entry has its own')
    t.strictSame(await included('/joined?include=plants', 'plants'), [[], [4], [14], []],
      'through a relation, within the limit')
    t.strictSame((await get('/groups?include=parent')).items.map(({ parent }: Json) => parent?.id ?? null), [
      null, 1, null, null,
    ], 'of a to-one relation')
    t.strictSame((await get('/groups?include=children.children')).items[0].children[0].children, [])
  })

  t.test('hidden rows do not count towards the limit of an include', async (t) => {
    t.strictSame((await get('/plants/1?fields=id&include=offers')).offers.map(({ id }: Json) => id), [1])
    t.strictSame((await get('/offers/1?include=plant.offers')).plant.offers.map(({ id }: Json) => id), [1, 3])
  })

  t.test('rules of includes keep a list one statement', async (t) => {
    const recorder = await recordStatements(orm, t)
    await get('/suppliers?include=plants.tags,plants.tagsCount,plantsCount')
    t.equal(recorder.take().length, 1)
  })

  t.test("a 'where' that is not a condition on the related entity stops start-up", async (t) => {
    const start = (include: any) => resource(Supplier, { allowedIncludes: [include] }).bind(orm.em.fork())
    t.throws(() => start(new AllowedInclude('plants', { where: { prise: 1 } })), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message:
        /^allowedIncludes, 'plants': its 'where' is not certainly a condition on Plant: .*'prise'\. Did you mean 'price'\?/,
    })
    t.throws(() => start(AllowedInclude.count('plants', { where: { supplier: { nmae: 'x' } } })), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /^allowedIncludes, 'plantsCount': .*nmae/,
    })
  })
})
