/** Two lists of the same request: which columns and records differ. */
import t from 'tap'
import type { Column } from '../../explorer/api/columns.ts'
import { compare } from '../../explorer/api/compare.ts'
import type { Row } from '../../explorer/api/records.ts'

const columns = (...names: readonly string[]): Column[] =>
  names.map((name) => ({ name, key: name, title: name, isNumeric: false }))
const keyOf = ({ id }: Row): string | undefined => id === undefined ? undefined : String(id)

const compared = (left: readonly Row[], right: readonly Row[], names = ['a', 'id', 'b'], others = names) =>
  compare({ columns: columns(...names), rows: left }, { columns: columns(...others), rows: right }, keyOf,
    ({ name }) => name === 'id')
const idsOf = (rows: readonly Row[]) => rows.map(({ id = null }) => id)
const marksOf = (rows: readonly Row[], marks: ReadonlyMap<Row, ReadonlySet<string>>) =>
  rows.map((row) => [...marks.get(row) ?? []])

t.test('columns that differ come after the key and before the others, and the values are marked', async (t) => {
  const { columns, sides: [left, right] } = compared([{ id: 1, a: 1, b: { c: 1 } }, { id: 2, a: 1, b: null }], [{
    id: 1, a: 1, b: { c: 2 },
  }, { id: 2, a: 1, b: null }])
  t.strictSame(columns.map(({ name, differs }) => [name, differs]), [['id', undefined], ['b', true], ['a', undefined]])
  t.strictSame(marksOf(left.rows, left.marks), [['b'], []])
  t.strictSame(marksOf(right.rows, right.marks), [['b'], []])
  t.equal(left.only + right.only, 0)
})

t.test('a column that only one side has differs, even without records', async (t) => {
  const { columns } = compared([], [], ['id', 'a', 'b'], ['id', 'a', 'c'])
  t.strictSame(columns.map(({ name, differs }) => [name, differs]), [
    ['id', undefined], ['b', true], ['c', true], ['a', undefined],
  ])
})

t.test('records stand beside themselves, and a record that one side lacks has an empty row there', async (t) => {
  const rows = (...ids: readonly number[]): Row[] => ids.map((id) => ({ id }))
  const cases = [
    [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]],
    [[1, 2, 3], [2, 3], [1, 2, 3], [null, 2, 3]],
    [[2, 3], [1, 2, 4, 3, 5], [null, 2, null, 3, null], [1, 2, 4, 3, 5]],
    [[1], [2], [1, null], [null, 2]],
    [[], [1, 2], [null, null], [1, 2]],
    // another order: that of the left list counts
    [[1, 2, 3], [3, 4, 1], [null, 1, 2, 3], [4, 1, null, 3]],
  ] as const
  for (const [left, right, leftIds, rightIds] of cases) {
    const { sides } = compared(rows(...left), rows(...right), ['id'])
    t.strictSame(sides.map(({ rows }) => idsOf(rows)), [leftIds, rightIds])
    t.equal(sides[0].only, rightIds.filter((id) => id === null).length)
    t.equal(sides[1].only, leftIds.filter((id) => id === null).length)
  }
})

t.test('records without a key are compared by their places', async (t) => {
  const { sides: [left, right] } = compared([{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 3 }, { a: 4 }], ['a'])
  t.strictSame(left.rows, [{ a: 1 }, { a: 2 }, {}])
  t.strictSame(marksOf(right.rows, right.marks), [[], ['a'], ['a']])
})

t.test('no record is lost or repeated if keys are not unique', async (t) => {
  const { sides: [left, right] } = compared([{ id: 1, a: 1 }, { id: 1, a: 2 }], [{ id: 1, a: 1 }, { id: 1, a: 3 }])
  const textsOf = (rows: readonly Row[]) => rows.map(({ a = null }) => a)
  t.strictSame(textsOf(left.rows).filter((a) => a !== null), [1, 2])
  t.strictSame(textsOf(right.rows).filter((a) => a !== null), [1, 3])
})
