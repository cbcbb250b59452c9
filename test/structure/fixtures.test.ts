import t from 'tap'
import { Colour } from '../fixtures/custom-types.ts'
import {
  AuditEntry, Delivery, entities, Offer, Order, OrderItem, Parcel, Plant, Specimen,
} from '../fixtures/entities.ts'
import { customerId, plantUuid, seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('rows have the keys that the tests expect', async (t) => {
    const plants = await orm.em.fork().find(Plant, {}, { orderBy: { id: 1 } })
    t.strictSame(plants.map(({ id, uuid }) => uuid === plantUuid(id) && id), plants.map((_, i) => i + 1))
    t.strictSame([plants[0]?.name, plants[10]?.name, plants.length], ['Lavender', 'Nightshade', 14])
    const names = async (table: string, column: string) =>
      (await orm.em.fork().execute<Array<{ text: string }>>(`select ${column}::text as text from ${table} order by id`))
        .map(({ text }) => text)
    t.strictSame(await names('"group"', 'name'), ['Perennials', 'Herbs', 'Lavenders', 'Withdrawn', 'Ferns'])
    t.strictSame(await names('tag', 'name'), ['sun', 'shade', 'bee-friendly', 'poisonous', 'unused'])
    t.strictSame(await names('supplier', 'name'), ['Vert & Fils', "O'Brien's", 'Gone Growers'])
    t.strictSame(await names('label', 'plant_id'), ['1', '3', '11'])
    t.strictSame(await names('offer', 'title'), ['Spring sale', 'Last year', 'North only', 'Too late', 'Poison'])
    t.strictSame(await names('specimen', 'code'), ['USUAL', 'NONE', 'GREATEST', 'LEAST', 'EMPTY'])
    t.strictSame(await names('delivery', 'kind'), ['parcel', 'pickup', 'parcel'])
    t.strictSame(await names('audit.entry', 'action'), ['sold', 'removed', 'opened'])
    t.strictSame(await names('customer', 'name'), ['Ada', 'Bob', 'Cleo'])
    t.strictSame(await names('"order"', 'customer_id'), [1, 1, 2, 3].map(customerId))
    t.strictSame((await orm.em.fork().find(Order, {}, { orderBy: { id: 1 } })).map(({ id, version }) => [id, version]),
      [[1, 1], [2, 1], [3, 1], [4, 1]])
  })

  t.test('values are read as they were written', async (t) => {
    const em = orm.em.fork()
    const usual = await em.findOneOrFail(Specimen, { code: 'USUAL' }, { populate: ['diary'] })
    t.match(usual, {
      cells: '12000000000', pollen: 5_000_000_000, spores: 123n, dryMass: '12.500000', value: 19.99, minimum: -12.5,
      flowering: 'summer', hardiness: 2, sownOn: '2023-02-28', wateredAt: '07:30:00', ringWidths: [3, 1, 2],
      readings: { sensor: 'north', values: [1, 2.5, -3] }, synonyms: ['English lavender', 'true, "real" one'],
      size: { height: 60, width: 40, unit: 'cm' }, diary: /^Day 1/,
    })
    t.strictSame(usual.petals, new Colour(150, 123, 182))
    t.strictSame(usual.measuredAt, new Date('2024-05-06T07:08:09.123Z'))
    t.strictSame(usual.recordedAt, new Date('2024-05-06T07:08:09.123Z'))
    t.strictSame([...usual.scan ?? []], [0, 1, 254, 255])
    const least = await em.findOneOrFail(Specimen, { code: 'LEAST' })
    t.match(least, { spores: -9223372036854775808n, sownOn: '0001-01-01', acidity: Number.MIN_VALUE, minimum: -273.1 })
    const none = await em.findOneOrFail(Specimen, { code: 'NONE' })
    t.equal(none.leaves, null)
    t.equal(none.size, null)
  })

  t.test('relations, inheritance, schema and filters work', async (t) => {
    const em = orm.em.fork()
    const plant = await em.findOneOrFail(Plant, 1, {
      populate: ['tags', 'label', 'shelf', 'group.parent.parent', 'offers', 'orderItems.order.customer'],
    })
    t.strictSame(plant.tags.getItems().map(({ name }) => name).sort(), ['bee-friendly', 'sun'])
    t.equal(plant.label?.text, 'Lavender, sunny')
    t.equal(plant.shelf?.capacity, 40)
    t.equal(plant.group?.parent?.parent?.name, 'Perennials')
    t.equal(plant.nameLength, 8)
    t.equal(plant.slug, 'lavender')
    t.equal(plant.offers.length, 2, 'the filter hides what has expired')
    t.equal(plant.orderItems[0]?.order.customer.name, 'Ada')
    t.equal(await em.count(Offer, {}, { filters: false }), 5)
    t.equal(await em.count(OrderItem, { order: 1 }), 3)
    t.equal(await em.count(Delivery), 3)
    t.equal(await em.count(Parcel), 2)
    t.equal((await em.find(AuditEntry, { plant: 1 }))[0]?.id, '1')
  })
})
