import t from 'tap'
import { AllowedSort } from '../../src/config/index.ts'

/** Arguments that a caller without types may pass. */
const Untyped = AllowedSort as unknown as new(...args: unknown[]) => AllowedSort

const refused = (message: string | RegExp) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('a sort is ascending, by each of its fields', async t => {
  t.match(new AllowedSort('name'), { kind: 'fields', fields: ['name'], direction: 'asc' })
  t.equal(new AllowedSort('name').alias, undefined)
  t.match(new AllowedSort('price', 'author.name'), { fields: ['price', 'author.name'], direction: 'asc' })
})

t.test('options come last', async t => {
  t.match(new AllowedSort('created_at', { direction: 'desc' }), { fields: ['created_at'], direction: 'desc' })
  t.match(new AllowedSort('a', 'b', { direction: 'desc', alias: 'both' }), {
    fields: ['a', 'b'], direction: 'desc', alias: 'both',
  })
  t.match(new AllowedSort('a', undefined), { fields: ['a'], direction: 'asc' })
})

t.test('sorts are frozen', async t => {
  const sort = new AllowedSort('name', 'price')
  t.ok(Object.isFrozen(sort))
  t.ok(Object.isFrozen(sort.fields))
})

t.test('fields must be given, each once', async t => {
  t.throws(() => new Untyped(), refused('AllowedSort: name at least one property'))
  t.throws(() => new Untyped({ alias: 'a' }),
    refused('AllowedSort: a property is named by a non-empty string, got an object'))
  t.throws(() => new Untyped(undefined),
    refused('AllowedSort: a property is named by a non-empty string, got undefined'))
  t.throws(() => new Untyped('a', 1), refused('AllowedSort: a property is named by a non-empty string, got 1'))
  t.throws(() => new Untyped('a', {}, 'b'),
    refused('AllowedSort: a property is named by a non-empty string, got an object'))
  t.throws(() => new AllowedSort('a', 'b', 'a'), refused("AllowedSort 'a', 'b', 'a': 'a' is named twice"))
})

t.test('a direction is an option, asc or desc', async t => {
  t.throws(
    () => new AllowedSort('-price'),
    refused(
      "AllowedSort: '-price' starts with '-', but the direction is an option: " +
        "new AllowedSort('price', { direction: 'desc' })"
    )
  )
  t.throws(() => new AllowedSort('+price'), refused(/new AllowedSort\('price', \{ direction: 'asc' \}\)$/))
  t.throws(() => new Untyped('price', { direction: 'DESC' }),
    refused("AllowedSort 'price': direction: expected one of 'asc', 'desc', got 'DESC'. Did you mean 'desc'?"))
  t.throws(() => new Untyped('price', { direction: 'dsc' }),
    refused("AllowedSort 'price': direction: expected one of 'asc', 'desc', got 'dsc'. Did you mean 'desc'?"))
  t.throws(() => new Untyped('price', { direction: 'downwards' }),
    refused("AllowedSort 'price': direction: expected one of 'asc', 'desc', got 'downwards'."))
  t.throws(() => new Untyped('price', { direction: -1 }),
    refused("AllowedSort 'price': direction: expected one of 'asc', 'desc', got -1."))
})

t.test('unknown options and unwritable aliases are refused', async t => {
  t.throws(() => new Untyped('price', { dir: 'desc' }),
    refused("AllowedSort 'price': there is no option 'dir'. It has: alias, direction."))
  t.throws(() => new Untyped('price', { directon: 'desc' }),
    refused("AllowedSort 'price': there is no option 'directon'. Did you mean 'direction'?"))
  t.throws(() => new AllowedSort('price', { alias: '-p' }),
    refused("AllowedSort 'price': alias '-p' starts with '-', which is a direction in a query string"))
})
