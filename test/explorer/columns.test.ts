/** The columns of the explorer's table: their order, their widths, and the names that they ask for. */
import fc from 'fast-check'
import t from 'tap'
import { columnsOf, type Column } from '../../explorer/api/columns.ts'
import { namesRequest, wantedNames } from '../../explorer/api/names.ts'
import type { Row } from '../../explorer/api/records.ts'
import { needOf, needOfBoth, shareWidth, type Measure, type Need } from '../../explorer/api/widths.ts'
import { formatAddress, formatQuery, parseAddress, parseQuery } from '../../explorer/url/address.ts'
import {
  chosenWidths, inChosenOrder, LEAST_WIDTH, MOST_WIDTH, movedOrder, withWidths,
} from '../../explorer/url/columns.ts'
import type { ExplorerDescription, FieldDescription, ResourceDescription } from '../../plugins/explorer.ts'
import { assertProperty } from '../helpers/property.ts'

const field = (name: string, type: string, more: Partial<FieldDescription> = {}): FieldDescription =>
  ({ name, select: name, value: { type }, nullable: false, key: false, reference: null, ...more }) as FieldDescription
const makerOf = (name: string) => field(name, 'uuid', { reference: { entity: 'Maker', resource: '/makers' } })

const machines = {
  path: '/machines',
  fields: [
    field('id', 'integer', { key: true }),
    field('created_at', 'datetime'),
    field('serial', 'uuid'),
    field('power', 'integer'),
    makerOf('maker'),
    makerOf('second'),
    field('name', 'text'),
    field('shop', 'integer', { reference: { entity: 'Shop', resource: null } }),
    field('bought', 'date'),
  ],
  lookup: { label: 'name' },
  includes: [{
    kind: 'aggregate',
    path: 'partsCount',
    name: 'partsCount',
    function: 'count',
    relation: 'parts',
    property: null,
    value: { type: 'bigint' },
  }],
  filters: [], sorts: [], version: null, softDelete: null,
} as unknown as ResourceDescription
const makers = {
  path: '/makers', key: [{ field: 'id', member: null }], operations: { list: true, get: true },
  lookup: { label: 'name', fields: 'id,name' },
  filters: [{ name: 'id', field: 'id', operators: [{ name: 'eq' }, { name: 'in' }] }], paging: { maxPerPage: 3 },
} as unknown as ResourceDescription
const limits = { listItems: 100, queryLength: 8192 } as ExplorerDescription['limits']
const description = { resources: [machines, makers], limits } as unknown as ExplorerDescription

const columns = (query = ''): Column[] => columnsOf(machines, parseQuery(query), [])
const names = (columns: readonly Column[]): string[] => columns.map(({ name }) => name)

t.test('the name comes first, then values, then what is included, and ids and moments last', async (t) => {
  t.strictSame(names(columns('include=partsCount')), [
    'name', 'power', 'maker', 'second', 'shop', 'bought', 'partsCount', 'id', 'created_at', 'serial',
  ])
  t.strictSame(names(columns('fields=id,power')), ['power', 'id'])
  const unnamed = columnsOf({ ...machines, lookup: { label: 'id' } as never }, parseQuery('fields=id,power'), [])
  t.strictSame(names(unnamed), ['id', 'power'], 'a key is the name of records without another')
})

t.test('a chosen order: names that are moved, and the others as usual', async (t) => {
  const usual = ['a', 'b', 'c', 'd', 'e,"f'].map((name) => ({ name }))
  const ordered = (order?: string): string => inChosenOrder(usual, order).map(({ name }) => name).join(' ')
  t.equal(ordered('c,absent,c'), 'c a b d e,"f')
  t.equal(ordered('a,,'), ordered(), 'what is no list changes nothing')
  t.equal(movedOrder(usual, usual, 'c', -2), 'c')
  t.equal(movedOrder(usual, usual, 'a', 1), 'b')
  t.equal(movedOrder(usual, inChosenOrder(usual, 'b'), 'b', 1), undefined)
  const move = fc.tuple(fc.nat(4), fc.integer({ min: -5, max: 5 }))
  assertProperty(fc.property(fc.array(move, { maxLength: 6 }), (moves) => {
    let order: string | undefined
    let expected = usual.map(({ name }) => name)
    for (const [index, step] of moves) {
      const name = usual[index]!.name
      order = movedOrder(usual, inChosenOrder(usual, order), name, step)
      const from = expected.indexOf(name)
      const rest = expected.filter((other) => other !== name)
      expected = rest.toSpliced(Math.max(0, from + step), 0, name)
      const own = order === undefined ? {} : { order }
      t.strictSame(parseAddress(formatAddress({ path: '/a', params: [], own })).own, own)
      t.equal(ordered(order), expected.join(' '))
    }
  }))
})

t.test('chosen widths are read as they were written, within their limits', async (t) => {
  assertProperty(fc.property(fc.dictionary(fc.string({ maxLength: 8 }), fc.integer()), (widths) => {
    const text = withWidths('kept:99', Object.entries(widths))
    const read = new Map(chosenWidths(text))
    for (const [name, width] of Object.entries(widths)) {
      t.equal(read.get(name), Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)), text)
    }
    if (!('kept' in widths)) t.equal(read.get('kept'), 99)
  }))
  t.equal(chosenWidths('a:x,b,c:1.5,d:50,e:-1,:60').size, 3)
})

const measure: Measure = (text, font) => text.length * (font === 'head' ? 6 : 7)

t.test('dates, numbers and ids have the width of their values, and texts share what is left', async (t) => {
  const rows = [{
    id: 1, name: 'n'.repeat(30), power: 123_456_789_012, created_at: '2026-11-26T02:38:00.123Z', bought: null,
    serial: '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10', maker: '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10', shop: 17,
  }]
  const all = columns()
  const needs = all.map((column) => needOf(column, rows, description, measure))
  const need = (name: string): Need => needs[all.findIndex((column) => column.name === name)]!
  for (const [name, characters] of [
    ['power', 12], ['created_at', '2026-11-26 02:38:00.123'.length], ['bought', 10], ['serial', 9],
  ] as const) t.match(need(name), { shares: false, whole: characters * 7 + 26, least: characters * 7 + 26 }, name)
  t.ok(need('shop').whole < 90, 'a key that is not named is short')
  t.strictSame(all.filter((_, index) => needs[index]!.shares).map(({ name }) => name), ['name', 'maker', 'second'])

  const longer = needOf(all[1]!, [{ power: 1_234_567_890_123_456 }], description, measure)
  t.equal(needOfBoth(need('power'), longer).whole, longer.whole, 'a number of another page is not cut')
  t.equal(needOfBoth(need('name'), { ...need('name'), whole: 500 }).whole, need('name').whole, 'texts do not jump')

  const needArbitrary = fc.tuple(fc.integer({ min: 60, max: 200 }), fc.integer({ min: 0, max: 300 }), fc.boolean())
    .map(([least, more, shares]): Need => ({ least, whole: shares ? least + more : least, shares }))
  assertProperty(fc.property(
    fc.array(needArbitrary, { minLength: 1, maxLength: 8 }),
    fc.integer({ min: 0, max: 2000 }),
    fc.nat(9),
    (needs, room, at) => {
      const chosen = needs.map((_, index) => index === at ? 77 : undefined)
      const widths = shareWidth(needs, room, chosen)
      const sum = widths.reduce((sum, width) => sum + width, 0)
      const least = needs.reduce((sum, need, index) => sum + (chosen[index] ?? need.least), 0)
      if (least <= room) t.ok(sum <= room, `${sum} of ${room}`)
      for (const [index, need] of needs.entries()) {
        if (index === at) t.equal(widths[index], 77)
        else if (!need.shares) t.equal(widths[index], need.whole)
        else t.ok(widths[index]! >= need.least)
      }
      const isFilled = least <= room && needs.some(({ shares }, index) => shares && index !== at)
      if (isFilled) t.ok(sum > room - 2 * needs.length, `${sum} of ${room}`)
      const isCut = needs.some((need, index) => index !== at && widths[index]! < need.whole)
      const isRoomy = needs.some((need, index) => index !== at && widths[index]! > need.whole)
      t.notOk(isFilled && isCut && isRoomy, 'nothing is wider than its values while others are cut')
    }
  ))
})

t.test('one request asks for the names of all related records of a resource', async (t) => {
  const rows: Row[] = [
    { maker: 'a', second: 'b', shop: 1 },
    { maker: 'b', second: null, shop: 2 },
    { maker: { id: 'c', name: 'C' }, second: 'a,"b' },
  ]
  const wanted = wantedNames(columns(), rows, description)
  t.strictSame(wanted, [{ path: '/makers', keys: ['a', 'b', 'a,"b'] }], 'an included record has its name')
  const request = (more: Partial<ResourceDescription>, keys = wanted[0]!.keys, most = limits) =>
    namesRequest({ ...makers, ...more }, keys, most)
  t.equal(decodeURIComponent(formatQuery(request({})!.params)),
    '?filter[id][in]=a,b,"a,\\"b"&per_page=3&fields=id,name')
  t.strictSame(request({}, ['a', 'b', 'c', 'd'])!.keys, ['a', 'b', 'c'], 'at most a page')
  t.equal(request({}, ['a'.repeat(300), 'b'.repeat(300)], { ...limits, queryLength: 1000 })!.keys.length, 1)
  t.strictSame(
    [
      { operations: { list: false } }, { filters: [] }, { lookup: null }, { lookup: { label: 'id' } },
      { key: [...makers.key, ...makers.key] },
    ].map((more) => request(more as never)),
    Array(5).fill(undefined),
    'callers, filters, names and keys that do not allow it'
  )
})
