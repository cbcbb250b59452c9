/** Common parts of plans are made once. Mistakes are reported every time. */
import t from 'tap'
import { memoKey, Memo } from '../../src/plan/memo.ts'
import { planList, QueryErrors } from '../../src/plan/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { Tag } from '../fixtures/entities.ts'
import { errorsOf, whitelistOf } from './helper.ts'

const config = {
  allowedSorts: ['name', 'id'], allowedFields: ['id', 'name', 'plants.id', 'plants.name'], allowedIncludes: ['plants'],
}

t.test('the order and the selection of the same texts are the same objects', async (t) => {
  const whitelist = whitelistOf(config, Tag)
  const plan = (query: string) => planList(parseQueryParams(query), whitelist)
  const [a, b] = [
    plan('sort=-name&include=plants&fields=id&fields[plants]=name&page=1'),
    plan('fields[plants]=name&sort=-name&include=plants&fields=id&page=7'),
  ]
  t.equal(a.order, b.order)
  t.equal(a.selection, b.selection)
  t.not(plan('sort=name').order, a.order)
  t.not(plan('include=plants&fields=id&fields[plants]=id').selection, a.selection)
  t.ok(Object.isFrozen(a.order))
})

t.test('an error is reported every time', async (t) => {
  const whitelist = whitelistOf(config, Tag)
  for (const query of ['sort=nmae', 'fields=secret', 'include=plant', 'fields[plants]=id']) {
    for (let time = 0; time < 3; time++) t.equal(errorsOf(query, whitelist).length, 1, query)
  }
})

t.test('texts are never mistaken for others', async (t) => {
  // all texts of at most two of the characters that the key itself contains, in all lists of at most two
  const units = ['1', ':', ';']
  const texts = ['', ...units, ...units.flatMap((one) => units.map((other) => one + other))]
  const lists = [[], ...texts.map((text) => [text]), ...texts.flatMap((one) => texts.map((other) => [one, other]))]
  const keys = new Set(lists.flatMap((one) => lists.map((other) => memoKey(one, other))))
  t.equal(keys.size, lists.length ** 2)
  t.equal(memoKey([], [], []), '', 'a request without names has the empty key')
})

t.test('a flood of texts does not fill the memory', async (t) => {
  const memo = new Memo<{ readonly n: number }>()
  const made = (n: number) => memo.of(`${n}`, new QueryErrors(), () => ({ n }))
  const first = made(0)
  t.equal(made(0), first)
  for (let n = 1; n <= 1000; n++) made(n)
  t.not(made(0), first)
  t.strictSame(made(0), first)
})
