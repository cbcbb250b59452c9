import t from 'tap'
import { AllowedSort } from '../../src/config/index.ts'
import { OrderItem, Shelf } from '../fixtures/entities.ts'
import { errorsOf, orderOf, planOf, whitelistOf } from './helper.ts'

const plants = whitelistOf({
  allowedSorts: [
    new AllowedSort('id'),
    new AllowedSort('name', 'price'),
    new AllowedSort('created_at', { direction: 'desc' }),
    new AllowedSort('articleNumber'),
    new AllowedSort('supplier'),
    new AllowedSort('supplier.name'),
    new AllowedSort('supplier.address.city'),
    new AllowedSort('group.parent.name', { alias: 'family' }),
    new AllowedSort('status', 'position', { alias: 'rank' }),
    new AllowedSort('position', 'id', { alias: 'last', direction: 'desc' }),
  ],
  defaultSort: ['-created_at'],
})
const order = (query: string, whitelist = plants) => orderOf(planOf(query, whitelist))

t.test('a sort has a direction, and a tie-break', async (t) => {
  const cases: ReadonlyArray<readonly [query: string, order: string[]]> = [
    ['sort=name', ['name', 'id']],
    ['sort=-name', ['name desc', 'id']],
    ['sort=%2Bname', ['name', 'id']],
    ['sort=+name', ['name', 'id']],
    ['sort=name,-price', ['name', 'price desc', 'id']],
    ['sort=price&sort=name', ['price', 'name', 'id']],
    ['sort=sku', ['articleNumber', 'id']],
    ['sort=created_at', ['created_at desc', 'id']],
    ['sort=%2Bcreated_at', ['created_at', 'id']],
    ['sort=+created_at', ['created_at', 'id']],
    ['sort=-created_at', ['created_at desc', 'id']],
    ['sort=supplier', ['supplier', 'id']],
    ['sort=-supplier.name', ['supplier.name desc', 'id']],
    ['sort=supplier.address.city', ['supplier.city', 'id']],
    ['sort=family', ['group.parent.name', 'id']],
    ['sort=rank', ['status', 'position', 'id']],
    ['sort=-rank', ['status desc', 'position desc', 'id']],
    ['sort=last', ['position desc', 'id desc']],
    ['sort=id', ['id']],
    ['sort=-id', ['id desc']],
    ['sort=-id,name', ['id desc', 'name']],
  ]
  for (const [query, expected] of cases) t.strictSame(order(query), expected, query)
})

t.test('without a sort the default applies, else the key', async (t) => {
  for (const query of ['', 'sort=', 'sort=&sort=']) t.strictSame(order(query), ['created_at desc', 'id'], query)
  t.strictSame(order('', whitelistOf({})), ['id'])
})

t.test('the tie-break has all columns of a composite key, each once', async (t) => {
  t.strictSame(order('', whitelistOf({}, Shelf)), ['house', 'number'])
  t.strictSame(order('sort=-number', whitelistOf({ allowedSorts: [new AllowedSort('number')] }, Shelf)), [
    'number desc', 'house',
  ])
  t.strictSame(order('sort=plant', whitelistOf({ allowedSorts: [new AllowedSort('plant')] }, OrderItem)), [
    'plant', 'order',
  ])
})

t.test('one property under two names may be sorted by twice', async (t) => {
  t.strictSame(
    order(
      'sort=name,n',
      whitelistOf({ allowedSorts: [new AllowedSort('name'), new AllowedSort('name', { alias: 'n' })] })
    ),
    ['name', 'name', 'id']
  )
})

t.test('a sort that is not allowed is refused, with the nearest allowed one', async (t) => {
  const allowed = [
    'created_at', 'family', 'id', 'last', 'name', 'price', 'rank', 'sku', 'supplier', 'supplier.address.city',
    'supplier.name',
  ]
  t.strictSame(errorsOf('sort=-nmae', plants), [{
    source: { parameter: 'sort' },
    code: 'FST_CRUD_SORT_INVALID',
    detail: `The sort 'nmae' is not allowed. Did you mean 'name'? Allowed: ${allowed.join(', ')}.`,
    allowed,
    suggestion: 'name',
  }])
  for (const name of [
    'status', 'articleNumber', 'group.parent.name', '--name', '-+name', 'Name', 'name desc', 'name;', '__proto',
    'purchasePrice', 'name asc nulls first',
  ]) {
    t.match(errorsOf(`sort=${encodeURIComponent(name)}`, plants), [{
      code: 'FST_CRUD_SORT_INVALID',
      detail: /^The sort '.*' is not allowed\./,
    }], name)
  }
  t.strictSame(
    JSON.stringify(errorsOf('sort=purchasePrice', plants)),
    JSON.stringify(errorsOf('sort=purchaseCrate', plants)).replaceAll('purchaseCrate', 'purchasePrice')
  )
})

t.test('a repeated sort is refused, whatever its directions', async (t) => {
  for (const query of ['sort=name,name', 'sort=name,-name', 'sort=name&sort=+name', 'sort=name,price,name']) {
    t.strictSame(errorsOf(query, plants), [{
      source: { parameter: 'sort' },
      code: 'FST_CRUD_SORT_INVALID',
      detail: "The sort 'name' is given more than once.",
    }], query)
  }
})
