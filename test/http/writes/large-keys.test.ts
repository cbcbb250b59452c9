/** The Location of records with numeric keys beyond 2^53, which JavaScript rounds. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import { forEachDatabase } from '../../helpers/databases.ts'
import { resource, serve } from '../helper.ts'

const LARGE = '9007199254740993'

const Seat = defineEntity({
  name: 'Seat',
  properties: {
    hall: p.string().primary(),
    number: p.bigint('number').primary().defaultRaw(LARGE),
    name: p.string(),
  },
})
const Measure = defineEntity({
  name: 'Measure',
  properties: { size: p.decimal('number').precision(30).scale(0).primary().defaultRaw(LARGE), name: p.string() },
})

await forEachDatabase(t, { entities: [Seat, Measure] }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/seats': resource(Seat),
    '/measures': resource(Measure),
  })

  t.test('the location has all digits of the key, and leads to the record', async (t) => {
    for (const [path, body, expected] of [
      ['/seats', { hall: 'main', name: 'b' }, `/seats/main/${LARGE}`],
      ['/measures', { name: 'c' }, `/measures/${LARGE}`],
    ] as const) {
      const created = await app.inject({ method: 'POST', url: path, body })
      t.equal(created.statusCode, 201, created.body)
      t.equal(created.headers.location, expected)
      const found = await app.inject(created.headers.location as string)
      t.equal(found.statusCode, 200, found.body)
      t.match(found.body, LARGE)
    }
  })
})
