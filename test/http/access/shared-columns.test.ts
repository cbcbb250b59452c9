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
/** Its key has the column. */
const Lesson = entity('Lesson', {
  tenant: p.integer().primary(),
  no: p.integer().primary(),
  room: () => p.manyToOne(Room).joinColumns('tenant', 'room_no').ownColumns('room_no').nullable(),
})

await forOneDatabase(t, {
  entities: [Room, Booking, Lesson],
  seed: async (em) => {
    for (const tenant of [1, 2]) {
      em.create(Room, { tenant, no: 1 })
      em.create(Lesson, { tenant, no: 1 })
    }
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
          '/lessons': { crud: resource(Lesson, { allowedFilters: ['no'] }), operations: ['updateMany'] },
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

  t.test('a change of many records sets the relation only if their keys are known to have its column', async (t) => {
    const lessons = async () => await select(orm, 'select tenant, room_no from lesson order by tenant')
    const [Room, room] = [{ rows: { tenant: 1 } }, { tenant: 1, no: 1 }]
    for (const Lesson of [true, { rows: {} }, { rows: { no: 1 } }, { rows: () => ({ tenant: 2 }) }] as const) {
      const send = await serve(t, { Room, Lesson })
      t.match(await send('PATCH', '/lessons?filter[no]=1', { room }), {
        status: 400, body: { errors: [{ source: { pointer: '/room' } }] },
      })
      t.strictSame(await lessons(), [{ tenant: 1, room_no: null }, { tenant: 2, room_no: null }])
    }
    const send = await serve(t, { Room, Lesson: { rows: () => ({ tenant: 1 }) } })
    t.match(await send('PATCH', '/lessons?filter[no]=1', { room }), { status: 200, body: { affected: 1 } })
    t.strictSame(await lessons(), [{ tenant: 1, room_no: 1 }, { tenant: 2, room_no: null }])
  })
})
