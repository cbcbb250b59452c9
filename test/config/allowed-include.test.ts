import t from 'tap'
import { AllowedInclude, QueryBuilderConfig } from '../../src/config/index.ts'

const refused = (message: string) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('an include is a relation or a path of relations', async t => {
  const include = new AllowedInclude('author', { alias: 'user' })
  t.match(include, { kind: 'relation', path: 'author', alias: 'user' })
  t.match(new AllowedInclude('products.tags'), { path: 'products.tags', alias: undefined })
  t.ok(Object.isFrozen(include))
})

t.test('includes have at most three relations', async t => {
  t.equal(new AllowedInclude('a.b.c').path, 'a.b.c')
  t.throws(() => new AllowedInclude('a.b.c.d'),
    refused("AllowedInclude 'a.b.c.d': includes go 3 relations deep, this one goes 4"))
})

t.test('invalid paths and options are refused', async t => {
  t.throws(() => new AllowedInclude(''), refused("AllowedInclude: a property is named by a non-empty string, got ''"))
  t.throws(() => new AllowedInclude('prototype'), refused("AllowedInclude: 'prototype' is a reserved name"))
  t.throws(() => new AllowedInclude('author', { alias: '[' }),
    refused("AllowedInclude 'author': alias '[' holds a bracket, which separates names in a query string"))
  t.throws(
    () => new AllowedInclude('author', { alias: 'a.b' }),
    refused(
      "AllowedInclude 'author': alias 'a.b' holds a dot, which separates relations in an include; " +
        'an alias names the last one only'
    )
  )
  t.throws(
    () => AllowedInclude.count('author.posts', { alias: 'author.number' }),
    refused(
      "AllowedInclude.count 'author.posts': alias 'author.number' holds a dot, " +
        'which separates relations in an include; an alias names the last one only'
    )
  )
  t.throws(() => new AllowedInclude('author', { name: 'a' } as never),
    refused("AllowedInclude 'author': there is no option 'name'. It has: alias, limit, sort, where."))
})

t.test('an include may have a limit, an order and a condition', async t => {
  const where = { status: 'active' }
  const sort = ['-created_at', 'author.name']
  const include = new AllowedInclude('articles', { limit: 3, sort, where })
  t.match(include, { limit: 3, sort: ['-created_at', 'author.name'], where })
  t.ok(Object.isFrozen(include.sort))
  t.notOk(Object.isFrozen(sort), 'what was given is left alone')
  for (const limit of [0, -1, 1.5, NaN, Infinity, '3', null, 2 ** 53]) {
    t.throws(
      () => new AllowedInclude('articles', { limit } as never),
      refused(
        `AllowedInclude 'articles': limit must be a whole number of at least 1, got ${
          typeof limit === 'string' ? `'${limit}'` : limit
        }`
      )
    )
  }
  t.throws(
    () => new AllowedInclude('articles', { sort: 'name' } as never),
    refused("AllowedInclude 'articles': sort must be a list of properties, such as ['-created_at', 'name'], got 'name'")
  )
  t.throws(
    () => new AllowedInclude('articles', { sort: [] }),
    refused(
      "AllowedInclude 'articles': sort must be a list of properties, such as ['-created_at', 'name'], got an empty one"
    )
  )
  t.throws(() => new AllowedInclude('articles', { sort: ['name', '-name'] }),
    refused("AllowedInclude 'articles': sort names 'name' twice"))
  t.throws(() => new AllowedInclude('articles', { sort: [1] } as never),
    refused("AllowedInclude 'articles': sort: a property is named by a non-empty string, got 1"))
  for (const wrong of ['active', 1, null, [], () => ({})]) {
    t.throws(() => new AllowedInclude('articles', { where: wrong } as never), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /where must be a condition in MikroORM's query language/,
    })
  }
})

t.test('aggregates have a function, a path and an alias', async t => {
  for (const fn of ['count', 'exists', 'sum', 'min', 'max', 'avg'] as const) {
    const include = AllowedInclude[fn]('products.price', { alias: 'a', where: { id: 1 } })
    t.match(include, { kind: 'aggregate', function: fn, path: 'products.price', alias: 'a', where: { id: 1 } })
    t.ok(Object.isFrozen(include))
    t.throws(() => AllowedInclude[fn]('', {}), { code: 'FST_CRUD_CONFIG_INVALID' })
    t.throws(() => AllowedInclude[fn]('a', { limit: 1 } as never),
      refused(`AllowedInclude.${fn} 'a': there is no option 'limit'. It has: alias, where.`))
    t.throws(() => AllowedInclude[fn]('a', { where: 1 } as never), { message: /where must be/ })
  }
  t.throws(() => AllowedInclude.count('a.b.c.d'),
    refused("AllowedInclude.count 'a.b.c.d': includes go 3 relations deep, this one goes 4"))
  t.equal(AllowedInclude.sum('a.b.c.d').path, 'a.b.c.d')
})

t.test('entries of a configuration are kept', async t => {
  const allowedIncludes = [
    new AllowedInclude('products'), AllowedInclude.count('products'), AllowedInclude.exists('products'),
    AllowedInclude.sum('products.price'), AllowedInclude.avg('products.price'),
    new AllowedInclude('author.posts', { alias: 'x' }), new AllowedInclude('editor.posts', { alias: 'x' }),
  ]
  t.strictSame(new QueryBuilderConfig({ allowedIncludes }).allowedIncludes, allowedIncludes)
  for (const [first, second] of [['count', 'count'], ['sum', 'sum']] as const) {
    t.throws(
      () =>
        new QueryBuilderConfig({
          allowedIncludes: [AllowedInclude[first]('products.price'), AllowedInclude[second]('products.price')],
        }),
      { message: /allowedIncludes\[0\] and allowedIncludes\[1\] are both/ }
    )
  }
  t.throws(
    () =>
      new QueryBuilderConfig({
        allowedIncludes: [new AllowedInclude('a.b', { alias: 'x' }), AllowedInclude.sum('a.c.d', { alias: 'x' })],
      }),
    { message: /are both 'a\.x' in the URL/ }
  )
  t.throws(() => new QueryBuilderConfig({ allowedIncludes: ['productsCount'] as never }), {
    message: /write new AllowedInclude\('productsCount'\)/,
  })
})
