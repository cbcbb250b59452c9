/** Sums and means of numbers at the ends of their types succeed, whatever the rows store. */
import { p, type InferEntity } from '@mikro-orm/core'
import t from 'tap'
import { AllowedInclude } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { client, resource, serve, type Json } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Box = entity('Box', { id: p.integer().primary(), gauges: () => p.oneToMany(Gauge).mappedBy('box') })
const Gauge = entity('Gauge', {
  id: p.integer().primary().autoincrement(),
  box: () => p.manyToOne(Box),
  double: p.double().nullable(),
  single: p.float().columnType('real').nullable(),
  exact: p.decimal('number').columnType('numeric').nullable(),
})
type Gauge = InferEntity<typeof Gauge>

const MAX = Number.MAX_VALUE
const MIN = Number.MIN_VALUE
const MAX_SINGLE = 3.4028235e38

type Case = readonly [rows: ReadonlyArray<number | string | null>, sum: unknown, mean: unknown]

const DOUBLES: readonly Case[] = [
  [[1.5, 2.25, null], 3.75, 1.875],
  [[0.1, 0.2], 0.1 + 0.2, (0.1 + 0.2) / 2],
  [[null], null, null],
  [[1e300], 1e300, 1e300],
  [[1e300, 2e300, 3e300], 6e300, 2e300],
  [[1e200, -1e200, 5], 5, 5 / 3],
  [[1e308, 1e308], 'Infinity', 1e308],
  [[-1e308, -1e308, -1e308], '-Infinity', -1e308],
  [[1e308, 1e308, -1e308, -1e308], 0, 0],
  [[1e308, 1e308, -1e308], 1e308, 1e308 / 3],
  [[1e300, -1e300, 4], 4, 4 / 3],
  [[MAX], MAX, MAX],
  [[MAX, MAX, MAX, MAX, MAX, MAX, MAX], 'Infinity', MAX],
  [[1e290, 1e289], 1.1e290, 5.5e289],
  [[1e300, MIN], 1e300, 5e299],
  [[MIN], MIN, MIN],
  [[MIN, 0], MIN, 0],
  [[MIN, MIN, 0], 2 * MIN, MIN],
  [['NaN', 1], 'NaN', 'NaN'],
  [['Infinity', 1, -MAX], 'Infinity', 'Infinity'],
  [['-Infinity', MAX, MAX], '-Infinity', '-Infinity'],
  [['Infinity', '-Infinity'], 'NaN', 'NaN'],
  [['NaN', 1e308, 1e308], 'NaN', 'NaN'],
]
const SINGLES: readonly Case[] = [
  [[1.5, 2.25, null], 3.75, 1.875],
  [[null], null, null],
  [[3e38, 3e38], 'Infinity', 3e38],
  [[-3e38, -3e38], '-Infinity', -3e38],
  [[3e38, 3e38, -3e38], 3e38, 1e38],
  [[MAX_SINGLE], MAX_SINGLE, MAX_SINGLE],
  [['NaN', 1], 'NaN', 'NaN'],
  [['Infinity', 1], 'Infinity', 'Infinity'],
]
const EXACT: readonly Case[] = [
  [[1.5, 2.25, null], 3.75, 1.875], [['1e400'], Infinity, 'Infinity'], [['-1e400'], -Infinity, '-Infinity'],
  [['1e-400', '3e-400'], 0, 0], [['0'], 0, 0],
]

/** Equal, or apart by at most the rounding error of 32-bit numbers. */
const near = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= 1e-7 * Math.abs(b))

await forEachDatabase(t, { entities: [Box, Gauge] }, async (t, { orm }) => {
  const { sum, avg } = AllowedInclude
  const app = await serve(t, orm, {
    '/boxes': resource(Box, {
      allowedFields: ['id'],
      allowedIncludes: ['double', 'single', 'exact'].flatMap((name) => [sum(`gauges.${name}`), avg(`gauges.${name}`)]),
    }),
  })
  let box = 0
  const columns: ReadonlyArray<
    readonly [column: string, cases: readonly Case[], same: (a: unknown, b: unknown) => boolean]
  > = [['double', DOUBLES, (a, b) => a === b || near(a, b)], ['single', SINGLES, near], ['exact', EXACT, near]]
  for (const [column, cases, same] of columns) {
    t.test(`${column} has sums and means`, async (t) => {
      for (const [rows, total, mean] of cases) {
        const id = ++box
        await orm.em.fork().execute(`insert into box (id) values (${id})`)
        for (const row of rows) {
          await orm.em.fork().execute(
            `insert into gauge (box_id, ${column}) values (${id}, ${row === null ? 'null' : `'${row}'`})`
          )
        }
        const name = `gauges${column[0]!.toUpperCase()}${column.slice(1)}`
        const record: Json = await client(app, `/boxes/${id}`).get(`fields=id&include=${name}Sum,${name}Avg`)
        const { [`${name}Sum`]: gotTotal, [`${name}Avg`]: gotMean } = record
        t.ok(same(gotTotal, total), `sum of ${rows.join()} is ${gotTotal}, expected ${total}`)
        t.ok(same(gotMean, mean), `mean of ${rows.join()} is ${gotMean}, expected ${mean}`)
      }
    })
  }

  t.test('the means of ordinary numbers equal those of PostgreSQL', async (t) => {
    const em = orm.em.fork()
    const id = ++box
    await em.execute(`insert into box (id) values (${id})`)
    await em.execute(
      `insert into gauge (box_id, double, single) select ${id}, sin(n) * power(10, n % 30), ` +
        'cos(n) * power(10, n % 15) from generate_series(1, 500) as n'
    )
    const [expected] = await em.execute<[{ sum: number, avg: number, single: number }]>(
      `select sum(double), avg(double), avg(single) as single from gauge where box_id = ${id}`
    )
    const record = await client(app, `/boxes/${id}`).get(
      'fields=id&include=gaugesDoubleSum,gaugesDoubleAvg,gaugesSingleAvg'
    )
    t.strictSame([record.gaugesDoubleSum, record.gaugesDoubleAvg, record.gaugesSingleAvg], [
      expected.sum, expected.avg, expected.single,
    ])
  })
})
