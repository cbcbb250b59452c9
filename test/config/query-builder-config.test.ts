import t from 'tap'
import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort,
  QueryBuilderConfig, type QueryBuilderOptions,
} from '../../src/config/index.ts'

/** Arguments that a caller without types may pass. */
const configure = (options: unknown) => () => new QueryBuilderConfig(options as QueryBuilderOptions)

const refused = (message: string) => ({
  code: 'FST_CRUD_CONFIG_INVALID', statusCode: 500, message: `QueryBuilderConfig: ${message}`,
})

t.test('nothing is allowed unless it is listed', async t => {
  const nothing = {
    allowedFilters: [], allowedSorts: [], allowedFields: [], allowedIncludes: [], allowedFacets: [], allowedGroups: [],
    allowedAggregates: [], defaultSort: [], ignoreInvalidErrors: false,
    pagination: {
      defaultPerPage: 20,
      maxPerPage: 100,
      maxOffset: 100_000,
      maxIncluded: 10_000,
      maxBytes: 16_777_216,
      count: 'exact',
      countParameter: false,
      estimateAllRows: false,
    },
  }
  t.strictSame({ ...new QueryBuilderConfig() }, nothing)
  t.strictSame({ ...new QueryBuilderConfig({}) }, nothing)
  t.strictSame({ ...new QueryBuilderConfig({ allowedFilters: undefined, pagination: { count: undefined } }) }, nothing)
})

t.test('entries and options are kept as given', async t => {
  const options = {
    allowedFilters: [
      AllowedFilters.exact('name'), AllowedFilters.partial('text'), AllowedFilters.custom('any', qb => qb),
    ],
    allowedSorts: [new AllowedSort('name')],
    allowedFields: [new AllowedField('name')],
    allowedIncludes: [new AllowedInclude('products')],
    allowedFacets: [new AllowedFacet('name')],
    allowedGroups: [AllowedGroup.date('created_at', ['month'])],
    allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('price', ['sum'])],
    defaultSort: ['-created_at', 'name', '+price'],
    ignoreInvalidErrors: true,
    pagination: {
      defaultPerPage: 5, maxPerPage: 50, maxOffset: 0, maxIncluded: 0, maxBytes: 1, count: 'planned' as const,
      countParameter: true, estimateAllRows: true,
    },
  }
  const config = new QueryBuilderConfig(options)
  t.strictSame({ ...config }, options)
  t.equal(config.allowedFilters[0], options.allowedFilters[0])
})

t.test('a configuration is deeply frozen and shares nothing with its options', async t => {
  const options = {
    allowedFilters: [AllowedFilters.exact('name')], defaultSort: ['name'], pagination: { maxPerPage: 50 },
  }
  const config = new QueryBuilderConfig(options)
  for (const part of [config, ...Object.values(config), ...config.allowedFilters]) t.ok(Object.isFrozen(part))
  options.allowedFilters.pop()
  options.defaultSort.push('price')
  options.pagination.maxPerPage = 1
  t.equal(config.allowedFilters.length, 1)
  t.strictSame(config.defaultSort, ['name'])
  t.equal(config.pagination.maxPerPage, 50)
  t.notOk(Object.isFrozen(options.allowedFilters))
})

t.test('frozen options are accepted', async t => {
  const options = Object.freeze({ defaultSort: Object.freeze(['name']), pagination: Object.freeze({ maxPerPage: 7 }) })
  t.equal(new QueryBuilderConfig(options).pagination.maxPerPage, 7)
})

t.test('a configuration can be made from another', async t => {
  const base = new QueryBuilderConfig({
    allowedFilters: [AllowedFilters.exact('name')],
    pagination: { maxPerPage: 50 },
  })
  t.strictSame(new QueryBuilderConfig(base), base)
  const config = new QueryBuilderConfig({ ...base, defaultSort: ['name'] })
  t.match(config, { allowedFilters: base.allowedFilters, defaultSort: ['name'], pagination: { maxPerPage: 50 } })
})

t.test('unknown options are refused with the nearest one', async t => {
  t.throws(configure({ allowedFilter: [] }),
    refused("there is no option 'allowedFilter'. Did you mean 'allowedFilters'?"))
  t.throws(configure({ pagination: { maxPerpage: 1 } }),
    refused("there is no option 'maxPerpage' in 'pagination'. Did you mean 'maxPerPage'?"))
  t.throws(
    configure({ pagination: { size: 1 } }),
    refused(
      "there is no option 'size' in 'pagination'. It has: defaultPerPage, maxPerPage, maxOffset, maxIncluded, " +
        'maxBytes, count'
    )
  )
})

t.test('values of the wrong type are refused with their path', async t => {
  t.throws(configure('x'), refused("options: expected object, got 'x'"))
  t.throws(configure(null), refused('options: expected object, got null'))
  t.throws(configure([]), refused('options: expected object, got an empty array'))
  t.throws(configure({ allowedFilters: 'name' }), refused("allowedFilters: expected array, got 'name'"))
  t.throws(configure({ defaultSort: '-name' }), refused("defaultSort: expected array, got '-name'"))
  t.throws(configure({ defaultSort: ['name', 1] }), refused('defaultSort[1]: expected string, got 1'))
  t.throws(configure({ ignoreInvalidErrors: 'yes' }), refused("ignoreInvalidErrors: expected boolean, got 'yes'"))
  t.throws(configure({ pagination: null }), refused('pagination: expected object, got null'))
  t.throws(configure({ pagination: { maxPerPage: 0 } }),
    refused('pagination.maxPerPage: expected integer to be greater or equal to 1, got 0'))
  t.throws(configure({ pagination: { defaultPerPage: 1.5 } }),
    refused('pagination.defaultPerPage: expected integer, got 1.5'))
  t.throws(configure({ pagination: { maxOffset: -1 } }),
    refused('pagination.maxOffset: expected integer to be greater or equal to 0, got -1'))
  t.throws(
    configure({ pagination: { count: 'exakt' } }),
    refused(
      "pagination.count: expected one of 'exact', 'planned', 'none', { upTo }, got 'exakt'. Did you mean 'exact'?"
    )
  )
  t.throws(configure({ pagination: { count: { upTo: 0 } } }),
    refused('pagination.count.upTo: expected integer to be greater or equal to 1, got 0'))
  t.throws(configure({ pagination: { count: { upto: 5 } } }),
    refused('pagination.count.upTo: expected required property, got undefined'))
  t.throws(configure({ pagination: { count: false } }),
    refused("pagination.count: expected one of 'exact', 'planned', 'none', { upTo }, got false."))
})

t.test('a value that is not an entry of a list is refused with the correct form', async t => {
  t.throws(configure({ allowedFilters: ['name'] }),
    refused("allowedFilters[0] is 'name'; write AllowedFilters.exact('name')"))
  t.throws(configure({ allowedFilters: [AllowedFilters.exact('id'), undefined] }),
    refused("allowedFilters[1] is undefined; write AllowedFilters.exact('name')"))
  t.throws(configure({ allowedFilters: [{ kind: 'operators', field: 'name' }] }),
    refused("allowedFilters[0] is an object; write AllowedFilters.exact('name')"))
  t.throws(configure({ allowedFilters: [Object.create(null)] }),
    refused("allowedFilters[0] is an object; write AllowedFilters.exact('name')"))
  t.throws(configure({ allowedFilters: [['name']] }),
    refused("allowedFilters[0] is an array; write AllowedFilters.exact('name')"))
  t.throws(configure({ allowedFilters: [null] }),
    refused("allowedFilters[0] is null; write AllowedFilters.exact('name')"))
  t.throws(configure({ allowedFilters: [new AllowedField('name')] }),
    refused("allowedFilters[0] is an instance of AllowedField; write AllowedFilters.exact('name')"))
  t.throws(configure({ allowedSorts: ['price'] }),
    refused("allowedSorts[0] is 'price'; write new AllowedSort('price')"))
  t.throws(configure({ allowedSorts: ['-price'] }),
    refused("allowedSorts[0] is '-price'; write new AllowedSort('price', { direction: 'desc' })"))
  t.throws(configure({ allowedSorts: [Object.create(AllowedSort.prototype)] }),
    refused("allowedSorts[0] is an instance of AllowedSort; write new AllowedSort('name')"),
    'its constructor has not checked it')
  t.throws(configure({ allowedFields: [''] }), refused("allowedFields[0] is ''; write new AllowedField('name')"))
  t.throws(configure({ allowedIncludes: ['products'] }),
    refused("allowedIncludes[0] is 'products'; write new AllowedInclude('products')"))
})

t.test('a name in the URL belongs to one entry', async t => {
  const both = (list: string, name: string) =>
    refused(`${list}[0] and ${list}[1] are both '${name}' in the URL; remove one, or give it an alias`)
  t.throws(configure({ allowedFilters: [AllowedFilters.exact('name'), AllowedFilters.partial('name')] }),
    both('allowedFilters', 'name'))
  t.throws(
    configure({
      allowedFilters: [AllowedFilters.exact('name'), AllowedFilters.custom('x', qb => qb, { alias: 'name' })],
    }),
    both('allowedFilters', 'name')
  )
  t.throws(configure({ allowedSorts: [new AllowedSort('name', 'price'), new AllowedSort('price')] }),
    both('allowedSorts', 'price'))
  t.throws(configure({ allowedSorts: [new AllowedSort('name'), new AllowedSort('a', 'b', { alias: 'name' })] }),
    both('allowedSorts', 'name'))
  t.throws(configure({ allowedFields: [new AllowedField('id'), new AllowedField('id')] }), both('allowedFields', 'id'))
  t.throws(
    configure({ allowedIncludes: [new AllowedInclude('author', { alias: 'user' }), new AllowedInclude('user')] }),
    both('allowedIncludes', 'user')
  )
})

t.test('one property may have several names, and lists may use the same name', async t => {
  t.doesNotThrow(configure({
    allowedFilters: [AllowedFilters.exact('name'), AllowedFilters.partial('name', { alias: 'contains' })],
    allowedSorts: [new AllowedSort('name'), new AllowedSort('name', 'price', { alias: 'both' })],
    allowedFields: [new AllowedField('name')],
  }))
})

t.test('the default page size is at most the maximum', async t => {
  t.throws(configure({ pagination: { defaultPerPage: 50, maxPerPage: 10 } }),
    refused('pagination.defaultPerPage (50) is above pagination.maxPerPage (10)'))
  t.throws(configure({ pagination: { defaultPerPage: 200 } }),
    refused('pagination.defaultPerPage (200) is above pagination.maxPerPage (100)'))
  t.match(new QueryBuilderConfig({ pagination: { maxPerPage: 10 } }).pagination, { defaultPerPage: 10, maxPerPage: 10 })
})

t.test('the default sort is valid, and names each property once', async t => {
  t.throws(configure({ defaultSort: ['-'] }),
    refused("defaultSort[0]: a property is named by a non-empty string, got ''"))
  t.throws(configure({ defaultSort: ['name', ''] }),
    refused("defaultSort[1]: expected string length greater or equal to 1, got ''"))
  t.throws(configure({ defaultSort: ['--name'] }),
    refused("defaultSort[0]: '-name' starts with '-', which cannot be part of a property's name"))
  t.throws(configure({ defaultSort: ['-author.__proto__'] }), refused("defaultSort[0]: '__proto__' is a reserved name"))
  t.throws(configure({ defaultSort: ['name', '-name'] }), refused("defaultSort names 'name' twice"))
})
