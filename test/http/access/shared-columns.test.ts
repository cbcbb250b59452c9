/** A relation may have a column that another property has alone. What a role may not do with that, holds for both. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedInclude, CrudBase, QueryBuilderConfig, type RoleRules } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { select } from '../helper.ts'
import { roleOf, sender, serveWith } from './fixtures.ts'
import { entity } from '../../helpers/entity.ts'
import { resource } from '../../helpers/resource.ts'

const Room = entity('Room', {
  tenant: p.integer().primary(), no: p.integer().primary(), bookings: () => p.oneToMany(Booking).mappedBy('room'),
})
const Booking = entity('Booking', {
  id: p.integer().primary().autoincrement(),
  title: p.string(),
  tenant_id: p.integer(),
  room: () => p.manyToOne(Room).joinColumns('tenant_id', 'room_no').ownColumns('room_no'),
})

await forOneDatabase(t, {
  entities: [Room, Booking],
  seed: async (em) => {
    for (const tenant of [1, 2]) em.create(Room, { tenant, no: 1 })
    await em.flush()
    em.create(Booking, { title: 'x', tenant_id: 1, room: em.getReference(Room, [1, 1]) })
  },
}, async (t, { orm }) => {
  const serve = async (t: Parameters<typeof serveWith>[0], rules: RoleRules) =>
    sender(
      await serveWith(t, orm, {
        access: { role: roleOf, roles: { member: rules } },
        resources: {
          '/bookings': { crud: resource(Booking), operations: ['get', 'update'] },
          '/rooms': {
            crud: new CrudBase({
              model: Room,
              queryConfig: new QueryBuilderConfig({ allowedIncludes: [new AllowedInclude('bookings')] }),
            }),
            operations: ['get'],
          },
        },
        shared: ['Room', 'Booking'],
      })
    )
  const tenants = async () => await select(orm, 'select tenant_id, room_no from booking')

  t.test('a relation with a hidden column is hidden, on both of its sides', async (t) => {
    const send = await serve(t, { Room: true, Booking: { hidden: ['tenant_id'] } })
    t.strictSame((await send('GET', '/bookings/1')).body, { id: 1, title: 'x' })
    t.match(await send('PATCH', '/bookings/1', { room: { tenant: 2, no: 1 } }), { status: 400 })
    t.match(await send('GET', '/rooms/1/1?include=bookings'), { status: 400 })
    t.strictSame(await tenants(), [{ tenant_id: 1, room_no: 1 }])
  })

  t.test('a relation with a read-only column is read-only', async (t) => {
    const send = await serve(t, { Room: true, Booking: { readonly: ['tenant_id'] } })
    t.match((await send('GET', '/bookings/1')).body, { tenant_id: 1, room: { tenant: 1, no: 1 } })
    t.match(await send('PATCH', '/bookings/1', { room: { tenant: 2, no: 1 } }), {
      status: 400,
      body: { errors: [{ source: { pointer: '/room' } }] },
    })
    t.strictSame(await tenants(), [{ tenant_id: 1, room_no: 1 }])
  })

  t.test('rows of a role allow other values of the relation that keep the column', async (t) => {
    const send = await serve(t, { Room: true, Booking: { rows: { tenant_id: 1 } } })
    t.match(await send('PATCH', '/bookings/1', { room: { tenant: 1, no: 1 } }), { status: 200 })
    t.match(await send('PATCH', '/bookings/1', { room: { tenant: 2, no: 1 } }), { status: 403 })
    t.strictSame(await tenants(), [{ tenant_id: 1, room_no: 1 }])
  })
})
