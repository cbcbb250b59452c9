/** A deletion takes a row away from its rows or scope, whatever their condition says about deleted rows. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, CrudBase, softDelete } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { entity } from '../../helpers/entity.ts'
import { select } from '../helper.ts'
import { sender, serveWith } from './fixtures.ts'

const properties = { id: p.integer().primary(), tenant: p.integer(), title: p.string(), ...softDelete }
const Letter = entity('Letter', properties)
/** The same, written by MikroORM's unit of work. */
const Parcel = entity('Parcel', properties, { hooks: { beforeUpdate: [() => {}] } })

const CONDITIONS: readonly object[] = [
  { tenant: 1 },
  { tenant: 1, deleted_at: null },
  { tenant: { $in: [1, 2] }, deleted_at: null },
  { $or: [{ tenant: 9 }, { title: 'x', deleted_at: null }] },
]
let says: object = {}

await forEachDatabase(t, { entities: [Letter, Parcel] }, async (t, { orm }) => {
  const routes = (model: any) => ({
    crud: new CrudBase<any>({ model, queryConfig: { allowedFilters: [AllowedFilters.exact('id')] } }),
    operations: ['list', 'delete', 'deleteMany'] as const,
  })
  const app = await serveWith(t, orm, {
    resources: {
      '/letters': routes(Letter),
      '/parcels': routes(Parcel),
      '/scoped-letters': { ...routes(Letter), scope: () => says, name: 'letters in a scope' },
      '/scoped-parcels': { ...routes(Parcel), scope: () => says, name: 'parcels in a scope' },
    },
    access: {
      role: ({ url }) => url.startsWith('/scoped') ? 'all' : 'member',
      roles: { all: true, member: { '*': { rows: () => says } } },
    },
    shared: [],
  })
  const send = sender(app)

  for (const path of ['/letters', '/parcels', '/scoped-letters', '/scoped-parcels']) {
    t.test(`${path}: one record and many are deleted alike`, async (t) => {
      const table = path.endsWith('letters') ? 'letter' : 'parcel'
      for (says of CONDITIONS) {
        await select(orm, `delete from ${table}`)
        await select(orm, `insert into ${table} (id, tenant, title) values (1, 1, 'x'), (2, 1, 'x'), (3, 3, 'y')`)
        const what = JSON.stringify(says)
        t.equal((await send('DELETE', `${path}/1`)).status, 200, what)
        t.strictSame((await send('DELETE', `${path}?filter[id]=2`)).body, { affected: 1 }, what)
        t.equal((await send('DELETE', `${path}/3`)).status, 404, what)
        t.strictSame((await send('DELETE', `${path}?filter[id]=3`)).body, { affected: 0 }, what)
        const left = await select(orm, `select id from ${table} where deleted_at is null`)
        t.strictSame(left, [{ id: 3 }], what)
      }
    })
  }
})
