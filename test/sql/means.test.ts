/** Means of decimals as numbers: their SQL, and its results at both ends of double precision. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import type { TypeOf } from '../../src/model/index.ts'
import { render, trusted } from '../../src/sql/fragment.ts'
import { meanOfDecimals } from '../../src/sql/sums.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'

const sqlOf = (digits: Pick<TypeOf<'decimal'>, 'precision' | 'scale'>): string =>
  render(meanOfDecimals(trusted('n'), { kind: 'decimal', form: 'number', ...digits } as TypeOf<'decimal'>)).text

const SHORT = 'avg(n)::float8'
const LONG = /^case when abs\(avg\(n\)\) > .* else avg\(n\)::float8 end$/

t.test('a mean that is in the range of double precision is only converted', async (t) => {
  for (const digits of [
    { precision: 10, scale: 2 }, { precision: 200, scale: 0 }, { precision: 200, scale: 200 }, { precision: 200 },
  ]) t.equal(sqlOf(digits), SHORT, JSON.stringify(digits))
  for (const digits of [
    {}, { precision: 201, scale: 0 }, { precision: 201, scale: 201 }, { precision: 10, scale: 201 },
    { precision: 10, scale: -191 },
  ]) t.match(sqlOf(digits), LONG, JSON.stringify(digits))
})

await forOneDatabase(t, { entities: [entity('Number', { id: p.integer().primary() })] }, async (t, { orm }) => {
  const mean = async (sql: string, numbers: readonly string[]): Promise<unknown> => {
    const rows = numbers.map((number) => `(${number}::numeric)`).join()
    const [row] = await orm.em.getConnection().execute(`select ${sql} as mean from (values ${rows}) as t (n)`)
    return row!.mean
  }
  const most = '9'.repeat(200)
  const least = `0.${'0'.repeat(199)}1`

  t.test('both forms have the same results for numbers of at most 200 digits', async (t) => {
    for (const [numbers, expected] of [
      [['1.50', '2.25'], 1.875],
      [['0.10', '0.20', '0.30'], 0.2],
      [['-1', '1'], 0],
      [['1', 'null', '2'], 1.5],
      [['null'], null],
      [[most, most], 1e200],
      [[`-${most}`], -1e200],
      [[least, least], 1e-200],
    ] as const) {
      for (const sql of [SHORT, sqlOf({})]) t.equal(await mean(sql, numbers), expected, `${sql} of ${numbers.join()}`)
    }
  })

  t.test('other numbers become infinity or zero', async (t) => {
    t.equal(await mean(sqlOf({}), ['1e400', '1e400']), Infinity)
    t.equal(await mean(sqlOf({}), ['-1e400']), -Infinity)
    t.equal(await mean(sqlOf({}), ['1e-400']), 0)
  })
})
