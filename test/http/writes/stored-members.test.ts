/** Members of embedded objects whose type the application defines, in columns of their own and inside of JSON. */
import { p, Type } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase } from '../../../src/index.ts'
import { entity } from '../../helpers/entity.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { select, serve, verdict, writes } from '../helper.ts'

/** An amount of money, which the database stores in cents. */
class Amount extends Type<number, number> {
  override convertToDatabaseValue (amount: number): number {
    return Math.round(amount * 100)
  }

  override convertToJSValue (cents: number): number {
    return cents / 100
  }

  override getColumnType (): string {
    return 'int'
  }
}

const Fee = entity('Fee', { amount: p.type(Amount), at: p.datetime() }, { embeddable: true })
const Price = entity('Price', {
  amount: p.type(Amount), label: p.string(), fee: () => p.embedded(Fee).object().nullable(),
}, { embeddable: true })

const properties = {
  id: p.integer().primary(), price: () => p.embedded(Price), was: () => p.embedded(Price).object().nullable(),
  offers: () => p.embedded(Price).array().nullable(),
}
const Ticket = entity('Ticket', properties)
/** Written through MikroORM's unit of work, because of its lifecycle hooks. */
const Voucher = entity('Voucher', properties, { hooks: { beforeCreate: [() => {}], beforeUpdate: [() => {}] } })

await forEachDatabase(t, { entities: [Fee, Price, Ticket, Voucher] }, async (t, { orm }) => {
  const operations = ['list', 'get', 'create', 'createMany', 'update'] as const
  const crud = (model: any): CrudBase => new CrudBase({ model, writable: 'all' as any })
  const app = await serve(t, orm, {
    '/tickets': { crud: crud(Ticket), operations },
    '/vouchers': { crud: crud(Voucher), operations },
  })
  const { patch, created, updated, read } = writes(app)

  for (const table of ['ticket', 'voucher']) {
    t.test(`a ${table} shows and takes amounts, and stores cents`, async (t) => {
      const path = `/${table}s`
      const at = '2026-01-02T03:04:05.000Z'
      const price = { amount: 1.25, label: 'x', fee: { amount: 0.5, at } }
      const body = { price, was: price, offers: [price, { ...price, amount: 3, fee: null }] }
      const { id, ...record } = await created(path, body)
      t.strictSame(record, body)
      t.strictSame(await read(`${path}/${id}`), { id, ...body })
      t.strictSame((await read(path)).items, [{ id, ...body }])

      const was = { ...price, amount: 7.77 }
      t.strictSame(await updated(`${path}/${id}`, { was }), { id, ...body, was })
      t.equal(verdict(await patch(`${path}/${id}`, { was: { ...price, amount: 'a lot' } })),
        '400 FST_ERR_VALIDATION /was/amount')

      const stored = { amount: 125, label: 'x', fee: { amount: 50, at } }
      t.strictSame(await select(orm, `select price_amount, price_fee, was, offers from ${table}`), [{
        price_amount: 125,
        price_fee: stored.fee,
        was: { ...stored, amount: 777 },
        offers: [stored, { ...stored, amount: 300, fee: null }],
      }])
    })
  }
})
