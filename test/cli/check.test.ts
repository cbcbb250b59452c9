/** `check`: everything that requests may do more than before is named, and the database is compared. */
import { defineEntity, MikroORM, p, raw } from '@mikro-orm/postgresql'
import Fastify from 'fastify'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { crudKit, type CrudKitOptions } from '../../plugins/crud-kit.ts'
import { compareSurfaces } from '../../src/cli/check/compare-surfaces.ts'
import { lockText, readLock, writeLock } from '../../src/cli/check/lock-file.ts'
import { surfaceOf, type Surface } from '../../src/cli/check/surface.ts'
import { knownResources } from '../../src/http/index.ts'
import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
} from '../../src/index.ts'
import { runCommand, type Ran } from '../helpers/command-line.ts'
import { newDatabases } from '../helpers/databases.ts'

const Shop = defineEntity({ name: 'Shop', properties: { id: p.integer().primary(), name: p.string() } })
const Item = defineEntity({
  name: 'Item',
  filters: { own: { name: 'own', cond: { shop: 1 }, default: true } },
  properties: {
    id: p.integer().primary(), name: p.string().unique(), price: p.integer(), at: p.datetime().nullable(),
    secret: p.string().hidden().nullable(), version: p.integer().version(), shop: () => p.manyToOne(Shop),
    parts: () => p.oneToMany(Part).mappedBy('item'),
  },
})
const Part = defineEntity({
  name: 'Part',
  properties: { id: p.integer().primary(), name: p.string(), item: () => p.manyToOne(Item) },
})

const VISIBLE = { name: 'visible' }
const OPERATIONS = ['list', 'get', 'create', 'update', 'createMany', 'aggregate']
const MEMBER = { rows: { price: 1 }, operations: ['list', 'get'] }
/** Rows by SQL alone, whose key is a symbol. */
const BY_SQL = { ...MEMBER, rows: { [raw('price = 1')]: [] } }

/** The parts of an application that a mutation changes. */
const PARTS = {
  filters: [
    new AllowedFilters('price', 'eq', ['eq', 'gte']),
    AllowedFilters.search('q', ['name']),
    new AllowedFilters('name', 'eq', { alias: 'title' }),
  ],
  sorts: [new AllowedSort('name'), new AllowedSort('price', { alias: 'best' })],
  fields: [new AllowedField('id'), new AllowedField('name')],
  includes: [new AllowedInclude('parts', { limit: 5, where: VISIBLE })],
  facets: [new AllowedFacet('price', { alias: 'cost' })],
  groups: [new AllowedGroup('price', { alias: 'cost' })],
  aggregates: [AllowedAggregate.count()],
  pagination: { maxPerPage: 50, maxOffset: 1_000, count: 'none' },
  writable: { create: ['name', 'price', 'shop'], update: ['name'] },
  upsertKeys: [],
  routes: { operations: OPERATIONS, requireIfMatch: true, maxBatch: 10, scope: () => ({ price: 1 }) } as object,
  member: { Item: MEMBER, Shop: true } as object,
  others: {},
}
type Parts = { [name in keyof typeof PARTS]: typeof PARTS[name] extends unknown[] ? unknown[] : object }
/** The parts that a mutation replaces. */
type Change = (parts: Parts) => Partial<Parts>

const orm = await MikroORM.init({ clientUrl: 'postgres://nobody@127.0.0.1:1/none', entities: [Shop, Item, Part] })

async function surface (change: Change = () => ({})): Promise<Surface> {
  const { writable, upsertKeys, routes, member, others, ...lists } = { ...PARTS, ...change(PARTS) }
  const { filters, sorts, fields, includes, facets, groups, aggregates, pagination } = lists
  const queryConfig = {
    allowedFilters: filters, allowedSorts: sorts, allowedFields: fields, allowedIncludes: includes,
    allowedFacets: facets, allowedGroups: groups, allowedAggregates: aggregates, pagination,
  }
  const crud = new CrudBase({
    model: Item, writable, queryConfig, ...upsertKeys.length > 0 && { upsertKeys },
  } as never) as CrudBase<object>
  const app = Fastify()
  await app.register(crudKit, {
    orm,
    resources: { '/items': { crud, ...routes }, ...others },
    access: { role: () => 'admin', roles: { admin: true, member } },
  } as CrudKitOptions as never)
  return surfaceOf(knownResources(app))
}

/** The operations that a role may use. */
const READS = ['list', 'aggregate']

const [admin, member] = ['/items for admin:', '/items for member:']
const both = (what: string): string[] => [`${admin} ${what}`, `${member} ${what}`]

/** Parts that replace those of the application, and what they widen. */
const MUTATIONS: ReadonlyArray<readonly [change: Change, widened: readonly string[]]> = [
  [({ routes }) => ({ routes: { ...routes, query: true } }), both('options query')],
  [({ filters }) => ({ filters: [...filters, new AllowedFilters('id')] }), both('filters id eq')],
  [({ filters }) => ({ filters: filters.with(0, new AllowedFilters('price', 'eq', ['eq', 'gte', 'lte'])) }),
    both('filters price lte')],
  [({ filters }) => ({ filters: filters.with(1, AllowedFilters.search('q', ['name', 'shop.name'])) }),
    both('filters q of shop.name')],
  [({ filters }) => ({ filters: [...filters, AllowedFilters.fullText('words', ['name', 'shop.name'])] }), [
    ...both('filters words fullText'), ...both('filters words of name'), ...both('filters words of shop.name'),
    ...both('sorts words'),
  ]],
  [({ filters }) => ({ filters: filters.with(2, new AllowedFilters('price', 'eq', { alias: 'title' })) }),
    both('filters title of price')],
  [({ filters }) => ({ filters: [...filters, new AllowedFilters('parts.name', 'contains')] }), [
    `${admin} filters parts.name contains`,
  ]],
  [({ filters }) => ({ filters: [...filters, AllowedFilters.custom('odd', (qb) => qb)] }), both('filters odd custom')],
  [({ sorts }) => ({ sorts: [...sorts, new AllowedSort('id')] }), both('sorts id')],
  [({ sorts }) => ({ sorts: sorts.with(1, new AllowedSort('id', { alias: 'best' })) }), both('sorts best (id)')],
  [({ fields }) => ({ fields: [...fields, new AllowedField('price')] }), both('fields price')],
  [({ fields }) => ({ fields: [...fields, new AllowedField('parts.name')] }), [`${admin} fields parts.name`]],
  [({ includes }) => ({ includes: [...includes, new AllowedInclude('shop')] }), both('includes shop')],
  [({ includes }) => ({ includes: [...includes, AllowedInclude.count('parts')] }), [`${admin} includes partsCount`]],
  [() => ({ includes: [new AllowedInclude('parts', { limit: 6, where: VISIBLE })] }), [
    `${admin} include parts 5 is now 6`,
  ]],
  [() => ({ includes: [new AllowedInclude('parts', { where: VISIBLE })] }), [
    `${admin} include parts 5 is now without limit`,
  ]],
  [() => ({ includes: [new AllowedInclude('parts', { limit: 5 })] }), [`${admin} without where of parts`]],
  [({ facets }) => ({ facets: [...facets, new AllowedFacet('shop')] }), both('facets shop')],
  [() => ({ facets: [new AllowedFacet('name', { alias: 'cost' })] }), both('facets cost (name)')],
  [() => ({ facets: [new AllowedFacet('price', { alias: 'cost', limit: 99 })] }), both('facet cost 20 is now 99')],
  [({ groups }) => ({ groups: [...groups, new AllowedGroup('shop.name')] }), [`${admin} groups shop.name`]],
  [({ groups }) => ({ groups: [...groups, AllowedGroup.date('at' as never, ['day'] as never)] }), [
    `${admin} groups at.day`,
  ]],
  [() => ({ groups: [new AllowedGroup('name', { alias: 'cost' })] }), [`${admin} groups cost (name)`]],
  [({ aggregates }) => ({ aggregates: [...aggregates, new AllowedAggregate('price', ['sum', 'avg'])] }), [
    `${admin} aggregates price.avg`,
    `${admin} aggregates price.sum`,
  ]],
  [({ pagination }) => ({ pagination: { ...pagination, count: 'exact' } }), both('options total')],
  [({ pagination }) => ({ pagination: { ...pagination, maxPerPage: 51 } }), both('maxPerPage 50 is now 51')],
  [({ pagination }) => ({ pagination: { ...pagination, maxOffset: 1_001 } }), both('maxOffset 1000 is now 1001')],
  [({ writable }) => ({ writable: { ...writable, update: ['name', 'price'] } }), [`${admin} update price`]],
  [
    () => ({
      writable: { create: ['name', 'price', 'shop', { parts: ['name'] }], update: ['name', { parts: ['name'] }] },
    }),
    ['create parts.name', 'update parts.name', 'children parts.name', 'children parts (remove)']
      .map((what) => `${admin} ${what}`),
  ],
  [({ routes }) => ({
    routes: { ...routes, requireIfMatch: false, operations: [...OPERATIONS, 'upsert'] },
    upsertKeys: ['name'],
  }), [...both('without requireIfMatch'), `${admin} operations upsert`, `${admin} upsertKeys name`]],
  [({ routes }) => ({ routes: { ...routes, operations: [...OPERATIONS, 'delete'] } }), [`${admin} operations delete`]],
  [({ routes }) => ({ routes: { ...routes, requireIfMatch: false } }), both('without requireIfMatch')],
  [({ routes }) => ({ routes: { ...routes, maxBatch: 11 } }), [`${admin} maxBatch 10 is now 11`]],
  [({ routes }) => ({ routes: { ...routes, scope: undefined } }), both('without scope')],
  [({ routes }) => ({ routes: { ...routes, stream: true } }), [
    ...both('options application/x-ndjson'),
    ...both('options text/csv'),
  ]],
  [({ member }) => ({ member: { ...member, Item: { operations: MEMBER.operations } } }), [`${member} without rows`]],
  [({ member }) => ({ member: { ...member, Item: { ...MEMBER, rows: {} } } }), [`${member} without rows`]],
  [() => ({ member: { Item: { ...MEMBER, operations: ['list', 'get', 'create'] }, Shop: true } }),
    ['operations create', 'create name', 'create price', 'create shop'].map((what) => `${member} ${what}`)],
  [() => ({ others: { '/shops': { crud: new CrudBase({ model: Shop }), operations: ['list'] } } }), [
    '/shops for admin: the whole resource (list)',
    '/shops for member: the whole resource (list)',
  ]],
]

t.test('each widening is named, and its reverse is a narrowing', async (t) => {
  const before = await surface()
  for (const [change, widened] of MUTATIONS) {
    const after = await surface(change)
    const changes = compareSurfaces(before, after)
    t.strictSame([...changes.widened].sort(), [...widened].sort(), widened[0]!)
    t.strictSame(compareSurfaces(after, before).narrowed, changes.widened)
  }
  t.strictSame(compareSurfaces(before, await surface()), { widened: [], narrowed: [] })
  const bySql = await surface(({ member }) => ({ member: { ...member, Item: BY_SQL } }))
  t.strictSame(compareSurfaces(before, bySql), { widened: [], narrowed: [] }, 'rows by SQL alone are a guard')
})

t.test('what a role hides, and what guards related records, is named', async (t) => {
  const guard = { rows: { name: 'mine' } }
  const hiding = { Item: { ...MEMBER, hidden: ['price'] }, Shop: true, Part: guard }
  const guarded = await surface(() => ({ member: hiding }))
  const open = await surface(() => ({ member: { Item: MEMBER, Shop: true, Part: true } }))
  t.strictSame(
    compareSurfaces(guarded, open).widened,
    [
      'filters price eq', 'filters price gte', 'sorts best (price)', 'facets cost (price)', 'without rows of parts',
    ].map((what) => `${member} ${what}`)
  )
  const without = await surface(() => ({ member: hiding, includes: [] }))
  t.strictSame(compareSurfaces(guarded, without).widened, [], 'an include goes with what guards it')

  const reading = { ...MEMBER, operations: READS }
  const ways: readonly Change[] = [
    ({ filters }) => ({ filters: [...filters, new AllowedFilters('parts.name', 'contains')] }),
    ({ filters }) => ({ filters: [...filters, AllowedFilters.search('words', ['name', 'parts.name'])] }),
    ({ filters }) => ({ filters: [...filters, new AllowedFilters('parts.name', 'contains', { alias: 'part' })] }),
    ({ routes }) => ({ routes: { ...routes, operations: ['aggregate'] } }),
  ]
  for (const way of ways) {
    const behind = (Part: unknown) =>
      surface((parts) => {
        const filters = [...parts.filters, new AllowedFilters('parts.name', 'eq', { alias: 'any' })]
        return { filters, ...way({ ...parts, filters }), includes: [], member: { Item: reading, Shop: true, Part } }
      })
    t.strictSame(compareSurfaces(await behind(guard), await behind(true)).widened, [`${member} without rows of parts`],
      'a filter leads to guarded records without an include')
  }
  const others: readonly Change[] = [
    ({ sorts }) => ({ sorts: [...sorts, new AllowedSort('shop.name', { alias: 'shop' })] }),
    ({ facets }) => ({ facets: [...facets, new AllowedFacet('shop.name')] }),
    ({ filters }) => ({ filters: [...filters, AllowedFilters.fullText('words', ['name', 'shop.name'])] }),
    ({ groups }) => ({ groups: [...groups, new AllowedGroup('shop.name')] }),
  ]
  for (const other of others) {
    const shops = (Shop: unknown) => surface((parts) => ({ ...other(parts), member: { Item: reading, Shop } }))
    t.match(compareSurfaces(await shops(guard), await shops(true)).widened, [/without rows of shop$/])
  }
})

t.test('the file is short, sorted, and read as it was written', async (t) => {
  const found = await surface()
  const file = path.join(t.testdir(), 'crud.lock.json')
  await writeLock(file, found)
  t.strictSame(compareSurfaces((await readLock(file))!, found), { widened: [], narrowed: [] })
  const lines = lockText(found).split('\n')
  t.ok(lines.every((line) => line.length <= 120))
  t.ok(lines.length < 60, `${lines.length} lines`)
  t.ok(lines.includes('        "filters": {'))
  t.ok(lines.includes('          "price": ["eq", "gte"],'))
  t.ok(lines.includes('        "guards": ["filter own", "requireIfMatch", "rows", "scope"],'))
  t.notMatch(lockText(found), 'secret')
  for (const text of ['', '{', '{"format":2,"resources":{}}', '{"format":1,"resources":{"/a":1}}']) {
    fs.writeFileSync(file, text)
    await t.rejects(readLock(file), { message: /crud\.lock\.json is not a file .* Write it with --update\.$/ })
  }
})

const source = (file: string): string => pathToFileURL(path.resolve(import.meta.dirname, '../../', file)).href

/** An application whose parts a test replaces. */
const program = (databaseUrl: string): string => `
  import { defineEntity, p } from '@mikro-orm/core'
  import Fastify from 'fastify'
  import crudKit, { AllowedFilters, CrudBase } from '${source('src/index.ts')}'
  const Note = defineEntity({ name: 'Note', properties: { id: p.integer().primary(), text: p.text() } })
  const app = Fastify()
  await app.register(crudKit, {
    database: { databaseUrl: '${databaseUrl}', entities: [Note], schema: 'create' },
    resources: { '/notes': new CrudBase({ model: Note, writable: 'all', queryConfig: { allowedFilters: [] } }) },
  })
  await app.listen({ port: 1 })
  console.log('listens')
`

/** The same with a role whose notes are limited, and that may filter by topics without a limit. */
const unguarded = (databaseUrl: string): string =>
  program(databaseUrl)
    .replace('const app', `const Topic = defineEntity({ name: 'Topic', properties: { id: p.integer().primary() } })
  const app`)
    .replace('text: p.text()', 'text: p.text(), topic: () => p.manyToOne(Topic).nullable()')
    .replace('[Note]', '[Note, Topic]')
    .replace('allowedFilters: []', "allowedFilters: [AllowedFilters.exact('topic.id')]")
    .replace('resources:', `access: {
      role: () => 'guest', roles: { guest: { Note: { rows: { id: 1 } }, Topic: { operations: ['get'] } } },
    },
    resources:`)

for (const { name, skip, open } of newDatabases.filter(({ name }) => name === 'postgres')) {
  t.test(`an application on ${name}`, { skip }, async (t) => {
    const { url, close } = await open()
    const wide = program(url).replace('allowedFilters: []', "allowedFilters: [new AllowedFilters('text', 'eq')]")
    const drift = program(url).replace(", schema: 'create'", '').replace('p.text()', 'p.integer(), author: p.text()')
    const away = program('postgresql://nobody@127.0.0.1:1/none')
    const programs: Readonly<Record<string, string>> = {
      server: program(url),
      wide,
      drift,
      factory: wide.replace('const app = Fastify()', 'export async function buildApp () {\n  const app = Fastify()')
        .replace("await app.listen({ port: 1 })\n  console.log('listens')", 'return app }'),
      logged: drift
        .replace('Fastify()', 'Fastify({ logger: { stream: { write: (line) => process.emitWarning(line) } } })'),
      away,
      embedded: away.replace('postgresql://nobody@127.0.0.1:1/none', 'pglite://absent'),
      broken: "throw new Error('no such setting')",
      demanding: `if (process.env['CHECKED'] !== 'yes') throw new Error('CHECKED is missing.')\n${program(url)}`,
      idle: 'export const build = () => undefined',
      parametrised: 'export function buildApp ({ url }) { return url }',
      unguarded: unguarded(url),
      empty: `import Fastify from '${import.meta.resolve('fastify')}'\nexport default Fastify()`,
    }
    const folder = t.testdir({ 'server.ts': program(url) })
    t.teardown(close)
    // a process imports a file once
    let count = 0
    const check = async (name: string, ...args: string[]) => {
      const file = `${name}${count += 1}.ts`
      fs.writeFileSync(path.join(folder, file), programs[name]!)
      return await runCommand(['check', file, ...args], folder)
    }
    t.match(await runCommand(['check'], folder), { code: 1, out: /There is no crud\.lock\.json yet\. Write it/ })
    t.match(await check('server', '--update'), { code: 0, out: /^crud\.lock\.json is written\.\nThe database is what/ })
    const unchanged = 'crud.lock.json is the surface of the application.\n'
    t.match(await check('server', '--no-database'), { code: 0, out: unchanged })
    for (const name of ['away', 'embedded']) {
      t.match(await check(name, '--no-database'), { code: 0, out: unchanged }, 'a start without the database')
    }
    t.notOk(fs.existsSync('absent'))
    const widened = await check('wide')
    t.equal(widened.code, 1)
    const gain = '  /notes for everyone: filters text eq\n'
    t.match(widened.out, `Requests may do more than before:\n${gain}Update crud.lock.json if`)
    t.match(widened.out, /Indexes are missing:\n {2}create index on "note" \("text"\); -- filter\[text\]\n/)
    t.match(await check('factory', '--update'), { code: 0, out: /filters text eq\ncrud\.lock\.json is written/ })
    const narrowed = await check('server')
    t.equal(narrowed.code, 0)
    t.match(narrowed.out, `Requests may do less than before:\n${gain}`)
    const warnings: Error[] = []
    const warn = (warning: Error): unknown => warnings.push(warning)
    process.on('warning', warn)
    for (const name of ['drift', 'logged']) {
      const { code, out } = await check(name)
      t.equal(code, 1)
      t.match(out, /The database has no column "note"\."author" of Note\.author/)
      t.match(out, /"note"\."text" is text, and Note\.text is integer/)
    }
    process.off('warning', warn)
    t.strictSame(warnings.filter(({ message }) => message.includes('author')), [], 'the server says none of it again')
    t.match(await check('drift', '--update'), {
      code: 1,
      out: /crud\.lock\.json is written\. The exit code is 1 because of the database\.\n$/,
    })
    t.match(await check('broken'), { code: 1, err: /broken\d+\.ts does not start: no such setting\n$/ })
    t.match(await check('idle'), {
      code: 1, err: /idle\d+\.ts does not start: it made no server\. Let a server listen, /,
    })
    t.match(await check('parametrised'), { code: 1, err: /\(its exported function takes parameters, .*\)\n$/ })
    t.match(await check('empty'), { code: 1, err: /^The application has no resources of this installation of / })
    t.match(await check('demanding'), { code: 1, err: /CHECKED is missing\.\n$/ })
    fs.writeFileSync(path.join(folder, '.env'), 'CHECKED=yes')
    t.match(await check('demanding'), { code: 1, err: /CHECKED is missing\. If it .*, add --env-file \.env\.\n$/ })
    t.teardown(() => delete process.env['CHECKED'])
    t.match(await check('demanding', '--no-database', '--env-file', '.env'), { code: 0 })
    t.match(await check('demanding', '--env-file', 'none'), { code: 2, err: /^check: the file none cannot be read: / })
    t.match(await runCommand(['check', 'absent.ts'], folder), { code: 2, err: 'check: there is no file absent.ts.\n' })
    t.match((await check('unguarded')).out, /Nothing guards these rows:\n {2}.*Topic/)
    fs.rmSync(path.join(folder, 'server.ts'))
    t.match(await runCommand(['check'], folder), { code: 2, err: /^check: name the file of your application, such as / })
  })
}

t.test('the program ends, whatever the application does', async (t) => {
  const app = program('postgresql://nobody@127.0.0.1:1/none')
  const folder = t.testdir({
    'package.json': '{ "type": "module" }',
    'exits.ts': 'process.exit(0)',
    'closing.ts': app.replace('await app.listen(', "await app.addHook('onClose', () => process.exit(0)).listen("),
    'endless.ts': app.replace('await app.listen(', "await app.addHook('onClose', () => new Promise(() => {})).listen("),
    'text.ts': "throw 'no such setting'",
    'outer.ts': "import './wrong.ts'",
    'wrong.ts': '\nconst x: = 1',
  })
  const main = path.resolve(import.meta.dirname, '../../src/cli/main.ts')
  const check = async (...args: readonly string[]) => await new Promise<object>((resolve) => {
    execFile(process.execPath, [main, 'check', ...args, '--no-database'], { cwd: folder }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }))
  })
  t.match(await check('exits.ts'), { code: 1, err: /exits\.ts has ended the process\.\n$/ })
  t.match(await check('closing.ts'), { code: 1, err: /closing\.ts has ended the process\.\n$/ })
  t.match(await check('endless.ts', '--update'), { code: 0, out: 'crud.lock.json is written.\n' })
  t.match(await check('text.ts'), { code: 1, err: /text\.ts does not start: no such setting\n$/ })
  t.match(await check('outer.ts'), { code: 1, err: /outer\.ts does not start: .*\(\S+wrong\.ts:2\)\n$/ })
})

t.test('an application that is never ready is named', async (t) => {
  const folder = t.testdir({
    'waits.ts': 'await new Promise(() => {})',
    'idle.ts': `import Fastify from '${import.meta.resolve('fastify')}'\nFastify()`,
  })
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  for (const file of ['waits.ts', 'idle.ts']) {
    const results: Ran[] = []
    runCommand(['check', file], folder).then((result) => results.push(result), t.threw)
    while (results.length === 0) {
      mock.timers.tick(60_000)
      await setImmediate()
    }
    t.strictSame(results[0], {
      code: 1,
      out: '',
      err: `${path.join(folder, file)} does not start: after 60 seconds, an \`await\` has not ended, or no server ` +
        'listens. Let a server listen, or export it, or a function `buildApp` without parameters that returns it.\n',
    })
  }
})
