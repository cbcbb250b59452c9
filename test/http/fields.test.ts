import t, { type Test } from 'tap'
import { AllowedField } from '../../src/index.ts'
import { entities, OrderItem, Plant, Specimen, Supplier } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { client, resource, serve } from './helper.ts'

const FIELDS = [
  'id', 'uuid', 'name', 'latinName', 'status', 'price', 'inStock', 'articleNumber', 'nameLength', 'slug', 'created_at',
  'supplier', 'group', 'shelf',
]
const INCLUDED = [
  'tags.id', 'tags.name', 'supplier.name', 'supplier.address', 'offers.title', 'group.name', 'group.parent',
  'group.parent.name', 'label.text',
]
const queryConfig = {
  allowedFields: [...FIELDS, ...INCLUDED, new AllowedField('position', { alias: 'rank' })],
  allowedIncludes: ['tags', 'supplier', 'offers', 'group', 'group.parent', 'shelf', 'label', 'orderItems'],
}
const COLUMNS = [
  'id', 'uuid', 'created_at', 'updated_at', 'deleted_at', 'name', 'latinName', 'position', 'status', 'price', 'inStock',
  'description', 'sku', 'nameLength', 'slug', 'supplier', 'group', 'shelf',
]

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': resource(Plant, queryConfig),
    '/herbs': resource(Plant, queryConfig, { name: 'herbs' }),
    '/plain': resource(Plant),
    '/suppliers': resource(Supplier, { allowedFields: ['address', 'country'] }),
    '/items': resource(OrderItem, { allowedFields: ['quantity', 'plant'], allowedIncludes: ['plant'] }),
    '/specimens': resource(Specimen, { allowedFields: ['diary', 'petals', 'size', 'minimum', 'scan'] }),
  })
  const { get, refused, details } = client(app, '/plants')
  /** Asserts that all items of the list, and the record itself, have exactly these keys. */
  const shows = async (t: Test, query: string, keys: string[]) => {
    const { items } = await get(query)
    t.equal(items.length, 13)
    for (const item of [...items, await client(app, '/plants/1').get(query)]) {
      t.strictSame(Object.keys(item).sort(), [...keys].sort(), query)
    }
  }

  t.test('without fields, records have every column that is not hidden', async (t) => {
    await shows(t, '', COLUMNS)
    await shows(t, 'fields=', COLUMNS)
    t.strictSame(Object.keys(await client(app, '/plain/1').get()).sort(), [...COLUMNS].sort(),
      'whatever may be selected')
  })

  t.test('records have exactly the requested fields, in one parameter or in several', async (t) => {
    await shows(t, 'fields=id,name,price', ['id', 'name', 'price'])
    await shows(t, 'fields=id&fields=name,price', ['id', 'name', 'price'])
    await shows(t, 'fields[]=id&fields[]=name', ['id', 'name'])
    await shows(t, 'fields=name, id', ['id', 'name'])
    await shows(t, 'fields=name,name&fields=name', ['name'])
    await shows(t, 'fields=nameLength,slug', ['nameLength', 'slug'])
    for (const field of FIELDS) {
      await shows(t, `fields=${field === 'articleNumber' ? 'sku' : field}`, [field === 'articleNumber' ? 'sku' : field])
    }
  })

  t.test('the values equal those of the whole record', async (t) => {
    const whole = await client(app, '/plants/1').get()
    for (const field of ['id', 'created_at', 'price', 'nameLength', 'slug', 'supplier', 'group', 'shelf', 'sku']) {
      t.strictSame(await client(app, '/plants/1').get(`fields=${field}`), { [field]: whole[field] }, field)
    }
    t.strictSame(await client(app, '/plants/1').get('fields=id,supplier,group,shelf'), {
      id: 1, supplier: 1, group: 3, shelf: { house: 'A', number: 1 },
    })
    t.strictSame(await client(app, '/plants/9').get('fields=id,supplier,group,shelf'), {
      id: 9, supplier: 1, group: null, shelf: null,
    })
    t.strictSame(await client(app, '/plants/12').get('fields=supplier,group'), { supplier: 3, group: 4 },
      'a key is shown even when its record is deleted')
  })

  t.test('properties computed in JavaScript, lazy and embedded ones can be selected', async (t) => {
    t.strictSame(await client(app, '/suppliers/1').get('fields=country'), { country: 'FR' })
    t.strictSame(await client(app, '/suppliers/2').get('fields=address'), { address: null })
    t.strictSame(await client(app, '/specimens/1').get('fields=diary,petals,size,minimum,scan'), {
      diary: 'Day 1: planted. Day 2: watered.', petals: '#967bb6', size: { height: 60, width: 40, unit: 'cm' },
      minimum: -12.5, scan: 'AAH+/w==',
    })
  })

  t.test('an alias changes the URL, and records keep the public name', async (t) => {
    await shows(t, 'fields=rank', ['position'])
    await shows(t, 'fields=sku', ['sku'])
    t.match(await refused('fields=position'), { code: 'FST_CRUD_FIELD_INVALID' })
    t.match(await refused('fields=articleNumber'), { code: 'FST_CRUD_FIELD_INVALID' })
  })

  t.test('brackets may name the resource itself, by its table or by its own name', async (t) => {
    await shows(t, 'fields[plant]=id,name', ['id', 'name'])
    await shows(t, 'fields[plant]=id&fields=name', ['id', 'name'])
    t.strictSame(await client(app, '/herbs/1').get('fields[herbs]=id'), { id: 1 })
    t.match(await client(app, '/herbs').details('fields[plant]=id'), [
      /'plant' is not included, so no fields of it can be selected\. Allowed: herbs\./,
    ])
  })

  t.test('of two routes that share an instance, each takes its own name', async (t) => {
    const shared = resource(Plant, queryConfig)
    const app = await serve(t, orm, { '/a': { crud: shared, name: 'a' }, '/b': { crud: shared, name: 'b' } })
    for (const path of ['', '/1']) {
      await client(app, `/a${path}`).get('fields[a]=id&fields[plant]=name')
      await client(app, `/b${path}`).get('fields[b]=id&fields[plant]=name')
      t.strictSame(await client(app, `/b${path}`).details('fields[a]=id&fields[plant]=name'), [
        "'a' is not included, so no fields of it can be selected. Allowed: b, plant.",
      ])
    }
  })

  t.test('such a name is dropped as well if invalid parameters are ignored', async (t) => {
    const shared = resource(Plant, { ...queryConfig, ignoreInvalidErrors: true })
    const routes = { '/a': { crud: shared, name: 'a', stream: true }, '/b': { crud: shared, name: 'b', stream: true } }
    const app = await serve(t, orm, routes)
    const { get } = client(app, '/b')
    const lineOf = async (query: string, type: string) =>
      (await app.inject({ url: `/b${query}`, headers: { accept: type } })).body.split(/\r?\n/)[0]!
    for (const [query, keys] of [['fields[a]=id', COLUMNS], ['fields[b]=name,id', ['id', 'name']]] as const) {
      const records = [(await get(query)).items[0], await client(app, '/b/1').get(query)]
      for (const record of [...records, JSON.parse(await lineOf(`?${query}`, 'application/x-ndjson'))]) {
        t.strictSame(Object.keys(record).sort(), [...keys].sort(), query)
      }
    }
    t.equal((await lineOf('?fields[a]=name', 'text/csv')).split(',')[0], 'id')
    t.equal(await lineOf('?fields[b]=name,id', 'text/csv'), 'name,id')
  })

  t.test('fields[...] selects the fields of an included relation', async (t) => {
    t.strictSame(
      await client(app, '/plants/1').get('fields=name&include=tags,supplier&fields[tags]=name&fields[supplier]=name'),
      { name: 'Lavender', tags: [{ name: 'sun' }, { name: 'bee-friendly' }], supplier: { name: 'Vert & Fils' } }
    )
    t.strictSame(
      await client(app, '/plants/1').get(
        'fields=name&include=group.parent,label,offers&fields[group]=name&fields[group.parent]=name' +
          '&fields[label]=text&fields[offers]=title'
      ),
      {
        name: 'Lavender',
        group: { name: 'Lavenders', parent: { name: 'Herbs' } },
        label: { text: 'Lavender, sunny' },
        offers: [{ title: 'Spring sale' }, { title: 'North only' }],
      }
    )
    t.strictSame(await client(app, '/plants/3').get('fields=id&include=group&fields[group]=parent'), {
      id: 3,
      group: { parent: 1 },
    }, 'what is not included is its key')
    t.strictSame(await client(app, '/plants/1').get('fields=id&include=supplier&fields[supplier]=address'), {
      id: 1,
      supplier: { address: { street: '12 rue des Lilas', city: 'Lyon' } },
    })
  })

  t.test('keys that an include needs are read and not shown', async (t) => {
    await shows(t, 'fields=name&include=tags,supplier,offers,group.parent,shelf,label,orderItems', [
      'name', 'tags', 'supplier', 'offers', 'group', 'shelf', 'label', 'orderItems',
    ])
    const record = await client(app, '/plants/1').get(
      'fields=name&include=tags,group.parent&fields[tags]=name&fields[group]=name'
    )
    t.strictSame([Object.keys(record).sort(), Object.keys(record.tags[0]), Object.keys(record.group).sort()], [
      ['group', 'name', 'tags'], ['name'], ['name', 'parent'],
    ])
    const { items } = await client(app, '/items').get('fields=quantity')
    t.strictSame(items, [{ quantity: 3 }, { quantity: 1 }, { quantity: 1 }, { quantity: 12 }])
  })

  t.test('fields of a relation that is not included are an error', async (t) => {
    t.match(await refused('fields[tags]=name'), {
      code: 'FST_CRUD_FIELD_INVALID',
      errors: [{
        source: { parameter: 'fields[tags]' },
        detail: /^'tags' is not included, so no fields of it can be selected\./,
        allowed: ['plant'],
      }],
    })
    t.match(await details('include=group&fields[group.parent]=name'), [/'group\.parent' is not included/])
    t.match(await details('include=tags&fields[tag]=name'), [/'tag' is not included.* Did you mean 'tags'\?/])
  })

  t.test('an unknown field is refused with the allowed ones, and a hidden one the same way', async (t) => {
    t.match(await refused('fields=id,nmae'), {
      code: 'FST_CRUD_FIELD_INVALID',
      errors: [{
        source: { parameter: 'fields' },
        detail: /^The field 'nmae' is not allowed\. Did you mean 'name'\? Allowed: created_at, /,
        suggestion: 'name',
      }],
    })
    t.match(await details('fields=purchasePrice,selected,tags,description,*'),
      Array.from({ length: 5 }, () => /is not allowed/))
    t.match(await refused('include=supplier&fields[supplier]=email'), {
      errors: [{ source: { parameter: 'fields[supplier]' }, allowed: ['address', 'name'] }],
    })
    t.match(await client(app, '/plain').details('fields=id'), ["The field 'id' is not allowed. Allowed: none."])
    t.match(await client(app, '/plants/1').details('fields=nmae'), [/Did you mean 'name'\?/], 'for one record, too')
  })

  t.test('an empty item and more than one bracket are errors', async (t) => {
    for (const query of ['fields=id,', 'fields=,id', 'fields=id,,name', 'fields=,']) {
      t.match(await details(query), [/empty item/], query)
    }
    t.match(await details('fields[a][b]=id'), [/can't be read/])
    t.match(await details('fields[tags=id'), [/can't be read/])
  })
})
