import t from 'tap'
import { ALLOWED_LIMIT, listed, nearest } from '../src/base/suggest.ts'

t.test('the nearest name is suggested if it is near enough', async (t) => {
  const names = ['name', 'price', 'created_at', 'updated_at', 'id', 'description']
  const cases: ReadonlyArray<readonly [given: string, suggestion: string | undefined]> = [
    ['name', 'name'], ['nmae', 'name'], ['nam', 'name'], ['names', 'name'], ['prise', 'price'],
    ['createdAt', 'created_at'], ['created', 'created_at'], ['creatd_at', 'created_at'], ['i', 'id'], ['ids', 'id'],
    ['descripton', 'description'], ['zzz', undefined], ['status', undefined], ['', undefined],
    ['n'.repeat(101), undefined],
  ]
  for (const [given, suggestion] of cases) t.equal(nearest(given, names), suggestion, given.slice(0, 20))
  t.equal(nearest('name', []), undefined)
  for (const far of ['secret', 'start', 'soft', 'tart', 'sr', 'paper', 'nape']) {
    t.equal(nearest(far, ['sort', 'page']), far === 'soft' ? 'sort' : undefined, far)
  }
  for (
    const [given, meant] of [['sotr', 'sort'], ['osrt', 'sort'], ['sor', 'sort'], ['sortt', 'sort'], ['srot', 'sort'], [
      'pgae',
      'page',
    ]]
  ) {
    t.equal(nearest(given!, ['sort', 'page']), meant,
      `short names have one mistake, such as two letters that changed places: ${given}`)
  }
  t.equal(nearest('dsc', ['asc', 'desc']), 'desc', 'of two that are as near, the one with the same first letter')
})

t.test('in names of one or two letters, few mistakes are near', async (t) => {
  const cases: ReadonlyArray<readonly [given: string, candidates: readonly string[], suggestion: string | undefined]> =
    [
      ['id', ['d', 'i'], undefined], ['id', ['ip', 'ad', 'is', 'do'], undefined], ['id', ['uid', 'kid'], undefined],
      ['id', ['idx'], 'idx'], ['di', ['id'], 'id'], ['ID', ['id'], 'id'], ['x', ['y', 'z'], undefined],
      ['X', ['x'], 'x'], ['d', ['id'], undefined], ['i', ['id'], 'id'], ['i', ['identity'], undefined],
      ['ids', ['id'], 'id'], ['pid', ['id'], undefined], ['is', ['ids'], 'ids'], ['abc', ['ab', 'c'], 'ab'],
      ['yx', ['x', 'y'], undefined], ['cat', ['car'], 'car'],
    ]
  for (const [given, candidates, suggestion] of cases) {
    t.equal(nearest(given, candidates), suggestion, `${given} of ${candidates.join(', ')}`)
  }
  t.equal(nearest('STATUS', ['state', 'status']), 'status', 'upper and lower case are one name')
})

t.test('a path is near if each of its names is', async (t) => {
  const paths = ['labels.name', 'customer.name', 'customer.address.city', 'owner']
  const cases: ReadonlyArray<readonly [given: string, suggestion: string | undefined]> = [
    ['agent.name', undefined], ['custmer.name', 'customer.name'], ['customer.nmae', 'customer.name'],
    ['labels.nam', 'labels.name'], ['customer_name', 'customer.name'], ['customer.id', undefined],
    ['customer.adress.city', 'customer.address.city'], ['ownr', 'owner'],
  ]
  for (const [given, suggestion] of cases) t.equal(nearest(given, paths), suggestion, given)
})

t.test('a list of names is sorted and shortened without changing the original', async (t) => {
  const names = ['b', 'a', 'c']
  t.strictSame(listed(names), ['a', 'b', 'c'])
  t.strictSame(names, ['b', 'a', 'c'])
  t.strictSame(listed(new Set(['y', 'x'])), ['x', 'y'])
  t.equal(listed(Array.from({ length: 1000 }, (_, index) => `n${index}`)).length, ALLOWED_LIMIT)
})
