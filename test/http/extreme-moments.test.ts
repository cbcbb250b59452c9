/** Moments and days that a JavaScript Date cannot hold, in the tables of other applications. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { bodyOf, q, resource, select, serve, verdict, writes, type Json } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Event = entity('Event', {
  id: p.integer().primary().autoincrement(),
  zoned: p.datetime().nullable(),
  plain: p.datetime().columnType('timestamp').nullable(),
  short: p.datetime(3).nullable(),
  day: p.date().nullable(),
  clock: p.time().columnType('time').nullable(),
  span: p.string().columnType('tstzrange').nullable(),
  days: p.string().columnType('daterange').nullable(),
})

const Reading = entity('Reading', {
  takenAt: p.datetime().primary(), name: p.text(), notes: () => p.oneToMany(Note).mappedBy('reading'),
})

const Note = entity('Note', { id: p.integer().primary().autoincrement(), reading: () => p.manyToOne(Reading) })

const Stay = entity('Stay', { at: p.datetime().nullable(), nights: p.integer().nullable() }, { embeddable: true })

const Trip = entity('Trip', { plan: () => p.embedded(Stay).object().nullable(), nights: p.integer().nullable() }, {
  embeddable: true,
})

class Visit {
  id!: number
  stay!: object | null
  plan!: object | null
  trip!: object | null
  at!: Date | null
  name!: string | null
  noted?: boolean

  note (): void {
    this.noted = true
  }
}
const VisitSchema = defineEntity({
  class: Visit,
  hooks: { beforeCreate: ['note'], beforeUpdate: ['note'] },
  properties: {
    id: p.integer().primary().autoincrement(), at: p.datetime().nullable(), name: p.text().nullable(),
    stay: () => p.embedded(Stay).nullable(), plan: () => p.embedded(Stay).object().nullable(),
    trip: () => p.embedded(Trip).nullable(), noted: p.boolean().persist(false).nullable(),
  },
})

/** The stored text of each column in UTC, and the value in a record. */
const MOMENTS: readonly (readonly [stored: string, zoned: string, short?: string])[] = [
  ['2022-01-01 00:00:00.123456', '2022-01-01T00:00:00.123456Z', '2022-01-01T00:00:00.123Z'],
  ['2022-01-01 00:00:00.1234', '2022-01-01T00:00:00.123400Z', '2022-01-01T00:00:00.123Z'],
  ['2022-01-01 00:00:00.12', '2022-01-01T00:00:00.120Z'],
  ['2022-01-01 00:00:00', '2022-01-01T00:00:00.000Z'],
  ['1969-12-31 23:59:59.999999', '1969-12-31T23:59:59.999999Z', '1970-01-01T00:00:00.000Z'],
  ['infinity', 'infinity'],
  ['-infinity', '-infinity'],
  ['0044-03-15 12:30:00 BC', '0044-03-15T12:30:00.000Z BC'],
  ['0044-03-15 12:30:00.000001 BC', '0044-03-15T12:30:00.000001Z BC', '0044-03-15T12:30:00.000Z BC'],
  ['0001-12-31 23:59:59 BC', '0001-12-31T23:59:59.000Z BC'],
  ['4713-01-01 00:00:00 BC', '4713-01-01T00:00:00.000Z BC'],
  ['10000-01-01 00:00:00', '10000-01-01T00:00:00.000Z'],
  ['294276-12-31 23:59:59.999999', '294276-12-31T23:59:59.999999Z', ''],
]
const DAYS = ['infinity', '-infinity', '0044-03-15 BC', '4713-01-01 BC', '10000-01-01', '5874897-12-31']

await forEachDatabase(t, {
  entities: [Event, Reading, Note, VisitSchema],
  orm: { forceUtcTimezone: true },
}, async (t, { orm }) => {
  const order = ['zoned', 'plain', 'short', 'day'] as const
  const app = await serve(t, orm, {
    '/events': resource(Event, {
      allowedFilters: order.map((name) => new AllowedFilters(name, 'eq', ['eq', 'in', 'lt', 'gte'])),
      allowedSorts: order,
    }),
    '/readings': resource(Reading, { allowedIncludes: ['notes'] }),
    '/visits': resource(Visit),
    '/notes': resource(Note, { allowedFilters: ['reading'] }),
  })
  const { get, put, patch, post, read, remove, created } = writes(app)
  /** The values of a row as the database writes them. */
  const stored = async (id: number): Promise<string> => {
    const [row] = await select(orm, `select (to_jsonb(e) - 'id')::text as row from event e where id = ${id}`)
    return row.row
  }
  const fill = async (): Promise<void> => {
    const rows = [
      ...MOMENTS.map(([text, , short], index) => {
        const zoned = text.endsWith('infinity') ? text : text.replace(/( BC)?$/, '+00$1')
        const literal = (value: string) => `'${value}'`
        return [
          index + 1, literal(zoned), literal(text), short === '' ? 'null' : literal(zoned), 'null', 'null',
          `tstzrange('${zoned}', null)`, 'null',
        ]
      }),
      ...DAYS.map((day, index) => {
        return [index + 101, 'null', 'null', 'null', `'${day}'`, "'24:00:00'", 'null', `daterange('${day}', null)`]
      }),
    ]
    await select(orm, 'delete from event')
    await select(
      orm,
      `insert into event (id, zoned, plain, short, day, clock, span, days) values ${
        rows.map((row) => `(${row.join()})`).join()
      }`
    )
    await select(orm, "select setval('event_id_seq', 1000)")
  }

  t.test('records show what is stored', async (t) => {
    await fill()
    const { items } = await read('/events?per_page=100')
    for (const [index, [text, shown, short = shown]] of MOMENTS.entries()) {
      const end = shown.endsWith('infinity') ? shown : `"${shown}"`
      t.match(items[index], { zoned: shown, plain: shown, short: short === '' ? null : short, span: `[${end},)` }, text)
    }
    for (const [index, day] of DAYS.entries()) {
      t.match(items[MOMENTS.length + index], { day, clock: '24:00:00', days: `[${day},)` }, day)
    }
  })

  t.test('a record that is sent back changes nothing', async (t) => {
    await fill()
    for (const record of (await read('/events?per_page=100')).items) {
      const before = await stored(record.id)
      const response = await put(`/events/${record.id}`, record)
      t.strictSame(bodyOf(response), record)
      t.equal(await stored(record.id), before)
    }
  })

  t.test('a copy of a record has the same values', async (t) => {
    await fill()
    for (const { id, ...values } of (await read('/events?per_page=100')).items) {
      const copy = await created('/events', values)
      t.equal(await stored(copy.id), await stored(id))
    }
  })

  t.test('filters and cursors find a row by the value that its record shows', async (t) => {
    await fill()
    const { items } = await read('/events?per_page=100')
    for (const name of order) {
      for (const { id, [name]: value } of items) {
        if (value === null) continue
        const same = items.filter((item: Json) => item[name] === value).map((item: Json) => item.id)
        const { items: found } = await read(q`/events?filter[${name}]=${value}`.replaceAll('%5B', '['))
        t.strictSame(found.map((item: Json) => item.id), same, `${name} ${value} of ${id}`)
      }
      const ids: number[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Json = await read(`/events?sort=${name}&per_page=3&cursor=${cursor}`)
        ids.push(...page.items.map((item: Json) => item.id))
        cursor = page.next_cursor
      }
      t.equal(new Set(ids).size, items.length, name)
      t.equal(ids.length, items.length, name)
    }
  })

  t.test('a key is found under the value that its record shows', async (t) => {
    for (const [, shown] of MOMENTS) {
      const response = await post('/readings', { takenAt: shown, name: 'a' })
      t.equal(response.statusCode, 201, shown)
      const location = String(response.headers.location)
      t.match(await read(location), { takenAt: shown, name: 'a' }, location)
      t.match(bodyOf(await patch(location, { name: 'b' })), { takenAt: shown, name: 'b' })
      const note = await created('/notes', { reading: shown })
      t.equal(note.reading, shown)
      t.equal((await read(q`/notes?filter[reading]=${shown}`.replaceAll('%5B', '['))).items.length, 1)
      t.equal((await read(`${location}?include=notes`)).notes.length, 1)
      await remove(`/notes/${note.id}`)
      t.equal((await remove(location)).statusCode, 200)
      t.equal((await get(location)).statusCode, 404)
    }
  })

  t.test('with lifecycle hooks, a moment that a Date cannot hold is kept, and never changed in silence', async (t) => {
    for (const [text, shown] of MOMENTS.filter(([text]) => /\.\d{4,}|BC|^10000|infinity/.test(text))) {
      const stored = text.endsWith('infinity') ? text : text.replace(/( BC)?$/, '+00$1')
      const [{ id }] = await select(orm, `insert into visit (at) values ('${stored}') returning id`)
      const record = await read(`/visits/${id}`)
      t.equal(record.at, shown)
      const response = await put(`/visits/${id}`, { ...record, name: 'same' })
      t.strictSame(bodyOf(response), { ...record, name: 'same' })
      const other = shown === 'infinity' ? '-infinity' : 'infinity'
      for (const refused of [await post('/visits', { at: shown }), await patch(`/visits/${id}`, { at: other })]) {
        t.equal(verdict(refused), '400 FST_ERR_VALIDATION /at', shown)
      }
      t.strictSame(await read(`/visits/${id}`), { ...record, name: 'same' })
    }
    t.test('also an infinite one, which is left alone if a body does not name it, and can be replaced', async (t) => {
      const plan = { at: 'infinity', nights: null }
      const [{ id }] = await select(
        orm,
        `insert into visit (at, stay_at, plan, trip_plan) values (
        'infinity', '-infinity', '${JSON.stringify(plan)}', '${JSON.stringify(plan)}') returning id`
      )
      const record = await read(`/visits/${id}`)
      t.match(record, { at: 'infinity', stay: { at: '-infinity' }, plan, trip: { plan } })
      t.strictSame(bodyOf(await patch(`/visits/${id}`, { name: 'a' })), { ...record, name: 'a' })
      t.strictSame(bodyOf(await patch(`/visits/${id}`, { ...record, trip: undefined })), record)
      t.strictSame(await read(`/visits/${id}`), record)
      t.equal(bodyOf(await patch(`/visits/${id}`, { at: '2024-01-01T00:00:00.000Z' })).at, '2024-01-01T00:00:00.000Z')
      t.strictSame(bodyOf(await patch(`/visits/${id}`, { stay: null })).stay, null)
      await select(orm, `update visit set at = 'infinity' where id = ${id} returning id`)
      t.equal(bodyOf(await patch(`/visits/${id}`, { at: null })).at, null)
      t.equal((await remove(`/visits/${id}`)).statusCode, 200)
    })
    const { at } = await created('/visits', { at: '2024-05-31T09:30:00.123Z' })
    t.equal(at, '2024-05-31T09:30:00.123Z')
  })

  t.test('with lifecycle hooks, such a moment in an embedded object is kept, too', async (t) => {
    const [{ id }] = await select(
      orm,
      "insert into visit (at, stay_at, stay_nights) values ('2024-05-31T09:30:00.123456Z', " +
        "'2024-05-31T09:30:00.654321Z', 1) returning id"
    )
    const record = await read(`/visits/${id}`)
    const { at, stay } = record
    t.strictSame(stay, { at: '2024-05-31T09:30:00.654321Z', nights: 1 })
    t.strictSame(bodyOf(await patch(`/visits/${id}`, { stay })), record)
    t.strictSame(bodyOf(await patch(`/visits/${id}`, { stay: { ...stay, nights: 2 } })).stay, { ...stay, nights: 2 })
    const refused = await patch(`/visits/${id}`, { at: '2020-01-01T00:00:00Z', stay: { at, nights: 3 } })
    t.equal(verdict(refused), '400 FST_ERR_VALIDATION /stay/at')
    t.strictSame(await read(`/visits/${id}`), { ...record, stay: { ...stay, nights: 2 } })
    const moved = await patch(`/visits/${id}`, { at: '2020-01-01T00:00:00Z', stay: { ...stay, nights: 4 } })
    t.strictSame(bodyOf(moved), { ...record, at: '2020-01-01T00:00:00.000Z', stay: { ...stay, nights: 4 } })
    t.equal(verdict(await post('/visits', { stay: { at } })), '400 FST_ERR_VALIDATION /stay/at')
  })

  t.test('with lifecycle hooks, such a moment in JSON is kept, too', async (t) => {
    const plan = { at: '2024-05-31T09:30:00.654321Z', nights: 1 }
    const [{ id }] = await select(orm, `insert into visit (plan) values ('${JSON.stringify(plan)}') returning id`)
    t.strictSame((await read(`/visits/${id}`)).plan, plan)
    t.strictSame(bodyOf(await patch(`/visits/${id}`, { plan, name: 'same' })).plan, plan)
    t.strictSame(bodyOf(await patch(`/visits/${id}`, { name: 'other' })).plan, plan)
    const refused = [await patch(`/visits/${id}`, { plan: { ...plan, nights: 2 } }), await post('/visits', { plan })]
    for (const answer of refused) t.equal(verdict(answer), '400 FST_ERR_VALIDATION /plan/at')
    t.strictSame((await read(`/visits/${id}`)).plan, plan)
    const stored = `trip_plan = '${JSON.stringify(plan)}', trip_nights = 1`
    await select(orm, `update visit set ${stored} where id = ${id} returning id`)
    const { trip } = await read(`/visits/${id}`)
    t.strictSame(trip, { plan, nights: 1 })
    const longer = await patch(`/visits/${id}`, { trip: { ...trip, nights: 2 } })
    t.equal(verdict(longer), '400 FST_ERR_VALIDATION /trip/plan/at')
    t.strictSame((await read(`/visits/${id}`)).trip, trip)
    const common = { at: '2024-05-31T09:30:00.123Z', nights: 2 }
    t.strictSame(bodyOf(await patch(`/visits/${id}`, { plan: common })).plan, common)
  })
})
