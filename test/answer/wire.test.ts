import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedInclude, QueryBuilderConfig } from '../../src/config/index.ts'
import { planList, resolveWhitelist } from '../../src/plan/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { toWireOf } from '../../src/answer/index.ts'
import { Customer, Plant, Specimen, Supplier } from '../fixtures/entities.ts'
import { modelsOf } from '../helpers/models.ts'
import { planOf, whitelistOf } from '../plan/helper.ts'
import { entity } from '../helpers/entity.ts'

const selectionOf = (entity: unknown, query: string, ...includes: string[]) =>
  planOf(query, whitelistOf({ allowedIncludes: includes.map((path) => new AllowedInclude(path)) }, entity)).selection

/** A record after its conversion, which changes it in place. */
function wired (selection: ReturnType<typeof selectionOf>, record: Record<string, unknown>): unknown {
  toWireOf(selection)!(record)
  return record
}

t.test('records in wire form need no conversion', async (t) => {
  t.equal(toWireOf(selectionOf(Plant, '')), undefined)
  t.equal(toWireOf(selectionOf(Plant, 'include=tags,group.parent', 'tags', 'group.parent')), undefined)
  t.equal(toWireOf(selectionOf(Customer, '')), undefined)
})

t.test('serializers and custom types produce the wire form, also of null', async (t) => {
  t.strictSame(wired(selectionOf(Supplier, ''), { id: 1, country: 'fr', address: null }), {
    id: 1, country: 'FR', address: null,
  })
  t.strictSame(wired(selectionOf(Specimen, ''), { petals: '#967bb6', minimum: -12.5, leaves: 1 }), {
    petals: '#967bb6', minimum: -12.5, leaves: 1,
  })
  t.strictSame(wired(selectionOf(Specimen, ''), { petals: null, minimum: null }), { petals: null, minimum: null })
})

t.test('included records are converted: one, several, none, and nested', async (t) => {
  const one = selectionOf(Plant, 'include=supplier', 'supplier')
  t.strictSame(wired(one, { supplier: { country: 'ie' } }), { supplier: { country: 'IE' } })
  t.strictSame(wired(one, { supplier: null }), { supplier: null })
  const many = selectionOf(Supplier, 'include=plants.supplier', 'plants.supplier')
  t.strictSame(wired(many, { country: 'fr', plants: [{ supplier: { country: 'fr' } }, { supplier: null }] }), {
    country: 'FR',
    plants: [{ supplier: { country: 'FR' } }, { supplier: null }],
  })
  t.strictSame(wired(many, { country: 'fr', plants: [] }), { country: 'FR', plants: [] })
})

t.test('embedded objects are converted, except their hidden members', async (t) => {
  const Contact = entity('Contact', {
    phone: p.string().serializer((phone: string) => `tel:${phone}`),
    pin: p.string().hidden().serializer((pin: string) => pin.toUpperCase()),
  }, { embeddable: true })
  const Person = entity('Person', { id: p.integer().primary(), contact: () => p.embedded(Contact).nullable() })
  const whitelist = resolveWhitelist(new QueryBuilderConfig(), modelsOf([Contact, Person]).of(Person))
  const { selection } = planList(parseQueryParams(''), whitelist)
  t.strictSame(wired(selection, { id: 1, contact: { phone: '1' } }), { id: 1, contact: { phone: 'tel:1' } })
  t.strictSame(wired(selection, { id: 1, contact: null }), { id: 1, contact: null })
})
