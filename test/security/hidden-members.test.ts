/** Writing an embedded object keeps the members that the client cannot see. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { CrudBase, primaryKey, type CrudRecord } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { resource, select, serve, verdict, writes, type Json } from '../http/helper.ts'
import { entity } from '../helpers/entity.ts'

const Geo = entity('Geo', { lat: p.integer().nullable(), grid: p.string().hidden().nullable() }, { embeddable: true })
const Work = entity('Work', {
  city: p.string(),
  street: p.string().serializedName('road').nullable(),
  secret: p.string().fieldName('s').hidden().nullable(),
  geo: () => p.embedded(Geo).object().nullable(),
}, { embeddable: true })
const Home = entity('Home', {
  city: p.string().nullable(), alarm: p.string().hidden().nullable(), geo: () => p.embedded(Geo).nullable(),
}, { embeddable: true })
const properties = {
  ...primaryKey,
  name: p.string().nullable(),
  work: () => p.embedded(Work).object().nullable(),
  plain: () => p.embedded(Geo).object().columnType('json').nullable(),
  home: () => p.embedded(Home).nullable(),
  past: () => p.embedded(Work).array().nullable(),
}
const Person = entity('Person', properties, { tableName: 'person' })
/** The same entity, written by MikroORM's unit of work because of its hook. */
const Guest = entity('Guest', properties, { tableName: 'guest', hooks: { beforeUpdate: [() => {}] } })

const WORK = { city: 'Bath', street: 'High St', s: 'shh', geo: { lat: 1, grid: 'A1' } }

await forEachDatabase(t, { entities: [Person, Guest] }, async (t, { orm }) => {
  class Setting extends CrudBase {
    override beforeCreate (data: CrudRecord) {
      return { ...data, work: { ...data['work'], secret: 'by hook' } }
    }

    override beforeUpdate (_: unknown, data: CrudRecord) {
      return data['work'] == null ? data : { ...data, work: { ...data['work'], secret: 'changed' } }
    }
  }
  const app = await serve(t, orm, {
    '/person': new CrudBase({ model: Person, writable: { create: 'all', update: ['name', 'work', 'plain', 'home'] } }),
    '/guest': resource(Guest),
    '/transacted': { crud: resource(Person), transaction: true },
    '/setting': new Setting({ model: Person, writable: 'all' }),
  })
  const { updated, created, patch, post } = writes(app)

  for (const [path, table] of [['/person', 'person'], ['/guest', 'guest'], ['/transacted', 'person']] as const) {
    t.test(path, async (t) => {
      const stored = async (id: number): Promise<Json> =>
        (await select(orm, `select * from ${table} where id = ${id}`))[0]
      const insert = async (): Promise<number> =>
        (await select(
          orm,
          `insert into ${table} (work, plain, home_city, home_alarm, home_geo_lat, home_geo_grid)
        values ('${JSON.stringify(WORK)}', '{"lat":1,"grid":"P1"}', 'Bath', 'code 7', 2, 'H2') returning id`
        ))[0].id

      t.test('a body replaces the members that it can see', async (t) => {
        const id = await insert()
        const record = await updated(`${path}/${id}`, {
          work: { city: 'York' }, plain: { lat: 5 }, home: { city: 'York' },
        })
        t.notMatch(JSON.stringify(record), /shh|A1|P1|code 7|H2/)
        t.match(record, { work: { city: 'York' }, plain: { lat: 5 }, home: { city: 'York' } })
        const { work, plain, home_city: city, home_alarm: alarm, home_geo_lat: lat, home_geo_grid: grid } =
          await stored(id)
        t.equal(work.s, 'shh')
        t.equal(work.city, 'York')
        t.equal(work.street ?? null, null, 'what a body does not say is gone, where it can be seen')
        t.match([work.geo.grid, work.geo.lat ?? null], ['A1', null])
        t.strictSame([plain, city, alarm, lat, grid], [{ lat: 5, grid: 'P1' }, 'York', 'code 7', null, 'H2'])
      })

      t.test('hidden members are kept at any depth', async (t) => {
        const id = await insert()
        await updated(`${path}/${id}`, {
          work: { city: 'York', road: 'Low St', geo: { lat: 9 } },
          home: { city: 'x', geo: { lat: 8 } },
        })
        const { work, home_geo_lat: lat, home_geo_grid: grid } = await stored(id)
        t.strictSame(work, { city: 'York', street: 'Low St', s: 'shh', geo: { lat: 9, grid: 'A1' } })
        t.strictSame([lat, grid], [8, 'H2'])
      })

      t.test('writing another property does not change the object', async (t) => {
        const id = await insert()
        await updated(`${path}/${id}`, { name: 'Ada' })
        t.strictSame((await stored(id)).work, WORK)
      })

      t.test('null removes the object, except columns that a body may not set', async (t) => {
        const id = await insert()
        const record = await updated(`${path}/${id}`, { work: null, home: null })
        t.strictSame([record.work, record.home], [null, null], 'hidden members do not show that they have values')
        const { work, home_city: city, home_alarm: alarm, home_geo_grid: grid } = await stored(id)
        t.strictSame([work, city, alarm, grid], [null, null, 'code 7', 'H2'])
        await updated(`${path}/${id}`, { work: { city: 'New' } })
        t.match((await stored(id)).work, { city: 'New' })
      })

      t.test('a body that names a hidden member is refused', async (t) => {
        const id = await insert()
        for (const [body, pointer] of [
          [{ work: { city: 'x', secret: 'mine' } }, '/work/secret'],
          [{ work: { city: 'x', s: 'mine' } }, '/work/s'],
          [{ work: { city: 'x', geo: { grid: 'mine' } } }, '/work/geo/grid'],
          [{ home: { alarm: 'mine' } }, '/home/alarm'],
        ] as const) t.equal(verdict(await patch(`${path}/${id}`, body)), `400 FST_ERR_VALIDATION ${pointer}`)
        t.strictSame((await stored(id)).work, WORK)
      })

      t.test('a list of objects with hidden members can be created and not replaced', async (t) => {
        const { id } = await created(path, { past: [{ city: 'Bath' }] })
        t.equal(verdict(await patch(`${path}/${id}`, { past: [] })), '400 FST_ERR_VALIDATION /past')
        t.match((await stored(id)).past, [{ city: 'Bath' }])
      })
    })
  }

  t.test('hooks may set hidden members', async (t) => {
    const { id } = await created('/setting', { work: { city: 'Bath' } })
    const stored = async () => (await select(orm, `select work from person where id = ${id}`))[0].work
    t.match(await stored(), { city: 'Bath', s: 'by hook' })
    await updated(`/setting/${id}`, { work: { city: 'York' } })
    t.match(await stored(), { city: 'York', s: 'changed' })
    t.equal(verdict(await post('/setting', { work: { city: 'x', secret: 'mine' } })),
      '400 FST_ERR_VALIDATION /work/secret')
  })

  t.test('"writable" cannot name a list that would lose hidden members', async (t) => {
    t.throws(() => new CrudBase({ model: Person, writable: ['past'] }).bind(orm.em), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /"writable" of Person names 'past', .*list.*hidden/,
    })
    t.doesNotThrow(() => new CrudBase({ model: Person, writable: { create: ['past'], update: ['name'] } }).bind(orm.em))
  })
})
