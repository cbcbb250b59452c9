import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedInclude, CrudBase } from '../../../src/index.ts'
import { entities, AuditEntry, Group, Label, Offer, OrderItem, Plant, Tag } from '../../fixtures/entities.ts'
import { customerId, seed } from '../../fixtures/seed.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { column, resource, select, serve, verdict, writes } from '../helper.ts'

/** Has a to-one and a to-many relation to entities that a MikroORM filter hides. */
const Bundle = defineEntity({
  name: 'Bundle',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(), best: () => p.manyToOne(Offer).nullable(),
    offers: () => p.manyToMany(Offer).owner(),
  },
})

await forEachDatabase(t, { entities: [...entities, Bundle], seed }, async (t, { orm }) => {
  const plants = resource(Plant, { allowedIncludes: [new AllowedInclude('tags'), new AllowedInclude('supplier')] })
  const app = await serve(t, orm, {
    '/plants': plants, '/labels': resource(Label), '/groups': resource(Group),
    '/tags': resource(Tag, { allowedIncludes: [new AllowedInclude('plants')] }), '/items': resource(OrderItem),
    '/entries': resource(AuditEntry), '/offers': resource(Offer),
    '/bundles': resource(Bundle, { allowedIncludes: [new AllowedInclude('offers')] }),
  })
  const { post, patch, created, updated, read } = writes(app)
  const tagsOf = async (id: number): Promise<number[]> =>
    await column(orm, `select tag_id from plant_tags where plant_id = ${id} order by 1`)
  const shown = async (id: number): Promise<string[]> =>
    (await read(`/plants/${id}?include=tags`)).tags.map(({ name }: any) => name)

  t.test('a to-one relation is set by id', async (t) => {
    const { id } = await created('/plants', { name: 'x', supplier: 1, group: 2 })
    t.match(await updated(`/plants/${id}`, { supplier: 2, group: null }), { supplier: 2, group: null })
    t.match(await read(`/plants/${id}?include=supplier`), { supplier: { id: 2, name: "O'Brien's" } })
    t.match(await updated('/entries/3', { plant: 1 }), { plant: 1 })
    t.match(await updated('/entries/3', { plant: null }), { plant: null })
    t.match(await updated('/groups/5', { parent: 5 }), { parent: 5 }, 'itself')
    t.match(await updated('/groups/5', { parent: null }), { parent: null })
  })

  t.test('a to-one relation with a composite key is set by an object', async (t) => {
    const { id } = await created('/plants', { name: 'x', supplier: 1, shelf: { house: 'A', number: 1 } })
    t.match(await updated(`/plants/${id}`, { shelf: { number: 2, house: 'A' } }), { shelf: { house: 'A', number: 2 } })
    t.match(await updated(`/plants/${id}`, { shelf: null }), { shelf: null })
    t.strictSame(await select(orm, `select shelf_house, shelf_number from plant where id = ${id}`), [{
      shelf_house: null,
      shelf_number: null,
    }])
    t.equal(verdict(await patch(`/plants/${id}`, { shelf: { house: 'Z', number: 1 } })), '409 FST_CRUD_CONFLICT /shelf')
    for (const [shelf, place, message] of [
      [1, '/shelf', "'shelf' refers to records by an object with 'house', 'number'."],
      [{ house: 'A' }, '/shelf', "'shelf' refers to records by an object with 'house', 'number': 'number' is missing."],
      [{ house: 'A', number: '1' }, '/shelf/number',
        "'shelf.number' must refer to a record by its id: an integer from -2147483648 to 2147483647."],
    ] as const) {
      const response = await patch(`/plants/${id}`, { shelf })
      t.strictSame([verdict(response), response.json().message], [`400 FST_ERR_VALIDATION ${place}`, message])
    }
  })

  t.test('references to rows that are absent, deleted or hidden by a filter get one answer', async (t) => {
    const answers = new Map<string, string>()
    for (const [path, name, ids] of [
      ['/plants', 'supplier', [99, 3]],
      ['/plants', 'group', [99, 4]],
      ['/entries', 'plant', [99, 11]],
      ['/labels', 'plant', [99, 11]],
      ['/bundles', 'best', [99, 2, 4]],
    ] as const) {
      const valid = {
        '/plants': { name: 'Never', supplier: 1 }, '/entries': { action: 'Never', at: '2024-01-01' },
        '/labels': { text: 'Never', plant: 4 }, '/bundles': { name: 'Never' },
      }[path]
      for (const id of ids) {
        const response = await post(path, { ...valid, [name]: id })
        t.equal(verdict(response), `409 FST_CRUD_CONFLICT /${name}`, `${path} ${name} ${id}`)
        t.equal(response.body, answers.get(`${path} ${name}`) ?? response.body, 'byte for byte')
        answers.set(`${path} ${name}`, response.body)
        if (path === '/plants' || path === '/entries') {
          t.equal((await patch(`${path}/1`, { [name]: id })).body, response.body, 'and in an update')
        }
      }
      t.match(answers.get(`${path} ${name}`), `'${name}' refers to a record that does not exist.`)
    }
    t.strictSame(
      await select(
        orm,
        "select name from plant where name = 'Never' union all select text from label where text = 'Never' " +
          "union all select action from audit.entry where action = 'Never'"
      ),
      []
    )
    t.match(await read('/plants/1'), { supplier: 1, group: 3 })
  })

  t.test('an unchanged reference stays, also to a deleted row', async (t) => {
    t.match(await updated('/plants/12', { price: 2 }), { price: 2, supplier: 3, group: 4 })
  })

  t.test('a one-to-one relation that is taken is a conflict', async (t) => {
    t.equal(verdict(await post('/labels', { text: 'second', plant: 1 })), '409 FST_CRUD_CONFLICT /plant')
    t.match(await created('/labels', { text: 'first', plant: 5 }), { plant: 5, printed: false })
    t.equal(verdict(await patch('/labels/1', { plant: 5 })), '409 FST_CRUD_CONFLICT /plant')
  })

  t.test('a list of ids replaces the links of a many-to-many relation', async (t) => {
    const { id, tags } = await created('/plants', { name: 'x', supplier: 1, tags: [1, 3] })
    t.equal(tags, undefined, 'a record does not show it unless asked')
    t.strictSame(await tagsOf(id), [1, 3])
    await updated(`/plants/${id}`, { tags: [3, 2] })
    t.strictSame(await tagsOf(id), [2, 3])
    await updated(`/plants/${id}`, { price: 3 })
    t.strictSame(await tagsOf(id), [2, 3], 'not given, not changed')
    await updated(`/plants/${id}`, { tags: [2, 2, 2] })
    t.strictSame(await tagsOf(id), [2], 'a set')
    t.strictSame(await shown(id), ['shade'])
    const before = await read(`/plants/${id}`)
    const after = await updated(`/plants/${id}`, { tags: [], name: 'y' })
    t.strictSame(await tagsOf(id), [])
    t.strictSame({ ...after, updated_at: '' }, { ...before, name: 'y', slug: 'y', updated_at: '' })
  })

  t.test('many-to-many links to deleted records stay when the visible links are replaced', async (t) => {
    t.strictSame(await tagsOf(12), [4])
    await updated('/plants/12', { tags: [1] })
    t.strictSame(await tagsOf(12), [1, 4])
  })

  t.test('many-to-many ids that are absent, deleted or hidden by a filter are refused', async (t) => {
    const { id } = await created('/plants', { name: 'x', supplier: 1, tags: [1] })
    const absent = await post('/plants', { name: 'Never', supplier: 1, tags: [1, 99] })
    t.equal(verdict(absent), '409 FST_CRUD_CONFLICT /tags')
    t.equal((await post('/plants', { name: 'Never', supplier: 1, tags: [4, 1] })).body, absent.body)
    for (const tags of [[99], [4], [1, 4], [1, 2, 3, 99]]) {
      t.equal((await patch(`/plants/${id}`, { name: 'Never', tags })).body, absent.body)
    }
    t.strictSame(await tagsOf(id), [1])
    t.strictSame(await select(orm, "select id from plant where name = 'Never'"), [])
    for (const offers of [[2], [99], [1, 4]]) {
      t.equal(verdict(await post('/bundles', { name: 'x', offers })), '409 FST_CRUD_CONFLICT /offers')
    }
    const bundle = await created('/bundles', { name: 'x', offers: [1, 3], best: 3 })
    t.equal((await read(`/bundles/${bundle.id}?include=offers`)).offers.length, 2)
  })

  t.test('a many-to-many value that is not a list of ids is refused', async (t) => {
    for (const [tags, pointer] of [
      [1, '/tags'], ['1', '/tags'], [null, '/tags'], [{}, '/tags'], [['1'], '/tags/0'], [[1, null], '/tags/1'],
      [[1.5], '/tags/0'], [[{ id: 1 }], '/tags/0'], [[2147483648], '/tags/0'], [['x', 'y'], '/tags/0 /tags/1'],
    ] as const) {
      t.equal(verdict(await patch('/plants/1', { tags })), `400 FST_ERR_VALIDATION ${pointer}`, JSON.stringify(tags))
    }
    t.equal((await patch('/plants/1', { tags: [null] })).json().message,
      "'tags' must refer to a record by its id: an integer from -2147483648 to 2147483647.")
    t.strictSame(await tagsOf(1), [1, 3])
  })

  t.test('many-to-many links can be set from the other side', async (t) => {
    const { id } = await created('/tags', { name: 'evergreen', plants: [4, 5] })
    t.strictSame((await read(`/tags/${id}?include=plants`)).plants.map(({ id }: any) => id), [4, 5])
    await updated(`/tags/${id}`, { plants: [5, 6] })
    t.strictSame((await read(`/tags/${id}?include=plants`)).plants.map(({ id }: any) => id), [5, 6])
    t.equal(verdict(await patch(`/tags/${id}`, { plants: [11] })), '409 FST_CRUD_CONFLICT /plants')
  })

  t.test('a failed link leaves the record unchanged', async (t) => {
    const before = await read('/plants/1')
    t.equal(verdict(await patch('/plants/1', { name: 'Never', tags: [1], sku: 'SAG-001' })),
      '409 FST_CRUD_CONFLICT /sku')
    t.strictSame(await read('/plants/1'), before)
    t.strictSame(await tagsOf(1), [1, 3])
  })

  t.test('an absent record has no links to replace', async (t) => {
    t.equal(verdict(await patch('/plants/99', { tags: [1] })), '404 FST_CRUD_NOT_FOUND')
    t.equal(verdict(await patch('/plants/11', { tags: [1] })), '404 FST_CRUD_NOT_FOUND')
    t.strictSame(await tagsOf(11), [1, 4])
  })

  t.test('one-to-many and the inverse side of one-to-one are set from the other side', async (t) => {
    for (const name of ['offers', 'specimens', 'orderItems', 'label']) {
      t.equal(verdict(await patch('/plants/1', { [name]: [] })), `400 FST_ERR_VALIDATION /${name}`)
    }
  })

  t.test('related records are never written', async (t) => {
    for (const supplier of [{ id: 1, name: 'Never' }, { name: 'Never' }, [1]]) {
      t.equal(verdict(await post('/plants', { name: 'x', supplier })), '400 FST_ERR_VALIDATION /supplier')
    }
    t.equal(verdict(await post('/items', { order: { customer: customerId(1) }, plant: 1, price: 1 })),
      '400 FST_ERR_VALIDATION /order')
  })

  t.test('methods of CrudBase take relations', async (t) => {
    const crud = new CrudBase({ model: Plant, writable: 'all' })
    const [em, other] = [orm.em.fork(), orm.em.fork()]
    const loaded = async (em: typeof orm.em, id: number) => {
      const { tags } = await em.findOneOrFail(Plant, id, { populate: ['tags'] })
      return tags.getIdentifiers()
    }
    const { id } = await crud.create(em, { name: 'program', supplier: 2, tags: [1, 5] })
    t.strictSame([await tagsOf(id), (await loaded(em, id)).sort()], [[1, 5], [1, 5]])
    await crud.update(other, id, { tags: [5] })
    t.strictSame([await tagsOf(id), await loaded(other, id)], [[5], [5]])
    await other.flush()
    t.strictSame(await tagsOf(id), [5], 'the links that MikroORM has loaded are no change')
  })
})
