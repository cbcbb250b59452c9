import t from 'tap'
import { AllowedInclude } from '../../src/config/index.ts'

const refused = (message: string) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('an include is a relation or a path of relations', async t => {
  const include = new AllowedInclude('author', { alias: 'user' })
  t.match(include, { kind: 'relation', path: 'author', alias: 'user' })
  t.match(new AllowedInclude('products.tags'), { path: 'products.tags', alias: undefined })
  t.ok(Object.isFrozen(include))
})

t.test('includes go three relations deep', async t => {
  t.equal(new AllowedInclude('a.b.c').path, 'a.b.c')
  t.throws(() => new AllowedInclude('a.b.c.d'), refused("AllowedInclude 'a.b.c.d': includes go 3 relations deep, this one goes 4"))
})

t.test('paths and options that can not be are refused', async t => {
  t.throws(() => new AllowedInclude(''), refused("AllowedInclude: a property is named by a non-empty string, got ''"))
  t.throws(() => new AllowedInclude('prototype'), refused("AllowedInclude: 'prototype' is a reserved name"))
  t.throws(() => new AllowedInclude('author', { alias: '[' }), refused("AllowedInclude 'author': alias '[' holds a bracket, which separates names in a query string"))
  t.throws(() => new AllowedInclude('author', { name: 'a' } as never), refused("AllowedInclude 'author': unknown option 'name'. Options: 'alias'"))
})
