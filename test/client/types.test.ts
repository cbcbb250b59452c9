/** The types of the client in an editor and in a large project: completion, and the cost of checking. */
import path from 'node:path'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { readDocument } from '../helpers/document.ts'
import { checkTypes, fromSources, hostOf, optionsOf } from '../helpers/type-check.ts'

// a type checker on a busy machine
t.setTimeout(600_000)

const root = path.resolve(import.meta.dirname, '../..')
const folder = path.join(root, 'test/client')
const options = optionsOf('tsconfig.json')

const IMPORTS = `
import { defineEntity, p } from '@mikro-orm/core'
import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  type ApiOf,
} from '../../src/index.ts'
import { createClient } from '../../src/client/index.ts'
`

t.test('completion offers the allowed names', async (t) => {
  const file = path.join(folder, 'completion.ts')
  const text = `${IMPORTS}
const Author = defineEntity({ name: 'Author', properties: { id: p.integer().primary(), name: p.string() } })
const Book = defineEntity({
  name: 'Book',
  properties: {
    id: p.integer().primary(), title: p.string(), secret: p.string(), kind: p.enum(['novel', 'poems']),
    author: () => p.manyToOne(Author),
  },
})
const resources = {
  '/books': new CrudBase({
    model: Book,
    queryConfig: {
      allowedFilters: [
        new AllowedFilters('title', 'eq', ['eq', 'contains']), AllowedFilters.exact('author.name', { alias: 'writer' }),
        new AllowedFilters('kind'),
      ],
      allowedSorts: [new AllowedSort('title')],
      allowedFields: [new AllowedField('id'), new AllowedField('title'), new AllowedField('author.name')],
      allowedIncludes: [new AllowedInclude('author'), AllowedInclude.exists('author')],
      allowedFacets: [new AllowedFacet('kind')],
      allowedGroups: [new AllowedGroup('kind'), new AllowedGroup('author.name')],
      allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('id', ['max'])],
    },
    writable: ['title', 'author'],
  }),
}
const grouped = createClient<ApiOf<{
  '/books': { crud: typeof resources['/books'], operations: ['list', 'aggregate'], query: true }
}>>('')['/books']
grouped.list({ filter: { or: [{ /*grouped*/ }] } })
grouped.list({ facets: ['/*facet*/'] })
grouped.aggregate({ group: ['/*group*/'] })
grouped.aggregate({ aggregate: ['/*number*/'] })
grouped.aggregate({ group: ['kind'], aggregate: ['count'], sort: ['/*order*/'] })
const { items: [numbers] } = await grouped.aggregate({ group: ['author.name'], aggregate: ['id.max'] })
numbers!./*item*/
const api = createClient<ApiOf<typeof resources>>('')
api['/*path*/']
api['/books'].list({ filter: { /*filter*/ } })
api['/books'].list({ filter: { title: { /*operator*/ } } })
api['/books'].list({ filter: { kind: '/*value*/' } })
api['/books'].list({ sort: ['/*sort*/'] })
api['/books'].list({ include: ['/*include*/'] })
api['/books'].list({ include: ['author', '/*second*/'] })
api['/books'].list({ fields: ['/*field*/'] })
api['/books'].list({ fieldsByInclude: { /*relation*/ } })
api['/books'].list({ fieldsByInclude: { author: ['/*related*/'] } })
api['/books'].create({ /*body*/ })
const selected = await api['/books'].get(1, { fields: ['title'], include: ['author'] })
selected./*record*/
`
  const host = hostOf(new Map([[file, text]]), options)
  const service = ts.createLanguageService({
    getCompilationSettings: () => options, getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath, getScriptFileNames: () => [file], getScriptVersion: () => '1',
    getScriptSnapshot (name) {
      const text = host.readFile(name)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    fileExists: host.fileExists, readFile: host.readFile,
  })
  t.teardown(() => service.dispose())
  const offered = (mark: string): string[] =>
    service.getCompletionsAtPosition(file, text.indexOf(`/*${mark}*/`), {})!
      .entries.filter(({ kind }) => kind !== ts.ScriptElementKind.keyword && kind !== ts.ScriptElementKind.warning).map(
        ({ name }) => name.replaceAll('"', '')
      ).sort()
  for (const [mark, names] of Object.entries({
    path: ['/books'], filter: ['kind', 'title', 'writer'], operator: ['contains', 'eq'], value: ['novel', 'poems'],
    sort: ['+title', '-title', 'title'], include: ['author', 'authorExists'], second: ['author', 'authorExists'],
    field: ['id', 'title'], relation: ['author'], related: ['name'], body: ['author', 'title'],
    record: ['author', 'title'], grouped: ['and', 'kind', 'not', 'or', 'title', 'writer'], facet: ['kind'],
    group: ['author.name', 'kind'], number: ['count', 'id.max'],
    order: ['+count', '+kind', '-count', '-kind', 'count', 'kind'], item: ['author_name', 'id_max'],
  })) t.strictSame(offered(mark), names, mark)
})

t.test('the programs of the guide have the documented types', async (t) => {
  const { program, block } = readDocument('docs/front-ends/client.md')
  const files = { 'app.ts': fromSources(program), 'client.ts': fromSources(block('ts client.ts')) }
  t.match(files['client.ts'], '@ts-expect-error')
  checked(t, files, 'app.ts', 'client.ts')
})

const LAST = 50

/** A project of fifty entities that refer to each other, with a resource for each. */
const resources = `${IMPORTS}
${
  Array.from({ length: LAST }, (_, i) => `
export const Entity${i} = defineEntity({
  name: 'Entity${i}',
  properties: {
    id: p.integer().primary(), name: p.string(), price: p.decimal().nullable(),
    status: p.enum(['draft', 'active']).default('draft'), created_at: p.datetime().onCreate(() => new Date()),
    count: p.bigint(), live: p.boolean(), text${i}: p.text().nullable(),
    parent: () => p.manyToOne(Entity${(i + 1) % LAST}).nullable(), children: () => p.oneToMany(Entity${
    (i + LAST - 1) % LAST
  }).mappedBy('parent'),
  },
})`).join('')
}
export const resources = {
${
  Array.from({ length: LAST }, (_, i) => `
  '/entities${i}': new CrudBase({
    model: Entity${i},
    queryConfig: {
      allowedFilters: [
        new AllowedFilters('name', 'eq', ['eq', 'in', 'contains']),
        new AllowedFilters('price', 'gte', ['gte', 'lte', 'between']), AllowedFilters.exact('status').default('active'),
        new AllowedFilters('created_at', 'gte', ['gte', 'lt'], { alias: 'since' }),
        new AllowedFilters('parent', 'eq', ['eq', 'isnull']), AllowedFilters.exact('children.name'),
        AllowedFilters.search('q', ['name', 'parent.name']), AllowedFilters.partial('text${i}'),
      ],
      allowedSorts: [
        new AllowedSort('name', 'price'), new AllowedSort('created_at', { direction: 'desc' }),
        new AllowedSort('parent.name', { alias: 'origin' }),
      ],
      allowedFields: [
        new AllowedField('id'), new AllowedField('name'), new AllowedField('price'), new AllowedField('status'),
        new AllowedField('parent.name'), new AllowedField('children.id'),
      ],
      allowedIncludes: [
        new AllowedInclude('parent'), new AllowedInclude('children'), new AllowedInclude('children.children'),
        AllowedInclude.count('children'), AllowedInclude.sum('children.price'),
      ],
      allowedFacets: [new AllowedFacet('status'), new AllowedFacet('parent.name')],
      allowedGroups: [new AllowedGroup('status'), AllowedGroup.date('created_at', ['day', 'month'])],
      allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('price', ['sum', 'avg'])],
      defaultSort: ['-created_at'],
    },
    writable: ['name', 'price', 'status', 'parent'],
  }),`).join('')
}
}
export type Api = ApiOf<typeof resources>
/** The same, with groups of filters and aggregates. */
export type GroupedApi = ApiOf<{
  readonly [Path in keyof typeof resources]: {
    readonly crud: typeof resources[Path], readonly operations: ['list', 'aggregate'], readonly query: true,
  }
}>
`

/** A server that registers them, each with a scope. */
const server = `
import type { FastifyInstance } from 'fastify'
import { crudKit, type CrudKitOptions } from '../../src/index.ts'
import { resources } from './resources.ts'
declare const fastify: FastifyInstance
declare const orm: NonNullable<CrudKitOptions['orm']>
await fastify.register(crudKit, {
  orm,
  resources: {
${
  Array.from({ length: LAST }, (_, i) => `
    '/entities${i}': { crud: resources['/entities${i}'], scope: ({ ip }) => ({ name: ip, parent: { live: true } }) },`)
    .join('')
}
  },
})
`
const client = `
import { createClient } from '../../src/client/index.ts'
import type { Api } from './resources.ts'
const api = createClient<Api>('')
${
  Array.from({ length: LAST }, (_, i) => `
export const page${i} = await api['/entities${i}'].list({
  filter: { name: 'x', price: { gte: '1' } },
  sort: ['-name', 'origin'],
  include: ['parent', 'children.children', 'childrenCount'],
  fields: ['id', 'name'],
  fieldsByInclude: { parent: ['name'] },
})
export const names${i}: (string | undefined)[] = page${i}.items.map(({ parent }) => parent?.name)
export const made${i} = await api['/entities${i}'].create({ name: 'x' })`).join('')
}
`

/** A page that asks each of them for groups of filters, facets and aggregates. */
const dashboard = `
import { createClient } from '../../src/client/index.ts'
import type { GroupedApi } from './resources.ts'
const api = createClient<GroupedApi>('')
${
  Array.from({ length: LAST }, (_, i) => `
export const page${i} = await api['/entities${i}'].list({
  filter: { name: 'x', or: [{ price: { gte: '1' } }, { not: { since: { lt: '2026-01-01' } } }] },
  facets: ['status', 'parent.name'],
  fields: ['id'],
})
export const value${i}: string | null | undefined = page${i}.facets['parent.name'][0]?.value
export const groups${i} = await api['/entities${i}'].aggregate({
  group: ['status', 'created_at.month'], aggregate: ['count', 'price.sum'], sort: ['-price.sum'],
})
export const sums${i}: (string | null)[] = groups${i}.items.map(({ price_sum }) => price_sum)`).join('')
}
`

/** Handlers of the application's own that read and write each of them. */
const handlers = `
import type { EntityManager } from '@mikro-orm/postgresql'
import { parseQueryParams } from '../../src/index.ts'
import { resources } from './resources.ts'
declare const em: EntityManager
${
  Array.from({ length: LAST }, (_, i) => `
export const made${i} = await resources['/entities${i}'].create(em, { name: 'x', parent: 1 })
export const page${i} = await resources['/entities${i}'].list(em, parseQueryParams(''), { scope: { live: true } })
export const names${i}: (string | undefined)[] = page${i}.items.map(({ name }) => name)
export const total${i}: number | undefined = page${i}.total`).join('')
}
`

/** Checks some of the files, and expects no errors. */
function checked (t: Test, files: Readonly<Record<string, string>>, ...names: readonly string[]): ts.Program {
  const { program, errorsOf } = checkTypes(folder, files, options)
  for (const name of names) t.strictSame(errorsOf(name), [], name)
  return program
}

t.test('fifty resources are checked within their budget', async (t) => {
  const files = {
    'resources.ts': resources, 'server.ts': server, 'page.ts': client, 'dashboard.ts': dashboard,
    'handlers.ts': handlers,
  }
  const { program, errorsOf } = checkTypes(folder, files, options)
  /** The type instantiations that files add to those of the files before. */
  const added = (...names: ReadonlyArray<keyof typeof files>): number => {
    const before = program.getInstantiationCount()
    for (const name of names) t.strictSame(errorsOf(name), [], name)
    return program.getInstantiationCount() - before
  }
  // a limit is 1.5 times the figure of the day on which it was set
  for (const [what, count, limit] of [
    ['the resources', added('resources.ts'), 580_000],
    ['a server with a scope for each', added('server.ts'), 215_000],
    ['pages that use all of them', added('page.ts', 'dashboard.ts'), 450_000],
    ['handlers that use all of them', added('handlers.ts'), 320_000],
  ] as const) t.ok(count < limit, `${what}: ${count} instantiations`)
})

const FILTERS = 200

/** A resource with two hundred filters: half of them on its properties, half on those of its parent. */
const wide = `${IMPORTS}
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import { crudRoutes, parseQueryParams } from '../../src/index.ts'
export const Wide = defineEntity({
  name: 'Wide',
  properties: {
    id: p.integer().primary(),
    parent: () => p.manyToOne(Wide).nullable(),
${
  Array.from({ length: FILTERS / 2 }, (_, i) => `
    column${i}: ${['p.string()', 'p.decimal().nullable()', 'p.datetime()', 'p.integer()'][i % 4]},`).join('')
}
  },
})
const crud = new CrudBase({
  model: Wide,
  queryConfig: {
    allowedFilters: [${
  Array.from({ length: FILTERS / 2 }, (_, i) => `
      new AllowedFilters('column${i}', 'eq', ['eq', 'in', 'gte', 'lte']),
      new AllowedFilters('parent.column${i}', 'eq', ['eq', 'isnull'], { alias: 'parent${i}' }),`).join('')
}
    ],
    allowedSorts: [new AllowedSort('column0'), new AllowedSort('parent.column1', { alias: 'origin' })],
    defaultSort: ['-column0'],
  },
  writable: 'all',
})
declare const em: EntityManager
declare const fastify: FastifyInstance
await fastify.register(crudRoutes, { crud, scope: ({ ip }) => ({ column0: ip, parent: { column4: ip } }) })
const made = await crud.create(em, { column0: 'x' })
export const name: string = made.column0
export const page = await crud.list(em, parseQueryParams(''), { scope: { column3: 7 } })
const api = createClient<ApiOf<{ '/wide': typeof crud }>>('')
export const found = await api['/wide'].list({
  filter: {${
  Array.from({ length: FILTERS / 2 }, (_, i) => `
    column${i}: ${i % 4 === 3 ? i : `'${i}'`}, parent${i}: { isnull: true },`).join('')
}
  },
  sort: ['-column0', 'origin'],
})
`

t.test('a resource with two hundred filters is checked within its budget', async (t) => {
  const count = checked(t, { 'wide.ts': wide }, 'wide.ts').getInstantiationCount()
  t.ok(count < 870_000, `instantiations: ${count}`)
})
