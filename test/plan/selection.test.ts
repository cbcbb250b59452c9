import t from 'tap'
import { AllowedField, AllowedInclude } from '../../src/config/index.ts'
import { planList } from '../../src/plan/index.ts'
import { parseQueryTree } from '../../src/query/index.ts'
import { Group } from '../fixtures/entities.ts'
import { errorsOf, messageOf, planOf, selectionOf, whitelistOf } from './helper.ts'

const GROUP = ['id', 'deleted_at', 'name', 'parent']

const plants = whitelistOf({
  allowedFields: [
    'id', 'name', 'articleNumber', 'supplier', 'tags.name', 'tags.id', 'supplier.name', 'supplier.address',
    'group.parent.name', new AllowedField('price', { alias: 'cost' }),
  ],
  allowedIncludes: [
    'tags', new AllowedInclude('supplier', { alias: 'grower' }), 'group',
    new AllowedInclude('group.parent', { alias: 'above' }), 'group.parent.parent',
    new AllowedInclude('orderItems.order.customer', { alias: 'buyer' }), 'label',
    new AllowedInclude('offers', { alias: 'plant' }),
  ],
})
const selected = (query: string, whitelist = plants) => selectionOf(planOf(query, whitelist).selection)
const details = (query: string) => errorsOf(query, plants).map(({ code, detail }) => `${code.slice(9, -8)}: ${detail}`)

t.test('fields[...] prefers an include with the same name as the resource', async (t) => {
  t.strictSame(details('include=plant&fields[plant]=name'), ["FIELD: The field 'name' is not allowed. Allowed: none."])
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

t.test('a field of a relation is refused, and the error says how it is written', async (t) => {
  for (const [query, written] of [
    ['fields=tags.name', 'include=tags&fields[tags]=name'],
    ['fields=id,tags.name&include=tags', 'fields[tags]=name'],
    ['fields=grower.name', 'include=grower&fields[grower]=name'],
    ['fields=supplier.name', 'include=grower&fields[grower]=name'],
    ['include=group&fields[group]=above.name', 'include=group.above&fields[group.above]=name'],
  ] as const) {
    t.match(errorsOf(query, plants), [{ detail: `. Write ${written}. Allowed: `, suggestion: undefined }], query)
    t.strictSame(details(`${query.replace(/fields.*name/, '')}&${written}`), [], written)
  }
  for (const [include, written] of [
    [[], '{"include": ["tags"], "fieldsByInclude": {"tags": ["name"]}}'],
    [['tags'], '{"fieldsByInclude": {"tags": ["name"]}}'],
  ] as const) {
    const query = parseQueryTree({ fields: ['tags.name'], include })
    t.match(messageOf(() => planList(query, plants)), ` Write ${written}. `)
  }
  for (const name of ['tags.weight', 'specimens.id', 'id.name']) {
    t.match(errorsOf(`fields=${name}`, plants), [{ detail: /is not allowed\. (?!Write)/ }], name)
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
    allowedFields: ['name', 'children.id', 'parent.name'],
    allowedIncludes: ['parent', 'children'],
  }, Group)
  t.strictSame(selected('fields=name&include=parent,children&fields[children]=id', groups), [
    'name', { parent: GROUP }, { children: ['id'] },
  ])
})
