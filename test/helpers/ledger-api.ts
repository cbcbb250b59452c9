/** An API whose records have composite keys, also of relations to composite keys. */
import { p } from '@mikro-orm/core'
import Fastify from 'fastify'
import type { Test } from 'tap'
import type { ApiOf } from '../../src/client/index.ts'
import {
  AllowedField, AllowedFilters, AllowedInclude, AllowedSort, CrudBase, crudKit, type CrudKitOptions,
} from '../../src/index.ts'
import { listen, type TestApi } from './admin-api.ts'
import { databases } from './databases.ts'
import { entity } from './entity.ts'

const Invoice = entity('Invoice', {
  branch: p.string().primary(), id: p.integer().primary(), customer: p.string(), version: p.integer().version(),
  lines: () => p.oneToMany(Line).mappedBy('invoice'),
})
const Line = entity('Line', {
  invoice: () => p.manyToOne(Invoice).primary(), position: p.integer().primary(), text: p.string(),
})
const Payment = entity('Payment', {
  id: p.integer().primary().autoincrement(), invoice: () => p.manyToOne(Invoice).nullable(), amount: p.integer(),
})

const ledger = {
  '/invoices': new CrudBase({
    model: Invoice,
    queryConfig: {
      allowedFilters: [new AllowedFilters('branch', 'eq', ['eq', 'in']), new AllowedFilters('id', 'eq', ['eq', 'in'])],
      allowedSorts: [new AllowedSort('branch'), new AllowedSort('id')],
    },
    writable: { create: ['branch', 'id', 'customer'], update: ['customer'] },
  }),
  '/lines': {
    crud: new CrudBase({
      model: Line,
      queryConfig: {
        allowedFilters: [
          new AllowedFilters('invoice.branch', 'eq', ['eq', 'in']),
          new AllowedFilters('invoice.id', 'eq', ['eq', 'in']),
          new AllowedFilters('position', 'eq', ['eq', 'in']),
        ],
        allowedSorts: [new AllowedSort('invoice.branch'), new AllowedSort('invoice.id'), new AllowedSort('position')],
        allowedFields: [new AllowedField('position'), new AllowedField('invoice'), new AllowedField('text')],
        allowedIncludes: [new AllowedInclude('invoice')],
      },
      writable: 'all',
    }),
    operations: ['list', 'get', 'create', 'update', 'updateMany', 'delete', 'deleteMany'],
  },
  '/payments': new CrudBase({
    model: Payment,
    queryConfig: {
      allowedFilters: [
        new AllowedFilters('invoice', 'isnull'), new AllowedFilters('invoice.branch'), new AllowedFilters('invoice.id'),
      ],
      allowedSorts: [new AllowedSort('id')],
    },
    writable: ['invoice', 'amount'],
  }),
} as const satisfies CrudKitOptions['resources']

type LedgerApi = ApiOf<typeof ledger>

/** How data providers identify the records of the ledger. */
export const ledgerResources = {
  invoices: { id: ['branch', 'id'], version: 'version' },
  lines: { id: ['invoice.branch', 'invoice.id', 'position'], references: { invoice: 'invoices' } },
  payments: { references: { invoice: 'invoices' } },
} as const

/** Starts a server with three invoices, each with two lines, and a payment. Names of branches need escapes. */
export async function ledgerApi (t: Test): Promise<TestApi<LedgerApi>> {
  const { orm, close } = await databases[0]![1]({
    entities: [Invoice, Line, Payment],
    seed (em) {
      for (const [branch, id] of [['North~1/2', 1], ['North~1/2', 2], ['South!', 1]] as const) {
        const invoice = em.create(Invoice, { branch, id, customer: `${branch} ${id}` })
        em.create(Line, { invoice, position: 1, text: 'First' })
        em.create(Line, { invoice, position: 2, text: 'Second' })
        if (branch === 'South!') em.create(Payment, { invoice, amount: 5 })
      }
    },
  })
  const app = Fastify()
  await app.register(crudKit, { orm, resources: ledger })
  t.teardown(async () => {
    await app.close()
    await close()
  })
  return await listen<LedgerApi>(app)
}
