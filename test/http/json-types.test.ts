/** Filters inside JSON see values of their declared type. Any other value counts as null. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, type Operator } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { ON_BOOLEANS, ON_NUMBERS, ON_TEXTS } from '../helpers/operators.ts'
import { recordStatements } from '../helpers/statements.ts'
import { client, q, resource, serve } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Size = entity('Size', { unit: p.string().nullable(), grade: p.enum([1, 2]).nullable() }, { embeddable: true })
const Thing = entity('Thing', {
  id: p.integer().primary(), binary: p.json().nullable(), plain: p.json().columnType('json').nullable(),
  size: () => p.embedded(Size).object().nullable(),
})

/** The JSON at `k`, by id from 1 on; `undefined` if `k` is missing. */
const VALUES = ['"5"', '5', '"true"', 'true', 'false', '"abc"', 'null', '[5]', '{"a":1}', undefined, '"5.0"', '7']
const STRINGS = [1, 3, 6, 11]
const NUMBERS = [2, 12]
const BOOLEANS = [4, 5]
const others = (ids: readonly number[]) => VALUES.map((_, index) => index + 1).filter((id) => !ids.includes(id))

const OPERATORS: Readonly<Record<string, Operator[]>> = { string: ON_TEXTS, number: ON_NUMBERS, boolean: ON_BOOLEANS }
const CASES: ReadonlyArray<readonly [type: string, operator: Operator, value: string, ids: readonly number[]]> = [
  ['string', 'eq', '5', [1]],
  ['string', 'eq', 'true', [3]],
  ['string', 'eq', '[5]', []],
  ['string', 'eq', 'null', []],
  ['string', 'ne', '5', [3, 6, 11]],
  ['string', 'ne', 'zzz', STRINGS],
  ['string', 'nin', '5,true', [6, 11]],
  ['string', 'in', '5,7,true,false', [1, 3]],
  ['string', 'in', '', []],
  ['string', 'lte', '5.0', [1, 11]],
  ['string', 'lt', 'zzz', STRINGS],
  ['string', 'gt', '', STRINGS],
  ['string', 'gte', '5', STRINGS],
  ['string', 'between', '5,9', [1, 11]],
  ['string', 'like', '%', STRINGS],
  ['string', 'ieq', 'TRUE', [3]],
  ['string', 'ieq', 'tru', []],
  ['string', 'ilike', 'TRU%', [3]],
  ['string', 'contains', '5', [1, 11]],
  ['string', 'starts', '7', []],
  ['string', 'ends', 'e', [3]],
  ['string', 'isnull', 'true', others(STRINGS)],
  ['string', 'isnull', 'false', STRINGS],
  ['number', 'eq', '5', [2]],
  ['number', 'ne', '5', [12]],
  ['number', 'in', '5,7', NUMBERS],
  ['number', 'nin', '5', [12]],
  ['number', 'lt', '6', [2]],
  ['number', 'lte', '7', NUMBERS],
  ['number', 'gt', '-1', NUMBERS],
  ['number', 'gte', '7', [12]],
  ['number', 'between', '1,6', [2]],
  ['number', 'isnull', 'true', others(NUMBERS)],
  ['number', 'isnull', 'false', NUMBERS],
  ['boolean', 'eq', 'true', [4]],
  ['boolean', 'ne', 'true', [5]],
  ['boolean', 'in', 'true,false', BOOLEANS],
  ['boolean', 'nin', 'true', [5]],
  ['boolean', 'isnull', 'true', others(BOOLEANS)],
  ['boolean', 'isnull', 'false', BOOLEANS],
]

await forEachDatabase(t, { entities: [Thing, Size] }, async (t, { orm }) => {
  const em = orm.em.fork()
  // the table is still empty: PostgreSQL does not use an index over changed rows while an older transaction runs
  // anywhere on the server, such as that of another test
  await em.execute('create index things_k on thing (("binary"->>\'k\'))')
  for (const [index, value] of VALUES.entries()) {
    const object = value === undefined ? '{}' : `{"k":${value}}`
    await em.execute(`insert into thing (id, "binary", plain) values (${index + 1}, '${object}', '${object}')`)
  }
  const paths = ['binary', 'plain'].flatMap((column) => Object.keys(OPERATORS).map((type) => [column, type] as const))
  const app = await serve(t, orm, {
    '/things': resource(Thing, {
      allowedFilters: [
        ...paths.map(([column, type]) =>
          new AllowedFilters(`${column}.k`, 'eq', OPERATORS[type], {
            type: type as 'string',
            alias: `${column}_${type}`,
          })
        ),
        AllowedFilters.search('q', ['binary.k']),
        AllowedFilters.anyOf('any', [
          new AllowedFilters('binary.k', 'eq', { type: 'string' } as never),
          new AllowedFilters('id'),
        ]),
        { 'size.unit': ['eq', 'ne', 'isnull'], 'size.grade': ['eq', 'ne', 'isnull'] },
      ],
      defaultSort: ['id'],
    }),
  })
  const { all } = client(app, '/things')

  for (const [column, type] of paths) {
    t.test(`a filter compares ${type} in ${column}`, async (t) => {
      const cases = CASES.filter((one) => one[0] === type)
      t.strictSame([...new Set(cases.map(([, operator]) => operator))].sort(), [...OPERATORS[type]!].sort(),
        'every operator')
      for (const [, operator, value, ids] of cases) {
        t.strictSame(await all('id', q`filter[${`${column}_${type}`}][${operator}]=${value}`), ids,
          `${operator} ${value}`)
      }
    })
  }

  t.test('searches and groups see only strings', async (t) => {
    t.strictSame(await all('id', 'filter[q]=5'), [1, 11])
    t.strictSame(await all('id', 'filter[any]=7'), [7])
    t.strictSame(await all('id', 'filter[any]=5'), [1, 5])
  })

  t.test('properties of embedded objects have their types', async (t) => {
    await em.execute(
      'update thing set size = case id when 1 then \'{"unit":"cm","grade":1}\'::jsonb ' +
        'when 2 then \'{"unit":5,"grade":"1"}\' when 3 then \'{"unit":null,"grade":2}\' end'
    )
    t.strictSame(await all('id', 'filter[size.unit]=5'), [])
    t.strictSame(await all('id', 'filter[size.unit][isnull]=false'), [1])
    t.strictSame(await all('id', 'filter[size.grade]=1'), [1])
    t.strictSame(await all('id', 'filter[size.grade][ne]=1'), [3])
    t.strictSame(await all('id', 'filter[size.grade][isnull]=false'), [1, 3])
  })

  t.test('filters of JSON use these expressions', async (t) => {
    const recorder = await recordStatements(orm, t)
    const asks = async (query: string, condition: string) => {
      recorder.take()
      await all('id', query)
      t.ok(recorder.take()[0]!.sql.replace(/\$\d/g, '$').includes(` where ${condition} limit 10001)`), condition)
    }
    await asks('filter[binary_string]=5',
      '(("e0"."binary"->>\'k\') = $ and jsonb_typeof("e0"."binary"->\'k\') = \'string\')')
    await asks('filter[plain_string][nin]=5',
      '(("e0"."plain"->>\'k\') <> all($) and json_typeof("e0"."plain"->\'k\') = \'string\')')
    await asks('filter[binary_number][gt]=5',
      '(case when jsonb_typeof("e0"."binary"->\'k\') = \'number\' then ("e0"."binary"->>\'k\')::numeric end) > $')
    await asks('filter[plain_boolean][isnull]=true', '(json_typeof("e0"."plain"->\'k\') = \'boolean\') is not true')
    await asks('filter[binary_string][isnull]=false', 'jsonb_typeof("e0"."binary"->\'k\') = \'string\'')
  })

  t.test('a number that SQL cannot compare, which only the type json holds, counts for no comparison', async (t) => {
    const numbers = [
      '1e200000', '-2.5E+0200000', '1e-20000', '1e9999', '7'.repeat(140_000), `${'7'.repeat(125_000)}e9999`,
      `0.${'0'.repeat(20_000)}1`, `0.${'0'.repeat(9_000)}1e-9999`, `${'7'.repeat(5_995)}e9999`,
    ]
    for (const [id, number] of numbers.entries()) {
      await em.execute(`insert into thing (id, plain) values (${id + 101}, '{"k":${number}}')`)
    }
    t.strictSame(await all('id', 'filter[plain_number][gt]=6'), [12, 104, 109])
    t.strictSame(await all('id', 'filter[plain_number][lt]=6'), [2])
    await em.execute('delete from thing where id > 100')
  })

  t.test('an index on the text serves equality', async (t) => {
    const recorder = await recordStatements(orm, t)
    await em.execute(
      "insert into thing (id, \"binary\") select n, json_build_object('k', 't' || n) " +
        'from generate_series(1000, 3000) as n'
    )
    await em.execute('analyze thing')
    recorder.take()
    t.strictSame(await all('id', 'filter[binary_string]=t1234'), [1234])
    const { sql, params } = recorder.take()[0]! as { sql: string, params: readonly unknown[] }
    const plan = await em.execute(
      `explain ${sql.replace(/\$(\d)/g, (_, slot) => `'${params[Number(slot) - 1] as string}'`)}`
    )
    t.match(JSON.stringify(plan), 'things_k')
  })
})
