/** Columns whose types are domains have the same answers to all requests as columns of the types below. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedAggregate, AllowedFilters, AllowedInclude, AllowedSort } from '../../src/index.ts'
import { OPERATIONS } from '../../src/config/index.ts'
import { valueTypeOf } from '../../src/model/index.ts'
import {
  LIST_VALUES, operatorFormOf, operatorsFor, type Operator, type OperatorForm,
} from '../../src/operators/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'
import { hooked } from '../helpers/hooked.ts'
import { q, resource, serve, verdict, writes, type Json } from './helper.ts'

const MOODS = ['sad', 'calm', 'glad'] as const

/** The properties: the type of the column, as both entities declare it, and two of its values. */
const COLUMNS: Readonly<Record<string, readonly [type: string, declared: () => any, one: unknown, other: unknown]>> = {
  mood: ['mood', () => p.enum(MOODS).columnType('mood'), 'sad', 'glad'],
  word: ['varchar(20)', () => p.string().length(20), 'blue', 'green'],
  note: ['text', () => p.text(), 'Blue', 'green'],
  stars: ['integer', () => p.integer(), 2, 4],
  views: ['bigint', () => p.bigint('string'), '2', '9007199254740993'],
  price: ['numeric(8,2)', () => p.decimal().precision(8).scale(2), '2.50', '10.00'],
  ratio: ['double precision', () => p.double(), 0.5, 2],
  open: ['boolean', () => p.boolean(), false, true],
  token: [
    'uuid', () => p.uuid(), '11111111-1111-4111-8111-111111111111', '99999999-9999-4999-8999-999999999999',
  ],
  day: ['date', () => p.date(), '2026-01-02', '2026-03-04'],
  moment: [
    'timestamptz', () => p.datetime().columnType('timestamptz'), '2026-01-02T03:04:05.000Z', '2026-03-04T05:06:07.000Z',
  ],
  hour: ['time', () => p.time(), '08:00:00', '20:30:00'],
  span: ['int4range', () => p.string().columnType('int4range'), '[1,3)', '[2,9)'],
  meta: ['jsonb', () => p.json().columnType('jsonb'), { colour: 'blue' }, { colour: 'green' }],
  words: ['text[]', () => p.array().columnType('text[]'), ['a', 'b'], ['b']],
  moods: ['mood[]', () => p.enum(MOODS).array().columnType('mood[]'), ['sad', 'glad'], ['calm']],
}
const NAMES = Object.keys(COLUMNS)
const typeOf = (name: string) =>
  valueTypeOf(COLUMNS[name]![0], { ...(name.startsWith('mood') && { items: MOODS }), runtimeType: 'string' })
const operatorsOf = (name: string) => operatorsFor(typeOf(name), false)
const SORTED = NAMES.filter((name) => operatorsOf(name).includes('in'))
const ORDERED = NAMES.filter((name) => operatorsOf(name).includes('lt') && !['open', 'token'].includes(name))

const ofEntity = (name: string, table: string) => {
  const columns = Object.fromEntries(NAMES.map((column) => [column, COLUMNS[column]![1]().nullable()]))
  const Own = entity(name, {
    id: p.integer().primary().autoincrement(false),
    ...columns,
    parent: () => p.manyToOne(Own).nullable(),
    children: () => p.oneToMany(Own).mappedBy('parent'),
  }, { tableName: table })
  return Own
}
const Plain = ofEntity('Plain', 'plain')
const Domains = ofEntity('Domains', 'domains')

const columnsOf = (typeOf: (name: string) => string): string =>
  `id integer primary key, ${NAMES.map((name) => `${name} ${typeOf(name)}`).join(', ')}, parent_id integer`
/** The domain of each type is one over another domain. The type of the items of `moods` is a domain as well. */
const tables = `
  create type mood as enum ('sad', 'calm', 'glad');
  create domain a_mood as mood;
  ${
  NAMES.map((name) => {
    const base = name === 'moods' ? 'a_mood[]' : COLUMNS[name]![0]
    return `create domain base_${name} as ${base}; create domain own_${name} as base_${name};`
  }).join('\n')
}
  create table plain (${columnsOf((name) => COLUMNS[name]![0])});
  create table domains (${columnsOf((name) => `own_${name}`)});
`

const whitelist = {
  allowedFilters: [
    'id', ...NAMES.map((name) => ({ [name]: [...operatorsOf(name)] })), 'childrenMoodMax',
  ],
  allowedSorts: ['id', ...SORTED, 'childrenMoodMax'],
  allowedFields: ['id', ...NAMES],
  allowedIncludes: ['parent', 'children', ...ORDERED.flatMap((name) => [
    AllowedInclude.min(`children.${name}`), AllowedInclude.max(`children.${name}`),
  ])],
  allowedFacets: SORTED,
  allowedGroups: SORTED,
  allowedAggregates: ORDERED.map((name) => new AllowedAggregate(name, ['min', 'max', 'countDistinct'] as never)),
}
const operations = ['list', 'get', 'aggregate', 'create', 'createMany', 'update', 'updateMany', 'deleteMany'] as const

const filterOf = (name: string, operator: Operator): string[] => {
  const [, , one, other] = COLUMNS[name]!
  const named = `filter[${name}][${operator}]=`
  const [first, second] = [one, other].map((value) => Array.isArray(value) ? value[0] : value)
    .map((value) => typeof value === 'object' ? JSON.stringify(value) : String(value))
  const { value }: OperatorForm = operatorFormOf(operator, typeOf(name))
  if (value === 'boolean') return [`${named}true`, `${named}false`]
  if (LIST_VALUES.has(value)) {
    const items = [first, second].map((text) => `${named.replace('=', '[]=')}${encodeURIComponent(text!)}`)
    return [items.join('&')]
  }
  return [first, second].map((text) => `${named}${encodeURIComponent(text!)}`)
}

/** Tables whose keys are such columns. PostgreSQL has no foreign keys that refer to them. */
const keyed = (name: string, table: string) => entity(name, {
  mood: p.enum(MOODS).columnType('mood').primary(), name: p.string().unique(), one: p.integer(), two: p.integer(),
  plain: () => p.manyToOne(Plain),
}, { tableName: table })
const PlainKey = keyed('PlainKey', 'plain_key')
const DomainKey = keyed('DomainKey', 'domain_key')
const keyTables = [['plain_key', 'mood'], ['domain_key', 'own_mood']].map(([table, type]) =>
  `create table ${table} (mood ${type} primary key, name text unique, one int, two int, plain_id int);`).join('')
const ofKey = (model: unknown) => ({
  crud: hooked({
    model, writable: 'all', upsertKeys: ['mood', 'name'], previous: ['name'],
    queryConfig: {
      allowedFilters: [
        new AllowedFilters('mood', 'eq', ['eq', 'in']),
        AllowedFilters.fullText('words', ['name', 'plain.word'], { config: 'simple' }),
      ],
      allowedSorts: [
        new AllowedSort('mood', 'name'),
        AllowedSort.custom('word', (qb, direction) => qb.leftJoin('plain', 'x').orderBy({ 'x.word': direction })),
      ],
    },
  }, {
    afterUpdate: (record, { previous }) => heard.push([record.name, previous.name]),
    afterUpdateMany: () => undefined,
  }),
  operations: OPERATIONS.filter((operation) => !['aggregate', 'restore'].includes(operation)),
})
const heard: unknown[] = []

const database = { entities: [Plain, Domains, PlainKey, DomainKey], tables: tables + keyTables }

await forEachDatabase(t, database, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plain': { crud: resource(Plain, whitelist), operations, stream: true },
    '/domains': { crud: resource(Domains, whitelist), operations, stream: true },
    '/plain-keys': ofKey(PlainKey),
    '/domain-keys': ofKey(DomainKey),
  })
  const { post, patch, put, remove } = writes(app)
  const valuesOf = (place: 2 | 3) => Object.fromEntries(NAMES.map((name) => [name, COLUMNS[name]![place]]))
  const records = [
    { id: 1, ...valuesOf(2) }, { id: 2, ...valuesOf(3), parent: 1 }, { id: 3, parent: 1 },
    { id: 4, ...valuesOf(2), mood: 'calm', parent: 2 },
  ]
  for (const path of ['/plain', '/domains']) {
    t.equal(verdict(await post(path, records[0])), '201')
    t.equal(verdict(await post(path, records.slice(1))), '201')
  }

  /** Sends a request to both, which must have the same answer. */
  const same = async (t: Json, send: (path: string) => Promise<Json>, what: string): Promise<Json> => {
    const [plain, domains] = [await send('/plain'), await send('/domains')]
    t.equal(domains.statusCode, plain.statusCode, `${what}: ${domains.body}`)
    t.equal(domains.body, plain.body, what)
    return plain
  }
  const read = async (t: Json, query: string, end = ''): Promise<Json> => {
    const answer = await same(t, (path) => app.inject(`${path}${end}?${query}`), query)
    t.equal(answer.statusCode, 200, `${query}: ${answer.body}`)
    return answer.json()
  }

  for (const name of NAMES) {
    t.test(`filters of ${name}`, async (t) => {
      const operators = operatorsOf(name)
      t.ok(operators.includes('isnull'))
      for (const operator of operators) for (const query of filterOf(name, operator)) await read(t, query)
    })
  }

  t.test('a value that is no member of the enum is refused with the members', async (t) => {
    const answer = await same(t, (path) => app.inject(`${path}?filter[mood]=angry`), 'angry')
    t.match(answer.json(), { statusCode: 400, errors: [{ allowed: ['calm', 'glad', 'sad'] }] })
  })

  t.test('sorts and cursors', async (t) => {
    /** The pages of a list to its end, and the page before the last one. Cursors differ by the entity. */
    const walk = async (path: string, query: string): Promise<Json> => {
      const pages: Json[] = []
      const load = async (cursor: string): Promise<Json> => {
        const { statusCode, body } = await app.inject(`${path}?${query}&cursor=${cursor}`)
        const { next_cursor: next, prev_cursor: previous, ...page } = JSON.parse(body)
        pages.push([statusCode, page])
        return { next, previous }
      }
      let { next, previous } = await load('')
      while (next) ({ next, previous } = await load(next))
      if (previous) await load(previous)
      return pages
    }
    for (const name of [...SORTED, 'childrenMoodMax']) {
      for (const sort of [name, `-${name}`, `-${name},id`]) {
        const query = `sort=${sort}&fields=id&per_page=1`
        const pages = await walk('/domains', query)
        t.strictSame(pages, await walk('/plain', query), sort)
        t.match(pages, { length: 5 }, sort)
      }
    }
  })

  t.test('facets, groups and numbers', async (t) => {
    await read(t, `facets=${SORTED.join()}&fields=id`)
    for (const name of SORTED) await read(t, `group=${name}&sort=${name}`, '/aggregate')
    const numbers = ORDERED.flatMap((name) => [`${name}.min`, `${name}.max`, `${name}.countDistinct`])
    await read(t, `aggregate=${numbers.join()}`, '/aggregate')
    const greatest = ORDERED.slice(0, 9).map((name) => `children${name[0]!.toUpperCase()}${name.slice(1)}Max`)
    await read(t, `include=${greatest.join()}`)
    await read(t, q`filter[childrenMoodMax]=glad`)
  })

  t.test('streams', async (t) => {
    const headers = { accept: 'application/x-ndjson' }
    await same(t, (path) => app.inject({ url: `${path}?sort=-mood&include=children`, headers }), 'stream')
  })

  t.test('keys', async (t) => {
    const of = (mood: string, name: string) => ({ mood, name, one: 1, two: 2, plain: 1 })
    const requests: ReadonlyArray<readonly [what: string, send: (path: string) => Promise<Json>]> = [
      ['create', (path) => post(path, of('sad', 'a'))],
      ['create many', (path) => post(path, [of('calm', 'b')])],
      ['upsert', (path) => put(`${path}?on=mood`, of('sad', 'c'))],
      ['upsert many', (path) => put(`${path}?on=mood`, [of('sad', 'd'), of('glad', 'e')])],
      ['update', (path) => patch(`${path}/sad`, { name: 'f' })],
      ['get', (path) => app.inject(`${path}/sad`)],
      ...[
        'sort=name&per_page=1&page=2', 'sort=-word', 'sort=word&per_page=1&page=2', 'filter[words]=blue',
        'filter[words]=blue&sort=-words', 'filter[mood][in]=sad,glad', 'sort=-mood',
      ].map((query) => [query, (path: string) => app.inject(`${path}?${query}`)] as const),
      ['update many', (path) => patch(`${path}?filter[mood]=sad`, { one: 2 })],
      ['delete many', (path) => remove(`${path}?filter[mood]=calm`)],
      ['delete', (path) => remove(`${path}/sad`)],
    ]
    for (const [what, send] of requests) {
      const [plain, domain] = [await send('/plain-keys'), await send('/domain-keys')]
      t.equal(domain.statusCode, plain.statusCode, `${what}: ${domain.body}`)
      t.equal(domain.body, plain.body, what)
      t.match(plain.statusCode, /^20/, `${what}: ${plain.body}`)
    }
    t.strictSame(heard.splice(0), [['c', 'a'], ['c', 'a'], ['d', 'c'], ['d', 'c'], ['f', 'd'], ['f', 'd']])
  })

  t.test('writes', async (t) => {
    for (const name of NAMES) {
      await same(t, (path) => patch(`${path}/3`, { [name]: COLUMNS[name]![2] }), name)
      await same(t, (path) => patch(`${path}/3`, { [name]: null }), `${name}: null`)
    }
    for (const query of ['filter[mood]=sad', 'filter[mood][in]=sad,calm']) {
      await same(t, (path) => patch(`${path}?${query}`, { stars: 3 }), query)
    }
    await same(t, (path) => remove(`${path}?filter[mood][gt]=calm`), 'delete')
    t.same((await read(t, 'fields=id')).items, [{ id: 1 }, { id: 3 }, { id: 4 }])
  })
})
