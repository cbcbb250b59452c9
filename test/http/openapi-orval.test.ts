/** A client that orval makes from the document: its types have the names of the resources, and it works on a port. */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { openExample } from '../helpers/example.ts'

// an installation from the registry
t.setTimeout(600_000)

const VERSION = '8.38.0'

const CLIENT = `
import { createCategories, getCategories, listCategories } from './api.ts'
import type { Category, CategoryChanges, CategoryPage, NewCategory } from './api.ts'

export async function run () {
  const list = await listCategories({ 'filter[name]': 'Tech', 'filter[price][gte]': 100, limit: 5 })
  if (list.status !== 200) throw new Error(list.data.message)
  const page: CategoryPage = list.data
  const category: Category = page.items[0]!
  const found = await getCategories(category.id!)
  const body: NewCategory = { name: 'Maps', status: 'draft' }
  const created = await createCategories(body, { headers: { 'x-role': 'admin' } })
  const refused = await createCategories(body)
  // @ts-expect-error a member of the enum
  const changes: CategoryChanges = { status: 'none' }
  return { name: category.name, found: found.status, created: created.status, refused: refused.status, changes }
}
`

/** Installs orval in a folder. The result is the reason why that is not possible, if it is not. */
function install (folder: string): string | undefined {
  const { status, error } = spawnSync('npm', ['install', '--no-audit', '--no-fund', `orval@${VERSION}`], {
    cwd: folder,
    timeout: 300_000,
  })
  return status === 0
    ? undefined
    : `orval ${VERSION} cannot be installed: ${error?.message ?? `npm ends with ${status}`}`
}

t.test('a client that orval makes type-checks and works', async (t) => {
  const folder = t.testdir({ 'package.json': '{ "private": true, "type": "module" }', 'client.ts': CLIENT })
  const reason = install(folder)
  if (reason !== undefined) {
    t.comment(reason)
    return t.end()
  }
  const app = await openExample(t)
  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
  fs.writeFileSync(path.join(folder, 'document.json'), JSON.stringify(app.swagger()))
  fs.writeFileSync(
    path.join(folder, 'orval.config.mjs'),
    `export default { api: { input: { target: './document.json' }, output: {
      target: './api.ts', client: 'fetch', mode: 'single', baseUrl: '${baseUrl}',
    } } }`
  )
  execFileSync(process.execPath, ['node_modules/orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs'], {
    cwd: folder,
  })
  const file = path.join(folder, 'client.ts')
  const program = ts.createProgram([file], {
    strict: true, noEmit: true, target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext, allowImportingTsExtensions: true, types: [],
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  })
  t.strictSame(
    ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
    []
  )
  const { run } = await import(pathToFileURL(file).href) as { run: () => Promise<unknown> }
  t.match(await run(), { name: 'Tech', found: 200, created: 201, refused: 403 })
})
