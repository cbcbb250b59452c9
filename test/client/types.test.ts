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
import { AllowedField, AllowedFilters, AllowedInclude, AllowedSort, CrudBase, type ApiOf } from '../../src/index.ts'
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
    },
    writable: ['title', 'author'],
  }),
}
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
    getCompilationSettings: () => options,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot (name) {
      const text = host.readFile(name)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    fileExists: host.fileExists,
    readFile: host.readFile,
  })
  t.teardown(() => service.dispose())
  const offered = (mark: string): string[] =>
    service.getCompletionsAtPosition(file, text.indexOf(`/*${mark}*/`), {})!
      .entries.filter(({ kind }) => kind !== ts.ScriptElementKind.keyword && kind !== ts.ScriptElementKind.warning).map(
        ({ name }) => name.replaceAll('"', '')
      ).sort()
  for (
    const [mark, names] of Object.entries({
      path: ['/books'],
      filter: ['kind', 'title', 'writer'],
      operator: ['contains', 'eq'],
      value: ['novel', 'poems'],
      sort: ['+title', '-title', 'title'],
      include: ['author', 'authorExists'],
      second: ['author', 'authorExists'],
      field: ['id', 'title'],
      relation: ['author'],
      related: ['name'],
      body: ['author', 'title'],
      record: ['author', 'title'],
    })
  ) t.strictSame(offered(mark), names, mark)
})

t.test('the programs of the guide have the documented types', async (t) => {
  const { program, block } = readDocument('docs/client.md')
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
      defaultSort: ['-created_at'],
    },
    writable: ['name', 'price', 'status', 'parent'],
  }),`).join('')
}
}
export type Api = ApiOf<typeof resources>
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

t.test('a client of fifty resources is checked within its budget', async (t) => {
  const server = checked(t, { 'resources.ts': resources }, 'resources.ts').getInstantiationCount()
  const page = checked(t, { 'resources.ts': resources, 'page.ts': client }, 'page.ts').getInstantiationCount()
  const own = checked(t, { 'resources.ts': resources, 'handlers.ts': handlers }, 'handlers.ts').getInstantiationCount()
  t.comment(`instantiations: server ${server}, page ${page}, handlers ${own}`)
  t.ok(server < 1_200_000, `the server's resources: ${server}`)
  t.ok(page < 1_400_000, `a page that uses all of them: ${page}`)
  t.ok(own < 1_400_000, `handlers that use all of them: ${own}`)
})
