/** A restore leaves the row in its rows or scope, if only the database can tell. A deletion may take it out. */
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

/** The same without hooks: a statement restores it, and a trigger moves some rows. */
const Box = entity('Box', { id: p.integer().primary(), tenant: p.integer(), title: p.string(), ...softDelete })

const inside = { tenant: { $in: [1] } }
const deleted = { deleted_at: { $ne: null } }

await forEachDatabase(t, { entities: [Parcel, Box] }, async (t, { orm }) => {
  const routesOf = (path: string, model: any) => {
    const routes = { crud: new CrudBase<any>({ model }), operations: ['delete', 'restore'] as const }
    return {
      [`/${path}`]: routes,
      [`/scoped-${path}`]: { ...routes, scope: () => inside, name: `scoped ${path}` },
      [`/trashed-${path}`]: { ...routes, scope: () => deleted, name: `trashed ${path}` },
    }
  }
  const app = await serveWith(t, orm, {
    resources: { ...routesOf('parcels', Parcel), ...routesOf('boxes', Box) },
    access: {
      role: ({ url }) => /^\/(scoped|trashed)/.test(url) ? 'all' : 'member',
      roles: { all: true, member: { '*': { rows: () => inside } } },
    },
    shared: [],
  })
  await select(orm, `create function move() returns trigger language plpgsql as $$ begin
    if new.title = 'moves' then new.tenant := 2; end if; return new; end $$`)
  await select(orm, 'create trigger moves before update on box for each row execute function move()')
  const send = sender(app)

  for (const [table, path] of [
    ['parcel', '/parcels'], ['parcel', '/scoped-parcels'], ['box', '/boxes'], ['box', '/scoped-boxes'],
  ] as const) {
    t.test(`${path}: a restore that would move the row is refused, and a deletion is not`, async (t) => {
      await select(orm, `delete from ${table}`)
      await select(
        orm,
        `insert into ${table} (id, tenant, title, deleted_at) values
        (1, 1, 'moves', now()), (2, 1, 'stays', now()), (3, 1, 'moves', null)`
      )
      t.match(await send('POST', `${path}/1/restore`), { status: 403, body: { code: 'FST_CRUD_OUT_OF_SCOPE' } })
      t.match(await send('POST', `${path}/2/restore`), { status: 200, body: { id: 2, deleted_at: null } })
      t.equal((await send('DELETE', `${path}/3`)).status, 200)
      const left = await select(orm, `select id, tenant, deleted_at is null as kept from ${table} order by id`)
      t.strictSame(left, [
        { id: 1, tenant: 1, kept: false },
        { id: 2, tenant: 1, kept: true },
        { id: 3, tenant: 2, kept: false },
      ])
    })
  }

  for (const [table, path] of [['parcel', '/trashed-parcels'], ['box', '/trashed-boxes']] as const) {
    t.test(`${path}: a restore out of a scope of deleted rows is refused`, async (t) => {
      await select(orm, `delete from ${table}`)
      await select(orm, `insert into ${table} (id, tenant, title, deleted_at) values (1, 1, 'stays', now())`)
      t.match(await send('POST', `${path}/1/restore`), { status: 403, body: { code: 'FST_CRUD_OUT_OF_SCOPE' } })
      t.strictSame(await select(orm, `select deleted_at is null as kept from ${table}`), [{ kept: false }])
    })
  }
})
