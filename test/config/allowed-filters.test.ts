import t from 'tap'
import { AllowedFilters } from '../../src/config/index.ts'

/** Arguments that a caller without types may pass. */
const Untyped = AllowedFilters as unknown as new(...args: unknown[]) => AllowedFilters

const refused = (message: string | RegExp) => ({ code: 'FST_CRUD_CONFIG_INVALID', statusCode: 500, message })

t.test('a filter has only its default operator by default', async t => {
  t.match(new AllowedFilters('name'), { kind: 'operators', field: 'name', defaultOperator: 'eq', operators: ['eq'] })
  t.equal(new AllowedFilters('name').alias, undefined)
  t.match(new AllowedFilters('price', 'gte'), { defaultOperator: 'gte', operators: ['gte'] })
  t.match(new AllowedFilters('price', 'gte', ['lte', 'gte']), { defaultOperator: 'gte', operators: ['lte', 'gte'] })
})

t.test('options come last, after any number of arguments', async t => {
  for (const filter of [
    new AllowedFilters('price', { alias: 'p' }),
    new AllowedFilters('price', 'eq', { alias: 'p' }),
    new AllowedFilters('price', 'eq', ['eq'], { alias: 'p' }),
    new AllowedFilters('price', undefined, undefined, { alias: 'p' }),
  ]) {
    t.match(filter, { field: 'price', alias: 'p', defaultOperator: 'eq', operators: ['eq'] })
  }
  t.equal(new AllowedFilters('price', { alias: undefined }).alias, undefined)
})

t.test('filters are frozen and share nothing with their arguments', async t => {
  const operators: Array<'eq' | 'ne'> = ['eq', 'ne']
  const filter = new AllowedFilters('name', 'eq', operators)
  operators.pop()
  t.strictSame(filter.operators, ['eq', 'ne'])
  t.ok(Object.isFrozen(filter))
  t.ok(Object.isFrozen(filter.operators))
})

t.test('an unknown operator is refused with the nearest one', async t => {
  t.throws(() => new Untyped('price', 'gtee'),
    refused("AllowedFilters 'price': there is no operator 'gtee'. Did you mean 'gte'?"))
  t.throws(() => new Untyped('price', 'eq', ['eq', 'betwen']),
    refused("AllowedFilters 'price': there is no operator 'betwen'. Did you mean 'between'?"))
  t.throws(() => new Untyped('price', 'greater than'),
    refused(/^AllowedFilters 'price': there is no operator 'greater than'\. Operators: eq, ne, lt, /))
  t.throws(() => new Untyped('price', '__proto__'), refused(/there is no operator '__proto__'/))
  t.throws(() => new Untyped('price', null), refused(/an operator is named by a text, got null/))
  t.throws(
    () => new Untyped('price', ['eq']),
    refused(/the default operator comes before the list of allowed ones: new AllowedFilters\('price', 'eq', \['eq'\]\)/)
  )
})

t.test('the allowed operators contain the default, each once', async t => {
  t.throws(() => new Untyped('price', 'eq', ['gte']),
    refused("AllowedFilters 'price': the allowed operators must hold the default, 'eq'"))
  t.throws(() => new Untyped('price', 'eq', []), refused(/must hold the default, 'eq'/))
  t.throws(() => new AllowedFilters('price', 'eq', ['eq', 'eq']),
    refused("AllowedFilters 'price': operator 'eq' is listed twice"))
  t.throws(() => new Untyped('price', 'eq', 'eq'),
    refused("AllowedFilters 'price': the allowed operators must be an array, got 'eq'"))
})

t.test('a field is named by the path of a property', async t => {
  t.equal(new AllowedFilters('products.price').field, 'products.price')
  t.throws(() => new AllowedFilters(''), refused("AllowedFilters: a property is named by a non-empty string, got ''"))
  t.throws(() => new Untyped(), refused('AllowedFilters: a property is named by a non-empty string, got undefined'))
  t.throws(() => new Untyped(['a']), refused(/got an array$/))
  t.throws(() => new Untyped({ alias: 'a' }), refused(/got an object$/))
  t.throws(() => new Untyped(() => 'a'), refused(/got a function$/))
  t.throws(() => new AllowedFilters('a..b'),
    refused("AllowedFilters: 'a..b' has an empty part: a dot stands between two names"))
  t.throws(() => new AllowedFilters('-a'),
    refused("AllowedFilters: '-a' starts with '-', which cannot be part of a property's name"))
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    t.throws(() => new AllowedFilters(`a.${name}`), refused(`AllowedFilters: '${name}' is a reserved name`))
  }
})

t.test('unknown options are refused with the nearest one', async t => {
  t.throws(() => new Untyped('price', { alais: 'p' }),
    refused("AllowedFilters 'price': there is no option 'alais'. Did you mean 'alias'?"))
  t.throws(() => new Untyped('price', { direction: 'asc' }),
    refused("AllowedFilters 'price': there is no option 'direction'. It has: alias"))
  t.throws(() => new Untyped('price', 'eq', ['eq'], 'p'),
    refused("AllowedFilters 'price': options must be a plain object, got 'p'."))
  t.throws(() => new Untyped('price', JSON.parse('{"__proto__": 1}')), refused(/there is no option '__proto__'/))
})

t.test('ignored values must be given', async t => {
  t.strictSame(AllowedFilters.exact('status').ignore('all').ignore(['', 0]).ignoredValues, ['all', '', '0'])
  for (const values of [[], [[]]]) {
    t.throws(() => AllowedFilters.exact('status').ignore(...values),
      refused("AllowedFilters 'status': ignore() names no values; write those that mean nothing, as in .ignore('all')"))
  }
})

t.test('an alias must be possible in a URL', async t => {
  t.equal(new AllowedFilters('price', { alias: 'product.price_min-2' }).alias, 'product.price_min-2')
  for (const [alias, problem] of [
    ['', "must be a non-empty string, got ''"],
    ['a[b]', "'a[b]' holds a bracket, which separates names in a query string"],
    ['a,b', "'a,b' holds a comma, which separates names in a query string"],
    ['-a', "'-a' starts with '-', which is a direction in a query string"],
    ['+a', "'+a' starts with '+', which is a direction in a query string"],
    ['a b', "'a b' holds white space or a control character"],
    ['a\0', "'a\0' holds white space or a control character"],
  ] as const) {
    t.throws(() => new AllowedFilters('price', { alias }), refused(`AllowedFilters 'price': alias ${problem}`))
  }
  t.throws(() => new Untyped('price', { alias: 1 }),
    refused("AllowedFilters 'price': alias must be a non-empty string, got 1"))
  t.throws(() => new AllowedFilters('price', { alias: 'constructor' }),
    refused("AllowedFilters 'price': 'constructor' is a reserved name"))
  t.throws(() => new AllowedFilters('price', { alias: 'a.' }), refused(/'a\.' has an empty part/))
})

t.test('exact is eq and nothing else', async t => {
  t.match(AllowedFilters.exact('name', { alias: 'n' }), {
    kind: 'operators', field: 'name', alias: 'n', defaultOperator: 'eq', operators: ['eq'],
  })
  t.strictSame(AllowedFilters.exact('name').operators, ['eq'])
})

t.test('partial is like and ilike', async t => {
  const filter = AllowedFilters.partial('name', { alias: 'n' })
  t.match(filter, { kind: 'partial', field: 'name', alias: 'n', defaultOperator: 'like' })
  t.strictSame(filter.operators, ['like', 'ilike'])
  t.ok(Object.isFrozen(filter))
  t.ok(Object.isFrozen(filter.operators))
  t.throws(() => AllowedFilters.partial(''),
    refused("AllowedFilters.partial: a property is named by a non-empty string, got ''"))
  t.throws(() => AllowedFilters.partial('name', { alias: 'a b' }),
    refused(/^AllowedFilters\.partial 'name': alias 'a b' holds white space/))
})

t.test('custom keeps its callback, under any name that is possible in a URL', async t => {
  const callback = AllowedFilters.custom('x', qb => qb).callback
  const filter = AllowedFilters.custom('no_property', callback, { alias: 'n' })
  t.match(filter, { kind: 'custom', field: 'no_property', alias: 'n' })
  t.equal(filter.callback, callback)
  t.ok(Object.isFrozen(filter))
  t.throws(() => AllowedFilters.custom('', callback),
    refused("AllowedFilters.custom: name must be a non-empty string, got ''"))
  t.throws(() => AllowedFilters.custom('a[b]', callback),
    refused("AllowedFilters.custom: name 'a[b]' holds a bracket, which separates names in a query string"))
  t.throws(() => AllowedFilters.custom('x', undefined as never),
    refused("AllowedFilters.custom 'x': the callback must be a function, got undefined"))
  t.throws(() => AllowedFilters.custom('x', callback, { as: 'y' } as never),
    refused("AllowedFilters.custom 'x': there is no option 'as'. It has: alias"))
})
