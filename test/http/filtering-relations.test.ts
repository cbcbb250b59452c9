import t, { type Test } from 'tap'
import { AllowedFilters, parseQueryParams, type Operator } from '../../src/index.ts'
import {
  AuditEntry, Customer, Delivery, entities, Group, Offer, Order, OrderItem, Parcel, Plant, Shelf, Tag,
} from '../fixtures/entities.ts'
import { customerId, seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { client, q, resource, serve, type Client } from './helper.ts'

const ORDERED: Operator[] = ['eq', 'ne', 'in', 'nin', 'lt', 'lte', 'gt', 'gte', 'between', 'isnull']
const TEXT: Operator[] = [...ORDERED, 'like', 'contains', 'starts']
const paths = (names: Record<string, Operator[]>) =>
  Object.entries(names).map(([name, operators]) => new AllowedFilters(name, 'eq', operators))

const resources = {
  '/plants': resource(Plant, {
    allowedFilters: [
      ...paths({
        'supplier.name': TEXT, 'supplier.country': TEXT, 'supplier.address.city': TEXT, 'group.name': TEXT,
        'group.id': ORDERED, 'group.parent': ['eq', 'isnull'], 'group.parent.name': TEXT, 'shelf.house': TEXT,
        'shelf.capacity': ORDERED, 'tags.id': ORDERED, 'tags.name': TEXT, 'tags.weight': ORDERED, 'label.text': TEXT,
        'label.printed': ['eq'], 'offers.title': TEXT, 'offers.price': ORDERED, 'orderItems.quantity': ORDERED,
        'orderItems.order.customer.name': TEXT, 'orderItems.order.customer': ['eq'], 'tags.plants.name': TEXT,
        'specimens.code': TEXT, 'specimens.leaves': ORDERED, 'group.plants.id': ORDERED, status: ['eq'],
      }),
      new AllowedFilters('tags.name', 'in', { alias: 'tag' }),
    ],
    allowedIncludes: ['tags', 'offers', 'specimens'],
  }),
  '/groups': resource(Group, {
    allowedFilters: paths({
      parent: ['eq', 'isnull'], 'parent.name': TEXT, 'parent.parent.name': TEXT, 'children.name': TEXT,
      'children.children.name': TEXT, 'plants.name': TEXT, 'plants.price': ORDERED, 'plants.status': ['eq'],
    }),
  }),
  '/tags': resource(Tag, { allowedFilters: paths({ 'plants.name': TEXT, 'plants.price': ORDERED }) }),
  '/shelves': resource(Shelf, { allowedFilters: paths({ 'plants.name': TEXT, 'plants.price': ORDERED }) }),
  '/orders': resource(Order, {
    allowedFilters: paths({
      customer: ['eq', 'in', 'ne'], 'customer.name': TEXT, 'items.plant': ['eq', 'in'], 'items.plant.name': TEXT,
      'items.quantity': ORDERED, 'deliveries.due': ORDERED,
    }),
  }),
  '/items': resource(OrderItem, {
    allowedFilters: paths({ order: ['eq', 'in'], plant: ['eq'], 'plant.name': TEXT, 'order.customer.name': TEXT }),
  }),
  '/customers': resource(Customer, {
    allowedFilters: paths({ 'orders.note': TEXT, 'orders.items.quantity': ORDERED }),
  }),
  '/entries': resource(AuditEntry, { allowedFilters: paths({ plant: ['eq', 'isnull'], 'plant.name': TEXT }) }),
  '/deliveries': resource(Delivery, { allowedFilters: paths({ 'order.note': TEXT }) }),
  '/parcels': resource(Parcel, { allowedFilters: paths({ 'order.customer.name': TEXT, carrier: ['eq'] }) }),
  '/offers': resource(Offer, { allowedFilters: paths({ 'plant.name': TEXT }) }),
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, resources)
  const plants = client(app, '/plants')
  /** Asserts that each query keeps the records with these keys. */
  const keeps = async (t: Test, { all }: Client, cases: Array<[query: string, ids: unknown[]]>, key = 'id') => {
    for (const [query, expected] of cases) {
      t.strictSame(await all(key, query), expected, query)
      if (all !== plants.all) continue
      const qb = await resources['/plants'].query(orm.em.fork(), parseQueryParams(query))
      t.strictSame((await qb.getResultList()).map(({ id }) => id), expected, `${query} on the query builder`)
    }
  }
  const ids = (query: string) => plants.all('id', query)

  t.test('a filter reaches properties behind a to-one relation', async (t) => {
    await keeps(t, plants, [
      [q`filter[supplier.name]=${"O'Brien's"}`, [2, 4, 5, 8, 13, 14]],
      ['filter[supplier.name][contains]=fils', [1, 3, 6, 7, 9, 10]],
      ['filter[supplier.country]=fr', [1, 3, 6, 7, 9, 10]],
      ['filter[supplier.address.city]=Lyon', [1, 3, 6, 7, 9, 10]],
      ['filter[supplier.address.city][isnull]=true', [2, 4, 5, 8, 13, 14]],
      ['filter[group.name]=Herbs', [3, 14]],
      ['filter[group.name][ne]=Herbs', [1, 2, 5, 6, 7]],
      ['filter[group.id][in]=1,2', [3, 5, 6, 7, 14]],
      ['filter[group.parent]=1', [3, 14]],
      ['filter[group.parent][isnull]=true', [5, 6, 7]],
      ['filter[group.parent.name]=Perennials', [3, 14]],
      ['filter[shelf.house]=A', [1, 3, 4]],
      ['filter[shelf.capacity][isnull]=true', [3]],
      ['filter[label.text]=Sage', [3]],
      ['filter[label.printed]=false', [3]],
    ])
  })

  t.test('a deleted to-one row never matches, not even a test for null', async (t) => {
    await keeps(t, plants, [
      ['filter[supplier.name]=Gone Growers', []],
      ['filter[group.name]=Withdrawn', []],
      ['filter[group.name][isnull]=true', []],
      // an empty list has nothing to differ from, so it adds no condition
      ['filter[group.name][nin]=', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]],
      ['filter[group.id]=4', []],
    ])
    await keeps(t, client(app, '/entries'), [
      ['filter[plant.name]=Lavender', ['1']],
      ['filter[plant.name]=Nightshade', []],
      ['filter[plant]=11', ['2']],
      ['filter[plant][isnull]=true', ['3']],
    ])
    await keeps(t, client(app, '/orders'), [
      ['filter[customer.name]=Ada', [1, 2]],
      ['filter[customer.name]=Cleo', []],
      [`filter[customer]=${customerId(3)}`, [4]],
      [`filter[customer][in]=${customerId(2)},${customerId(3)}`, [3, 4]],
    ])
  })

  t.test('a filter on a to-many relation keeps each parent with a match once', async (t) => {
    await keeps(t, plants, [
      ['filter[tags.name]=sun', [1, 3, 6]],
      ['filter[tags.name][in]=sun,bee-friendly', [1, 3, 6, 14]],
      ['filter[tag]=sun,bee-friendly', [1, 3, 6, 14]],
      ['filter[tags.weight]=3', [1, 3, 6, 14]],
      ['filter[tags.name][ne]=sun', [1, 4, 6, 10, 14]],
      ['filter[tags.name][isnull]=false', [1, 3, 4, 6, 10, 14]],
      ['filter[tags.id]=5', []],
      ['filter[specimens.code][nin]=', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]],
      ['filter[orderItems.quantity][gte]=1', [1, 3, 14]],
      ['filter[orderItems.order.customer.name]=Ada', [1, 3]],
      [`filter[orderItems.order.customer]=${customerId(2)}`, [14]],
      ['filter[tags.plants.name]=Lavender', [1, 3, 6, 14]],
      ['filter[group.plants.id]=2', [1, 2]],
    ])
    t.match(await plants.get('filter[tags.weight]=3&per_page=2'), { total: 4, items: { length: 2 } },
      'the total counts parents, not matches')
  })

  t.test('a to-many row that is deleted or filtered out does not match', async (t) => {
    await keeps(t, plants, [
      ['filter[tags.name]=poisonous', []],
      ['filter[tags.id]=4', []],
      ['filter[tags.weight][isnull]=true', []],
      ['filter[offers.title]=Spring sale', [1]],
      ['filter[offers.title]=Last year', []],
      ['filter[offers.price][lt]=7', [1]],
      ['filter[offers.price][lt]=6', []],
    ])
    await keeps(t, client(app, '/tags'), [
      ['filter[plants.name]=Nightshade', []],
      ['filter[plants.name][starts]=l', [1, 3]],
      ['filter[plants.price][gt]=40', [1, 3]],
    ])
    await keeps(t, client(app, '/groups'), [
      ['filter[plants.name]=Nightshade', []],
      ['filter[plants.name]=Thyme', [2]],
      ['filter[children.name]=Withdrawn', []],
    ])
    await keeps(t, client(app, '/orders'), [['filter[items.plant.name]=Nightshade', []], ['filter[items.plant]=11', [
      1,
    ]]])
  })

  t.test('a filter on a relation does not trim included children', async (t) => {
    const { items } = await plants.get(
      'filter[tags.name]=sun&filter[offers.title]=Spring sale&filter[specimens.code]=USUAL' +
        '&include=tags,offers,specimens'
    )
    t.match(items, [{
      id: 1,
      tags: [{ name: 'sun' }, { name: 'bee-friendly' }],
      offers: [{ title: 'Spring sale' }, { title: 'North only' }],
      specimens: [{ code: 'USUAL' }, { code: 'NONE' }],
    }])
    t.strictSame([items.length, items[0].tags.length, items[0].offers.length, items[0].specimens.length], [1, 2, 2, 2])
  })

  t.test('all conditions on one path apply to the same related row', async (t) => {
    await keeps(t, plants, [
      ['filter[offers.title]=Spring sale&filter[offers.price]=7.5', [1]],
      ['filter[offers.title]=Spring sale&filter[offers.price]=6.66', []],
      ['filter[offers.price][gt]=6.66&filter[offers.price][lt]=7.5', []],
      ['filter[tags.name]=sun&filter[tags.name][ne]=sun', []],
      ['filter[tags.name]=bee-friendly&filter[tags.id]=1', []],
      ['filter[tags.name]=bee-friendly&filter[tag]=sun', []],
      ['filter[specimens.code]=GREATEST&filter[specimens.leaves][lt]=0', []],
      ['filter[specimens.code]=LEAST&filter[specimens.leaves][lt]=0', [3]],
    ])
    await keeps(t, client(app, '/groups'), [
      ['filter[plants.status]=archived&filter[plants.price][lt]=1', [1]],
      ['filter[plants.status]=archived&filter[plants.price][gt]=1', []],
    ])
    await keeps(t, client(app, '/orders'), [
      ['filter[items.plant.name]=Lavender&filter[items.quantity]=3', [1]],
      ['filter[items.plant.name]=Sage 100%25&filter[items.quantity]=3', []],
    ])
  })

  t.test('conditions on different paths apply independently, beside those of the record', async (t) => {
    await keeps(t, plants, [
      ['filter[tags.name]=sun&filter[supplier.name][starts]=vert&filter[shelf.house]=A', [1, 3]],
      ['filter[tags.name]=sun&filter[status]=draft', [6]],
      ['filter[tags.name]=sun&filter[offers.price][gt]=7', [1]],
    ])
  })

  t.test('a filter follows a relation of an entity to itself', async (t) => {
    await keeps(t, client(app, '/groups'), [
      ['filter[parent.name]=Perennials', [2]],
      ['filter[parent]=2', [3]],
      ['filter[parent][isnull]=true', [1, 5]],
      ['filter[parent.parent.name]=Perennials', [3]],
      ['filter[children.name]=Herbs', [1]],
      ['filter[children.name][contains]=e', [1, 2]],
      ['filter[children.children.name]=Lavenders', [1]],
      ['filter[parent.name]=Perennials&filter[children.name]=Lavenders', [2]],
    ])
  })

  t.test('filters follow composite keys, keys of other types, schemas and single-table inheritance', async (t) => {
    await keeps(t, client(app, '/shelves'), [
      ['filter[plants.name]=Lavender', ['A']],
      ['filter[plants.price][lte]=9.9', ['A', 'A']],
      ['filter[plants.price][lte]=9.8', []],
    ], 'house')
    t.strictSame(await client(app, '/shelves').all('number', 'filter[plants.price][lte]=24.5'), [1, 2])
    await keeps(t, client(app, '/items'), [
      ['filter[order]=1', [1, 3, 11]],
      ['filter[plant]=14', [14]],
      ['filter[plant.name]=Sage 100%25', [3]],
      ['filter[plant.name]=Nightshade', []],
      ['filter[order.customer.name]=Bob', [14]],
    ], 'plant')
    await keeps(t, client(app, '/customers'), [
      ['filter[orders.note]=ring twice', ['Ada']],
      ['filter[orders.note][isnull]=true', ['Ada', 'Bob']],
      ['filter[orders.items.quantity][gt]=3', ['Bob']],
    ], 'name')
    await keeps(t, client(app, '/orders'), [['filter[deliveries.due]=2024-05-04', [1]], [
      'filter[deliveries.due][isnull]=true',
      [1],
    ]])
    await keeps(t, client(app, '/deliveries'), [['filter[order.note][starts]=ring', [1, 2]]])
    await keeps(t, client(app, '/parcels'), [['filter[order.customer.name][in]=Ada,Bob', [1, 3]], [
      'filter[carrier]=pigeon',
      [3],
    ]])
    await keeps(t, client(app, '/offers'), [['filter[plant.name]=Lavender', [1, 3]], [
      'filter[plant.name]=Nightshade',
      [],
    ]])
  })

  t.test('a path that is not allowed is refused like any other name', async (t) => {
    t.match(await plants.details('filter[supplier.email]=x'), [/^The filter 'supplier\.email' is not allowed\./])
    t.match(await plants.details('filter[tags]=1'), [/^The filter 'tags' is not allowed\./])
    t.match(await plants.details('filter[tags.nmae]=x'), [/Did you mean 'tags\.name'\?/])
    t.match(await plants.details('filter[supplier][name]=x'), [/^The filter 'supplier' is not allowed\./])
    t.match(await plants.details('filter[supplier.address]=x&filter[group.parent.parent.name]=x'), [
      /is not allowed/,
      /is not allowed/,
    ])
    t.strictSame(await ids('filter[tags.id]=2147483647'), [])
  })
})
