import t from 'tap'
import { AllowedSort, parseQueryParams } from '../../src/index.ts'
import { Customer, entities, Label, OrderItem, Plant, Shelf, Specimen } from '../fixtures/entities.ts'
import { customerId, seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { client, resource, select, serve } from './helper.ts'

const plants = resource(Plant, {
  allowedSorts: [
    'id', 'name', new AllowedSort('price', { direction: 'desc' }), 'position', 'status',
    new AllowedSort('created_at', { direction: 'desc' }), new AllowedSort('position', 'name', { alias: 'rank' }),
    new AllowedSort('price', 'position', { direction: 'desc', alias: 'dearest' }), 'articleNumber', 'latinName',
    'nameLength', 'supplier', 'inStock', 'supplier.name', 'supplier.address.city', 'group.name',
    new AllowedSort('group.parent.name', { alias: 'branch' }), 'label.text',
  ],
  defaultSort: ['-created_at'],
})
const SPECIMEN_SORTS = {
  cells: 'cells', pollen: 'pollen', spores: 'spores', dryMass: 'dry_mass', value: 'value', acidity: 'acidity',
  minimum: 'minimum', alive: 'alive', tracker: 'tracker', flowering: 'flowering', hardiness: 'hardiness',
  health: 'health', sownOn: 'sown_on', measuredAt: 'measured_at', recordedAt: 'recorded_at', wateredAt: 'watered_at',
  petals: 'petals', readings: 'readings',
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': plants,
    '/plain': resource(Plant),
    '/pricey': resource(Plant, {
      allowedSorts: [new AllowedSort('price', { direction: 'desc', alias: 'cost' })],
      defaultSort: ['cost', 'name'],
    }),
    '/specimens': resource(Specimen, { allowedSorts: Object.keys(SPECIMEN_SORTS) }),
    '/shelves': resource(Shelf, { allowedSorts: ['capacity', 'number'] }),
    '/items': resource(OrderItem, {
      allowedSorts: ['plant', 'plant.supplier.name', new AllowedSort('order.customer.name', { alias: 'customer' })],
    }),
    '/customers': resource(Customer),
    '/labels': resource(Label, { allowedSorts: ['plant.name'] }),
  })
  const { all, refused, details } = client(app, '/plants')
  const ids = async (query?: string): Promise<number[]> => {
    const found = await all('id', query)
    const qb = await plants.query(orm.em.fork(), parseQueryParams(query ?? ''))
    t.strictSame((await qb.getResultList()).map(({ id }) => id), found, `${query ?? 'all'} on the query builder`)
    return found
  }
  const byPrice = [10, 5, 12, 14, 1, 3, 13, 4, 6, 7, 9]

  t.test('a list without a sort has the default sort, else the order of its key', async (t) => {
    const newest = [9, 13, 14, 12, 8, 7, 6, 5, 4, 3, 1, 2, 10]
    t.strictSame(await ids(), newest)
    t.strictSame(await ids('sort='), newest, 'an empty parameter counts as not given')
    t.strictSame(await client(app, '/plain').all('id'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14])
    const names =
      (await select(orm, 'select id from plant where deleted_at is null order by price desc nulls last, name, id')).map(
        ({ id }) => id
      )
    t.strictSame(await client(app, '/pricey').all('id'), names,
      'a default sort may name an alias, with its direction, and properties')
  })

  t.test('a sort is ascending, or descending after a minus, with nulls last, and ends with the key', async (t) => {
    t.strictSame(await ids('sort=id'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14])
    t.strictSame(await ids('sort=-id'), [14, 13, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    t.strictSame(await ids('sort=position'), [10, 8, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 9])
    t.strictSame(await ids('sort=-position'), [9, 12, 13, 14, 5, 6, 7, 3, 4, 1, 2, 8, 10],
      'equal ones by ascending key')
    t.strictSame(await ids('sort=-price'), [9, 7, 6, 4, 1, 3, 13, 14, 12, 5, 10, 2, 8])
    t.strictSame(await ids('sort=%2Bprice'), [...byPrice, 2, 8])
  })

  t.test('text sorts in the order of the database', async (t) => {
    for (const [sort, order] of [
      ['name', 'name'],
      ['-name', 'name desc'],
      ['latinName', '"latinName" nulls last'],
      ['-latinName', '"latinName" desc nulls last'],
      ['sku', 'article_number nulls last'],
      ['-status', 'status desc'],
    ] as const) {
      const expected = await select(orm, `select id from plant where deleted_at is null order by ${order}, id`)
      t.strictSame(await ids(`sort=${sort}`), expected.map(({ id }) => id), sort)
    }
  })

  t.test('a bare name has the direction of its entry, and a plus is ascending, encoded or not', async (t) => {
    t.strictSame(await ids('sort=price'), await ids('sort=-price'))
    t.strictSame(await ids('sort=+price'), [...byPrice, 2, 8])
    t.strictSame(await ids('sort=%20price'), [...byPrice, 2, 8])
    t.strictSame((await ids('sort=created_at'))[0], 9)
    t.strictSame((await ids('sort=+created_at'))[0], 10)
  })

  t.test('several sorts stand in one parameter or in several, the first one first', async (t) => {
    t.strictSame(await ids('sort=position,-id'), [10, 8, 2, 1, 4, 3, 7, 6, 5, 14, 13, 12, 9])
    for (const query of [
      'sort=supplier,-position', 'sort=supplier&sort=-position', 'sort[]=supplier&sort[]=-position',
      'sort=supplier, -position',
    ]) {
      t.strictSame(await ids(query), [9, 6, 7, 3, 1, 10, 13, 14, 5, 4, 2, 8, 12], query)
    }
    t.strictSame(await ids('sort=inStock,-price,-id'), [2, 9, 7, 6, 4, 13, 3, 1, 14, 12, 5, 10, 8])
  })

  t.test('an alias sorts by all of its properties, in one direction', async (t) => {
    const order = async (sql: string) =>
      (await select(orm, `select id from plant where deleted_at is null order by ${sql}, id`)).map(({ id }) => id)
    t.strictSame(await ids('sort=rank'), await order('"order", name'))
    t.strictSame(await ids('sort=-rank'), await order('"order" desc, name desc'))
    t.strictSame(await ids('sort=position,-rank'), await order('"order", name desc'), 'a property under two names')
    t.strictSame(await ids('sort=dearest'), await order('price desc nulls last, "order" desc'))
    t.strictSame(await ids('sort=+dearest'), await order('price asc nulls last, "order"'))
  })

  t.test('a sort follows to-one relations, and a deleted or absent row sorts as null', async (t) => {
    const [brien, vert] = [[2, 4, 5, 8, 13, 14], [1, 3, 6, 7, 9, 10]]
    t.strictSame(await ids('sort=supplier.name'), [...brien, ...vert, 12])
    t.strictSame(await ids('sort=-supplier.name'), [...vert, ...brien, 12])
    t.strictSame(await ids('sort=supplier.name,-id'), [...brien.toReversed(), ...vert.toReversed(), 12])
    t.strictSame(await ids('sort=supplier.address.city'), [...vert, 2, 4, 5, 8, 12, 13, 14])
    t.strictSame(await ids('sort=group.name'), [3, 14, 1, 2, 5, 6, 7, 4, 8, 9, 10, 12, 13])
    t.strictSame(await ids('sort=-group.name'), [5, 6, 7, 1, 2, 3, 14, 4, 8, 9, 10, 12, 13])
    t.strictSame(await ids('sort=branch'), [1, 2, 3, 14, 4, 5, 6, 7, 8, 9, 10, 12, 13])
    t.strictSame(await ids('sort=-branch'), [3, 14, 1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13])
    t.strictSame(await ids('sort=label.text'), [1, 3, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14])
    t.strictSame(await client(app, '/labels').all('id', 'sort=-plant.name'), [2, 1, 3], 'its plant is deleted')
    t.strictSame(await ids('sort=-supplier'), [12, ...brien, ...vert], 'the key is there even when its row is deleted')
  })

  t.test('values of all types can be sorted, including computed ones', async (t) => {
    t.strictSame(await ids('sort=nameLength'), [8, 9, 10, 13, 12, 14, 1, 2, 3, 4, 7, 5, 6])
    const specimens = client(app, '/specimens')
    for (const [name, column] of Object.entries(SPECIMEN_SORTS)) {
      for (const [sign, direction] of [['', 'asc'], ['-', 'desc']] as const) {
        const expected = await select(orm, `select code from specimen order by ${column} ${direction} nulls last, id`)
        t.strictSame(await specimens.all('code', `sort=${sign}${name}`), expected.map(({ code }) => code), sign + name)
      }
    }
  })

  t.test('composite keys and keys of other types also break ties', async (t) => {
    const shelves = async (query: string) =>
      (await client(app, '/shelves').get(query)).items.map(({ house, number }: any) => `${house}${number}`)
    t.strictSame(await shelves(''), ['A1', 'A2', 'B1'])
    t.strictSame(await shelves('sort=capacity'), ['B1', 'A1', 'A2'])
    t.strictSame(await shelves('sort=-capacity'), ['A1', 'B1', 'A2'])
    t.strictSame(await shelves('sort=-number'), ['A2', 'A1', 'B1'])
    const items = async (query: string) =>
      (await client(app, '/items').get(query)).items.map(({ order, plant }: any) => `${order}-${plant}`)
    t.strictSame(await items(''), ['1-1', '1-3', '1-11', '3-14'])
    t.strictSame(await items('sort=-plant'), ['3-14', '1-11', '1-3', '1-1'])
    t.strictSame(await items('sort=plant.supplier.name'), ['3-14', '1-1', '1-3', '1-11'],
      'behind a deleted plant there is nothing')
    t.strictSame(await items('sort=-customer'), ['3-14', '1-1', '1-3', '1-11'])
    t.strictSame(await client(app, '/customers').all('id'), [customerId(1), customerId(2)])
  })

  t.test('an unknown sort is refused with the allowed ones', async (t) => {
    t.match(await refused('sort=-pirce'), {
      code: 'FST_CRUD_SORT_INVALID',
      errors: [{
        source: { parameter: 'sort' }, code: 'FST_CRUD_SORT_INVALID',
        detail: /^The sort 'pirce' is not allowed\. Did you mean 'price'\? Allowed: /, suggestion: 'price',
      }],
    })
    for (const sort of [
      'purchasePrice', 'description', 'articleNumber', 'supplier.email', 'Name', 'name desc', 'name:desc', 'name.asc',
      '--name', '-+name', '- name', 'tags.name', '1', 'random()', '-', '+',
    ]) {
      t.match(await refused(`sort=${encodeURIComponent(sort)}`), { code: 'FST_CRUD_SORT_INVALID' }, sort)
    }
    t.strictSame((await refused('sort=x')).errors[0].allowed, [
      'branch', 'created_at', 'dearest', 'group.name', 'id', 'inStock', 'label.text', 'latinName', 'name', 'nameLength',
      'position', 'price', 'rank', 'sku', 'status', 'supplier', 'supplier.address.city', 'supplier.name',
    ])
    t.match(await client(app, '/plain').refused('sort=id'), {
      errors: [{ detail: "The sort 'id' is not allowed. Allowed: none.", allowed: [] }],
    })
  })

  t.test('a repeated sort and an empty item are errors', async (t) => {
    for (const query of ['sort=name,name', 'sort=name,-name', 'sort=name&sort=-name']) {
      t.match(await details(query), [/The sort 'name' is given more than once/], query)
    }
    for (const query of ['sort=name,', 'sort=,name', 'sort=name,,id', 'sort=,']) {
      t.match(await refused(query), { code: 'FST_CRUD_SORT_INVALID', errors: [{ detail: /empty item/ }] }, query)
    }
    t.match(await details('sort[name]=desc'), [/takes no name in brackets/])
  })
})
