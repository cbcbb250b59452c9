import t from 'tap'
import { AllowedInclude } from '../../src/index.ts'
import { Customer, entities, Group, Offer, Order, Plant, Shelf, Tag } from '../fixtures/entities.ts'
import { customerId, seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, resource, serve, type Json } from './helper.ts'

const { count, exists, sum, min, max, avg } = AllowedInclude
const NUMBERS = ['leaves', 'stems', 'cells', 'pollen', 'spores', 'dryMass', 'value', 'acidity', 'chlorophyll']
const ORDERED = [
  ...NUMBERS, 'nickname', 'health', 'hardiness', 'flowering', 'sownOn', 'measuredAt', 'recordedAt', 'wateredAt',
  'petals', 'minimum', 'grade',
]

const resources = {
  '/plants': resource(Plant, {
    allowedFields: ['id', 'name', 'tags.name'],
    allowedFilters: [{ 'tags.name': ['in'], id: ['in'] }],
    allowedSorts: ['id', 'name'],
    allowedIncludes: [
      'tags', 'orderItems', new AllowedInclude('supplier', { alias: 'grower' }),
      new AllowedInclude('specimens', { limit: 1 }), count('tags'), count('orderItems'), count('offers'),
      count('specimens'), count('tags.plants'), count('supplier.plants'), count('supplier.plants.tags'),
      count('orderItems.order.items', { alias: 'lines' }),
      ...['supplier', 'group', 'shelf', 'label', 'tags', 'offers'].map((path) => exists(path)), sum('tags.weight'),
      avg('tags.weight'), sum('orderItems.price'), max('offers.price'),
    ],
  }),
  '/specimens': resource(Plant, {
    allowedFields: ['id'],
    allowedIncludes: [
      ...NUMBERS.flatMap((name) => [sum(`specimens.${name}`), avg(`specimens.${name}`)]),
      ...ORDERED.flatMap((name) => [min(`specimens.${name}`), max(`specimens.${name}`)]),
    ],
  }),
  '/groups': resource(Group, {
    allowedFields: ['id'],
    allowedIncludes: [
      count('children'), count('plants'), count('children.children'), exists('parent'), min('plants.articleNumber'),
      max('plants.nameLength'), max('plants.created_at'), count('parent.children'),
    ],
  }),
  '/tags': resource(Tag, {
    allowedFields: ['id'],
    allowedIncludes: [
      count('plants', { alias: 'popularity', where: { status: 'active' } }),
      exists('plants', { where: { supplier: { name: "O'Brien's" } } }),
    ],
  }),
  '/shelves': resource(Shelf, { allowedIncludes: [count('plants'), sum('plants.price')] }),
  '/orders': resource(Order, {
    allowedFields: ['id'],
    allowedIncludes: [
      count('items'), sum('items.quantity'), avg('items.quantity'), sum('items.price'), avg('items.price'),
      count('deliveries'), exists('customer'),
    ],
  }),
  '/customers': resource(Customer, {
    allowedFields: ['name'],
    allowedIncludes: [count('orders'), count('orders.items')],
  }),
  '/offers': resource(Offer, { allowedFields: ['id'], allowedIncludes: [count('plant.offers')] }),
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, resources)
  const get = (url: string) => client(app, url.split('?')[0]!).get(url.split('?')[1])
  const column = async (url: string, ...names: string[]) =>
    (await get(url)).items.map((item: Json) => names.map((name) => item[name]))

  t.test('a count is a number in each record, 0 if there are no related rows, and omits deleted rows', async (t) => {
    t.strictSame(await column('/plants?fields=id&include=tagsCount', 'id', 'tagsCount'), [
      [1, 2], [2, 0], [3, 1], [4, 1], [5, 0], [6, 2], [7, 0], [8, 0], [9, 0], [10, 1], [12, 0], [13, 0], [14, 1],
    ])
    t.strictSame(await column('/groups?include=plantsCount,childrenCount', 'plantsCount', 'childrenCount'), [
      [3, 1], [2, 1], [2, 0], [0, 0],
    ], 'an entity that refers to itself')
    t.strictSame(await get('/plants/1?fields=id&include=offersCount'), { id: 1, offersCount: 2 },
      'what a MikroORM filter hides')
    t.strictSame(await column('/shelves?include=plantsCount', 'plantsCount'), [[2], [1], [0]], 'a composite key')
    t.strictSame((await get('/orders/1?include=deliveriesCount')).deliveriesCount, 2, 'classes of one table')
  })

  t.test('several aggregates beside included records do not multiply or cut off anything', async (t) => {
    const query = 'fields=id&include=tags,orderItems,specimens,tagsCount,orderItemsCount,specimensCount,offersCount,' +
      'tagsWeightSum,tagsWeightAvg,orderItemsPriceSum&fields[tags]=name'
    const page = await get(`/plants?${query}&per_page=2`)
    t.match(page, { total: 13, items: [{ id: 1 }, { id: 2 }] })
    const { orderItems, specimens, ...lavender } = page.items[0]
    t.strictSame(lavender, {
      id: 1, tags: [{ name: 'sun' }, { name: 'bee-friendly' }], tagsCount: 2, orderItemsCount: 1, specimensCount: 2,
      offersCount: 2, tagsWeightSum: 6, tagsWeightAvg: 3, orderItemsPriceSum: 9.9,
    })
    t.equal(orderItems.length, 1)
    t.strictSame(specimens.map(({ code }: Json) => code), ['USUAL'],
      'the limit is of what is shown, not of what is counted')
    t.strictSame(page.items[1], {
      id: 2, tags: [], orderItems: [], specimens: [], tagsCount: 0, orderItemsCount: 0, specimensCount: 0,
      offersCount: 0, tagsWeightSum: null, tagsWeightAvg: null, orderItemsPriceSum: null,
    })
    const { orderItems: _, specimens: __, ...single } = await get(`/plants/1?${query}`)
    t.strictSame(single, lavender, 'one record has them, too')
  })

  t.test('a filter on the same relation does not change the aggregates', async (t) => {
    t.strictSame(await column('/plants?fields=id&include=tagsCount&filter[tags.name]=sun', 'id', 'tagsCount'), [
      [1, 2], [3, 1], [6, 2],
    ])
  })

  t.test('aggregates keep the order of the page', async (t) => {
    t.strictSame(await column('/plants?fields=id&include=tagsCount&sort=-id&per_page=3&page=2', 'id', 'tagsCount'), [
      [10, 1], [9, 0], [8, 0],
    ])
  })

  t.test('pages by cursor have aggregates, forwards and backwards', async (t) => {
    const plants = client(app, '/plants')
    const query = 'fields=id&include=tags,tagsCount&fields[tags]=name&sort=-id&per_page=3'
    const first = await plants.get(`${query}&cursor=`)
    const second = await plants.get(`${query}&cursor=${first.next_cursor}`)
    t.strictSame(second.items, [
      { id: 10, tags: [{ name: 'shade' }], tagsCount: 1 },
      { id: 9, tags: [], tagsCount: 0 },
      { id: 8, tags: [], tagsCount: 0 },
    ])
    t.strictSame((await plants.get(`${query}&cursor=${second.prev_cursor}`)).items, first.items)
  })

  t.test('an exists aggregate is true or false, also for a to-one relation', async (t) => {
    const names = ['supplier', 'group', 'shelf', 'label', 'tags', 'offers'].map((name) => `${name}Exists`)
    const items = await column(`/plants?fields=id&include=${names.join()}&filter[id]=1,3,4,12`, 'id', ...names)
    t.strictSame(items, [[1, true, true, true, true, true, true], [3, true, true, true, true, true, false], [
      4, true, false, true, false, true, false,
    ], [12, false, false, false, false, false, false]])
    t.strictSame(await column('/groups?include=parentExists', 'parentExists'), [[false], [true], [true], [false]])
    t.strictSame(await column('/orders?include=customerExists', 'customerExists'), [[true], [true], [true], [false]],
      'a deleted one is none')
  })

  t.test('a nested aggregate is in each related record, and implies the include', async (t) => {
    t.strictSame(await get('/plants/1?fields=id&include=tags.plantsCount&fields[tags]=name'), {
      id: 1,
      tags: [{ name: 'sun', plantsCount: 3 }, { name: 'bee-friendly', plantsCount: 3 }],
    })
    const { supplier } = await get('/plants/1?include=grower.plants.tagsCount,grower.plantsCount')
    t.equal(supplier.plantsCount, 6)
    t.strictSame(supplier.plants.map(({ id, tagsCount }: Json) => [id, tagsCount]), [[1, 2], [3, 1], [6, 2], [7, 0], [
      9,
      0,
    ], [10, 1]])
    t.strictSame(
      (await get('/plants/1?include=orderItems.order.lines')).orderItems.map((
        { order }: Json
      ) => [order.id, order.itemsCount, 'lines' in order]),
      [[1, 3, false]]
    )
    t.strictSame((await get('/plants/12?include=grower.plantsCount')).supplier, null)
    t.strictSame(
      (await get('/groups/1?include=children.childrenCount')).children.map(({ childrenCount }: Json) => childrenCount),
      [1]
    )
    t.strictSame(
      await column('/groups?include=parent.childrenCount', 'parent').then((rows: Json[]) =>
        rows.map(([parent]) => parent?.childrenCount)
      ),
      [undefined, 1, 1, undefined]
    )
    t.strictSame(
      await column('/customers?include=ordersCount,orders.itemsCount', 'name', 'ordersCount', 'orders').then((
        rows: Json[]
      ) => rows.map(([name, total, orders]) => [name, total, orders.map(({ itemsCount }: Json) => itemsCount)])),
      [['Ada', 2, [3, 0]], ['Bob', 1, [1]]]
    )
    t.strictSame(await get(`/customers/${customerId(2)}?include=ordersCount`), {
      id: customerId(2), deleted_at: null, name: 'Bob', email: 'bob@customers.example', ordersCount: 1,
    })
    t.strictSame((await get('/offers/1?include=plant.offersCount')).plant.offersCount, 2)
  })

  t.test('sums and means have the wire form of their property', async (t) => {
    const of = async (id: number, ...names: string[]) => {
      const { id: _, ...values } = await get(`/specimens/${id}?fields=id&include=${names.join()}`)
      return values
    }
    t.strictSame(
      await of(
        1, 'specimensLeavesSum', 'specimensStemsSum', 'specimensCellsSum', 'specimensPollenSum', 'specimensSporesSum',
        'specimensDryMassSum', 'specimensValueSum', 'specimensAcidityAvg', 'specimensChlorophyllSum'
      ),
      {
        specimensLeavesSum: 240, specimensStemsSum: 12, specimensCellsSum: '12000000000',
        specimensPollenSum: 5_000_000_000, specimensSporesSum: '123', specimensDryMassSum: '12.500000',
        specimensValueSum: 19.99, specimensAcidityAvg: 6.5, specimensChlorophyllSum: 0.25,
      }
    )
    t.strictSame(
      await of(
        3, 'specimensLeavesSum', 'specimensLeavesAvg', 'specimensCellsSum', 'specimensCellsAvg', 'specimensSporesSum',
        'specimensSporesAvg', 'specimensDryMassSum', 'specimensDryMassAvg', 'specimensValueAvg', 'specimensPollenAvg'
      ),
      {
        specimensLeavesSum: -1, specimensLeavesAvg: -0.5, specimensCellsSum: '-1', specimensCellsAvg: '-0.5',
        specimensSporesSum: '-1', specimensSporesAvg: '-0.5', specimensDryMassSum: '0.000000', specimensDryMassAvg: '0',
        specimensValueAvg: 0, specimensPollenAvg: 0,
      }
    )
    t.strictSame(
      await of(
        2,
        ...NUMBERS.flatMap((name) =>
          ['Sum', 'Avg'].map((fn) => `specimens${name[0]!.toUpperCase()}${name.slice(1)}${fn}`)
        ).slice(0, 10)
      ),
      Object.fromEntries(
        NUMBERS.slice(0, 5).flatMap((name) =>
          ['Avg', 'Sum'].map((fn) => [`specimens${name[0]!.toUpperCase()}${name.slice(1)}${fn}`, null])
        ).sort()
      ),
      'of none, null'
    )
    t.strictSame(
      await column(
        '/orders?fields=id&include=itemsCount,itemsQuantitySum,itemsQuantityAvg,itemsPriceSum', 'itemsCount',
        'itemsQuantitySum', 'itemsQuantityAvg', 'itemsPriceSum'
      ),
      [[3, 5, 5 / 3, 27.8], [0, null, null, null], [1, 12, 12, 3], [0, null, null, null]]
    )
    t.match((await app.inject('/orders/3?fields=id&include=itemsQuantityAvg')).body, /"itemsQuantityAvg" ?: ?12}/,
      'without digits that say nothing')
  })

  t.test('min and max are values of the property', async (t) => {
    const names = ORDERED.map((name) => name[0]!.toUpperCase() + name.slice(1))
    for (const fn of ['Min', 'Max']) {
      for (let start = 0; start < names.length; start += 10) {
        const some = names.slice(start, start + 10)
        const values = await get(`/specimens/1?fields=id&include=${some.map((name) => `specimens${name}${fn}`).join()}`)
        const [usual] = (await get('/plants/1?include=specimens')).specimens
        for (const name of some) {
          t.strictSame(values[`specimens${name}${fn}`], usual[name[0]!.toLowerCase() + name.slice(1)], name + fn)
        }
      }
    }
    t.strictSame(
      await get(
        '/specimens/3?fields=id&include=specimensSownOnMin,specimensMeasuredAtMax,specimensCellsMin,' +
          'specimensCellsMax,specimensPetalsMax,specimensMinimumMin'
      ),
      {
        id: 3, specimensCellsMax: '9223372036854775807', specimensCellsMin: '-9223372036854775808',
        specimensMeasuredAtMax: '9999-12-31T23:59:59.999Z', specimensMinimumMin: -273.1, specimensPetalsMax: '#ffffff',
        specimensSownOnMin: '0001-01-01',
      }
    )
    t.strictSame(await get('/specimens/2?fields=id&include=specimensPetalsMin,specimensSownOnMax,specimensMinimumMin'),
      { id: 2, specimensMinimumMin: null, specimensPetalsMin: null, specimensSownOnMax: null })
    t.strictSame(await get('/groups/1?fields=id&include=plantsSkuMin,plantsNameLengthMax,plantsCreatedAtMax'), {
      id: 1, plantsCreatedAtMax: '2024-03-02T12:00:00.000Z', plantsNameLengthMax: 20, plantsSkuMin: 'a,b"c',
    }, 'by public names, in camelCase; a formula, too')
  })

  t.test("'where' narrows the rows of an aggregate, and an alias changes only the URL", async (t) => {
    t.strictSame(await column('/tags?include=popularity', 'id', 'plantsCount', 'popularity'), [
      [1, 2, undefined], [2, 2, undefined], [3, 2, undefined], [5, 0, undefined],
    ])
    t.strictSame(await column('/tags?include=plantsExists', 'plantsExists'), [[false], [true], [true], [false]],
      'a condition that goes through a relation')
    t.match(await client(app, '/tags').refused('include=plantsCount'), {
      code: 'FST_CRUD_INCLUDE_INVALID',
      errors: [{ allowed: ['plantsExists', 'popularity'] }],
    })
  })

  t.test('fields and aggregates are independent of each other', async (t) => {
    t.strictSame(Object.keys(await get('/plants/1?fields=id,name&include=tagsCount')), ['id', 'name', 'tagsCount'])
    t.strictSame(
      await get('/plants/1?include=tags.plantsCount&fields=id&fields[tags]=name').then(({ tags }: Json) => tags[1]),
      { name: 'bee-friendly', plantsCount: 3 }
    )
    const plants = client(app, '/plants')
    t.match(await plants.details('fields=tagsCount'), ["The field 'tagsCount' is not allowed. Allowed: id, name."])
    t.match(await plants.details('include=tagsCount&fields[tagsCount]=id'), [
      "'tagsCount' is not included, so no fields of it can be selected. Allowed: plant.",
    ])
    t.match(await plants.refused('include=tagCount'), { errors: [{ suggestion: 'tagsCount' }] })
    t.match(await plants.refused('include=tagsCount.plants'), { code: 'FST_CRUD_INCLUDE_INVALID' })
    t.match(
      await plants.details(
        `include=${
          [
            'tags', 'orderItems', 'grower', 'specimens', 'tagsCount', 'orderItemsCount', 'offersCount',
            'specimensCount', 'supplierExists', 'groupExists', 'shelfExists',
          ].join()
        }`
      ),
      [/At most 10/]
    )
  })

  t.test('any number of aggregates at any depth is one statement', async (t) => {
    const recorder = await recordStatements(orm, t)
    await get(
      '/plants?include=tags.plantsCount,tagsCount,tagsWeightSum,offersPriceMax,orderItems.order.lines,' +
        'grower.plants.tagsCount,grower.plantsCount,specimens,labelExists'
    )
    t.equal(recorder.take().length, 1)
  })
})
