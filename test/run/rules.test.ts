/** The columns that rules of the database read, by the names that errors have for the rules. */
import t from 'tap'
import { columnsOfRule, noteRules } from '../../src/run/index.ts'

const rows = [
  { table: '"plant"', kind: 'check', rule: 'plant_price', columns: '["price","limit"]' },
  { table: '"plant"', kind: 'domain', rule: 'email', columns: '["contact"]' },
  { table: '"plant"', kind: 'domain', rule: 'colour', columns: '["leaf","flower"]' },
  { table: '"other"."plant"', kind: 'check', rule: 'plant_price', columns: '["cost"]' },
]
const error = (more: object) => Object.assign(new Error('refused'), { code: '23514', ...more })

t.test('a rule is found by its table and name', async (t) => {
  const driver = {}
  const em = { getDriver: () => driver } as any
  t.equal(columnsOfRule(em, '"plant"', error({ constraint: 'plant_price' })), undefined, 'the server was not asked')
  noteRules(em, rows)
  const cases: ReadonlyArray<readonly [table: string, error: object, columns: readonly string[] | undefined]> = [
    ['"plant"', { constraint: 'plant_price' }, ['price', 'limit']],
    ['"public"."plant"', { constraint: 'plant_price' }, ['price', 'limit']],
    ['"other"."plant"', { constraint: 'plant_price' }, ['cost']],
    ['"plant"', { constraint: 'plant_price_102008' }, ['price', 'limit']],
    ['"plant"', { constraint: 'another' }, undefined],
    ['"plant"', {}, undefined],
    ['"absent"', { constraint: 'plant_price' }, undefined],
    ['"plant"', { constraint: 'email_check', dataType: 'email' }, ['contact']],
    ['"plant"', { constraint: 'colour_check', dataType: 'colour' }, undefined],
  ]
  for (const [table, more, columns] of cases) {
    t.strictSame(columnsOfRule(em, table, error(more)), columns, JSON.stringify([table, more]))
  }
})
