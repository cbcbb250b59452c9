/** The conditions of a page by cursor, as text: the bounds that an index can use. */
import t from 'tap'
import { AllowedField } from '../../src/config/index.ts'
import type { KeysetPlan } from '../../src/plan/index.ts'
import { type Position, planPage } from '../../src/plan/position.ts'
import { Plant } from '../fixtures/entities.ts'
import { planOf, whitelistOf } from '../plan/helper.ts'
import { compiled } from './helper.ts'

const whitelist = whitelistOf({
  allowedSorts: ['id', 'name', 'price', 'position', 'created_at', 'supplier.name', 'nameLength'],
}, Plant)

/** For each segment, the conditions between the one on deleted rows and the order. */
function conditions (sort: string, position: Partial<Position> & Pick<Position, 'values'>, witness = false): string[] {
  const first = planOf(`cursor=&fields=&sort=${sort}`, whitelist) as unknown as KeysetPlan
  const { text } = compiled(
    planPage({ ...first, selection: { ...first.selection, properties: [] } }, {
      side: 'after', inclusive: false, texts: [], ...position,
    }, { witness })
  )
  return [...text.matchAll(/"deleted_at" is null and (.*?) order by/g)].map(([, condition]) =>
    condition!.replaceAll(/"e\d"\./g, '').replaceAll('"', '')
  )
}

t.test('one direction without nulls is a comparison of rows', async (t) => {
  t.strictSame(conditions('', { values: [1] }), ['id > $1'])
  t.strictSame(conditions('', { values: [1], side: 'before' }), ['id < $1'])
  t.strictSame(conditions('-id', { values: [1], inclusive: true }), ['id <= $1'])
  t.strictSame(conditions('name', { values: ['a', 1] }), ['(name, id) > ($1, $2)'])
  t.strictSame(conditions('-name,-id', { values: ['a', 1], side: 'before' }), ['(name, id) > ($1, $2)'])
  t.strictSame(conditions('name', { values: ['a', 1] }, true), ['(name, id) >= ($1, $2)'], 'with the witness')
})

t.test('mixed directions are a bound, and the next terms among the rows on it', async (t) => {
  t.strictSame(conditions('-created_at', { values: ['2024', 1] }), [
    'created_at <= $1 and case when created_at = $1 then id > $2 else true end',
  ])
  t.strictSame(conditions('-created_at', { values: ['2024', 1], side: 'before' }), [
    'created_at >= $1 and case when created_at = $1 then id < $2 else true end',
  ])
})

t.test('rows with the same value are a separate segment if there are many', async (t) => {
  t.strictSame(conditions('-position', { values: [4, 1] }), ['order = $1 and id > $2', 'order < $1'])
  t.strictSame(conditions('position', { values: [4, 1] }), ['(order, id) > ($1, $2)'], 'unless rows can be compared')
})

t.test('nulls are a separate segment after the values', async (t) => {
  t.strictSame(conditions('price', { values: [9, 1] }), ['(price, id) > ($1, $2)', 'price is null'])
  t.strictSame(conditions('-price', { values: [9, 1] }), [
    'price <= $1 and case when price = $1 then id > $2 else true end',
    'price is null',
  ])
  t.strictSame(conditions('price', { values: [null, 1] }), ['price is null and id > $1'])
  t.strictSame(conditions('price', { values: [null, 1], side: 'before' }), [
    'price is null and id < $1',
    'price is not null',
  ])
  t.strictSame(conditions('price', { values: [9, 1], side: 'before' }), ['(price, id) < ($1, $2)'])
})

t.test('an order without a usable index is one condition', async (t) => {
  t.strictSame(conditions('supplier.name', { values: ['a', 1] }).length, 1)
  t.match(conditions('supplier.name', { values: ['a', 1] })[0], '((name, id) > ($1, $2) or name is null)')
  t.match(conditions('supplier.name', { values: [null, 1], side: 'before' })[0],
    'case when name is null then id < $1 else true end')
  t.match(conditions('supplier.name,-price', { values: ['a', null, 1] })[0],
    '(name >= $1 or name is null) and case when name = $1 then price is null and id > $2 else true end')
})

t.test('the record of the row at the place is not written', async (t) => {
  const first = planOf('cursor=&fields=id&sort=position', whitelistOf({
    allowedFields: [new AllowedField('id')], allowedSorts: ['position'],
  }, Plant)) as unknown as KeysetPlan
  const item = (values: Position['values'], witness = true) =>
    compiled(planPage(first, { side: 'after', inclusive: false, texts: [], values }, { witness }))
      .text.slice('select '.length).replace(/ as "item".*/, '')
  const record = 'row_to_json("@row".*)::text'
  const unless = (row: string) => `case when (${row}) is not true then ${record} end`
  t.equal(item([3, 1]), unless('"@page"."@sort0" = $1 and "@page"."id" = $2'))
  t.equal(item([null, 1]), unless('"@page"."@sort0" is null and "@page"."id" = $1'), 'a null never equals a value')
  t.equal(item([3, 1], false), record, 'a page without that row')
})
