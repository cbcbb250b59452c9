import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import {
  AllowedField, AllowedFilters, AllowedInclude, AllowedSort, QueryBuilderConfig, QueryBuilderConfigSchema,
} from '../../src/config/index.ts'

t.test('the schema describes the options and the result', async t => {
  const options = {
    allowedFilters: [
      AllowedFilters.exact('name'), AllowedFilters.partial('text'), AllowedFilters.custom('any', qb => qb),
    ],
    allowedSorts: [new AllowedSort('a', 'b', { alias: 'both', direction: 'desc' })],
    allowedFields: [new AllowedField('name')],
    allowedIncludes: [new AllowedInclude('author', { alias: 'user' })],
    pagination: { count: 'none' as const },
  }
  t.ok(Value.Check(QueryBuilderConfigSchema, {}))
  t.ok(Value.Check(QueryBuilderConfigSchema, options))
  t.ok(Value.Check(QueryBuilderConfigSchema, new QueryBuilderConfig(options)))
})

t.test('the schema refuses what the constructor refuses', async t => {
  t.notOk(Value.Check(QueryBuilderConfigSchema, { allowedFilter: [] }))
  t.notOk(Value.Check(QueryBuilderConfigSchema, { allowedFilters: ['name'] }))
  t.notOk(Value.Check(QueryBuilderConfigSchema, { allowedSorts: [new AllowedField('name')] }))
  t.notOk(Value.Check(QueryBuilderConfigSchema, { pagination: { maxPerPage: 0 } }))
})

t.test('the defaults of the schema are the defaults of the result', async t => {
  t.strictSame(Value.Default(QueryBuilderConfigSchema, { pagination: {} }), {
    ignoreInvalidErrors: false,
    pagination: new QueryBuilderConfig().pagination,
  })
})
