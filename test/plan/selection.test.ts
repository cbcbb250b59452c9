import t from 'tap'
import { AllowedField, AllowedInclude } from '../../src/config/index.ts'
import { Group, OrderItem, Supplier } from '../fixtures/entities.ts'
import { errorsOf, planOf, selectionOf, whitelistOf } from './helper.ts'

const ALL = [
  'id', 'uuid', 'created_at', 'updated_at', 'deleted_at', 'name', 'latinName', 'position', 'status', 'price', 'inStock',
  'description', 'articleNumber', 'nameLength', 'slug', 'supplier', 'group', 'shelf',
]
const TAG = ['id', 'deleted_at', 'name', 'weight']
const SUPPLIER = ['id', 'created_at', 'updated_at', 'deleted_at', 'name', 'country', 'address']
const GROUP = ['id', 'deleted_at', 'name', 'parent']

const plants = whitelistOf({
  allowedFields: [
    ...[
      'id', 'name', 'articleNumber', 'supplier', 'tags.name', 'tags.id', 'supplier.name', 'supplier.address',
      'group.parent.name',
    ].map((name) => new AllowedField(name)),
    new AllowedField('price', { alias: 'cost' }),
  ],
  allowedIncludes: [
    new AllowedInclude('tags'),
    new AllowedInclude('supplier', { alias: 'grower' }),
    new AllowedInclude('group'),
    new AllowedInclude('group.parent', { alias: 'above' }),
    new AllowedInclude('group.parent.parent'),
    new AllowedInclude('orderItems.order.customer', { alias: 'buyer' }),
    new AllowedInclude('label'),
    new AllowedInclude('offers', { alias: 'plant' }),
  ],
})
const selected = (query: string, whitelist = plants) => selectionOf(planOf(query, whitelist).selection)
const details = (query: string) => errorsOf(query, plants).map(({ code, detail }) => `${code.slice(9, -8)}: ${detail}`)

t.test('without fields, a record has all visible properties, and a to-one relation as its key', async (t) => {
  for (const query of ['', 'fields=', 'fields=&fields[plant]=']) t.strictSame(selected(query), ALL, query)
  t.strictSame(selected('', whitelistOf({}, Supplier)), SUPPLIER, 'no hidden email')
  t.strictSame(selected('', whitelistOf({}, OrderItem)), ['order', 'plant', 'quantity', 'price'])
})

t.test('fields select exactly these, in the order of declaration, by their URL names', async (t) => {
  t.strictSame(selected('fields=name,id'), ['id', 'name'])
  t.strictSame(selected('fields=name&fields=id,name'), ['id', 'name'])
  t.strictSame(selected('fields=sku,cost'), ['price', 'articleNumber'])
  t.strictSame(selected('fields=supplier'), ['supplier'])
})

t.test("fields with the resource's name select the same", async (t) => {
  t.strictSame(selected('fields[plant]=name'), ['name'])
  t.strictSame(selected('fields=id&fields[plant]=name'), ['id', 'name'])
  const named = whitelistOf({ allowedFields: [new AllowedField('name')] }, undefined, 'plants')
  t.strictSame(selected('fields[plants]=name', named), ['name'])
  t.match(errorsOf('fields[plant]=name', named), [{
    source: { parameter: 'fields[plant]' },
    allowed: ['plants'],
    suggestion: 'plants',
  }])
})

t.test('fields[...] prefers an include with the same name as the resource', async (t) => {
  t.strictSame(details('include=plant&fields[plant]=name'), ["FIELD: The field 'name' is not allowed. Allowed: none."])
})

t.test('includes replace their keys', async (t) => {
  t.strictSame(selected('include=tags'), [...ALL, { tags: TAG }])
  t.strictSame(selected('include=grower'), [...ALL.filter((name) => name !== 'supplier'), { supplier: SUPPLIER }])
  t.strictSame(selected('include=label,tags,grower').slice(-3), [{ supplier: SUPPLIER }, { tags: TAG }, {
    label: ['id', 'text', 'printed', 'plant'],
  }], 'in the order of declaration')
  t.strictSame(selected('fields=id,supplier&include=grower'), ['id', { supplier: SUPPLIER }])
})

t.test('a path includes the relations on its way, allowed or not', async (t) => {
  const above = { group: ['id', 'deleted_at', 'name', { parent: GROUP }] }
  t.strictSame(selected('fields=id&include=group.above'), ['id', above])
  t.strictSame(selected('fields=id&include=group.above,group'), ['id', above])
  t.strictSame(selected('fields=id&include=group.above.parent'), ['id', {
    group: ['id', 'deleted_at', 'name', { parent: ['id', 'deleted_at', 'name', { parent: GROUP }] }],
  }])
  t.strictSame(selected('fields=id&include=orderItems.order.buyer'), ['id', {
    orderItems: ['plant', 'quantity', 'price', {
      order: ['id', 'created_at', 'updated_at', 'version', 'note', { customer: ['id', 'deleted_at', 'name', 'email'] }],
    }],
  }])
})

t.test('fields of an include are named by its path in the URL', async (t) => {
  t.strictSame(selected('fields=id&include=tags&fields[tags]=name'), ['id', { tags: ['name'] }])
  t.strictSame(selected('fields=id&include=grower&fields[grower]=name,address'), ['id', {
    supplier: ['name', 'address'],
  }])
  t.strictSame(selected('fields=id&include=group.above&fields[group.above]=name'), ['id', {
    group: ['id', 'deleted_at', 'name', { parent: ['name'] }],
  }])
  t.strictSame(selected('include=tags&fields[tags]=').at(-1), { tags: TAG })
})

t.test('a field that is not allowed is refused', async (t) => {
  t.strictSame(errorsOf('fields=nam,id', plants), [{
    source: { parameter: 'fields' },
    code: 'FST_CRUD_FIELD_INVALID',
    detail: "The field 'nam' is not allowed. Did you mean 'name'? Allowed: cost, id, name, sku, supplier.",
    allowed: ['cost', 'id', 'name', 'sku', 'supplier'],
    suggestion: 'name',
  }])
  t.strictSame(details('fields=articleNumber,price'), [
    "FIELD: The field 'articleNumber' is not allowed. Allowed: cost, id, name, sku, supplier.",
    "FIELD: The field 'price' is not allowed. Allowed: cost, id, name, sku, supplier.",
  ])
  t.strictSame(details('include=tags&fields[tags]=weight'), [
    "FIELD: The field 'weight' is not allowed. Allowed: id, name.",
  ])
  t.strictSame(
    details('fields=purchasePrice'),
    details('fields=purchaseCrate').map((detail) => detail.replaceAll('purchaseCrate', 'purchasePrice'))
  )
  t.strictSame(details('fields=tags.name'), [
    "FIELD: The field 'tags.name' is not allowed. Allowed: cost, id, name, sku, supplier.",
  ])
})

t.test('fields of a relation that is not included are refused', async (t) => {
  t.strictSame(details('fields[tags]=name'), [
    "FIELD: 'tags' is not included, so no fields of it can be selected. Add include=tags. Allowed: plant.",
  ])
  t.strictSame(details('include=grower&fields[supplier]=name'), [
    "FIELD: 'supplier' is not included, so no fields of it can be selected. Allowed: grower, plant.",
  ])
  t.strictSame(details('include=group&fields[group.above]=name'), [
    "FIELD: 'group.above' is not included, so no fields of it can be selected. Add include=group.above. " +
    'Allowed: group, plant.',
  ])
})

t.test('an include that is not allowed is refused', async (t) => {
  t.strictSame(errorsOf('include=tag', plants).map(({ source, detail, suggestion }) => [source, detail, suggestion]), [[
    { parameter: 'include' },
    "The include 'tag' is not allowed. Did you mean 'tags'? Allowed: group, group.above, group.above.parent, " +
    'grower, label, orderItems.order.buyer, plant, tags.',
    'tags',
  ]])
  for (const name of [
    'supplier', 'offers', 'group.parent', 'group.parent.parent', 'orderItems', 'orderItems.order', 'specimens', 'name',
    'tags.plants', 'Tags',
  ]) {
    t.match(errorsOf(`include=${name}`, plants), [{
      code: 'FST_CRUD_INCLUDE_INVALID',
      detail: `The include '${name}' is not allowed.`,
    }], name)
  }
})

t.test('includes have limits', async (t) => {
  t.strictSame(details('include=a.b.c.d'), ['INCLUDE: An include is at most 3 relations deep.'])
  t.strictSame(details(`include=${Array.from({ length: 11 }, (_, index) => `x${index}`)}`), [
    'INCLUDE: At most 10 relations can be included; 11 were given.',
  ])
  t.equal(details(`include=${Array.from({ length: 10 }, (_, index) => `x${index}`)}`).length, 10)
  t.strictSame(details(`include=${Array(20).fill('tags')}`), [], 'a repeated one counts once')
})

t.test('a relation to the same entity does not share its selection', async (t) => {
  const groups = whitelistOf({
    allowedFields: ['name', 'children.id', 'parent.name'].map((name) => new AllowedField(name)),
    allowedIncludes: [new AllowedInclude('parent'), new AllowedInclude('children')],
  }, Group)
  t.strictSame(selected('fields=name&include=parent,children&fields[children]=id', groups), [
    'name',
    { parent: GROUP },
    { children: ['id'] },
  ])
})
