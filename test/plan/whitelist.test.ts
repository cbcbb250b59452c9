import t from 'tap'
import {
  AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, type QueryBuilderOptions,
} from '../../src/config/index.ts'
import { Group, Specimen, Supplier, Tag } from '../fixtures/entities.ts'
import { errorsOf, messageOf, whitelistOf } from './helper.ts'

const filters = (...allowedFilters: readonly any[]) => ({ allowedFilters })
const sorts = (...allowedSorts: readonly any[]) => ({ allowedSorts })
const fields = (...allowedFields: readonly any[]) => ({ allowedFields })
const includes = (...allowedIncludes: readonly any[]) => ({ allowedIncludes })

t.test('nothing is allowed unless it is listed', async (t) => {
  const whitelist = whitelistOf({})
  for (const list of [whitelist.filters, whitelist.sorts, whitelist.fields, whitelist.includes]) t.equal(list.size, 0)
  t.strictSame([[...whitelist.names], whitelist.defaultOrder, whitelist.ignoreInvalidErrors], [['plant'], [], false])
})

t.test('entries are named by their alias, else by the public name', async (t) => {
  const whitelist = whitelistOf({
    allowedFilters: [
      'articleNumber', AllowedFilters.exact('name', { alias: 'n' }), AllowedFilters.partial('supplier.address.city'),
      'orderItems.plant.articleNumber', AllowedFilters.custom('anything', (qb) => qb),
      AllowedFilters.custom('x', (qb) => qb, { alias: 'y' }),
    ],
    allowedSorts: ['articleNumber', 'price', new AllowedSort('name', 'id', { alias: 'both' }), 'supplier.name'],
    allowedFields: ['articleNumber', new AllowedField('name', { alias: 'title' }), 'supplier'],
    allowedIncludes: [new AllowedInclude('supplier', { alias: 'grower' }), 'supplier.plants', 'tags'],
  })
  t.strictSame([...whitelist.filters.keys()], [
    'sku', 'n', 'supplier.address.city', 'orderItems.plant.sku', 'anything', 'y',
  ])
  t.strictSame([...whitelist.sorts.keys()], ['sku', 'price', 'both', 'supplier.name'])
  t.strictSame([...whitelist.fields.keys()], ['sku', 'title', 'supplier'])
  t.strictSame([...whitelist.includes.keys()], ['grower', 'grower.plants', 'tags'])
})

t.test('start-up shows the mistakes of all entries, each on its own line', async (t) => {
  const message = messageOf(() =>
    whitelistOf({
      allowedFilters: ['nmae', 'name', { inStock: ['gt'] }],
      allowedSorts: ['prcie', 'price'],
      allowedFields: ['id', 'sttaus'],
      allowedIncludes: ['tgas', 'name', 'tags'],
      allowedFacets: ['stauts'],
    })
  )
  t.strictSame(message?.split('\n').map((line) => line.replace(/: .* Did/, ': Did')), [
    "AllowedInclude 'tgas': Did you mean 'tags'?",
    "AllowedInclude 'name': 'name' is not a relation.",
    "AllowedField 'sttaus': Did you mean 'status'?",
    "AllowedFilters 'nmae': Did you mean 'name'?",
    "AllowedFilters 'inStock': the operator 'gt' does not work on a property of type boolean. Operators for it: eq, " +
    'ne, in, nin, isnull.',
    "AllowedSort 'prcie': Did you mean 'price'?",
    "AllowedFacet 'stauts': Did you mean 'status'?",
  ])
})

t.test('a path that an alias replaces is answered with the alias', async (t) => {
  const whitelist = whitelistOf({
    allowedFilters: [
      AllowedFilters.exact('supplier.name', { alias: 'grower' }),
      AllowedFilters.partial('articleNumber', { alias: 'code' }),
      'name',
    ],
    allowedSorts: [
      new AllowedSort('supplier.name', { alias: 'grower' }),
      new AllowedSort('name', 'id', { alias: 'both' }),
    ],
    allowedFields: [new AllowedField('articleNumber', { alias: 'code' }), 'tags.name'],
    allowedIncludes: [
      new AllowedInclude('tags', { alias: 'labels' }),
      new AllowedInclude('supplier', { alias: 'grower' }),
      AllowedInclude.count('supplier.plants', { alias: 'siblings' }),
    ],
    allowedFacets: [new AllowedFacet('supplier.name', { alias: 'grower' })],
  })
  const meant: ReadonlyArray<readonly [query: string, name: string | undefined]> = [
    ['filter[supplier.name]=x', 'grower'],
    ['filter[or][0][sku]=x', 'code'],
    ['filter[articleNumber]=x', undefined],
    ['sort=-supplier.name', 'grower'],
    ['fields=sku', 'code'],
    ['include=tags', 'labels'],
    ['include=supplier', 'grower'],
    ['include=supplier.plantsCount', 'grower.siblings'],
    ['facets=supplier.name', 'grower'],
  ]
  for (const [query, name] of meant) {
    const errors = errorsOf(query, whitelist)
    t.strictSame(errors.map(({ suggestion }) => suggestion), [name], query)
    if (name !== undefined) t.match(errors[0]!.detail, `Did you mean '${name}'?`)
  }
})

t.test('an include may be allowed behind one that is not', async (t) => {
  const whitelist = whitelistOf(includes(new AllowedInclude('supplier.plants', { alias: 'siblings' })))
  t.strictSame([...whitelist.includes.keys()], ['supplier.siblings'])
})

t.test('the default order consists of allowed sorts by their URL names, or of properties', async (t) => {
  const order = (defaultSort: string[], allowedSorts: any[] = []) =>
    whitelistOf({ defaultSort, allowedSorts }).defaultOrder
      .map(({ target, descending }) =>
        'callback' in target
          ? target.sort
          : `${[...target.relations, target.operand].map(({ name }) => name).join('.')}${descending ? ' desc' : ''}`
      )
  t.strictSame(order(['-created_at', 'supplier.name', '+price']), ['created_at desc', 'supplier.name', 'price'])
  t.strictSame(order(['newest'], [new AllowedSort('created_at', 'id', { alias: 'newest', direction: 'desc' })]), [
    'created_at desc',
    'id desc',
  ])
  t.strictSame(order(['+newest'], [new AllowedSort('created_at', { alias: 'newest', direction: 'desc' })]), [
    'created_at',
  ])
  t.strictSame(order(['-newest'], [new AllowedSort('created_at', { alias: 'newest' })]), ['created_at desc'])
})

type Refusal = readonly [what: string, options: QueryBuilderOptions<any>, message: string, entity?: unknown]

const refusals: readonly Refusal[] = [
  ['a typo in a filter', filters(AllowedFilters.exact('nmae')),
    "AllowedFilters 'nmae': Plant has no property 'nmae' that can be exposed. Did you mean 'name'?"],
  [
    'a typo behind a relation',
    filters(AllowedFilters.exact('supplier.nmae')),
    "AllowedFilters 'supplier.nmae': Supplier has no property 'nmae' that can be exposed. " +
    "Did you mean 'supplier.name'?",
  ],
  ['a typo in a partial filter', filters(AllowedFilters.partial('descripton')),
    "AllowedFilters 'descripton': Plant has no property 'descripton' that can be exposed. Did you mean 'description'?"],
  ["the public name where the property's is meant", filters(AllowedFilters.exact('sku')),
    "AllowedFilters 'sku': Plant has no property 'sku' that can be exposed. Did you mean 'articleNumber'?"],
  [
    'a typo in a relation',
    filters(AllowedFilters.exact('suplier.name')),
    "AllowedFilters 'suplier.name': Plant has no property 'suplier' that can be exposed. " +
    "Did you mean 'supplier.name'?",
  ],
  [
    'a typo in an embedded object',
    filters(AllowedFilters.exact('supplier.address.cty')),
    "AllowedFilters 'supplier.address.cty': Supplier.address has no property 'cty' that can be exposed. " +
    "Did you mean 'supplier.address.city'?",
  ],
  ["the column where the property's name is meant", sorts(new AllowedSort('supplier_id')),
    "AllowedSort 'supplier_id': Plant has no property 'supplier_id' that can be exposed. Did you mean 'supplier'?"],
  [
    'a name like no other', filters(AllowedFilters.exact('zzzzzzzzzzzz')),
    "AllowedFilters 'zzzzzzzzzzzz': Tag has no property 'zzzzzzzzzzzz' that can be exposed. " +
    'It has: id, deleted_at, name, weight, plants.',
    Tag,
  ],
  [
    'a type for a property that has one',
    filters(new AllowedFilters('name', { type: 'string' })),
    "AllowedFilters 'name': the option 'type' is for values inside of a JSON column, and the type of 'name' is " +
    'known; leave the option out.',
  ],
  ['a to-many relation as a filter', filters(AllowedFilters.exact('tags')),
    "AllowedFilters 'tags': 'tags' has no key column to compare; name a property behind it, such as 'tags.id'."],
  ['the inverse of a one-to-one as a filter', filters(AllowedFilters.exact('label')),
    "AllowedFilters 'label': 'label' has no key column to compare; name a property behind it, such as 'label.id'."],
  ['an embedded object as a filter', filters(AllowedFilters.exact('supplier.address')),
    "AllowedFilters 'supplier.address': 'address' is an embedded object; name one of its properties."],
  [
    'a composite key as a filter',
    filters(AllowedFilters.exact('shelf')),
    "AllowedFilters 'shelf': the operator 'eq' does not work on a property of type composite key (name a property " +
    'behind it). ' +
    'Operators for it: isnull.',
  ],
  ['something behind a scalar', filters(AllowedFilters.exact('name.length')),
    "AllowedFilters 'name.length': 'name' of Plant is not a relation, so 'length' can't follow it."],
  [
    'a pattern on a number',
    filters(new AllowedFilters('price', 'eq', ['eq', 'contains'])),
    "AllowedFilters 'price': the operator 'contains' does not work on a property of type decimal. " +
    'Operators for it: eq, ne, lt, lte, gt, gte, in, nin, between, isnull.',
  ],
  [
    'a partial filter on a number',
    filters(AllowedFilters.partial('position')),
    "AllowedFilters 'position': the operator 'like' does not work on a property of type integer. " +
    'Operators for it: eq, ne, lt, lte, gt, gte, in, nin, between, isnull.',
  ],
  [
    'a pattern on a UUID',
    filters(new AllowedFilters('uuid', 'starts')),
    "AllowedFilters 'uuid': the operator 'starts' does not work on a property of type uuid. " +
    'Operators for it: eq, ne, lt, lte, gt, gte, in, nin, between, isnull.',
  ],
  [
    'equality without regard to case of what is no text',
    filters(new AllowedFilters('uuid', 'ieq')),
    "AllowedFilters 'uuid': the operator 'ieq' does not work on a property of type uuid. " +
    'Operators for it: eq, ne, lt, lte, gt, gte, in, nin, between, isnull.',
  ],
  [
    'equality without regard to case of an enum, although its column is text',
    filters(new AllowedFilters('health', 'ieq')),
    "AllowedFilters 'health': the operator 'ieq' does not work on a property of type enum. " +
    'Operators for it: eq, ne, lt, lte, gt, gte, like, ilike, contains, starts, ends, in, nin, between, isnull.',
    Specimen,
  ],
  [
    'a pattern on an enum of the database', filters(new AllowedFilters('flowering', 'like')),
    "AllowedFilters 'flowering': the operator 'like' does not work on a property of type enum. " +
    'Operators for it: eq, ne, lt, lte, gt, gte, in, nin, between, isnull.',
    Specimen,
  ],
  [
    'an order of booleans',
    filters(new AllowedFilters('inStock', 'gt')),
    "AllowedFilters 'inStock': the operator 'gt' does not work on a property of type boolean. " +
    'Operators for it: eq, ne, in, nin, isnull.',
  ],
  [
    'equality of bytes', filters(AllowedFilters.exact('scan')),
    "AllowedFilters 'scan': the operator 'eq' does not work on a property of type blob. " +
    'Operators for it: isnull.',
    Specimen,
  ],
  [
    'equality of arrays', filters(new AllowedFilters('synonyms', 'in')),
    "AllowedFilters 'synonyms': the operator 'in' does not work on a property of type array. " +
    'Operators for it: contains, overlap, isnull.',
    Specimen,
  ],
  [
    'a comparison of a type that is not known', filters(new AllowedFilters('dormancy', 'lt')),
    "AllowedFilters 'dormancy': the operator 'lt' does not work on a property of type interval. " +
    'Operators for it: isnull.',
    Specimen,
  ],
  ['two filters of one name', filters(AllowedFilters.exact('articleNumber'), AllowedFilters.custom('sku', (qb) => qb)),
    "allowedFilters: two entries are 'sku' in the URL; remove one, or give it an alias."],
  ['a typo in a sort', sorts(new AllowedSort('prise')),
    "AllowedSort 'prise': Plant has no property 'prise' that can be exposed. Did you mean 'price'?"],
  [
    'a sort by a hidden property',
    sorts(new AllowedSort('purchasePrice')),
    "AllowedSort 'purchasePrice': 'purchasePrice' of Plant is hidden, so clients cannot name it. " +
    "Remove 'hidden' from the property to expose it.",
  ],
  ['a sort through a to-many relation', sorts(new AllowedSort('tags.name')),
    "AllowedSort 'tags.name': a sort can't go through the to-many relation 'tags'."],
  ['a sort by a relation without a key', sorts(new AllowedSort('label')),
    "AllowedSort 'label': 'label' has no key column to compare; name a property behind it, such as 'label.id'."],
  [
    'a sort by a composite key',
    sorts(new AllowedSort('shelf')),
    "AllowedSort 'shelf': this package does not order values of type composite key (name a property behind it). " +
    'AllowedSort.custom can.',
  ],
  [
    'a sort by bytes', sorts(new AllowedSort('scan')),
    "AllowedSort 'scan': this package does not order values of " +
    'type blob. AllowedSort.custom can.',
    Specimen,
  ],
  ['two sorts of one name', sorts(new AllowedSort('articleNumber'), new AllowedSort('name', { alias: 'sku' })),
    "allowedSorts: two entries are 'sku' in the URL; remove one, or give it an alias."],
  ['a typo in the default sort', { defaultSort: ['-creted_at'] },
    "defaultSort '-creted_at': Plant has no property 'creted_at' that can be exposed. Did you mean 'created_at'?"],
  ['a default sort through a to-many relation', { defaultSort: ['tags.name'] },
    "defaultSort 'tags.name': a sort can't go through the to-many relation 'tags'."],
  ['a typo in a field', fields(new AllowedField('nam')),
    "AllowedField 'nam': Plant has no property 'nam' that can be exposed. Did you mean 'name'?"],
  ['a to-many relation as a field', fields(new AllowedField('tags')),
    "AllowedField 'tags': 'tags' is not a column; allow it as an include."],
  ['a part of an embedded object as a field', fields(new AllowedField('address.city')),
    "AllowedField 'address.city': an embedded object is selected as a whole.", Supplier],
  ['two fields of one name', fields(new AllowedField('articleNumber'), new AllowedField('name', { alias: 'sku' })),
    "AllowedField 'name': two fields are 'sku' in the URL; remove one, or give it an alias."],
  ['a typo in an include', includes(new AllowedInclude('tag')),
    "AllowedInclude 'tag': Plant has no property 'tag' that can be exposed. Did you mean 'tags'?"],
  ['a column as an include', includes(new AllowedInclude('name')), "AllowedInclude 'name': 'name' is not a relation."],
  [
    'an embedded object as an include', includes(new AllowedInclude('address')),
    "AllowedInclude 'address': 'address' is not a relation.", Supplier,
  ],
  ['an include that is listed twice',
    includes(new AllowedInclude('tags'), new AllowedInclude('tags', { alias: 'labels' })),
    "AllowedInclude 'tags': it is listed twice."],
  [
    'two includes of one name',
    includes(new AllowedInclude('group.plants'), new AllowedInclude('group.parent', { alias: 'plants' })),
    "QueryBuilderConfig: allowedIncludes[0] and allowedIncludes[1] are both 'group.plants' in the URL; " +
    'remove one, or give it an alias',
  ],
  ['two includes of one public name',
    includes(AllowedInclude.count('group.plants'), new AllowedInclude('group.parent', { alias: 'plantsCount' })),
    "allowedIncludes: two entries are 'group.plantsCount' in the URL; give one an alias."],
  ['a count of nothing', includes(AllowedInclude.count('tgas')),
    "AllowedInclude.count 'tgas': Plant has no property 'tgas' that can be exposed. Did you mean 'tags'?"],
  ['a count of a column', includes(AllowedInclude.count('supplier.name')),
    "AllowedInclude.count 'supplier.name': 'name' is not a relation."],
  [
    'a count of a to-one relation',
    includes(AllowedInclude.count('supplier')),
    "AllowedInclude.count 'supplier': 'supplier' is a to-one relation. " +
    'Ask whether there is one with AllowedInclude.exists.',
  ],
  [
    'a sum over a to-one relation',
    includes(AllowedInclude.sum('group.parent.id')),
    "AllowedInclude.sum 'group.parent.id': 'parent' is a to-one relation. There is at most one value: " +
    'allow the relation as an include.',
  ],
  ['a sum of a relation', includes(AllowedInclude.sum('supplier.plants')),
    "AllowedInclude.sum 'supplier.plants': name a property of its records, such as 'supplier.plants.id'."],
  ["a sum of the record's own", includes(AllowedInclude.sum('price')),
    "AllowedInclude.sum 'price': it is a property of the record itself; name one behind a to-many relation."],
  ['a sum of text', includes(AllowedInclude.sum('tags.name')),
    "AllowedInclude.sum 'tags.name': values of type text have no sum; only numbers have one."],
  ['a mean of dates', includes(AllowedInclude.avg('specimens.sownOn')),
    "AllowedInclude.avg 'specimens.sownOn': values of type date have no mean; only numbers have one."],
  [
    'a sum of a custom type',
    includes(AllowedInclude.sum('specimens.minimum')),
    "AllowedInclude.sum 'specimens.minimum': 'minimum' has a custom type or a serializer, " +
    'so the sum of its stored values may be meaningless.',
  ],
  ['a least of booleans', includes(AllowedInclude.min('specimens.alive')),
    "AllowedInclude.min 'specimens.alive': values of type boolean have no minimum or maximum."],
  ['a greatest of UUIDs', includes(AllowedInclude.max('specimens.tracker')),
    "AllowedInclude.max 'specimens.tracker': values of type uuid have no minimum or maximum."],
  ['an embedded object as a least', includes(AllowedInclude.min('plants.supplier.address')),
    "AllowedInclude.min 'plants.supplier.address': 'address' is an embedded object; name one of its properties.",
    Group],
  ['an aggregate too deep', includes(AllowedInclude.sum('group.parent.children.plants.price')),
    "AllowedInclude.sum 'group.parent.children.plants.price': includes go 3 relations deep, this one goes 4"],
  ['the same aggregate twice',
    includes(AllowedInclude.count('tags'), AllowedInclude.count('tags', { alias: 'sunny', where: { name: 'sun' } })),
    "AllowedInclude.count 'tags': it is listed twice, and records of Plant can show only one of them as 'tagsCount'."],
  ['a limit of a to-one relation', includes(new AllowedInclude('supplier', { limit: 1 })),
    "AllowedInclude 'supplier': 'supplier' is a to-one relation; 'limit' is for to-many relations."],
  ['an order of a to-one relation', includes(new AllowedInclude('label', { sort: ['id'] })),
    "AllowedInclude 'label': 'label' is a to-one relation; 'sort' is for to-many relations."],
  ['a typo in the sort of an include', includes(new AllowedInclude('tags', { sort: ['-nmae'] })),
    "AllowedInclude 'tags', sort '-nmae': Tag has no property 'nmae' that can be exposed. Did you mean 'name'?"],
  ['a sort of an include through a to-many relation',
    includes(new AllowedInclude('supplier.plants', { sort: ['tags.name'] })),
    "AllowedInclude 'supplier.plants', sort 'tags.name': a sort can't go through the to-many relation 'tags'."],
  ['a group by an embedded object', { allowedGroups: [new AllowedGroup('supplier.address')] },
    "AllowedGroup 'supplier.address': 'address' is an embedded object; name one of its properties."],
  ['a group by a composite key', { allowedGroups: [new AllowedGroup('shelf')] },
    "AllowedGroup 'shelf': this package does not compare values of type composite key (name a property behind it)."],
  ['a time zone for dates without one',
    { allowedGroups: [AllowedGroup.date('sownOn', ['day'], { timeZone: 'Europe/Berlin' })] },
    "AllowedGroup.date 'sownOn': a date has no time zone; leave 'timeZone' out.", Specimen],
  ['the same group twice',
    { allowedGroups: [new AllowedGroup('supplier.name'), new AllowedGroup('supplier.name', { alias: 'grower' })] },
    "allowedGroups and allowedAggregates: 'supplier.name' and 'grower' are both 'supplier_name' in items; remove one."],
]

for (const [what, options, message, entity] of refusals) {
  t.test(`start-up refuses ${what}`, async (t) => {
    t.throws(() => whitelistOf(options, entity), { code: 'FST_CRUD_CONFIG_INVALID', statusCode: 500 })
    t.equal(messageOf(() => whitelistOf(options, entity)), message)
  })
}
