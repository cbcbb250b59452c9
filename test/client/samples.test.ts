/** Samples in the pages about front ends that are no programs have the right types. */
import fs from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { readDocument } from '../helpers/document.ts'
import { checkTypes, fromSources, optionsOf } from '../helpers/type-check.ts'

// a type checker on a busy machine
t.setTimeout(600_000)

const root = path.resolve(import.meta.dirname, '../..')

/** Declarations that samples leave out, because earlier ones have shown them. */
const SHOWN: Readonly<Record<string, string>> = {
  api: "const api = createClient<Api>('')",
  createClient: "import { createClient } from 'fastify-crud-kit/client'",
  Api: "import type { Api } from './app.ts'",
  createDataProvider: "import { createDataProvider } from 'fastify-crud-kit/react-admin'",
  dataProvider: 'const dataProvider = createDataProvider(api)',
  token: 'declare function token (): string',
}

/** The `tsx` samples of a page, with the declarations that they leave out. */
function samplesOf (page: string): string[] {
  return [...readDocument(page).text.matchAll(/^```tsx\n([^]*?)^```$/gm)].map(([, sample]) => {
    let program = sample!.replace('../server/app.ts', './app.ts')
    // from the last to the first, since a declaration may need others
    for (const name of ['token', 'dataProvider', 'createDataProvider', 'api', 'createClient', 'Api']) {
      const isDeclared = new RegExp(`(const|let|import .*[{ ,])\\s*${name}\\b`).test(program)
      if (!isDeclared && new RegExp(`(?<![.'\\w-])${name}\\b(?!')`).test(program)) {
        program = `${SHOWN[name]}\n${program}`
      }
    }
    return fromSources(`${program}\nexport {}\n`)
  })
}

const isRefine = (sample: string): boolean => sample.includes("from '@refinedev/core'")

function check (t: Test, folder: string, app: string, samples: readonly string[], options: ts.CompilerOptions): void {
  const files = Object.fromEntries(samples.map((sample, index) => [`sample-${index}.tsx`, sample]))
  const { errorsOf } = checkTypes(path.join(root, folder), { 'app.ts': app, ...files }, options)
  t.strictSame(errorsOf('app.ts'), [])
  for (const [name, sample] of Object.entries(files)) t.strictSame(errorsOf(name), [], sample)
}

/** With `exactOptionalPropertyTypes`, which some front ends set. */
const inTests = {
  ...optionsOf('tsconfig.json'),
  exactOptionalPropertyTypes: true,
  jsx: ts.JsxEmit.ReactJSX,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts'],
}

t.test('the samples of the client', async (t) => {
  const samples = ['client', 'tanstack-query'].flatMap((page) => samplesOf(`docs/front-ends/${page}.md`))
  t.equal(samples.length, 9)
  check(t, 'test/client', fromSources(readDocument('docs/front-ends/client.md').program), samples, inTests)
})

/** A server with the resources of docs/front-ends/admin.md. */
const ADMIN_APP = fromSources(`
import { defineEntity, p } from '@mikro-orm/core'
import { AllowedFilters, CrudBase, type ApiOf } from 'fastify-crud-kit'

const Category = defineEntity({ name: 'Category', properties: { id: p.integer().primary(), name: p.string() } })
const Invoice = defineEntity({
  name: 'Invoice',
  properties: { branch: p.integer().primary(), number: p.integer().primary() },
})
const Line = defineEntity({
  name: 'Line',
  properties: { invoice: () => p.manyToOne(Invoice).primary(), position: p.integer().primary() },
})
const resources = {
  '/categories': {
    crud: new CrudBase({
      model: Category,
      queryConfig: { allowedFilters: [AllowedFilters.search('q', ['name'])] },
      writable: 'all',
    }),
    operations: ['list', 'get', 'create', 'update', 'updateMany', 'delete', 'deleteMany'] as const,
  },
  '/invoices': new CrudBase({ model: Invoice, writable: 'all' }),
  '/lines': new CrudBase({ model: Line, writable: 'all' }),
}
export type Api = ApiOf<typeof resources>
`)

t.test('the samples of refine', async (t) => {
  const samples = samplesOf('docs/front-ends/admin.md').filter(isRefine)
  t.equal(samples.length, 3)
  check(t, 'test/admin', ADMIN_APP, samples, inTests)
})

const isMissing = !fs.existsSync(path.join(root, 'example/admin/node_modules/react-admin'))
const skip = isMissing && process.env['CI'] !== 'true' &&
  'example/admin is not installed: npm ci --prefix example/admin'

t.test('the samples of react-admin', { skip }, async (t) => {
  const samples = samplesOf('docs/front-ends/admin.md').filter((sample) => !isRefine(sample))
  t.equal(samples.length, 7)
  check(t, 'example/admin', ADMIN_APP, samples, optionsOf('example/admin/tsconfig.json'))
})
