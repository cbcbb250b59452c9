/** The plan of PostgreSQL for a page deep in a large list. PGlite has the same planner, and takes longer to fill. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { doInTurn } from '../../src/base/steps.ts'
import { planList, planOtherSide, type KeysetPlan } from '../../src/plan/index.ts'
import { readPosition, planPage } from '../../src/plan/position.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { databases, skipReasons } from '../helpers/databases.ts'
import { resource, select, type Json } from '../http/helper.ts'
import { entity } from '../helpers/entity.ts'

const Measurement = entity('Measurement', {
  id: p.integer().primary().autoincrement(), at: p.datetime(6),
  // a few rows have the same value
  batch: p.bigint('string'),
  // a third of the rows have the same value
  state: p.enum(['new', 'checked', 'void'] as const),
  // every second row has null; a hundred rows have the same value
  score: p.integer().nullable(), note: p.text(),
}, { indexes: [{ properties: ['at', 'id'] }, { properties: ['batch', 'id'] }] })

const ROWS = 100_000
const FILL = `insert into measurement (at, batch, state, score, note)
  select timestamptz '2025-01-01T00:00:00Z' + (i::bigint * 7919 % ${ROWS}) * interval '1 minute', i / 5,
  (array['new', 'checked', 'void'])[i % 3 + 1], case when i % 2 = 0 then i * 31 % 500 end, 'note ' || i
  from generate_series(1, ${ROWS}) i`
const INDEXES = `create index on measurement (state desc, id); create index on measurement (state, id);
  create index on measurement (score, id); create index on measurement (score desc nulls last, id);
  create index on measurement (state, score desc nulls last, id)`

const crud = resource(Measurement, {
  allowedFilters: [{ note: ['contains'] }],
  allowedSorts: ['id', 'at', 'batch', 'state', 'score'],
})

/** The number of rows that scans have read. */
function rowsRead (node: Json): number {
  const own = /Scan$/.test(node['Node Type']) && node['Node Type'] !== 'Subquery Scan'
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0
  return (node.Plans ?? []).reduce((sum: number, child: Json) => sum + rowsRead(child), own)
}

const scans = (
  node: Json
): string[] => [...(/Scan$/.test(node['Node Type']) ? [node['Node Type']] : []), ...(node.Plans ?? []).flatMap(scans)]

const open = new Map(databases).get('postgres')!

await t.test('PostgreSQL', { skip: skipReasons.postgres }, async (t) => {
  const { orm, close } = await open({ entities: [Measurement] })
  t.teardown(close)
  const connection = orm.em.getConnection()
  await connection.execute(FILL)
  for (const statement of [...INDEXES.split(';'), 'vacuum analyze measurement']) await connection.execute(statement)
  const em = orm.em.fork()
  const { whitelist } = crud.bind(em)

  const explain = async (plan: KeysetPlan): Promise<Json> => {
    const { text, values } = await doInTurn(crud.bind(em).prepare(em, plan, {}, 'list'))
    const { rows: [row] } = await (await connection.getNativeClient() as Json).query(
      `explain (analyze, format json) ${text}`,
      values
    )
    return (typeof row['QUERY PLAN'] === 'string' ? JSON.parse(row['QUERY PLAN']) : row['QUERY PLAN'])[0].Plan
  }

  for (const [sort, order] of [
    ['', 'id'], ['-id', 'id desc'], ['at', 'at, id'], ['-at', 'at desc, id'], ['-batch', 'batch desc, id'],
    ['batch,-id', 'batch, id desc'], ['state', 'state, id'], ['-state', 'state desc, id'], ['score', 'score, id'],
    ['-score', 'score desc nulls last, id'], ['state,-score', 'state, score desc nulls last, id'],
  ] as const) {
    t.test(`a deep page by ${sort || 'the key'} reads few rows`, async (t) => {
      const first = planList(parseQueryParams(`cursor=&per_page=20&sort=${sort}`), whitelist) as KeysetPlan
      const columns = order.split(', ').map((term) => term.split(' ')[0]!)
      for (const depth of [33_400, 49_990, 50_010]) {
        const [row] = await select(
          orm,
          `select ${
            columns.map((column) => `${column === 'at' ? "at at time zone 'UTC'" : column}::text as ${column}`).join()
          } from measurement order by ${order} offset ${depth} limit 1`
        )
        for (const side of ['after', 'before'] as const) {
          const position = readPosition({ side, inclusive: false, texts: columns.map((column) => row[column]) },
            first.order)!
          const page = planPage(first, position, { witness: true })
          for (const plan of [page, planOtherSide(page)!]) {
            const root = await explain(plan)
            const read = rowsRead(root)
            if (read > 150 || scans(root).includes('Seq Scan')) {
              t.fail(`${side} ${depth}: ${read} rows read`, { root: JSON.stringify(root, null, 1) })
            }
          }
        }
      }
      t.pass(sort)
    })
  }
})
