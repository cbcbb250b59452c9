/** The JavaScript of the published package: few files, in which every class exists once and has its name. */
import { defineEntity, p } from '@mikro-orm/postgresql'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { bundle } from '../../scripts/bundle.ts'

const root = path.join(import.meta.dirname, '../..')
/** Below node_modules, where the bundle finds the installed packages. */
const folder = path.join(root, `node_modules/.cache/fastify-crud-kit-bundle-${process.pid}`)
const urlOf = (file: string): string => pathToFileURL(path.join(folder, file)).href
/** Runs a script in a process that has not loaded the sources. Returns the JSON that the script prints. */
const run = (script: string): unknown =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: root, encoding: 'utf8' }))

t.before(async () => {
  await bundle(folder)
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
})
t.teardown(() => fs.rmSync(folder, { recursive: true }))

t.test('the bundle exports what the sources export, and classes keep their names', async (t) => {
  for (const entry of ['src/index', 'src/client/index', 'src/client/tanstack-query', 'plugins/explorer']) {
    const bundled = await import(urlOf(`${entry}.js`)) as Record<string, unknown>
    const source = await import(pathToFileURL(path.join(root, `${entry}.ts`)).href) as Record<string, unknown>
    t.strictSame(Object.keys(bundled), Object.keys(source), entry)
    const namesOf = (members: Record<string, unknown>) =>
      Object.entries(members).filter(([, member]) => /^class\b/.test(String(member)))
        .map(([key, member]) => [key, (member as { readonly name: string }).name])
    t.strictSame(namesOf(bundled), namesOf(source), `classes of ${entry}`)
  }
})

t.test('a chunk contains a module of the sources that no other chunk contains', async (t) => {
  const sources = fs.globSync('**/*.js.map', { cwd: folder }).flatMap((map) => {
    const file = path.join(folder, map)
    const { sources } = JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly sources: readonly string[] }
    return sources.map((source) => path.resolve(path.dirname(file), source))
  })
  t.ok(sources.includes(path.join(root, 'src/base/errors.ts')))
  t.strictSame(sources.filter((source, index) => sources.indexOf(source) !== index), [])
})

t.test('the import loads few files, and no optional parts', async (t) => {
  const loaded = run(`
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    await import(${JSON.stringify(urlOf('src/index.js'))})
    console.log(JSON.stringify(loaded))`) as string[]
  // without the folder, whose name says nothing about the parts
  const own = loaded.filter((url) => url.startsWith(urlOf(''))).map((url) => url.slice(urlOf('').length))
  t.ok(own.length <= 4, `${own.length} files, of which one has all that only servers need`)
  t.strictSame(own.filter((url) => /\/(?:docs|streams|explorer|worker|compiler)/.test(url)), [])
  const typebox = loaded.filter((url) => url.includes('/node_modules/@sinclair/typebox/'))
  t.ok(typebox.length <= 24, `${typebox.length} files of TypeBox, which are those of its registry`)
})

t.test('the bundle includes what the package uses of TypeBox, and its license', async (t) => {
  const maps = fs.globSync('**/*.js.map', { cwd: folder }).map((map) => fs.readFileSync(path.join(folder, map), 'utf8'))
  const shared = maps.find((map) => map.includes('/type/object/object.mjs'))!
  t.match(shared, '/src/schema/body-schema.ts')
  t.notMatch(shared, /extends-check\.mjs|\/type\/module\//, 'neither types that nothing uses')
  t.match(fs.readFileSync(path.join(folder, 'LICENSE-typebox'), 'utf8'), /MIT License[^]*Haydn Paterson/)
})

t.test('the installed TypeBox checks the schemas of crudSchemas exactly', async (t) => {
  // in its own process, since the sources register their types with the installed TypeBox, too
  const checked = run(`
    import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql'
    import { TypeCompiler } from '@sinclair/typebox/compiler'
    const { CrudBase, crudSchemas } = await import(${JSON.stringify(urlOf('src/index.js'))})
    const Price = defineEntity({
      name: 'Price',
      properties: { id: p.integer().primary(), amount: p.decimal().precision(6).scale(2) },
    })
    const orm = await MikroORM.init({ clientUrl: 'postgres://nobody@127.0.0.1:1/none', entities: [Price] })
    const { create } = crudSchemas(new CrudBase({ model: Price, writable: 'all' }), orm)
    const check = TypeCompiler.Compile(create)
    console.log(JSON.stringify(['1234.50', '12345.50', 'many'].map((amount) => check.Check({ amount }))))`)
  t.strictSame(checked, [true, false, false], 'the column has four digits before the point')
})

t.test('the program runs, and finds the files that it copies', async (t) => {
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [path.join(folder, 'src/cli/main.js'), ...args], { encoding: 'utf8' })
  t.match(run('pull', '--help'), /^Usage: fastify-crud-kit pull/)
  const project = t.testdir()
  run('init', project, '--yes')
  t.match(fs.readFileSync(path.join(project, 'app.ts'), 'utf8'), 'crudExplorer')
})

t.test('a synchronous session finds its worker', async (t) => {
  const { DatabaseFactory } = await import(urlOf('src/index.js')) as typeof import('../../src/index.ts')
  const Note = defineEntity({ name: 'Note', properties: { id: p.integer().primary() } })
  const factory = new DatabaseFactory({ databaseUrl: 'pglite://memory', entities: [Note], useAsync: false })
  t.teardown(() => factory.close())
  const session = factory.getSessionMaker(factory.getEngine())()
  t.strictSame(session.execute('select 1 as one'), [{ one: 1 }])
})
