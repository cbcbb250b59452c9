/** Embedded objects stored as JSON, keys of custom types, and response schemas of the application. */
import { p, Type } from '@mikro-orm/core'
import Fastify from 'fastify'
import t from 'tap'
import crudKit, { CrudBase, parseQueryParams, primaryKey } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { resource } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

/** `cus_1` outside, `1` in the database. */
class CustomerNumber extends Type<string, string> {
  override convertToDatabaseValue (value: string): string {
    return value.replace(/^cus_/, '')
  }

  override convertToJSValue (value: string | number): string {
    return `cus_${value}`
  }

  override getColumnType (): string {
    return 'varchar(20)'
  }
}

const Money = entity('Money', {
  cur: p.string().serializedName('currency'),
  iban: p.string().hidden().nullable(),
  note: p.string().fieldName('n_t').nullable(),
}, { embeddable: true })
const Buyer = entity('Buyer', {
  id: p.type(CustomerNumber).primary(),
  wallet: () => p.embedded(Money).object().nullable(),
  wallets: () => p.embedded(Money).array().nullable(),
})
const Sale = entity('Sale', { ...primaryKey, buyer: () => p.manyToOne(Buyer) })

const buyers = resource(Buyer)
const sales = resource(Sale, { allowedFilters: ['buyer'], allowedIncludes: ['buyer'], allowedFields: ['id'] })

await forEachDatabase(t, {
  entities: [Money, Buyer, Sale],
  async seed (em) {
    const secret = { cur: 'EUR', iban: 'SECRET', note: 'n' }
    const buyer = em.create(Buyer, { id: 'cus_7', wallet: secret, wallets: [secret] })
    em.create(Sale, { buyer })
    await em.flush()
  },
}, async (t, { orm }) => {
  const app = Fastify()
  const total = { type: 'object', properties: { total: { type: 'integer' } } }
  await app.register(crudKit, {
    orm,
    resources: {
      '/buyers': buyers,
      '/sales': { crud: sales, name: 'orders' },
      '/totals': { crud: sales, operations: ['list'], schemas: { list: { response: { 200: total } } } },
    },
  })
  t.teardown(() => app.close())
  const get = async (url: string) => (await app.inject(url)).json()
  const shown = { currency: 'EUR', note: 'n' }

  t.test('hidden members are not shown, and the others have their public names', async (t) => {
    t.strictSame(await get('/buyers/cus_7'), { id: 'cus_7', wallet: shown, wallets: [shown] })
    const { items } = await get('/sales?include=buyer')
    t.strictSame(items[0].buyer, { id: 'cus_7', wallet: shown, wallets: [shown] })
  })

  t.test('the entity class reads the stored values of a body', async (t) => {
    const body = { id: 'cus_8', wallet: { currency: 'CHF', note: 'x' } }
    const created = await app.inject({ method: 'POST', url: '/buyers', body })
    t.equal(created.statusCode, 201, created.body)
    t.strictSame(created.json(), { ...body, wallets: null })
    const entity = await orm.em.fork().findOneOrFail(Buyer, 'cus_8')
    t.match(entity.wallet, { cur: 'CHF', note: 'x' })
    t.equal(
      (await app.inject({ method: 'PATCH', url: '/buyers/cus_8', body: { wallet: { currency: 'CHF', iban: 'x' } } }))
        .statusCode,
      400
    )
  })

  t.test('a foreign key has the form of the key that it refers to', async (t) => {
    const { items } = await get('/sales')
    t.strictSame(items, [{ id: 1, buyer: 'cus_7' }])
    t.equal((await get('/sales?filter[buyer]=cus_7')).total, 1)
    const created = await app.inject({ method: 'POST', url: '/sales', body: { buyer: 'cus_8' } })
    t.strictSame(created.json(), { id: 2, buyer: 'cus_8' }, created.body)
  })

  t.test('a response schema of the application lets its properties through', async (t) => {
    t.strictSame(await get('/totals'), { total: 2 })
  })

  t.test("the resource's configured name may stand in fields[...]", async (t) => {
    t.strictSame((await get('/sales?fields[orders]=id&filter[buyer]=cus_7')).items, [{ id: 1 }])
  })

  t.test('an empty nin on a path is no condition', async (t) => {
    const crud = resource(Sale, { allowedFilters: [{ 'buyer.id': ['nin'] }] })
    t.equal(await crud.count(orm.em.fork(), parseQueryParams('filter[buyer.id]=')), 2)
    t.equal(await crud.count(orm.em.fork(), parseQueryParams('filter[buyer.id]=cus_7')), 1)
  })

  t.test('a scope that is not a condition is a mistake of the program and opens nothing', async (t) => {
    for (const scope of ['tenant = 1', null, []]) {
      await t.rejects(sales.list(orm.em.fork(), undefined, { scope: scope as never }), {
        code: 'FST_CRUD_SCOPE_INVALID',
        statusCode: 500,
        cause: { message: /^The scope of Sale is not certainly a condition: it must be an object/ },
      })
    }
  })
})

t.test('an unknown option of CrudBase is refused with the nearest one', async (t) => {
  t.throws(() => new CrudBase({ model: Sale, writable: 'all', queryConfg: {} } as never), {
    code: 'FST_CRUD_CONFIG_INVALID',
    message: "CrudBase: there is no option 'queryConfg'. Did you mean 'queryConfig'?",
  })
})
