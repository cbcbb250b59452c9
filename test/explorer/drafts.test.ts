/** The forms of the explorer: what is typed, and the JSON that is sent. */
import fc from 'fast-check'
import t from 'tap'
import type { ResourceDescription } from '../../src/explorer/description.ts'
import { addChild, changeChild, childrenOf, inWords, restOf, toggleChild } from '../../explorer/api/children.ts'
import {
  changesOf, differencesOf, draftOf, draftsOfBody, jsonOf, propertiesOf, type Draft, type Property,
} from '../../explorer/api/drafts.ts'
import { columnsOf } from '../../explorer/api/columns.ts'
import type { Json } from '../../explorer/api/format.ts'
import type { Row } from '../../explorer/api/records.ts'
import { parseQuery } from '../../explorer/url/address.ts'
import { ormOf } from '../helpers/models.ts'
import { assertProperty } from '../helpers/property.ts'
import { describedBy, explored } from './nursery.ts'

t.test('the forms and columns of the nursery', async (t) => {
  const { resources } = await describedBy(await explored(t, ormOf()))
  const at = (path: string): ResourceDescription => resources.find((resource) => resource.path === path)!
  const plants = at('/plants')
  const properties = propertiesOf(plants, plants.bodies.update!)
  const property = (name: string) => properties.find((property) => property.name === name)!

  t.test('each property has an input of its type', async (t) => {
    const kinds = Object.fromEntries(properties.map(({ name, kind }) => [name, kind]))
    t.match(kinds, {
      name: 'line', status: 'choice', inStock: 'choice', description: 'text', supplier: 'key', tags: 'keys',
    })
    const specimens = at('/specimens')
    for (const { name, kind } of propertiesOf(specimens, specimens.bodies.update!)) t.ok(kind, `${name}: ${kind}`)
  })

  t.test('the values of a form are read back as they were, and are no changes', async (t) => {
    const record = fc.record<Row>({
      name: fc.string(), position: fc.integer(),
      price: fc.oneof(fc.constant(null), fc.integer(), fc.constantFrom(0.5, 12.25, -3.75)), inStock: fc.boolean(),
      status: fc.constantFrom('draft', 'active'), supplier: fc.uuid(), tags: fc.array(fc.integer({ min: 1, max: 9 })),
    })
    assertProperty(fc.property(record, (row) => {
      for (const [name, value] of Object.entries(row)) {
        const draft = draftOf(property(name), value)
        t.strictSame(draft === undefined ? undefined : jsonOf(property(name), draft), value as Json, name)
      }
      const drafts = Object.fromEntries(properties.map((each) => [each.name, draftOf(each, row[each.name])]))
      t.strictSame(changesOf(properties, drafts, drafts), {})
      t.strictSame(differencesOf(properties, drafts, drafts, drafts), [])
    }))
  })

  t.test('only changes are sent, and text that is no value is sent unchanged', async (t) => {
    const before = { name: 'Aster', price: '2', description: null, tags: ['1'] }
    t.strictSame(changesOf(properties, before, { ...before, price: '2.50', description: '', tags: ['1', '2'] }), {
      description: '', price: 2.5, tags: [1, 2],
    })
    t.strictSame(changesOf(properties, before, { ...before, price: 'cheap' }), { price: 'cheap' })
    t.strictSame(changesOf(properties, before, { ...before, price: null }), { price: null })
  })

  t.test('a form holds the JSON of one record, unless it would lose a part of it', async (t) => {
    const body = { name: 'Aster', price: 2.5, inStock: false, description: null, tags: [1, 2] }
    const drafts = draftsOfBody(properties, body)
    t.strictSame(drafts, { name: 'Aster', price: '2.5', inStock: 'false', description: null, tags: ['1', '2'] })
    t.strictSame(changesOf(properties, {}, drafts!), body)
    const others: readonly Json[] = [
      [body], 'Aster', null, { ...body, colour: 'red' }, { name: { de: 'Aster' } }, { price: '2' },
    ]
    for (const other of others) {
      t.equal(draftsOfBody(properties, other), undefined, JSON.stringify(other))
    }
  })

  t.test('after a conflict, only properties that somebody has changed are shown', async (t) => {
    const before = { name: 'a', price: '1', position: '1' }
    const found = differencesOf(properties, before, { ...before, name: 'b' }, { ...before, price: '2' })
    t.strictSame(found.map(({ property, before, theirs, mine }) => [property.name, before, theirs, mine]).sort(), [
      ['name', 'a', 'b', 'a'],
      ['price', '1', '1', '2'],
    ])
  })

  t.test('columns follow the fields and includes of the request', async (t) => {
    const names = (query: string): string[] => columnsOf(plants, parseQuery(query), []).map(({ name }) => name)
    t.strictSame(names('fields=id,name'), ['name', 'id'])
    t.strictSame(names('fields=id,name&include=offersCount,tags'), ['name', 'offersCount', 'tags', 'id'])
    t.equal(names('')[0], 'name', 'the name of a record comes first')
    const last = ['created_at', 'deleted_at', 'id', 'updated_at', 'uuid']
    t.strictSame(names('').slice(-5).sort(), last, 'the keys and the moments are last')
    const columns = columnsOf(plants, parseQuery('fields=id&include=group.parent'), [{ id: 1, extra: true }])
    t.strictSame(columns.map(({ name }) => name), ['group', 'group.parent', 'extra', 'id'],
      'other keys of records are shown as well')
  })
})

t.test('what is typed while children are saved is left to save, and nothing is saved twice', async (t) => {
  const property = (name: string, more: object = {}): Property => ({
    name, title: name, kind: 'line', value: null, nullable: false, required: false, reference: null, keyName: 'id',
    description: undefined, ...more,
  })
  const inputs = [property('text')]
  const lines = property('lines', {
    kind: 'children',
    children: { title: 'Line', isNew: false, key: ['id'], added: inputs, changed: inputs, canRemove: true, fields: [] },
  })
  const rules = lines.children!
  const before = { title: 'x', lines: [{ id: 1, text: 'a' }, { id: 2, text: 'b' }, { id: 3, text: 'c' }] }
  const [one, two, three] = childrenOf(rules, before.lines, undefined)
  const added = addChild(undefined)
  let sent: Draft = changeChild(added, childrenOf(rules, before.lines, added).at(-1)!, 'text', 'new')
  sent = toggleChild(changeChild(sent, one!, 'text', 'A'), two!)
  const bodyOf = (draft: Draft) => changesOf([lines], {}, { lines: draft })
  t.strictSame(bodyOf(sent), { lines: { add: [{ text: 'new' }], update: [{ id: 1, text: 'A' }], remove: [2] } })
  t.strictSame(inWords([lines], before, { lines: sent }), { lines: ['A', 'c', 'new'] })

  // the answer has those that were added and changed
  const answer = { title: 'x', lines: [{ id: 4, text: 'new' }, { id: 1, text: 'A' }] }
  const rest = (now: Draft) => restOf([lines], before, answer, { lines: sent }, { lines: now })
  t.strictSame(rest(sent).record['lines'], [{ id: 3, text: 'c' }, { id: 4, text: 'new' }, { id: 1, text: 'A' }])
  t.equal(rest(sent).touched['lines'], undefined, 'nothing is left')
  const typed = childrenOf(rules, before.lines, sent)
  let now: Draft = changeChild(sent, typed.at(-1)!, 'text', 'newer')
  now = addChild(changeChild(changeChild(now, one!, 'text', 'AA'), three!, 'text', 'C'))
  t.strictSame(bodyOf(rest(now).touched['lines']), {
    lines: { add: [{}], update: [{ id: 1, text: 'AA' }, { id: 3, text: 'C' }, { id: 4, text: 'newer' }] },
  })
})
