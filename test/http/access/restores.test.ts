/** A restore by MikroORM's unit of work leaves the row in its rows or scope, if only the database can tell. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, softDelete } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { entity } from '../../helpers/entity.ts'
import { select } from '../helper.ts'
import { sender, serveWith } from './fixtures.ts'

const Parcel = entity('Parcel', { id: p.integer().primary(), tenant: p.integer(), title: p.string(), ...softDelete }, {
  hooks: {
    beforeUpdate: [({ entity }: any) => {
      if (entity.title === 'moves') entity.tenant = 2
    }],
  },
})

const inside = { tenant: { $in: [1] } }

await forEachDatabase(t, { entities: [Parcel] }, async (t, { orm }) => {
  const parcels = { crud: new CrudBase<any>({ model: Parcel }), operations: ['delete', 'restore'] as const }
  const app = await serveWith(t, orm, {
    resources: { '/parcels': parcels, '/scoped-parcels': { ...parcels, scope: () => inside, name: 'in a scope' } },
    access: {
      role: ({ url }) => url.startsWith('/scoped') ? 'all' : 'member',
      roles: { all: true, member: { '*': { rows: () => inside } } },
    },
    shared: [],
  })
  const send = sender(app)

  for (const path of ['/parcels', '/scoped-parcels']) {
    t.test(`${path}: a restore that would move the row is refused, and a deletion is not`, async (t) => {
      await select(orm, 'delete from parcel')
      await select(
        orm,
        `insert into parcel (id, tenant, title, deleted_at) values
        (1, 1, 'moves', now()), (2, 1, 'stays', now()), (3, 1, 'moves', null)`
      )
      t.match(await send('POST', `${path}/1/restore`), { status: 403, body: { code: 'FST_CRUD_OUT_OF_SCOPE' } })
      t.match(await send('POST', `${path}/2/restore`), { status: 200, body: { id: 2, deleted_at: null } })
      t.equal((await send('DELETE', `${path}/3`)).status, 200)
      const left = await select(orm, 'select id, tenant, deleted_at is null as kept from parcel order by id')
      t.strictSame(left, [
        { id: 1, tenant: 1, kept: false },
        { id: 2, tenant: 1, kept: true },
        { id: 3, tenant: 2, kept: false },
      ])
    })
  }
})
